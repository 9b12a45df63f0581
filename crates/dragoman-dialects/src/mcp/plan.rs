//! What a call comes to: the first step, and what is to be made of what comes of it.
//!
//! Must not know: how an answer is worded.

use super::call::{Answer, Step};
use super::find::Search;
use super::look::Show;
use dragoman_model::{Command, Control, Cookie, Request, SessionId, SnapshotId, Target};

#[derive(Debug)]
pub(super) struct Plan {
    pub first: Step,
    pub then: Then,
}

/// What is made of what a step came to.
#[derive(Debug)]
pub(super) enum Then {
    Act(Act),
    Look(Show),
    Changes {
        since: Option<SnapshotId>,
    },
    Find(Search),
    /// Several actions, each with its own words.
    Batch(Vec<Then>),
    /// The same, with a way back.
    Undo(Undo),
    Waited,
    Asserted,
    Value,
    Picture,
    Film,
    Pdf,
    Console,
    Requests(Requests),
    OneRequest {
        part: Option<String>,
    },
    Tabs(TabsThen),
    Cookies(Option<CookieFilter>),
    Routes,
    Storage {
        key: Option<String>,
    },
    State,
    Restore(Restoring),
    ListItems(Vec<String>),
    Locator(Target),
    Queue,
    /// Done, in these words.
    Done(&'static str),
    Sessions,
    /// A session is being closed; `None`: the conversation's own.
    Left(Option<SessionId>),
    /// From now on what happens is kept, or is written to a file.
    Trace {
        start: bool,
    },
    /// The answer but for the file's place.
    Saved(Box<Answer>),
    /// There is nothing left to be told.
    Over,
}

/// An action, for its receipt.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Act {
    /// `Clicked`
    pub did: &'static str,
    pub asked: Option<Target>,
    /// What was typed: to be told it again says nothing.
    pub typed: Option<String>,
    /// The mouse stays there.
    pub mouse: bool,
}

#[derive(Debug)]
pub(super) enum Undo {
    /// Where is the page now?
    Where {
        batch: Box<Command>,
        thens: Vec<Then>,
    },
    Run {
        url: Option<String>,
        thens: Vec<Then>,
    },
    Back,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Requests {
    pub assets: bool,
    pub filter: Option<Filter>,
}

#[derive(Debug, Clone)]
pub(super) struct Filter(pub regex::Regex);

impl PartialEq for Filter {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

/// What is wanted with the tabs once they are known.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TabsThen {
    List,
    Select {
        index: usize,
    },
    Close {
        index: usize,
    },
    /// It is done.
    Did,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct CookieFilter {
    pub name: Option<String>,
    pub domain: Option<String>,
    pub path: Option<String>,
}

/// A file's cookies and storage on their way into the session.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Restoring {
    File,
    /// Which page is it that they are for?
    Page(Stored),
    Setting {
        cookies: usize,
        items: usize,
        elsewhere: usize,
    },
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Stored {
    pub cookies: Vec<Cookie>,
    pub origins: Vec<StoredOrigin>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct StoredOrigin {
    pub origin: String,
    pub items: Vec<(String, String)>,
}

impl Plan {
    pub fn act(did: &'static str, asked: Option<Target>, command: impl Into<Command>) -> Self {
        let act = Act {
            did,
            asked,
            ..Act::default()
        };
        Self::submit(command, Then::Act(act))
    }

    pub fn submit(command: impl Into<Command>, then: Then) -> Self {
        Self {
            first: submit(command),
            then,
        }
    }

    /// Nothing has to be done anywhere else.
    pub fn here(then: Then) -> Self {
        Self {
            first: Step::Answer(Answer::default()),
            then,
        }
    }

    pub fn control(control: Control, then: Then) -> Self {
        Self {
            first: Step::Control(control),
            then,
        }
    }

    /// Where the mouse will be.
    pub fn with_mouse(mut self) -> Self {
        if let Then::Act(act) = &mut self.then {
            act.mouse = true;
        }
        self
    }

    pub fn with_typed(mut self, text: &str) -> Self {
        if let Then::Act(act) = &mut self.then {
            act.typed = Some(text.into());
        }
        self
    }

    /// A command that may run in a batch, and what it says there.
    pub fn into_steps(self) -> Option<(Vec<Command>, Vec<Then>)> {
        let Step::Submit(request) = self.first else {
            return None;
        };
        match (request.command, self.then) {
            (Command::Batch(batch), Then::Batch(thens)) => Some((batch.steps, thens)),
            (Command::Batch(_), _) => None,
            (
                command,
                then @ (Then::Act(_)
                | Then::Look(_)
                | Then::Waited
                | Then::Asserted
                | Then::Value
                | Then::Picture
                | Then::Done(_)
                | Then::Changes { .. }
                | Then::Find(_)
                | Then::Console
                | Then::Cookies(_)
                | Then::Storage { .. }
                | Then::Tabs(TabsThen::List)),
            ) => Some((vec![command], vec![then])),
            _ => None,
        }
    }
}

pub(super) fn submit(command: impl Into<Command>) -> Step {
    Step::Submit(Request::new(command.into()))
}
