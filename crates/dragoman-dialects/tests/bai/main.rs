//! `bai/0.3` and `bai/0.4`, with somebody in the browser's place.

#![allow(clippy::unwrap_used, reason = "tests may fail loudly")]

mod conversations;
mod properties;
mod stage;
mod vectors;
