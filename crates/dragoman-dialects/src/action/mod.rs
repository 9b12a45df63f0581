//! `action/1`, in both of its roles. Us as the executor: a backend sends an action, we send what became
//! of it, and a snapshot of what is in view whenever that has changed. Us as the backend: [`executor`].
//!
//! Time is an argument. Must not know: sockets, how a page is read or clicked.

mod conversation;
pub mod executor;
mod wire;

pub use conversation::{Act, Conversation};
pub use wire::{
    ActionCommand, ActionResult, Bounds, Element, FromBackend, MAX_MESSAGE, ToBackend, Tree,
    schemas,
};

pub const PROTOCOL: &str = "action/1";
