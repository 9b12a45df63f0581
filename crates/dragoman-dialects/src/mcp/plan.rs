//! What a call comes to: the first step, and what is to be made of what comes of it.
//!
//! Must not know: how an answer is worded.

use super::call::Step;
use super::look::Show;
use dragoman_model::{Command, Request, Target};

#[derive(Debug)]
pub(super) struct Plan {
    pub first: Step,
    pub then: Then,
}

/// What is made of what a step came to.
#[derive(Debug)]
pub(super) enum Then {
    Act(Act),
    Look(Show),
    /// There is nothing left to be told.
    Over,
}

/// An action, for its receipt.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Act {
    /// `Clicked`
    pub did: &'static str,
    pub asked: Option<Target>,
}

impl Plan {
    pub fn act(did: &'static str, asked: Option<Target>, command: impl Into<Command>) -> Self {
        Self::submit(command, Then::Act(Act { did, asked }))
    }

    pub fn submit(command: impl Into<Command>, then: Then) -> Self {
        Self {
            first: Step::Submit(Request::new(command.into())),
            then,
        }
    }
}
