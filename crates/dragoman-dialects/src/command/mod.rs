//! `command/1`: an autonomous chat agent with tabs, saved tools and a keyword.
//!
//! The assistant writes one command a reply, as JSON in `<tool_code>` tags, and ends the reply with
//! the session's keyword. We answer in the chat's user turns: what the target tabs look like, and
//! lines that begin with `System`.
//!
//! Time is an argument: see [`Conversation`]. Must not know: who carries the text, how a page is
//! read or clicked.

mod action;
mod check;
mod context;
mod conversation;
mod escape;
mod prompt;
mod reply;
mod stream;

pub use crate::chat::{Act, Checked, Finding, Problem};
pub use action::Action;
pub use check::check;
pub use conversation::Conversation;
pub use prompt::{keyword, prompt};
pub use reply::has_command;

pub const PROTOCOL: &str = "command/1";

/// A longer reply is read past and refused.
pub const MAX_REPLY: usize = 512 << 10;

/// What may be typed by one command, in characters.
pub const MAX_VALUE: usize = 20_000;

/// As the document has it: how long an action may go without a visible change.
pub const NO_CHANGE_AFTER: std::time::Duration = std::time::Duration::from_secs(15);

/// A site the person has given a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    pub name: String,
    pub url: String,
}

/// How one conversation is to be held.
#[derive(Debug, Clone)]
pub struct Options {
    /// What the assistant is to do; empty: the person will say.
    pub goal: String,
    /// Ends every reply.
    pub keyword: String,
    pub tools: Vec<Tool>,
    /// How many tabs are targets at once.
    pub max_tabs: usize,
    /// Opened first.
    pub url: Option<String>,
    /// The session is others' too: the tab it works in is the first target.
    pub joins: bool,
    /// Personal data in values and bodies is taken out.
    pub redact: bool,
    /// One JSON object a line, instead of bare text.
    pub framed: bool,
    /// Nothing is executed until the person says so.
    pub observe: bool,
    /// Makes the ids of our requests differ from those of other conversations in the session.
    pub nonce: String,
}
