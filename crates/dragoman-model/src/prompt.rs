//! A question to a person, as a surface shows it: what kind it is, how it stands, and what happens to it.

use serde::{Deserialize, Serialize};

#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum PromptKind {
    Arg,
    Select,
    Fields,
    Form,
    Div,
    Editor,
    Path,
    Hotkey,
    Term,
    Chat,
    Mini,
    Micro,
    Drop,
    Env,
    Template,
    Confirm,
    /// Nothing is asked at the moment.
    #[default]
    None,
}

impl PromptKind {
    /// The word that serialisation uses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Arg => "arg",
            Self::Select => "select",
            Self::Fields => "fields",
            Self::Form => "form",
            Self::Div => "div",
            Self::Editor => "editor",
            Self::Path => "path",
            Self::Hotkey => "hotkey",
            Self::Term => "term",
            Self::Chat => "chat",
            Self::Mini => "mini",
            Self::Micro => "micro",
            Self::Drop => "drop",
            Self::Env => "env",
            Self::Template => "template",
            Self::Confirm => "confirm",
            Self::None => "none",
        }
    }
}

/// How a prompt stands.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PromptState {
    pub kind: PromptKind,
    /// The name its asker gave it.
    pub id: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub placeholder: String,
    /// What was typed; never a secret.
    #[serde(default)]
    pub input: String,
    /// How many choices there are in all.
    pub choices: u64,
    /// How many of them are left after the filter.
    pub shown: u64,
    /// The place of the selected one among those shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected: Option<u64>,
    /// Its value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    pub focused: bool,
    pub visible: bool,
}

/// What happens to a prompt, whoever does it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum PromptEvent {
    InputChanged {
        value: String,
        previous: String,
    },
    ChoiceSelected {
        /// Its place among those shown.
        index: u64,
        value: String,
        /// Its semantic id.
        id: String,
    },
    ChoicesUpdated {
        count: u64,
    },
    /// Another question, or none, has taken its place.
    PromptChanged {
        kind: PromptKind,
        id: String,
    },
    Focused,
    Blurred,
    KeyPressed {
        key: String,
    },
    ActionTriggered {
        action: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<String>,
    },
    Submitted {
        /// `None`: it was cancelled.
        value: Option<String>,
    },
    Error {
        message: String,
    },
}
