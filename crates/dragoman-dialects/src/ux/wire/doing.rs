//! What an agent asks in order to act: batches, waits, the actions of one message.
//!
//! Must not know: what a message leads to.

use super::Within;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Several commands with one answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Batch {
    /// Each with its type; a requestId may be left out.
    #[schemars(length(min = 1, max = 100))]
    pub commands: Vec<Map<String, Value>>,
    #[serde(default)]
    pub options: BatchOptions,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct BatchOptions {
    pub stop_on_error: bool,
    /// Put input, selection, focus and scrolling back when one fails.
    pub rollback_on_error: bool,
    /// For all of them together, in ms (5000).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Within<100, 60_000>>,
    /// `false`: waits that stand side by side are waited for together.
    pub sequential: bool,
}

impl Default for BatchOptions {
    fn default() -> Self {
        Self {
            stop_on_error: true,
            rollback_on_error: false,
            timeout: None,
            sequential: true,
        }
    }
}

/// Wait until something holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitFor {
    pub condition: Condition,
    /// In ms (5000).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Within<10, 60_000>>,
    /// Nothing is polled; this is the least time between two looks (50).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poll_interval: Option<Within<10, 1_000>>,
}

/// By its name alone, or with what it needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "a condition is choicesRendered, inputEmpty, windowVisible or windowFocused, or an object whose type is \
                 one of those, elementExists, elementVisible, elementFocused, stateMatch or custom"
)]
pub enum Condition {
    Name(ConditionKind),
    Full(FullCondition),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FullCondition {
    #[serde(rename = "type")]
    pub kind: ConditionKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub semantic_id: Option<String>,
    /// Fields of the state and their values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<Map<String, Value>>,
    /// Such as `choiceCount > 3 && inputValue contains "app"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1000))]
    pub expression: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ConditionKind {
    ChoicesRendered,
    InputEmpty,
    WindowVisible,
    WindowFocused,
    ElementExists,
    ElementVisible,
    ElementFocused,
    StateMatch,
    Custom,
}

/// Select the choice that has this value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SelectByValue {
    pub value: String,
    #[serde(default)]
    pub submit: bool,
}

/// Select the choice at this place among those shown; the first is 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SelectByIndex {
    pub index: Within<0, 4_294_967_295>,
    #[serde(default)]
    pub submit: bool,
}

/// Select the choice that says this.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SelectByText {
    pub text: String,
    /// The whole of it, in just these letters; else a part of it will do, if no other choice has it.
    #[serde(default)]
    pub exact: bool,
    #[serde(default)]
    pub submit: bool,
}

/// Type a filter, and select the first choice that is left.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FilterAndSelect {
    pub filter: String,
    #[serde(default = "yes")]
    pub select_first: bool,
    #[serde(default)]
    pub submit: bool,
}

fn yes() -> bool {
    true
}

/// Leave this text in the input, and submit it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TypeAndSubmit {
    pub text: String,
}

/// Leave this text in the input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SetFilter {
    pub text: String,
}

/// Move the selection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Navigate {
    pub direction: Direction,
    /// How often (1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<Within<1, 1000>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Direction {
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    Next,
    Previous,
}

/// Answer the prompt, or send the form off.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Submit {
    /// Of a prompt: the answer; without it, what is selected or typed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// Do something with one element.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Action {
    /// A semantic id; `*` stands for a segment or a part of one, but only one element may fit.
    #[schemars(length(min = 1, max = 300))]
    pub target: String,
    /// select, submit, focus, blur, click, setValue, appendValue, clearValue, scrollTo, expand or collapse; or, by its
    /// name, a command of the catalog, with its arguments in `value`.
    #[schemars(length(min = 1, max = 60))]
    pub action: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}
