//! `command/1` without a browser: the document's examples as vectors, whole conversations on a clock
//! of our own, and properties that hold for any text.

#![allow(clippy::unwrap_used)]

mod conversations;
mod properties;
mod stage;
mod vectors;
