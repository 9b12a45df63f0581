//! What was asked of an executor and not answered yet. Answers come with the number that was sent, or, from
//! executors that do not send it back, in order; they are never mistaken for each other.
//!
//! Must not know: what an answer says.

use dragoman_model::Ref;
use std::collections::VecDeque;

#[derive(Debug, Default)]
pub(super) struct Questions {
    open: VecDeque<Open>,
    /// It sends `request_id` back.
    echoes: bool,
    /// Questions that nobody waits for any more, and whose answers may still come without a number.
    forgotten: u32,
}

#[derive(Debug)]
pub(super) struct Open {
    pub number: u64,
    pub kind: Kind,
    /// The executor's number that was sent, and whom it meant.
    aim: Option<(u64, Ref)>,
    /// What the number may have meant when the executor read it.
    pub crossed: Option<String>,
    pub changed: bool,
    /// A list came since.
    pub listed: bool,
    /// Nobody waits for the answer any more, but it may still come.
    pub abandoned: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Act,
    Navigate,
    List,
    Content,
}

impl Kind {
    /// It brings something and changes nothing.
    fn is_harmless(self) -> bool {
        matches!(self, Self::List | Self::Content)
    }
}

impl Questions {
    pub fn may_ask(&self) -> bool {
        match self.echoes {
            true => self.open.iter().all(|open| open.abandoned),
            false => self.open.is_empty(),
        }
    }

    pub fn add(&mut self, number: u64, kind: Kind, aim: Option<(u64, Ref)>) {
        self.open.push_back(Open {
            number,
            kind,
            aim,
            crossed: None,
            changed: false,
            listed: false,
            abandoned: false,
        });
    }

    /// Nobody waits for it any more. What may still have an effect is owed, unless the answer will say
    /// what it is the answer to.
    pub fn abandon(&mut self, number: u64) -> Option<Kind> {
        let at = self.open.iter().position(|open| open.number == number)?;
        let kind = self.open[at].kind;
        self.open[at].abandoned = true;
        if self.echoes || kind.is_harmless() {
            self.open.remove(at);
            self.forgotten += u32::from(kind.is_harmless());
        }
        Some(kind)
    }

    /// There is a new list. `instead`: what a number means now, if no longer what it meant.
    pub fn listed(&mut self, changed: bool, instead: impl Fn(u64, Ref) -> Option<String>) {
        for open in &mut self.open {
            open.changed |= changed;
            open.listed = true;
            if let Some((id, wanted)) = open.aim {
                open.crossed = instead(id, wanted).or(open.crossed.take());
            }
        }
    }

    /// The one that an answer is to; a number that is none of ours is nobody's. One without a number that
    /// brings a list or a text may be late.
    pub fn answered(&mut self, id: Option<&str>, brings: bool) -> Option<Open> {
        let asked_for = |open: &Open| open.kind.is_harmless();
        if id.is_none() && brings && self.forgotten > 0 && !self.open.iter().any(asked_for) {
            self.forgotten -= 1;
            return None;
        }
        let at = match id {
            Some(id) => self
                .open
                .iter()
                .position(|open| request_id(open.number) == id)?,
            // It numbers its answers, but not this one: there must be no doubt.
            None if self.echoes && self.open.len() != 1 => return None,
            None => 0,
        };
        self.echoes |= id.is_some();
        self.open.remove(at)
    }
}

pub(super) fn request_id(number: u64) -> String {
    format!("d-{number}")
}
