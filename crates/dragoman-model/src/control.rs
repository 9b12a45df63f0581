//! What is done to the queue itself, by a person or on a person's behalf. Controls are not queued.

use crate::{Command, Outcome, RequestId, State, TabId};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "queue", rename_all = "snake_case", deny_unknown_fields)]
pub enum Control {
    /// The queue and the most recent history.
    List {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit: Option<usize>,
    },
    Approve {
        number: u64,
    },
    /// Put another command in the place of one that has not started.
    Replace {
        number: u64,
        command: Box<Command>,
    },
    /// Delete one that has not started; stop one that has.
    Cancel {
        number: u64,
    },
    /// Move one that has not started before another, or to the end.
    Move {
        number: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<u64>,
    },
    /// Start nothing more.
    Pause,
    Resume,
    /// While paused: let exactly one command run.
    Step,
    /// Delete everything that has not started.
    Clear,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueueView {
    pub paused: bool,
    pub items: Vec<QueueItem>,
}

/// One command as a person sees it in the queue or in the history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueueItem {
    pub number: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<RequestId>,
    pub state: State,
    pub command: Command,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab: Option<TabId>,
    /// How long it may take, where the operator said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// How often a person replaced it.
    #[serde(default, skip_serializing_if = "u32_is_zero")]
    pub edits: u32,
    /// Why a person is asked, where it is not the policy alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}

fn u32_is_zero(count: &u32) -> bool {
    *count == 0
}
