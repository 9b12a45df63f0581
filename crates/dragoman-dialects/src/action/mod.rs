//! `action/1`, with us as the executor: a backend sends an action, we send what became of it, and a
//! snapshot of what is in view whenever that has changed.
//!
//! Time is an argument. Must not know: sockets, how a page is read or clicked.

mod conversation;
mod wire;

pub use conversation::{Act, Conversation};
pub use wire::{
    ActionCommand, ActionResult, Bounds, Element, FromBackend, MAX_MESSAGE, ToBackend, Tree,
    schemas,
};

pub const PROTOCOL: &str = "action/1";
