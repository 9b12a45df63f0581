//! MCP from outside: the real program, real pipes and sockets, a real browser.
#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod apart;
mod client;
mod ending;
mod files;
mod hostile;
mod long;
mod secrets;
mod speaks;
mod swapped;
