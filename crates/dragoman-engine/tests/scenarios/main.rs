//! Scenarios on a virtual clock: each is a table of (milliseconds, input, effects in short).

#![allow(clippy::unwrap_used)]

mod allowed;
mod batch;
mod clients;
mod harness;
mod identify;
mod journal;
mod queue;
mod restore;
mod rights;
mod runs;
mod tabs;
mod waits;
