//! One call while it is under way: the steps it asks for, what it is told, and its answer.
//!
//! Must not know: who takes the steps.

use super::args::Common;
use super::plan::Then;
use dragoman_model::{Control, Fault, Outcome, QueueView, Request, SessionId};
use serde_json::Value;

/// What is to be done next for a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Submit it to the call's session and come back with `Told::Outcome`, or `Refused`.
    Submit(Request),
    /// Come back with `Told::Queue` for a list, `Told::Controlled` for the rest, or `Refused`.
    Control(Control),
    /// Come back with `Told::Sessions`, or `Refused`.
    Session(SessionAsk),
    /// Write a file where files may be written, and come back with `Told::Saved`, or `Refused`.
    Save(Save),
    /// Read a text file from where files may be read, and come back with `Told::File`, or `Refused`.
    Load { name: String },
    /// The end.
    Answer(Answer),
}

/// What became of a step.
#[derive(Debug, Clone, PartialEq)]
pub enum Told {
    Outcome(Outcome),
    Queue(QueueView),
    Controlled,
    Sessions(Vec<SessionInfo>),
    /// The path a client can open.
    Saved {
        path: String,
    },
    File {
        text: String,
    },
    /// The step was not taken.
    Refused(Fault),
}

/// A call under way; hand it back with what it is told.
#[derive(Debug)]
pub struct Call {
    /// The session that the steps are for; `None`: the conversation's own.
    pub session: Option<SessionId>,
    pub tool: &'static str,
    pub(super) number: u64,
    pub(super) then: Then,
    pub(super) common: Common,
    /// Where the answer goes instead.
    pub(super) file: Option<String>,
    /// What is told before the answer of its last step.
    pub(super) before: Option<Box<Answer>>,
    /// Most tokens of its answer.
    pub(super) budget: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub enum SessionAsk {
    /// Open a session, by this name or a new one; told: the new one alone.
    Open { session: Option<SessionId> },
    /// Told: every session this client may use.
    List,
    /// `None`: the conversation's own, which the next call opens anew. Told: what is left.
    Close { session: Option<SessionId> },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionInfo {
    pub session: SessionId,
    /// The one that calls without a `session` are for.
    pub own: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Save {
    pub name: String,
    /// The client chose the name; else another one is as good where this one is taken.
    pub chosen: bool,
    pub data: SaveData,
}

#[derive(Debug, Clone, PartialEq)]
pub enum SaveData {
    Text(String),
    Base64(String),
}

/// What the client is told.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    pub text: String,
    pub structured: Option<Value>,
    pub pictures: Vec<Picture>,
    pub is_error: bool,
}

/// Base64.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    pub mime: String,
    pub data: String,
}
