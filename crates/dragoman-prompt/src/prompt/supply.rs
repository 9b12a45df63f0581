//! The choices there are: all at once, or as they come.

use super::{Entry, Prompt};
use crate::list::List;
use crate::spec::Choice;
use dragoman_model::PromptEvent;

impl Prompt {
    pub fn set_choices(&mut self, choices: Vec<Choice>) {
        let Some(list) = &mut self.list else { return };
        self.refs.new_choices(choices.len());
        *list = List::new(choices, list.multiple);
        self.refilter();
        let count = self.list.as_ref().map_or(0, |list| list.shown().len()) as u64;
        self.version += 1;
        self.event(PromptEvent::ChoicesUpdated { count });
    }

    /// Whether more choices are on their way.
    pub fn expects_more(&self) -> bool {
        self.expects_more
    }

    pub fn expect_more(&mut self, more: bool) {
        self.expects_more = more;
        self.version += 1;
    }

    /// Behind those there are, which stay what they are.
    pub fn more_choices(&mut self, choices: Vec<Choice>) {
        let (shown, chosen) = (self.shown_count(), self.selected_index());
        let Some(list) = self.list.as_mut().filter(|_| !choices.is_empty()) else {
            return;
        };
        self.refs.more_choices(choices.len());
        list.add(choices);
        self.version += 1;
        self.keep_in_view();
        self.tell_choices(shown, chosen);
    }

    /// What is in the folder that was asked for; an error is said.
    pub fn listed(&mut self, folder: &str, entries: Result<Vec<Entry>, String>) {
        if folder != self.folder {
            return;
        }
        match entries {
            Err(why) => self.fail(&why),
            Ok(entries) => {
                let path = |name: &str| match folder.ends_with('/') {
                    true => format!("{folder}{name}"),
                    false => format!("{folder}/{name}"),
                };
                let choice = |entry: Entry| Choice {
                    value: path(&entry.name),
                    name: match entry.is_folder {
                        true => format!("{}/", entry.name),
                        false => entry.name,
                    },
                    ..Choice::default()
                };
                self.set_choices(entries.into_iter().map(choice).collect());
            }
        }
    }

    pub(super) fn shown_count(&self) -> Option<usize> {
        self.list.as_ref().map(|list| list.shown().len())
    }

    /// By its place in the whole list.
    pub(super) fn selected_index(&self) -> Option<u32> {
        let selected = self.list.as_ref().and_then(List::selected);
        selected.map(|(index, _)| index)
    }
}
