//! `action/1` with us as the backend: what is sent to an executor, and what its messages mean.
//!
//! A command names an element by a number, and a number is good in one list only; nothing in the
//! protocol says which list is meant. So a list that was on its way to us when we sent a command may have
//! given the number to another element. A *fence* goes out before such a command and comes back in order:
//! what is heard before it comes back was said before the command was read. If such a list makes the number
//! mean something else, the outcome says so.
//!
//! Must not know: sockets, a clock, what a command of the model is.

mod listed;
mod read;

pub use listed::{Element, Listing};
pub use read::{Content, MAX_HEARD};

use super::wire::{ActionCommand, FromBackend};
use dragoman_model::{Code, Fault, Ref};
use listed::Listed;
use read::{About, Heard, Unreadable};
use std::collections::VecDeque;

/// How a command is put on the wire.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Form {
    /// `ActionCommand`, as the document has it, with a `request_id` beside it.
    #[default]
    Envelope,
    /// `action_request`, the newer one.
    Request,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Ask {
    Navigate(String),
    Click(Ref),
    /// Leave exactly this text in a field.
    Type(Ref, String),
    Scroll {
        x: f64,
        y: f64,
    },
    List,
    Content {
        max: u64,
    },
}

/// Something was asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// Comes back with the answer.
    pub number: u64,
    /// Sent first, where it is wanted; see [`Executor::passed`].
    pub fence: bool,
    pub message: FromBackend,
    /// What it is about.
    pub element: Option<Element>,
    /// The executor calls the element by another number than when it got ours.
    pub found_again: bool,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Between the question and the answer the list became another one.
    pub changed: bool,
    pub url: Option<String>,
    pub content: Option<Content>,
}

/// What a message of the executor leads to.
#[derive(Debug, Clone, PartialEq)]
pub enum Told {
    /// What it lists is no longer what it listed; `since` is the list it had before.
    Changed {
        since: u64,
    },
    Answered {
        number: u64,
        answer: Result<Answer, Fault>,
    },
    Send(FromBackend),
    /// It cannot be used; why, without its words.
    Bad(String),
}

/// One executor. It outlives its connections: see [`Executor::connected`].
#[derive(Debug, Default)]
pub struct Executor {
    form: Form,
    listed: Listed,
    asked: u64,
    open: VecDeque<Open>,
    /// It sends `request_id` back.
    echoes: bool,
    /// Questions that nobody waits for any more, and whose answers may still come without a number.
    forgotten: u32,
    /// Whether it answers `get_interactive_elements`; `None`: it was not asked yet.
    lists: Option<bool>,
}

#[derive(Debug)]
struct Open {
    number: u64,
    kind: Kind,
    /// The executor's number that was sent, and whom it meant.
    aim: Option<(u64, Ref)>,
    /// The fence came back.
    passed: bool,
    /// What the number meant when the executor may have read it.
    crossed: Option<String>,
    changed: bool,
    /// A list came that was made after the command was read.
    listed: bool,
    /// Nobody waits for the answer any more, but it may still come.
    abandoned: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Act,
    Navigate,
    List,
    Content,
}

impl Executor {
    /// A new connection: nothing of the old one counts, and no number comes back.
    pub fn connected(&mut self, form: Form) {
        let mut listed = std::mem::take(&mut self.listed);
        listed.forget();
        *self = Self {
            form,
            listed,
            asked: self.asked,
            ..Self::default()
        };
    }

    pub fn newest(&self) -> Option<&Listing> {
        self.listed.newest()
    }

    /// The newest list, unless something was done since and it can be asked for a newer one.
    pub fn fresh(&self) -> Option<&Listing> {
        let old = self.is_dated() && self.lists == Some(true);
        self.newest().filter(|_| !old)
    }

    /// Something was done since the newest list.
    pub fn is_dated(&self) -> bool {
        self.listed.is_older_than_last_act()
    }

    pub fn find(&self, wanted: Ref) -> Result<&Element, Fault> {
        self.listed.find(wanted)
    }

    /// Whether it is known not to list when it is asked.
    pub fn never_lists(&self) -> bool {
        self.lists == Some(false)
    }

    /// One thing at a time; and one that does not number its answers owes the last one first, or they
    /// would be mistaken for each other.
    pub fn may_ask(&self) -> bool {
        match self.echoes {
            true => self.open.iter().all(|open| open.abandoned),
            false => self.open.is_empty(),
        }
    }

