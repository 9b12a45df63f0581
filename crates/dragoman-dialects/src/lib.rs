//! The languages that operators speak. Each dialect is one module: its wire types, its
//! conversation, bytes to commands and outcomes to bytes.
//!
//! Must not know: sockets, clocks, browsers, the engine. `serde_json::Value` stops here.

pub mod action;
mod address;
pub mod bai;
pub mod chat;
pub mod command;
mod ids;
mod json;
pub mod lines;
mod markup;
pub mod mcp;
pub mod native;
mod outline;
mod page_text;
mod plain;
pub mod redact;
mod shape;
pub mod ux;

pub use address::with_scheme;
pub use markup::escape;
pub use outline::outline;
pub use plain::in_plain_words;
