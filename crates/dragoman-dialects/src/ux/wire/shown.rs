//! What an agent is shown: state, elements, trees, documents.
//!
//! Must not know: how it came to be.

use super::{Format, Kind, is_false, is_zero};
pub use crate::shape::Bounds;
use crate::shape::tidy;
use dragoman_model::PromptKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the surface stands. The same fields stand in `state` and beside it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StateResult {
    pub state: State,
    #[serde(flatten)]
    pub flat: State,
}

/// Only what was asked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct State {
    /// A page is no prompt: `none`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<PromptType>")]
    pub prompt_type: Option<PromptKind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_value: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice_count: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visible_choice_count: Option<u64>,
    /// Among those shown; -1: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1))]
    pub selected_index: Option<i64>,
    #[serde(default, with = "maybe_null", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub selected_value: Option<Option<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_focused: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_visible: Option<bool>,
    /// The semantic id of what has the focus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focused_element: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub debug: Option<DebugState>,
}

/// Said as null, and not left out: there is nothing, and not nothing was asked.
mod maybe_null {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(
        value: &Option<Option<String>>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        value.as_ref().and_then(Option::as_ref).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Option<String>>, D::Error> {
        Option::deserialize(from).map(Some)
    }
}

/// The words of [`PromptKind`], for the schema.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub enum PromptType {
    Arg,
    Div,
    Editor,
    Select,
    Fields,
    Path,
    Hotkey,
    Term,
    Chat,
    None,
    Mini,
    Micro,
    Form,
    Drop,
    Env,
    Template,
    Confirm,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DebugState {
    pub tab: u32,
    pub snapshot: u64,
    pub format: Format,
    pub nodes: u64,
    pub omitted: u64,
    #[serde(serialize_with = "tidy")]
    pub width: f64,
    #[serde(serialize_with = "tidy")]
    pub height: f64,
    #[serde(serialize_with = "tidy")]
    pub scroll_x: f64,
    #[serde(serialize_with = "tidy")]
    pub scroll_y: f64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ElementsResult {
    /// Counted from 1, where the answer comes in several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_chunks: Option<u64>,
    pub elements: Vec<Element>,
    /// How many fit the filter.
    pub total_count: u64,
    /// Not all of them are told.
    pub truncated: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_more: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Element {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub semantic_id: Option<String>,
    #[serde(rename = "type")]
    pub kind: Kind,
    /// Of a choice: its place among all there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Bounds>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focused: Option<bool>,
    pub visible: bool,
    pub interactive: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<ElementState>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub children: Option<Vec<String>>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ElementState {
    pub role: String,
    /// What a field is called; its text is what stands in it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tag: String,
    pub stability: Stability,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<Checked>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expanded: Option<bool>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub disabled: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub required: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub invalid: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub readonly: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub covered: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_type: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}

/// How long a semantic id means the same element.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Stability {
    /// In every session.
    Stable,
    /// While the prompt or the page is there.
    #[default]
    PromptStable,
    /// Until something changes.
    RenderStable,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Checked {
    Known(bool),
    Mixed(Mixed),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Mixed {
    Mixed,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TreeResult {
    pub tree: TreeNode,
    /// Nodes in the tree as it is told.
    pub node_count: u64,
    /// Nodes deeper than was asked for, or too many.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TreeNode {
    pub role: String,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub semantic_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub focused: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<Checked>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expanded: Option<bool>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub disabled: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Bounds>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<TreeNode>,
}

/// A page as a PNG, in base64 and pixels; a prompt as the text on its screen, in characters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScreenshotResult {
    pub data: String,
    pub width: u64,
    pub height: u64,
    /// `image/png`, or `text/plain`.
    pub mime: String,
}

/// One of the two, as was asked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DomResult {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dom: Option<DomNode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DomNode {
    pub tag: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub semantic_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub focused: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub selected: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<DomNode>,
}
