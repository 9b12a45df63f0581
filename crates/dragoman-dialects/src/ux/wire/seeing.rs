//! What an agent asks in order to see.
//!
//! Must not know: what a message leads to.

use super::Within;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the surface stands.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GetState {
    /// Which parts of the state; without it, all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include: Option<Vec<StatePart>>,
    #[serde(default)]
    pub format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum StatePart {
    Prompt,
    Choices,
    Input,
    Selection,
    Window,
    Focus,
    All,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Format {
    #[default]
    Minimal,
    /// With what is focused, and for pages their address and title.
    Full,
    /// With numbers for whoever looks for a fault.
    Debug,
}

/// The elements there are.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetElements {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<ElementFilter>,
    /// What is told of each; without it semanticId, text and value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include: Option<Vec<ElementPart>>,
    /// At most so many (100).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Within<1, 1000>>,
    /// In several messages.
    #[serde(default)]
    pub chunked: bool,
    /// Elements in one of them (100).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk_size: Option<Within<1, 1000>>,
}

/// What is on the screen, as a picture.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CaptureScreenshot {}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ElementFilter {
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kinds: Option<Vec<Kind>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visible: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interactive: Option<bool>,
    /// A regular expression; matched in linear time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1000))]
    pub semantic_id_pattern: Option<String>,
}

/// What an element is: the document's nine, and what pages have besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Kind {
    Choice,
    Button,
    Input,
    Text,
    Panel,
    Preview,
    Header,
    Footer,
    Action,
    Link,
    Checkbox,
    Radio,
    Switch,
    Select,
    List,
    Tab,
    Menuitem,
    Slider,
    Dialog,
    Frame,
    Image,
    Window,
    Element,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ElementPart {
    Bounds,
    Text,
    SemanticId,
    Value,
    /// Role, tag, and whether it is checked, disabled, expanded and so on.
    State,
    /// The semantic ids of what is directly inside.
    Children,
}

/// The elements as a tree.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetAccessibilityTree {
    /// How deep (5).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<Within<1, 10>>,
    #[serde(default)]
    pub include_hidden: bool,
    /// The semantic id of the element to begin with; without it, the window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}
