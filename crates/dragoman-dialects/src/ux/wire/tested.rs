//! What a test is told.
//!
//! Must not know: how it came to be.

use super::{HeadlessOptions, State, TestOptions, Unavailable};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HeadlessResult {
    pub success: bool,
    /// What holds now.
    pub options: HeadlessOptions,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unavailable: Vec<Unavailable>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestModeResult {
    pub success: bool,
    pub enabled: bool,
    /// What holds now.
    pub options: TestOptions,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unavailable: Vec<Unavailable>,
    /// When the test ends: what was recorded, each a line of a test file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recording: Option<Vec<Map<String, Value>>>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecordingResult {
    /// Each a line of a test file.
    pub recording: Vec<Map<String, Value>>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AssertResult {
    pub passed: bool,
    pub results: Vec<Asserted>,
    /// In assertion mode, when something did not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<State>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Asserted {
    pub assertion: String,
    pub passed: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actual: Option<Value>,
}
