//! The shared state of every session: its queue, its policy, its tabs, what runs and until when.
//!
//! A state machine without I/O: [`Engine::handle`] takes an [`Input`] and the time, and returns
//! [`Effect`]s for the driver loop to carry out. Must not know: any dialect, any browser, any
//! clock, how a record becomes durable.

mod api;
mod condition;
mod control;
mod engine;
mod history;
mod identify;
mod journal;
mod judge;
mod let_through;
mod news;
mod policy;
mod queue;
mod rights;
mod run;
mod seen;
mod session;
mod slim;
mod step;
mod submit;
mod subscriptions;
mod tabs;
mod turn;
mod weight;

pub use api::{ClientId, Effect, Input, Message, Record, Time};
pub use engine::Engine;
pub use rights::Rights;
