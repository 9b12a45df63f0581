//! How a failure is told to a person: what happened, why, and what to do next.

use crate::journal::JournalError;
use crate::term::plain;
use std::process::ExitCode;

/// A failure that knows what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct Trouble {
    pub what: String,
    pub next: String,
    pub code: u8,
}

impl Trouble {
    pub const FAILED: u8 = 1;
    pub const USAGE: u8 = 2;
    pub const NO_BROWSER: u8 = 3;
    pub const JOURNAL: u8 = 4;

    pub fn new(code: u8, what: impl Into<String>, next: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            next: next.into(),
            code,
        }
    }
}

pub fn report(error: &anyhow::Error) -> ExitCode {
    eprintln!("dragoman: {}", plain(&error.to_string()));
    for cause in error.chain().skip(1) {
        eprintln!("  because: {}", plain(&cause.to_string()));
    }
    let (next, code) = advice(error);
    if let Some(next) = next {
        eprintln!("  to do: {}", plain(&next));
    }
    ExitCode::from(code)
}

fn advice(error: &anyhow::Error) -> (Option<String>, u8) {
    if let Some(trouble) = error.chain().find_map(|e| e.downcast_ref::<Trouble>()) {
        return (Some(trouble.next.clone()), trouble.code);
    }
    if let Some(journal) = error.chain().find_map(|e| e.downcast_ref::<JournalError>()) {
        return (Some(journal.advice()), Trouble::JOURNAL);
    }
    (None, Trouble::FAILED)
}
