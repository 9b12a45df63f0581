//! One command of the assistant's: JSON to what is meant, or to what is wrong with it.
//!
//! Must not know: where in a reply it stood, which elements there are.

use super::{MAX_VALUE, Tool};
use crate::chat::Problem;
use crate::chat::words::{line, list};
use crate::json::{self, Object};
use serde_json::Value;

/// Objects and lists inside each other.
const MAX_DEPTH: usize = 32;
const MAX_URL: usize = 8_000;
const MAX_NAME: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Action {
    Click { id: u64 },
    Type { id: u64, value: String },
    OpenTab { url: String },
    OpenTool { name: String },
}

pub(super) const NAMES: [&str; 4] = ["click", "type", "open_tab", "open_tool"];

impl Action {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Click { .. } => "click",
            Self::Type { .. } => "type",
            Self::OpenTab { .. } => "open_tab",
            Self::OpenTool { .. } => "open_tool",
        }
    }

    /// What a person would call it; what is typed is not told.
    pub(super) fn in_words(&self) -> String {
        match self {
            Self::Click { id } => format!("click {id}"),
            Self::Type { id, .. } => format!("type into {id}"),
            Self::OpenTab { url } => format!("open_tab {}", line(url, 200)),
            Self::OpenTool { name } => format!("open_tool {}", line(name, 60)),
        }
    }

    /// From the text of one command; `rest` is what stands behind it.
    pub(super) fn read(text: &str) -> Result<(Self, usize), Problem> {
        if json::too_deep(text, MAX_DEPTH) {
            return Err(Problem("The command is nested too deeply.".into()));
        }
        let (value, used) = json::first(text).map_err(|error| {
            let reason = line(&error.to_string(), 200);
            Problem(format!("The command is not valid JSON: {reason}."))
        })?;
        match value {
            Value::Object(object) => Self::from_object(&object, "action").map(|a| (a, used)),
            _ => Err(Problem("The command is not a JSON object.".into())),
        }
    }

    /// An object with a command's name, in either form.
    pub(super) fn named(object: &Object) -> Option<Self> {
        ["action", "tool"]
            .into_iter()
            .find_map(|key| Self::from_object(object, key).ok())
    }

    /// The older form has its name under `tool`.
    pub(super) fn from_object(object: &Object, key: &str) -> Result<Self, Problem> {
        let name = match object.get(key) {
            Some(Value::String(name)) => name.trim().to_ascii_lowercase(),
            Some(_) => return Err(Problem(format!("\"{key}\" is not a string."))),
            None => return Err(Problem(format!("The command has no \"{key}\"."))),
        };
        match name.as_str() {
            "click" => Ok(Self::Click {
                id: id(object, &name)?,
            }),
            "type" => {
                let id = id(object, &name)?;
                let value = match object.get("value") {
                    Some(Value::Number(number)) => number.to_string(),
                    _ => text(object, &name, "value", usize::MAX)?,
                };
                if value.chars().count() > MAX_VALUE {
                    let message = format!("\"value\" is longer than {MAX_VALUE} characters.");
                    return Err(Problem(message));
                }
                Ok(Self::Type { id, value })
            }
            "open_tab" => Ok(Self::OpenTab {
                url: text(object, &name, "url", MAX_URL)?,
            }),
            "open_tool" => Ok(Self::OpenTool {
                name: text(object, &name, "name", MAX_NAME)?,
            }),
            _ => Err(Problem(format!(
                "Unknown action \"{}\". Available actions: {}",
                line(&name, 60),
                list(NAMES.into_iter())
            ))),
        }
    }
}

fn needs(action: &str, field: &str) -> Problem {
    Problem(format!("The \"{action}\" command needs \"{field}\"."))
}

/// A number that can be no element's is answered like one that is none.
fn id(object: &Object, action: &str) -> Result<u64, Problem> {
    let shown = match object.get("id") {
        None | Some(Value::Null) => return Err(needs(action, "id")),
        Some(Value::Number(number)) => match whole(number) {
            Some(id) => return Ok(id),
            None => number.to_string(),
        },
        Some(Value::String(text)) => match text.trim().parse() {
            Ok(id) => return Ok(id),
            Err(_) => text.clone(),
        },
        Some(_) => return Err(Problem("\"id\" is not a number.".into())),
    };
    Err(not_found(&line(&shown, 40)))
}

fn whole(number: &serde_json::Number) -> Option<u64> {
    let float = || {
        number
            .as_f64()
            .filter(|f| f.fract() == 0.0 && (0.0..9e15).contains(f))
    };
    number.as_u64().or_else(|| float().map(|f| f as u64))
}

fn text(object: &Object, action: &str, field: &str, most: usize) -> Result<String, Problem> {
    match object.get(field) {
        None | Some(Value::Null) => Err(needs(action, field)),
        Some(Value::String(text)) if text.contains('\0') => {
            Err(Problem(format!("\"{field}\" contains NUL.")))
        }
        Some(Value::String(text)) if text.len() > most => {
            Err(Problem(format!("\"{field}\" is longer than {most} bytes.")))
        }
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(Problem(format!("\"{field}\" is not a string."))),
    }
}

pub(super) fn not_found(id: &str) -> Problem {
    Problem(format!("Element ID {id} not found."))
}

pub(super) fn no_tool(name: &str, tools: &[Tool]) -> Problem {
    let known = list(tools.iter().map(|tool| tool.name.as_str()));
    let name = line(name, 60);
    Problem(format!(
        "Tool \"{name}\" not found. Available tools: {known}"
    ))
}

pub(super) fn not_opened(url: &str, reason: &str) -> Problem {
    let url = line(url, 300);
    Problem(format!("Failed to open URL \"{url}\". {reason}"))
}
