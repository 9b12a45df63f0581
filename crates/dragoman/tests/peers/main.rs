//! Programs that others wrote, at the other end: an executor that we drive, a backend that drives us.
#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

#[path = "../support/venv.rs"]
mod venv;

#[allow(dead_code)] // The gateway's own tests use the rest.
#[path = "../gateway/served.rs"]
mod served;

mod backend;
mod driven;
mod hostile;
mod numbers;
mod python;
