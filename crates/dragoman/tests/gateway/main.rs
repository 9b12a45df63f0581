//! The gateway from outside: who is let in, what is said there, and what it bears.
#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod allowed;
mod attacks;
mod bai;
mod doors;
mod ending;
mod house;
mod limits;
mod numbers;
mod prompts;
mod queue;
mod rough;
mod scopes;
mod served;
mod shared;
mod tls;
mod top;
