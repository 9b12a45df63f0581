//! Prompts as a whole: keys and commands in, events, answers and pictures out.
#![allow(clippy::unwrap_used)]

mod answers;
mod commands;
mod pictures;
mod properties;
mod stage;
