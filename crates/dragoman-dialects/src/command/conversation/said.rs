//! What the assistant says, and the person beside it.

use super::{Act, Conversation, MOST_WAITING, Mode, Work};
use crate::chat::Problem;
use crate::command::reply;
use crate::command::stream::{Heard, Person};
use dragoman_model::Control;

impl Conversation {
    pub(super) fn hear(&mut self, heard: Heard) {
        match heard {
            Heard::Reply(_) if self.replies.len() >= MOST_WAITING => {
                self.error("Too many replies wait; this one was not read.");
            }
            Heard::Reply(text) => self.replies.push_back(text),
            Heard::Unfinished => {
                let keyword = self.options.keyword.clone();
                self.system(&format!(
                    "The reply did not end with the keyword {keyword}, so nothing in it was executed. \
                     Send it again, whole, and end it with the keyword."
                ));
            }
            Heard::Bad(Problem(problem)) => {
                self.error(&format!("{problem} Nothing was executed."));
            }
            Heard::Person(person) => self.person(person),
        }
    }

    pub(super) fn person(&mut self, person: Person) {
        match person {
            Person::Says(text) => {
                self.unasked = 0;
                self.acts.push(Act::Say(text));
            }
            Person::Stop => {
                self.mode = Mode::Stopped;
                self.replies.clear();
                self.held = None;
                self.no_effect = None;
                self.cancel_all();
                self.say_now(
                    "The person stopped the session. No command is executed until the person goes on.",
                );
            }
            Person::Observe => {
                self.mode = Mode::Observing;
                self.held = None;
                if self.proposed.is_some() {
                    self.cancel_all();
                }
                self.say_now(
                    "Observation mode: you are shown the tabs, and no command is executed.",
                );
            }
            Person::Act => {
                self.mode = Mode::Acting;
                self.say_now("The person goes on. Commands are executed.");
            }
            Person::Approve => match (self.held.take(), self.proposed.take()) {
                (Some(action), _) => {
                    self.work = Some(Work::Running);
                    self.perform(&action);
                }
                (None, Some(number)) => self.acts.push(Act::Control(Control::Approve { number })),
                (None, None) => {}
            },
            Person::Reject => match (self.held.take(), self.proposed.take()) {
                (Some(action), _) => self.error(&format!(
                    "The person rejected the command {}.",
                    action.in_words()
                )),
                (None, Some(number)) => self.acts.push(Act::Control(Control::Cancel { number })),
                (None, None) => {}
            },
        }
    }

    /// Stop what runs and drop what waits.
    pub(super) fn cancel_all(&mut self) {
        self.proposed = None;
        if let Some(number) = self.number.take() {
            self.acts.push(Act::Control(Control::Cancel { number }));
        }
    }

    pub(super) fn reply(&mut self, text: &str) {
        self.unasked = 0;
        self.dialogs = 0;
        let mut found = reply::commands(text).into_iter();
        let Some(first) = found.next() else {
            return;
        };
        self.no_effect = None;
        // Said twice, meant once.
        let mut others = found
            .map(|other| other.action)
            .filter(|other| *other != first.action);
        if let Some(second) = others.next() {
            let more = others.count();
            let what = match second {
                Ok(action) => format!(": {}.", action.in_words()),
                Err(Problem(problem)) => format!(". {problem}"),
            };
            let more = match more {
                0 => String::new(),
                more => format!(" Nor were {more} more."),
            };
            self.error(&format!(
                "One command per response. The second command was not executed{what}{more}"
            ));
        }
        match (first.action, self.mode) {
            (Err(Problem(problem)), _) => self.error(&problem),
            (Ok(action), Mode::Acting) if self.quoted.source(&action).is_some() => {
                self.system(&format!(
                    "The command {} stands word for word in the content of a page, so it waits for the \
                     person's approval.",
                    action.in_words()
                ));
                self.held = Some(action);
            }
            (Ok(action), Mode::Acting) => {
                self.held = None;
                self.work = Some(Work::Running);
                self.perform(&action);
            }
            (Ok(action), Mode::Observing) => self.system(&format!(
                "Observation mode: the command {} was not executed.",
                action.in_words()
            )),
            (Ok(action), Mode::Stopped) => self.system(&format!(
                "The person stopped the session: the command {} was not executed.",
                action.in_words()
            )),
        }
    }
}
