//! One line of a framed chat: whose words they are.
//!
//! Must not know: what a language makes of them.

use super::Problem;
use super::words::line;
use crate::json::{self, Object};
use serde_json::Value;

/// Objects and lists inside each other.
const MAX_DEPTH: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Frame {
    Assistant {
        text: String,
        /// The rest of it is still to come.
        more: bool,
    },
    /// The chat's other side: what we said, or the person.
    User { text: String },
    /// The person beside the chat, to us alone.
    Person {
        says: Option<String>,
        does: Option<String>,
    },
    /// The whole chat as it stands on its page now.
    Transcript(Vec<Turn>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    Assistant,
    User,
}

/// One message of a chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Turn {
    pub role: Role,
    pub text: String,
}

impl Frame {
    pub fn read(bytes: Vec<u8>) -> Result<Self, Problem> {
        let text = text_of(bytes)?;
        let not_json =
            |reason: String| Problem(format!("The line is not a JSON object: {reason}."));
        if json::too_deep(&text, MAX_DEPTH) {
            return Err(not_json("it is nested too deeply".into()));
        }
        let object = match json::parse(&text) {
            Ok(Value::Object(object)) => object,
            Ok(_) => return Err(not_json("it is something else".into())),
            Err(error) => return Err(not_json(line(&error.to_string(), 200))),
        };
        if let Some(turns) = object.get("transcript") {
            return transcript(turns).map(Self::Transcript);
        }
        match word(&object, "role")? {
            Some("assistant") => Ok(Self::Assistant {
                text: said(&object)?,
                more: object.get("more") == Some(&Value::Bool(true)),
            }),
            Some("user" | "system") => Ok(Self::User {
                text: word(&object, "text")
                    .ok()
                    .flatten()
                    .unwrap_or_default()
                    .to_owned(),
            }),
            Some("person") => {
                let does = word(&object, "do")?.map(str::to_owned);
                let says = match does {
                    None => Some(needed(&object)?),
                    Some(_) => word(&object, "text")?.map(str::to_owned),
                };
                Ok(Self::Person { says, does })
            }
            Some(other) => Err(Problem(format!(
                "There is no role \"{}\"; it is assistant, user or person.",
                line(other, 40)
            ))),
            None => Err(Problem("The line has no \"role\".".into())),
        }
    }
}

fn transcript(turns: &Value) -> Result<Vec<Turn>, Problem> {
    let wrong = || Problem("A transcript is a list of {\"role\":…,\"text\":…}.".into());
    let turn = |turn: &Value| {
        let object = turn.as_object().ok_or_else(wrong)?;
        let role = match word(object, "role")? {
            Some("assistant") => Role::Assistant,
            Some("user" | "system") => Role::User,
            _ => return Err(wrong()),
        };
        let text = said(object)?;
        Ok(Turn { role, text })
    };
    turns
        .as_array()
        .ok_or_else(wrong)?
        .iter()
        .map(turn)
        .collect()
}

fn word<'o>(object: &'o Object, key: &str) -> Result<Option<&'o str>, Problem> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(word)) => Ok(Some(word.as_str())),
        Some(_) => Err(Problem(format!("\"{key}\" of a line is not a string."))),
    }
}

fn needed(object: &Object) -> Result<String, Problem> {
    let text = word(object, "text")?;
    text.map(str::to_owned)
        .ok_or_else(|| Problem("The line has no \"text\".".into()))
}

fn said(object: &Object) -> Result<String, Problem> {
    let text = needed(object)?;
    match text.contains('\0') {
        true => Err(Problem("The reply contains NUL.".into())),
        false => Ok(text),
    }
}

pub(crate) fn text_of(bytes: Vec<u8>) -> Result<String, Problem> {
    if bytes.contains(&0) {
        return Err(Problem("The reply contains NUL.".into()));
    }
    String::from_utf8(bytes).map_err(|_| Problem("The reply is not valid UTF-8.".into()))
}
