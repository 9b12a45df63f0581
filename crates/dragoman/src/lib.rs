//! The program: it wires the rooms together and owns everything that touches the world outside
//! the browser: the command line, the journal, standard input and output, signals, the clock.
//!
//! A library only so that its tests can reach inside; the binary calls [`cli::main`].

pub mod cli;
pub mod clock;
pub mod config;
pub mod conversation;
pub mod demo;
pub mod direct;
pub mod driver;
pub mod executor;
pub mod fresh;
pub mod gateway;
pub mod journal;
mod keys;
pub mod link;
pub mod mcp;
pub mod operator;
mod paste;
pub mod pictures;
pub mod prompts;
mod queue;
mod reach;
pub mod receipt;
pub mod replies;
pub mod run;
pub mod search;
pub mod secrets;
pub mod setup;
pub mod site;
pub mod status;
pub mod stdio;
pub mod surface;
pub mod surfaces;
#[cfg(unix)]
pub mod systemd;
pub mod term;
pub mod testing;
pub mod token;
pub mod top;
pub mod trouble;
