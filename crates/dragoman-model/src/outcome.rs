//! What became of a command.

use crate::snapshot::is_false;
use crate::{
    Bounds, Candidate, Changes, ConsoleEntry, Data, DialogInfo, DownloadInfo, Fault, NetworkEntry,
    Point, Ref, Route, Snapshot, TabInfo,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Where a command stands. The last four are ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Waits for a person.
    Proposed,
    /// Waits for its turn.
    Approved,
    Running,
    Done,
    Failed,
    /// Taken out of the queue before it ran.
    Deleted,
    /// The program ended while it ran; whether it took effect is not known.
    Interrupted,
}

impl State {
    /// The word that serialisation uses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::Approved => "approved",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Deleted => "deleted",
            Self::Interrupted => "interrupted",
        }
    }

    pub fn is_end(self) -> bool {
        matches!(
            self,
            Self::Done | Self::Failed | Self::Deleted | Self::Interrupted
        )
    }
}

/// Every command ends in exactly one of these.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum Outcome {
    Done(Done),
    Failed {
        fault: Fault,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        receipt: Option<Box<Receipt>>,
        /// Of a batch: the steps that ended, the failed one last.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        steps: Vec<StepOutcome>,
    },
    Deleted {
        reason: String,
    },
    Interrupted {
        fault: Fault,
    },
}

/// A command that did what it was asked to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Done {
    #[serde(default, skip_serializing_if = "Reply::is_nothing")]
    pub reply: Reply,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Box<Receipt>>,
}

impl Outcome {
    pub fn state(&self) -> State {
        match self {
            Self::Done(_) => State::Done,
            Self::Failed { .. } => State::Failed,
            Self::Deleted { .. } => State::Deleted,
            Self::Interrupted { .. } => State::Interrupted,
        }
    }

    pub fn failed(fault: Fault) -> Self {
        Self::Failed {
            fault,
            receipt: None,
            steps: Vec::new(),
        }
    }

    pub fn fault(&self) -> Option<&Fault> {
        match self {
            Self::Failed { fault, .. } | Self::Interrupted { fault } => Some(fault),
            _ => None,
        }
    }
}

/// A command that did not; the receipt says what happened all the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    pub fault: Fault,
    pub receipt: Option<Box<Receipt>>,
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self {
            fault,
            receipt: None,
        }
    }
}

impl From<Result<Done, Failure>> for Outcome {
    fn from(result: Result<Done, Failure>) -> Self {
        match result {
            Ok(done) => Self::Done(done),
            Err(Failure { fault, receipt }) => Self::Failed {
                fault,
                receipt,
                steps: Vec::new(),
            },
        }
    }
}

impl From<Reply> for Done {
    fn from(reply: Reply) -> Self {
        Self {
            reply,
            receipt: None,
        }
    }
}

/// What was asked for, where something was.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    #[default]
    Nothing,
    Snapshot(Box<Snapshot>),
    Changes(Box<Changes>),
    Text(PageText),
    Image(Image),
    Pdf {
        data: String,
    },
    Value(Data),
    Tab(TabInfo),
    Tabs(Vec<TabInfo>),
    Console(Vec<ConsoleEntry>),
    Network(Vec<NetworkEntry>),
    Cookies(Vec<Cookie>),
    Storage(BTreeMap<String, String>),
    Routes(Vec<Route>),
    Steps(Vec<StepOutcome>),
    Waited {
        ms: u64,
    },
    Subscribed {
        subscription: u64,
        /// Everything up to here is told, or lost; what comes next has a greater `at`.
        at: u64,
        /// What was missed is not all known any more: look anew.
        #[serde(default, skip_serializing_if = "crate::snapshot::is_false")]
        resync: bool,
    },
}

impl Reply {
    pub fn is_nothing(&self) -> bool {
        matches!(self, Self::Nothing)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepOutcome {
    /// The first step is 1.
    pub index: usize,
    #[serde(flatten)]
    pub outcome: Outcome,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PageText {
    pub text: String,
    /// How many characters were cut off.
    #[serde(default, skip_serializing_if = "crate::snapshot::is_zero")]
    pub cut: u64,
}

/// Base64, as the browser gave it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Image {
    pub mime: String,
    pub data: String,
    /// The refs whose labels were drawn in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<Ref>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cookie {
    pub name: String,
    pub value: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Seconds since 1970; absent for a session cookie.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<f64>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub http_only: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub secure: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_site: Option<String>,
}

/// What an action did: told with every action, also when it did nothing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    pub effect: Effect,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hit: Option<Hit>,
    /// How a ref was found again when its node had been replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub healed: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub navigated: Option<Navigated>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialog: Option<DialogInfo>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opened: Vec<TabInfo>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub downloads: Vec<DownloadInfo>,
    #[serde(default, skip_serializing_if = "Started::is_nothing")]
    pub started: Started,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_the_way: Option<Candidate>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Changes>,
    /// Scroll position after a scroll.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scrolled: Option<Point>,
    /// Anything else a person would want to be told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The strongest thing that happened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// The action was carried out and nothing came of it that we can see.
    #[default]
    None,
    Changed,
    Scrolled,
    Opened,
    Download,
    Navigated,
    Dialog,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#ref: Option<Ref>,
    pub role: String,
    pub name: String,
    pub tag: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<Point>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Bounds>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Navigated {
    pub url: String,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub same_document: bool,
    /// The page was still loading when the deadline for waiting had passed.
    #[serde(default, skip_serializing_if = "is_false")]
    pub still_loading: bool,
}

/// What the action set going, and what of it was still going when we answered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Started {
    #[serde(default, skip_serializing_if = "u32_is_zero")]
    pub frames: u32,
    #[serde(default, skip_serializing_if = "u32_is_zero")]
    pub timers: u32,
    #[serde(default, skip_serializing_if = "u32_is_zero")]
    pub requests: u32,
    #[serde(default, skip_serializing_if = "u32_is_zero")]
    pub unfinished: u32,
}

impl Started {
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

fn u32_is_zero(count: &u32) -> bool {
    *count == 0
}
