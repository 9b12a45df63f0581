//! MCP: the tools of the `mcp` dialect, offered by standard input and output and by HTTP. The
//! official SDK speaks the protocol; here a call's steps are taken, on the driver as any client
//! takes them, and files are written and read where that is allowed.
//!
//! Must not know: what a tool means, what its answer says.

mod client;
mod docs;
mod files;
mod fixtures;
mod http;
mod lines;
mod page;
mod server;
mod sessions;

pub use client::{Client, People, Terms};
pub use docs::markdown;
pub use files::Files;
pub use http::Http;
pub use lines::Lines;
pub use server::{About, Clients, Server};
