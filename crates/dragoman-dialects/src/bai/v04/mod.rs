//! `bai/0.4`: a session key, numbered actions, and one line that always says where the browser is.
//!
//! Must not know: who carries the text.

mod action;
mod context;
mod conversation;
mod edited;
mod numbers;
mod prompt;
mod session;

pub use action::{Action, Deed, Extra, Kind};
pub use conversation::Conversation;
pub(super) use numbers::Tag;
pub use prompt::prompt;
pub(super) use session::{Numbered, Sessions};

pub const PROTOCOL: &str = "bai/0.4";

pub(super) const MARKS: super::scan::Marks = super::scan::Marks {
    words: &["!bai"],
    block: None,
};
