//! What is done to the queue itself, by a person or on a person's behalf. Controls are not queued.

use crate::{Candidate, Command, OriginPattern, Outcome, RequestId, State, TabId};
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
    /// From now on run what would wait for a person, everywhere or on one site.
    Allow {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<OriginPattern>,
    },
    /// Allow nothing ahead any more.
    Ask,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct QueueView {
    pub paused: bool,
    /// What would wait for a person runs, here or on these sites; see `Policy`.
    #[serde(default, skip_serializing_if = "crate::snapshot::is_false")]
    pub auto: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub auto_origins: Vec<OriginPattern>,
    /// What waits for a person is being looked up on the page.
    #[serde(default, skip_serializing_if = "crate::snapshot::is_false")]
    pub looking: bool,
    pub items: Vec<QueueItem>,
}

/// One command as a person sees it in the queue or in the history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueueItem {
    pub number: u64,
    #[serde(default, skip_serializing_if = "RequestId::is_unsaid")]
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
    /// What it would act on, as far as that was looked up for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub means: Option<Box<Meaning>>,
    /// Why a person is asked, where it is not the policy alone, or is asked again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}

/// What a command is about on a surface as it is now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Meaning {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub element: Option<Candidate>,
    /// The address of the page.
    pub url: String,
}

impl Meaning {
    /// Whether it is the same element of the same site.
    pub fn is_still(&self, now: &Self) -> bool {
        fn site(url: &str) -> Vec<&str> {
            url.split('/').take(3).collect()
        }
        self.element == now.element && site(&self.url) == site(&now.url)
    }
}

fn u32_is_zero(count: &u32) -> bool {
    *count == 0
}
