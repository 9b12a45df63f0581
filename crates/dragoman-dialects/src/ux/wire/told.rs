//! What an agent is told as it comes: events of a subscription, progress of a search.
//!
//! Must not know: how it came to be.

use super::{EventName, is_false};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Subscribed {
    pub subscription_id: String,
}

/// An event of a subscription, or that some were lost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Stream {
    pub subscription_id: String,
    pub event: StreamEvent,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Map<String, Value>>,
    /// From 1, without gaps, for each subscription.
    pub sequence: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum StreamEvent {
    Event(EventName),
    Lost(Lost),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Lost {
    /// More happened than is kept: ask for the state anew.
    Resync,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Progress {
    /// Of a hundred, as far as is known yet.
    #[schemars(range(max = 100))]
    pub progress: u64,
    pub message: String,
    pub partial: Files,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Files {
    pub files: Vec<File>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct File {
    pub path: String,
    pub name: String,
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_directory: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified_at: Option<u64>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileSearchResult {
    pub files: Vec<File>,
    /// Everything was searched, and all that was found is told.
    pub complete: bool,
    pub total_searched: u64,
    pub elapsed: u64,
    /// Why it is not complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}
