//! The tools that MCP clients know: a call becomes steps to take, what came of them becomes text
//! that a model can act on and data that a program can read.
//!
//! Text of a page stands between two marks that no page can guess, and nowhere else.
//! Must not know: JSON-RPC, sockets, files, a clock.

mod args;
mod call;
mod condition;
mod conversation;
mod cost;
mod find;
mod flow;
mod look;
mod marks;
mod plan;
mod say;
mod stored;
mod target;
mod tool;
mod tools;
mod trace;

pub use call::{Answer, Call, Picture, Save, SaveData, SessionAsk, SessionInfo, Step, Told};
pub use conversation::{Conversation, Options};
pub use cost::tokens;
pub use tool::{Cap, Caps, Tool, tools};
