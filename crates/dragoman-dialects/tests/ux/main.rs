//! `ux/2.0` without a surface of its own: the document's messages, whole conversations, and any text at all.
#![allow(clippy::unwrap_used)]

mod conversations;
mod schemas;
mod stage;
mod vectors;
