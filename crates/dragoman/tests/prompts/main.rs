//! Prompts in a real terminal, with real scripts and agents.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod agents;
mod asked;
mod killed;
mod scripts;