    /// Only when [`Executor::may_ask`] says so.
    pub fn ask(&mut self, ask: Ask) -> Result<Asked, Fault> {
        let element = match &ask {
            Ask::Click(wanted) | Ask::Type(wanted, _) => Some(self.listed.find(*wanted)?.clone()),
            _ => None,
        };
        let id = element.as_ref().map_or(0, |element| element.id);
        let (kind, command) = match ask {
            Ask::Navigate(url) => (Kind::Navigate, ActionCommand::NavigateTo { url }),
            Ask::Click(_) => (Kind::Act, ActionCommand::ClickElement { r#ref: id }),
            Ask::Type(_, text) => (Kind::Act, ActionCommand::TypeText { r#ref: id, text }),
            Ask::Scroll { x, y } => (Kind::Act, ActionCommand::ScrollTo { x, y }),
            Ask::List => {
                let limit = None;
                (Kind::List, ActionCommand::GetInteractiveElements { limit })
            }
            Ask::Content { max } => {
                let max_length = Some(max);
                (Kind::Content, ActionCommand::GetPageContent { max_length })
            }
        };
        self.asked += 1;
        let number = self.asked;
        self.open.push_back(Open {
            number,
            kind,
            aim: element.as_ref().map(|element| (id, element.r#ref)),
            passed: false,
            crossed: None,
            changed: false,
            listed: false,
            abandoned: false,
        });
        Ok(Asked {
            number,
            fence: kind == Kind::Navigate || element.is_some(),
            message: self.message(number, command),
            found_again: element.as_ref().is_some_and(|e| e.id != e.first_id),
            element,
        })
    }

    fn message(&self, number: u64, command: ActionCommand) -> FromBackend {
        let request_id = request_id(number).into();
        match self.form {
            Form::Envelope => FromBackend::ActionCommand {
                data: command,
                request_id: Some(request_id),
            },
            Form::Request => FromBackend::ActionRequest {
                request_id,
                command,
            },
        }
    }

    /// The fence of a command came back: what is heard from now on was said after it was read.
    pub fn passed(&mut self, number: u64) {
        let Some(open) = self.open.iter_mut().find(|open| open.number == number) else {
            return;
        };
        open.passed = true;
        match open.kind {
            Kind::Navigate => self.listed.other_page(),
            _ => self.listed.acted(),
        }
    }

    /// Nobody waits for this answer any more. A question that changes nothing is not asked again.
    pub fn abandon(&mut self, number: u64) {
        let Some(at) = self.open.iter().position(|open| open.number == number) else {
            return;
        };
        let open = &mut self.open[at];
        open.abandoned = true;
        let kind = open.kind;
        match kind {
            Kind::List => self.lists = Some(false),
            Kind::Navigate => self.listed.forget(),
            Kind::Act => self.listed.acted(),
            Kind::Content => {}
        }
        let harmless = matches!(kind, Kind::List | Kind::Content);
        if self.echoes || harmless {
            self.open.remove(at);
            self.forgotten += u32::from(harmless);
        }
    }

    pub fn hear(&mut self, text: &str) -> Vec<Told> {
        match read::read(text) {
            Ok(Heard::Listing(listing)) => self.take_in(listing),
            Ok(Heard::Answer { request_id, answer }) => self.answered(request_id, answer),
            Ok(Heard::Ping { data }) => vec![Told::Send(FromBackend::Pong { data })],
            Ok(Heard::Pong | Heard::Other) => Vec::new(),
            Err(unreadable) => self.unreadable(unreadable),
        }
    }

    fn take_in(&mut self, listing: read::Listing) -> Vec<Told> {
        let since = self.newest().map_or(0, |newest| newest.number);
        let changed = self.listed.take_in(listing);
        for open in &mut self.open {
            open.changed |= changed;
            open.listed |= open.passed;
            if let Some((id, wanted)) = open.aim
                && !open.passed
                && !self.listed.leads_to(id, wanted)
            {
                open.crossed = Some(self.listed.now_at(id));
            }
        }
        match changed {
            true => vec![Told::Changed { since }],
            false => Vec::new(),
        }
    }

    /// The one among the open questions that an answer is to; a number that is none of ours is nobody's.
    /// One without a number that brings a list or a text may be late.
    fn question(&mut self, request_id: Option<&str>, brings: bool) -> Option<Open> {
        let asked_for = |open: &Open| matches!(open.kind, Kind::List | Kind::Content);
        if request_id.is_none() && brings && self.forgotten > 0 && !self.open.iter().any(asked_for)
        {
            self.forgotten -= 1;
            return None;
        }
        let at = match request_id {
            Some(id) => self
                .open
                .iter()
                .position(|open| request_id_is(id, open.number))?,
            // It numbers its answers, but not this one: there must be no doubt.
            None if self.echoes && self.open.len() != 1 => return None,
            None => 0,
        };
        self.echoes |= request_id.is_some();
        self.open.remove(at)
    }

    fn answered(&mut self, request_id: Option<String>, answer: read::Answer) -> Vec<Told> {
        let brings = answer.listing.is_some() || answer.content.is_some();
        let open = self.question(request_id.as_deref(), brings);
        // Whoever lists has numbered anew, whether it was asked or not.
        let (mut told, listing) = match answer.listing {
            Some(Ok(list)) => (self.take_in(list), Some(Ok(()))),
            Some(Err(reason)) => (self.unlisted(), Some(Err(reason))),
            None => (Vec::new(), None),
        };
        let Some(mut open) = open else {
            told.push(Told::Bad("it answers what was not asked".into()));
            return told;
        };
        open.changed |= !told.is_empty();
        let result = self.result(&open, answer.success, listing, answer.content.is_some());
        if !open.abandoned {
            told.push(Told::Answered {
                number: open.number,
                answer: result.map(|()| Answer {
                    changed: open.changed,
                    url: answer.url,
                    content: answer.content,
                }),
            });
        }
        told
    }

    /// Whether it is what was asked for, and what it does to what we know.
    fn result(
        &mut self,
        open: &Open,
        success: Result<(), Fault>,
        listing: Option<Result<(), String>>,
        content: bool,
    ) -> Result<(), Fault> {
        match open.kind {
            Kind::List => {
                self.lists = Some(success.is_ok() && matches!(listing, Some(Ok(()))));
                success?;
                match listing {
                    Some(Ok(())) => Ok(()),
                    Some(Err(reason)) => Err(unreadable_answer(&reason)),
                    None => Err(unreadable_answer("it lists nothing")),
                }
            }
            Kind::Content => {
                success?;
                match content {
                    true => Ok(()),
                    false => Err(unreadable_answer("there is no text in it")),
                }
            }
            Kind::Navigate => {
                // What was listed before is gone, unless the new page was listed already.
                if success.is_ok() && !open.listed && listing.is_none() {
                    self.listed.forget();
                }
                success
            }
            Kind::Act => {
                if listing.is_none() && !open.listed {
                    self.listed.acted();
                }
                success?;
                match &open.crossed {
                    Some(now) => Err(crossed(now)),
                    None => Ok(()),
                }
            }
        }
    }

    fn unreadable(&mut self, unreadable: Unreadable) -> Vec<Told> {
        let Unreadable { about, reason } = unreadable;
        let mut told = vec![Told::Bad(reason.clone())];
        match about {
            About::Listing => told.extend(self.unlisted()),
            About::Answer { request_id } => {
                if let Some(open) = self.question(request_id.as_deref(), false)
                    && !open.abandoned
                {
                    let answer = Err(unreadable_answer(&reason));
                    let number = open.number;
                    told.push(Told::Answered { number, answer });
                }
            }
            About::Nothing => {}
        }
        told
    }

    /// It has another list now and we do not know it: the one we know no longer counts.
    fn unlisted(&mut self) -> Vec<Told> {
        let since = self.newest().map_or(0, |newest| newest.number);
        self.listed.forget();
        for open in self.open.iter_mut().filter(|open| open.aim.is_some()) {
            if !open.passed {
                open.crossed = Some("not known".into());
            }
        }
        vec![Told::Changed { since }]
    }
}

fn request_id(number: u64) -> String {
    format!("d-{number}")
}

fn request_id_is(id: &str, number: u64) -> bool {
    id == request_id(number)
}

fn unreadable_answer(reason: &str) -> Fault {
    let message = format!("The executor's answer cannot be used: {reason}");
    Fault::new(Code::ActionFailed, message)
}

fn crossed(now: &str) -> Fault {
    let message = format!(
        "The executor listed its elements anew while this was on its way; its number now means {now}"
    );
    Fault::new(Code::StaleRef, message).suggest(
        "Look at the page before you go on: it was carried out, perhaps on another element.",
    )
}
