//! MCP from outside: the real program, real pipes and sockets, a real browser.
#![allow(clippy::unwrap_used)]

#[allow(dead_code)] // It is the gateway's tests that need all of it.
#[path = "../gateway/served.rs"]
mod served;
#[path = "../support/mod.rs"]
mod support;

mod apart;
mod approval;
mod client;
mod ending;
mod files;
mod hostile;
mod list;
mod long;
mod secrets;
mod speaks;
mod swapped;
