//! What a surface looks like: its elements in document order, each with its place in the tree.

use crate::{DialogInfo, PromptState, Ref, SnapshotId, TabId};
use serde::{Deserialize, Serialize};

/// A surface's elements at one moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    pub id: SnapshotId,
    pub tab: TabId,
    pub url: String,
    pub title: String,
    pub viewport: Viewport,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<Ref>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialog: Option<DialogInfo>,
    /// Interactive elements outside the viewport that an in-view snapshot left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub outside: u64,
    /// Elements left out because the snapshot was full.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted: u64,
    /// Where the surface is a prompt: how it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Box<PromptState>>,
    pub nodes: Vec<Node>,
}

/// What is different since an earlier snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Changes {
    pub id: SnapshotId,
    pub tab: TabId,
    /// The earlier look no longer counts (another document, or too long ago): take a snapshot.
    #[serde(default, skip_serializing_if = "is_false")]
    pub reset: bool,
    /// New or different nodes, each with its subtree where that is new.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<Node>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<Ref>,
    /// How many more changed nodes there are than are listed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Viewport {
    #[serde(serialize_with = "tidy")]
    pub width: f64,
    #[serde(serialize_with = "tidy")]
    pub height: f64,
    #[serde(serialize_with = "tidy")]
    pub scroll_x: f64,
    #[serde(serialize_with = "tidy")]
    pub scroll_y: f64,
    #[serde(serialize_with = "tidy")]
    pub page_width: f64,
    #[serde(serialize_with = "tidy")]
    pub page_height: f64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    #[serde(serialize_with = "tidy")]
    pub x: f64,
    #[serde(serialize_with = "tidy")]
    pub y: f64,
    #[serde(serialize_with = "tidy")]
    pub width: f64,
    #[serde(serialize_with = "tidy")]
    pub height: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Checked {
    Yes,
    No,
    Mixed,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SelectOption {
    pub label: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub value: String,
    #[serde(default, skip_serializing_if = "is_false")]
    pub selected: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub disabled: bool,
}

/// A text that is short most of the time and is then kept in place.
pub type Word = compact_str::CompactString;

/// One element, or one run of text (`role` is then `text`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// How many listed ancestors it has.
    pub depth: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#ref: Option<Ref>,
    /// The semantic id, such as `button:submit`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Word>,
    pub role: Word,
    #[serde(default, skip_serializing_if = "Word::is_empty")]
    pub name: Word,
    #[serde(default, skip_serializing_if = "Word::is_empty")]
    pub tag: Word,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Bounds>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Never a password's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Word>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<Word>,
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub input_type: Option<Word>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub href: Option<String>,
    /// The label an author gave it, where it differs from the accessible name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<Word>,
    /// What its author calls it: `aria-label`, else `name`, else `title`. Not on our own wire, which
    /// has the accessible name; for dialects that show this.
    #[serde(skip)]
    pub called: Option<Word>,
    /// The surface cannot tell what is in it: no value does not mean an empty one. Not on our own wire.
    #[serde(skip)]
    pub opaque: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<Checked>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pressed: Option<Checked>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expanded: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected: Option<bool>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<SelectOption>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub interactive: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub in_view: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub covered: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub disabled: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub focused: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub required: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub invalid: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub readonly: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub multiple: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub password: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub editable: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub draggable: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub scrollable: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub popup: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub modal: bool,
    /// In a list of changes: the node was not there before.
    #[serde(default, skip_serializing_if = "is_false")]
    pub new: bool,
}

/// Whole numbers without a point: most coordinates are, and there are many of them.
pub(crate) fn tidy<S: serde::Serializer>(number: &f64, to: S) -> Result<S::Ok, S::Error> {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        to.serialize_i64(*number as i64)
    } else {
        to.serialize_f64(*number)
    }
}

pub(crate) fn is_false(flag: &bool) -> bool {
    !*flag
}

pub(crate) fn is_zero(count: &u64) -> bool {
    *count == 0
}
