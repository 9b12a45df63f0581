//! Every change goes through here, so that what came of it is told once and in order.

use super::refs;
use super::{Out, Prompt, Saved};
use crate::edit::Text;
use crate::form::{Content, Field};
use dragoman_model::{PromptEvent, PromptKind};

impl Prompt {
    /// Do something, and tell what came of it.
    pub(super) fn change<T>(&mut self, what: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.save();
        let shown = self.shown_count();
        let result = what(self);
        self.keep_in_view();
        self.tell(&before, shown);
        result
    }

    fn tell(&mut self, before: &Saved, shown: Option<usize>) {
        let changed = self.save() != *before;
        if !changed {
            return;
        }
        self.version += 1;
        let fields = self.fields.iter().zip(&before.fields);
        let typed = fields
            .into_iter()
            .find(|(now, then)| now.value() != then.value());
        if let Some((now, then)) = typed {
            let text = |field: &Field| match field.is_secret() {
                true => String::new(),
                false => field.value().to_owned(),
            };
            let (value, previous) = (text(now), text(then));
            self.event(PromptEvent::InputChanged { value, previous });
        }
        self.tell_choices(shown, before.selected);
        match (before.focused, self.focused) {
            (false, true) => self.event(PromptEvent::Focused),
            (true, false) => self.event(PromptEvent::Blurred),
            _ => {}
        }
    }

    /// How many are shown, and which one is selected, where that has changed.
    pub(super) fn tell_choices(&mut self, shown: Option<usize>, chosen: Option<u32>) {
        let count = self.shown_count();
        if let (true, Some(count)) = (count != shown, count) {
            let count = count as u64;
            self.event(PromptEvent::ChoicesUpdated { count });
        }
        if let Some(list) = &self.list
            && let Some((index, choice)) = list.selected()
            && Some(index) != chosen
        {
            let event = PromptEvent::ChoiceSelected {
                index: list.at.selected as u64,
                value: choice.value.clone(),
                id: refs::choice_id(index, choice),
            };
            self.event(event);
        }
    }

    pub(super) fn event(&mut self, event: PromptEvent) {
        self.out.push(Out::Event(event));
    }

    /// Say what is wrong; the prompt stays.
    pub(super) fn fail(&mut self, why: &str) {
        self.say(why);
        let message = why.to_owned();
        self.event(PromptEvent::Error { message });
    }

    /// Write into a field; its list follows.
    pub(super) fn write(&mut self, at: usize, what: impl FnOnce(&mut Text)) {
        let Some(field) = self.fields.get_mut(at) else {
            return;
        };
        let Content::Text { text, .. } = &mut field.content else {
            return;
        };
        let before = text.as_str().len();
        let old = text.as_str().to_owned();
        what(text);
        let changed = text.as_str().len() != before || text.as_str() != old;
        if changed && at == 0 && self.list.is_some() {
            self.refilter();
        }
    }

    pub(super) fn refilter(&mut self) {
        let query = self.fields.first().map_or("", Field::value).to_owned();
        if let Some(list) = &mut self.list {
            list.set_filter(&query);
        }
    }

    pub(super) fn keep_in_view(&mut self) {
        let rows = usize::from(self.areas().body.height);
        if let Some(list) = &mut self.list {
            list.keep_in_view(rows);
        }
        let edited = self.fields.first().map(|field| &field.content);
        self.scroll = match edited.filter(|_| self.kind() == PromptKind::Editor) {
            Some(Content::Text { text, .. }) => {
                let row = text.row();
                self.scroll
                    .clamp((row + 1).saturating_sub(rows.max(1)), row)
            }
            _ => self.scroll.min(self.page.len().saturating_sub(1)),
        };
    }
}
