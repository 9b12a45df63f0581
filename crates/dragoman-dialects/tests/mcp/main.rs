//! The MCP tools: transcripts, and what holds whatever a page says.

#![allow(clippy::unwrap_used)]

mod pages;
mod properties;
mod tools;
mod vectors;
