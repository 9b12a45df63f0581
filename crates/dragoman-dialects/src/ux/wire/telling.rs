//! What an agent asks in order to be told as it comes: subscriptions and searches.
//!
//! Must not know: what a message leads to.

use super::Within;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Be told of what happens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Subscribe {
    #[schemars(length(min = 1))]
    pub events: Vec<EventName>,
    #[serde(default)]
    pub filter: StreamFilter,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum EventName {
    InputChanged,
    ChoiceSelected,
    ChoicesUpdated,
    PromptChanged,
    WindowFocused,
    WindowBlurred,
    KeyPressed,
    ActionTriggered,
    ErrorOccurred,
    StateChanged,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct StreamFilter {
    /// Least time between two events of the same kind, in ms (50).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_interval: Option<Within<10, 5_000>>,
    /// Of several within that time only the last is told.
    pub debounce: bool,
    pub include_data: bool,
}

impl Default for StreamFilter {
    fn default() -> Self {
        Self {
            min_interval: None,
            debounce: true,
            include_data: true,
        }
    }
}

/// Be told no longer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Unsubscribe {
    pub subscription_id: String,
}

/// Find files by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileSearch {
    /// A glob such as `*.ts`, or a part of the name.
    #[schemars(length(min = 1, max = 1000))]
    pub query: String,
    /// The folder to search in; without it, where the program was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub onlyin: Option<String>,
    /// With progress on the way.
    #[serde(default)]
    pub streaming: bool,
    /// At most so many files (1000).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Within<1, 10_000>>,
}

/// Stop a file search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cancel {
    /// The requestId of what is to be stopped.
    pub cancels: String,
}
