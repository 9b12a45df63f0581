//! The messages, as the document has them. What comes in is read by hand where it must be forgiving;
//! these types are what goes out, and what the schemas are made of.
//!
//! Must not know: what a message leads to.

use crate::json::{self, Object};
pub use crate::shape::Bounds;
use crate::shape::tidy;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A longer message is refused.
pub const MAX_MESSAGE: usize = 1 << 20;
const MAX_DEPTH: usize = 32;
const MAX_REQUEST_ID: usize = 200;

/// What a backend may send.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type")]
pub enum FromBackend {
    /// An action, in the envelope of the document.
    ActionCommand {
        data: ActionCommand,
        /// Sent back with the result.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_id: Option<Value>,
    },
    /// The newer form of the same.
    #[serde(rename = "action_request")]
    ActionRequest {
        request_id: Value,
        command: ActionCommand,
    },
    Ping {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        data: Option<Value>,
    },
    /// The answer to an executor's ping.
    Pong {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        data: Option<Value>,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ActionCommand {
    /// Go to an address in the current tab.
    NavigateTo { url: String },
    /// Click an element of a snapshot.
    ClickElement { r#ref: u64 },
    /// Leave exactly this text in a field.
    TypeText { r#ref: u64, text: String },
    /// Scroll the page to a position.
    ScrollTo {
        #[serde(serialize_with = "tidy")]
        x: f64,
        #[serde(serialize_with = "tidy")]
        y: f64,
    },
    /// List what can be acted on in view.
    GetInteractiveElements {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit: Option<u32>,
    },
    /// Read the text of the page.
    GetPageContent {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_length: Option<u64>,
    },
}

/// What an executor sends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type")]
pub enum ToBackend {
    Snapshot {
        data: Tree,
    },
    ActionResult {
        data: ActionResult,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_id: Option<Value>,
    },
    Ping {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        data: Option<Value>,
    },
    Pong {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        data: Option<Value>,
    },
}

/// All three fields are always there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ActionResult {
    pub success: bool,
    pub error: Option<String>,
    pub data: Option<Map<String, Value>>,
}

/// What can be acted on in view, depth first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tree {
    pub url: String,
    pub title: String,
    pub tree: Vec<Element>,
    /// Interactive elements that are not in view.
    pub outside_viewport: u64,
    /// Elements in view that were left out because there are too many.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Element {
    /// The `ref` of a command.
    pub id: u64,
    pub role: String,
    pub name: String,
    pub tag: String,
    pub bounds: Bounds,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The messages as JSON Schemas, by file name.
pub fn schemas() -> Vec<(&'static str, Value)> {
    let both = [
        ("from-backend", schemars::schema_for!(FromBackend)),
        ("to-backend", schemars::schema_for!(ToBackend)),
        ("action-command", schemars::schema_for!(ActionCommand)),
        ("action-result", schemars::schema_for!(ActionResult)),
        ("snapshot", schemars::schema_for!(Tree)),
    ];
    both.into_iter()
        .map(|(name, schema)| (name, schema.to_value()))
        .collect()
}

/// One message, read; with what is to be sent back beside the answer.
#[derive(Debug, PartialEq)]
pub(super) enum Read {
    Command {
        command: ActionCommand,
        request_id: Option<Value>,
    },
    Ping {
        data: Option<Value>,
    },
    Pong,
    Bad {
        request_id: Option<Value>,
        error: String,
    },
}

pub(super) fn read(text: &str) -> Read {
    let bad = |error: &str| Read::Bad {
        request_id: None,
        error: error.into(),
    };
    if text.len() > MAX_MESSAGE {
        return bad("The message is too long");
    }
    if text.contains('\0') {
        return bad("The message contains NUL");
    }
    if json::too_deep(text, MAX_DEPTH) {
        return bad("The message is nested too deeply");
    }
    let object = match json::parse(text) {
        Ok(Value::Object(object)) => object,
        Ok(_) => return bad("The message is not a JSON object"),
        Err(error) => return bad(&format!("The message is not JSON: {error}")),
    };
    let request_id = match request_id(&object) {
        Ok(id) => id,
        Err(error) => return bad(error),
    };
    match message(object) {
        Ok(Message::Command(command)) => Read::Command {
            command,
            request_id,
        },
        Ok(Message::Ping(data)) => Read::Ping { data },
        Ok(Message::Pong) => Read::Pong,
        Err(error) => Read::Bad { request_id, error },
    }
}

enum Message {
    Command(ActionCommand),
    Ping(Option<Value>),
    Pong,
}

/// Around the command or in it: both are seen.
fn request_id(object: &Object) -> Result<Option<Value>, &'static str> {
    let inside = |key: &str| object.get(key)?.as_object()?.get("request_id");
    let given = object
        .get("request_id")
        .or_else(|| inside("data"))
        .or_else(|| inside("command"));
    match given {
        None | Some(Value::Null) => Ok(None),
        Some(id @ Value::Number(_)) => Ok(Some(id.clone())),
        Some(Value::String(text)) if text.len() <= MAX_REQUEST_ID => Ok(Some(text.clone().into())),
        Some(_) => Err("\"request_id\" should be a short string or a number"),
    }
}

fn message(mut object: Object) -> Result<Message, String> {
    let kind = match object.get("type") {
        Some(Value::String(kind)) => kind.clone(),
        _ => return Err("The message has no \"type\"".into()),
    };
    match kind.as_str() {
        "Ping" | "ping" => Ok(Message::Ping(object.remove("data"))),
        "Pong" | "pong" => Ok(Message::Pong),
        "ActionCommand" => envelope(object.remove("data"), "data"),
        "action_request" => envelope(object.remove("command"), "command"),
        _ => command(object),
    }
}

fn envelope(inside: Option<Value>, name: &str) -> Result<Message, String> {
    match inside {
        Some(Value::Object(object)) => command(object),
        _ => Err(format!("\"{name}\" should be a command")),
    }
}

const NAMES: [&str; 6] = [
    "navigate_to",
    "click_element",
    "type_text",
    "scroll_to",
    "get_interactive_elements",
    "get_page_content",
];

fn command(mut object: Object) -> Result<Message, String> {
    let name = match object.get("type") {
        Some(Value::String(name)) => name.clone(),
        _ => return Err("The command has no \"type\"".into()),
    };
    if !NAMES.contains(&name.as_str()) {
        let shown: String = name.chars().take(60).collect();
        let hint = match dragoman_model::nearest(&name, NAMES) {
            Some(like) => format!("did you mean \"{like}\"?"),
            None => format!("there are {}", NAMES.join(", ")),
        };
        return Err(format!("There is no command {shown:?}; {hint}"));
    }
    object.remove("request_id");
    serde_json::from_value(Value::Object(object))
        .map(Message::Command)
        .map_err(|error| {
            let reason: String = error.to_string().chars().take(200).collect();
            format!("{name}: {reason}")
        })
}
