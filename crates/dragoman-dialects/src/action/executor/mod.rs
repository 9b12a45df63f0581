//! `action/1` with us as the backend: what is sent to an executor, and what its messages mean.
//!
//! A command names an element by a number, and a number is good in one list only; nothing in the
//! protocol says which list is meant. A list that comes before a command's result may have been made before
//! the command was read, and then the number led wherever that list says. If that is another element, nobody
//! can know which one was hit, and the outcome says so. A list that comes after the result cannot have mattered.
//!
//! Must not know: sockets, a clock, what a command of the model is.

mod elements;
mod listed;
mod questions;
mod read;

pub use listed::{Element, Listing};
pub use read::{Content, MAX_HEARD};

use super::wire::{ActionCommand, FromBackend};
use dragoman_model::{Code, Fault, Ref};
use listed::Listed;
use questions::{Kind, Open, Questions, request_id};
use read::{About, Heard, Unreadable};

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
    questions: Questions,
    /// Whether it answers `get_interactive_elements`; `None`: it was not asked yet.
    lists: Option<bool>,
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

    /// One thing at a time; and one that does not number its answers owes the last one first.
    pub fn may_ask(&self) -> bool {
        self.questions.may_ask()
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
        let aim = element.as_ref().map(|element| (id, element.r#ref));
        self.questions.add(number, kind, aim);
        match kind {
            Kind::Act => self.listed.acted(),
            Kind::Navigate => self.listed.other_page(),
            Kind::List | Kind::Content => {}
        }
        Ok(Asked {
            number,
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

    /// Nobody waits for this answer any more. A question that changes nothing is not asked again.
    pub fn abandon(&mut self, number: u64) {
        match self.questions.abandon(number) {
            Some(Kind::List) => self.lists = Some(false),
            Some(Kind::Navigate) => self.listed.forget(),
            Some(Kind::Act | Kind::Content) | None => {}
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
        let listed = &self.listed;
        self.questions
            .listed(changed, |id, wanted| match listed.leads_to(id, wanted) {
                true => None,
                false => Some(listed.now_at(id)),
            });
        match changed {
            true => vec![Told::Changed { since }],
            false => Vec::new(),
        }
    }

    fn answered(&mut self, request_id: Option<String>, answer: read::Answer) -> Vec<Told> {
        let brings = answer.listing.is_some() || answer.content.is_some();
        let open = self.questions.answered(request_id.as_deref(), brings);
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
                // What was listed before is gone; what was listed meanwhile may be the new page.
                match open.listed || listing.is_some() {
                    true => self.listed.acted(),
                    false if success.is_ok() => self.listed.forget(),
                    false => {}
                }
                success
            }
            Kind::Act => {
                if listing.is_none() {
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
                if let Some(open) = self.questions.answered(request_id.as_deref(), false)
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
        self.questions.listed(true, |_, _| Some("not known".into()));
        vec![Told::Changed { since }]
    }
}

fn unreadable_answer(reason: &str) -> Fault {
    let message = format!("The executor's answer cannot be used: {reason}");
    Fault::new(Code::ActionFailed, message)
}

fn crossed(now: &str) -> Fault {
    let message = format!(
        "It was carried out, but the executor listed its elements anew meanwhile: it may have hit {now}"
    );
    Fault::new(Code::Interrupted, message)
        .suggest("Look at the page before you go on: it may have been done to another element.")
}
