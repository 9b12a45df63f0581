//! `bai/0.3`: a handshake in a code block, an ACK with a nonce of ours, and actions by their names. 0.2 is the same without
//! nonce and kind.
//!
//! Must not know: who carries the text.

mod action;
mod conversation;
mod prompt;

pub(super) use action::Handshake;
pub use action::{Action, Deed, Protocol};
pub use conversation::{Conversation, State};
pub use prompt::prompt;

pub const PROTOCOL: &str = "bai/0.3";

pub(super) const MARKS: super::scan::Marks = super::scan::Marks {
    words: &["BAI_ACTION", "BAI_ACK", "BAI_RESULT"],
    block: Some("bai"),
};
