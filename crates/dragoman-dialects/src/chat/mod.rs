//! What the languages of chats have in common: an assistant writes text, we answer in the user's
//! turns, and a person may stand beside them.
//!
//! Must not know: how a command is written in any of them.

pub(crate) mod asking;
pub(crate) mod dialogs;
pub(crate) mod frame;
pub(crate) mod quoted;
pub(crate) mod words;

use dragoman_model::{Control, Fault, Outcome, QueueItem, Request, RequestId, SurfaceEvent};
use std::time::Duration;

/// What is to be done now.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    Submit(Request),
    Control(Control),
    /// One whole message to the assistant.
    Say(String),
    /// A picture that a message speaks of by this name; base64.
    Show {
        name: String,
        mime: String,
        data: String,
    },
    /// For whoever looks after the program: what was read past, and why.
    Log(String),
}

/// Why something cannot be what it was meant as: a sentence or two for the assistant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem(pub String);

/// Something wrong, at a line and column that count from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub line: usize,
    pub column: usize,
    pub reason: String,
}

/// What a transcript holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checked {
    pub replies: usize,
    pub commands: usize,
    pub findings: Vec<Finding>,
}

/// One conversation with a chat. Whatever happens is handed in with its time, and what is to be done about
/// it comes back.
pub trait Talk: std::fmt::Debug + Send {
    /// The prompt, and the first page on its way.
    fn start(&mut self, now: Duration) -> Vec<Act>;
    fn bytes(&mut self, now: Duration, bytes: &[u8]) -> Vec<Act>;
    /// The assistant will say nothing more.
    fn end(&mut self, now: Duration) -> Vec<Act>;
    fn tick(&mut self, now: Duration) -> Vec<Act>;
    /// When `tick` wants to be called.
    fn wake_at(&self) -> Option<Duration>;
    /// There is something to do or to say without anybody saying more.
    fn is_busy(&self) -> bool;
    fn outcome(&mut self, now: Duration, id: &RequestId, outcome: Outcome) -> Vec<Act>;
    fn refused(&mut self, now: Duration, id: Option<&RequestId>, fault: Fault) -> Vec<Act>;
    /// A request has its number in the queue; it may wait there for a person.
    fn accepted(&mut self, now: Duration, id: &RequestId, number: u64, waits: bool) -> Vec<Act>;
    fn event(&mut self, now: Duration, event: SurfaceEvent) -> Vec<Act>;
    /// Something in the queue is as it was not before.
    fn item(&mut self, _now: Duration, _item: QueueItem) -> Vec<Act> {
        Vec::new()
    }
}
