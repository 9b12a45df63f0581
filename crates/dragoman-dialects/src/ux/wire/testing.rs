//! What an agent asks in order to test.
//!
//! Must not know: what a message leads to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How it runs without a screen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigureHeadless {
    #[serde(default)]
    pub options: HeadlessOptions,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeadlessOptions {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub render_mode: Option<RenderMode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_visible: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture_screenshots: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mock_user_input: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accelerated_time: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum RenderMode {
    /// State only; nothing is drawn.
    Virtual,
    Full,
}

/// The elements as a document.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GetVirtualDom {
    #[serde(default)]
    pub format: DomFormat,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum DomFormat {
    #[default]
    Json,
    Html,
}

/// Begin or end a test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestMode {
    pub enable: bool,
    #[serde(default)]
    pub options: TestOptions,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TestOptions {
    /// Keep what is done, as lines of a test file.
    pub record_actions: bool,
    /// A failed assertion tells the whole state.
    pub assertion_mode: bool,
    /// Time moves only by waits.
    pub mock_time: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

/// What was recorded so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GetRecording {}

/// Check that things are as they should be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Assert {
    #[schemars(length(min = 1, max = 100))]
    pub assertions: Vec<Assertion>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Assertion {
    #[serde(rename = "type")]
    pub kind: AssertionKind,
    /// A semantic id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// A field of the state; a point leads further in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// What to say when it does not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum AssertionKind {
    ElementExists,
    ElementNotExists,
    StateEquals,
    StateContains,
    InputValue,
    SelectedValue,
    ChoiceCount,
    WindowVisible,
}
