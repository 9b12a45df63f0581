//! What became of what an agent asked for.
//!
//! Must not know: how it came to be.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BatchResult {
    pub success: bool,
    pub results: Vec<StepResult>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_at: Option<u64>,
    /// Where rolling back was asked for and something failed: whether all is as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rolled_back: Option<bool>,
    /// Why it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rollback_error: Option<String>,
    pub total_elapsed: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepResult {
    /// The first is 0.
    pub index: u64,
    pub success: bool,
    pub command: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    #[serde(flatten)]
    pub wrong: Option<Wrong>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rolled_back: Option<bool>,
}

/// What went wrong, beside `success: false`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Wrong {
    pub error: String,
    pub error_code: String,
    pub suggestion: String,
    /// Semantic ids of elements that could have been meant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WaitForResult {
    pub success: bool,
    pub elapsed: u64,
    #[serde(flatten)]
    pub wrong: Option<Wrong>,
}

/// What became of a command.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Did {
    pub success: bool,
    /// What was submitted or read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    #[serde(flatten)]
    pub wrong: Option<Wrong>,
    /// What it did, where there is more to say than that it was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Map<String, Value>>,
}

/// A message that led to nothing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorTold {
    pub code: String,
    pub message: String,
    pub suggestion: String,
}
