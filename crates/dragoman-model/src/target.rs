//! What a command is about: one element, named in one of the ways operators know.

use crate::Ref;
use serde::{Deserialize, Serialize};

/// Viewport CSS pixels, or an offset inside an element's box.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    #[serde(serialize_with = "crate::snapshot::tidy")]
    pub x: f64,
    #[serde(serialize_with = "crate::snapshot::tidy")]
    pub y: f64,
}

/// Each way names exactly one visible element, or the command fails and lists the candidates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// A ref from a snapshot.
    Ref(Ref),
    /// A semantic id from a snapshot: `button:submit`; `*` stands for one segment.
    Semantic(String),
    Css(String),
    #[serde(rename = "xpath")]
    XPath(String),
    /// Visible text or accessible name.
    Text(String),
    /// The accessible name alone, whatever the role.
    Label(String),
    Role {
        role: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// A bare point of the viewport: whatever is there.
    Point(Point),
    /// The element that has the focus.
    Focused,
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Ref(r) => write!(f, "{r}"),
            Self::Semantic(id) => f.write_str(id),
            Self::Css(css) => write!(f, "css {css}"),
            Self::XPath(path) => write!(f, "xpath {path}"),
            Self::Text(text) => write!(f, "text {text:?}"),
            Self::Label(name) => write!(f, "label {name:?}"),
            Self::Role {
                role,
                name: Some(name),
            } => write!(f, "{role} {name:?}"),
            Self::Role { role, name: None } => f.write_str(role),
            Self::Point(p) => write!(f, "({}, {})", p.x, p.y),
            Self::Focused => f.write_str("the focused element"),
        }
    }
}
