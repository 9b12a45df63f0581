//! `ux/2.0`: a launcher's protocol for agents, one JSON object a line. An agent asks how things stand, acts by semantic ids,
//! waits, subscribes and tests, on a prompt and on a page alike; which of the two it is, only the snapshot says.
//!
//! Time is an argument. Must not know: sockets, how a page is clicked or a prompt filtered.

mod act;
mod answer;
mod assertion;
mod batch;
mod capabilities;
mod catalog;
mod check;
mod condition;
mod conversation;
mod dom;
mod elements;
mod expression;
mod look;
mod page_news;
mod pattern;
mod picture;
mod read;
mod run;
mod search;
mod sight;
mod state;
mod streams;
mod targeted;
mod task;
mod telling;
mod testing;
mod tree;
mod trouble;
mod turns;
mod undo;
mod waiting;
pub mod wire;

pub use check::check;
pub use conversation::{Act, Conversation, Options};
pub use search::{Found, Search};
pub use wire::schemas;

pub const PROTOCOL: &str = "ux/2.0";
/// A longer message is refused, and none longer is sent.
pub const MAX_MESSAGE: usize = 1 << 20;
pub const MAX_BATCH: usize = 100;
pub const MAX_SUBSCRIPTIONS: usize = 10;
const MAX_ID: usize = 200;
/// Of any one text that is told.
const MAX_TEXT: usize = 2_000;

/// The beginning of a text, where all of it would be too much.
fn short(text: &str) -> String {
    match text.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
