//! `ux/2.0` on the real program: pages in a real browser, prompts, files of tests; and the vectors held against the schemas by
//! somebody else's validator.
#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

#[path = "../support/venv.rs"]
mod venv;

#[path = "../../../dragoman-dialects/tests/ux/schemas.rs"]
mod schemas;

mod agent;
mod files;
mod pages;
mod prompts;
mod validator;
