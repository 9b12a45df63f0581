//! One action and the handshake before it: their objects to what is meant.
//!
//! Must not know: whether an action may run.

use crate::chat::words::line;
use crate::json::Object;
use crate::native;
use dragoman_model::{
    Command, Fault, Navigate, ReplaceText, Request, ScrollBy, Target, Wait, find_row,
};
use serde_json::Value;

const MAX_TEXT: usize = 20_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    V02,
    V03,
}

impl Protocol {
    pub fn name(self) -> &'static str {
        match self {
            Self::V02 => "BAI/0.2",
            Self::V03 => "BAI/0.3",
        }
    }

    pub(in crate::bai) fn read(object: &Object) -> Result<Self, String> {
        match object.get("protocol").and_then(Value::as_str) {
            Some("BAI/0.3") => Ok(Self::V03),
            Some("BAI/0.2") => Ok(Self::V02),
            Some(other) => Err(format!(
                "There is no protocol \"{}\"; it is BAI/0.3 or BAI/0.2.",
                line(other, 40)
            )),
            None => Err("\"protocol\" must be \"BAI/0.3\".".into()),
        }
    }
}

/// What opens a workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::bai) struct Handshake {
    pub protocol: Protocol,
    pub workflow: String,
}

impl Handshake {
    pub fn read(object: &Object) -> Result<Self, String> {
        let protocol = Protocol::read(object)?;
        let workflow = name(object, "workflow_id")?;
        if protocol == Protocol::V03 {
            must_be(object, "kind", "handshake")?;
            must_be(object, "state", "awaiting_extension_ack")?;
            let capabilities = object.get("capabilities").and_then(Value::as_array);
            let lines = |list: &Vec<Value>| list.iter().any(|one| one == "action_lines");
            if !capabilities.is_some_and(lines) {
                return Err("\"capabilities\" must be a list with \"action_lines\".".into());
            }
        }
        Ok(Self { protocol, workflow })
    }
}

/// One action as it was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    pub id: u64,
    pub name: String,
    pub payload: Object,
}

/// What an action does, apart from its number.
pub type Deed = (String, String);

/// What an action comes to.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::bai) enum Meaning {
    Do(Box<Request>),
    /// It is over.
    Done {
        success: bool,
        summary: String,
    },
}

impl Action {
    /// Without what only the workflow can judge: its id, the nonce.
    pub(in crate::bai) fn read(object: &Object, protocol: Protocol) -> Result<Self, String> {
        if protocol == Protocol::V03 {
            must_be(object, "kind", "action")?;
        }
        let id = object.get("action_id").and_then(Value::as_u64);
        let id = id.filter(|id| (1..=9_007_199_254_740_991).contains(id));
        let id = id.ok_or("\"action_id\" must be a whole number from 1.")?;
        let payload = match object.get("payload") {
            Some(Value::Object(payload)) => payload.clone(),
            None | Some(Value::Null) => Object::new(),
            Some(_) => return Err("\"payload\" must be an object.".into()),
        };
        Ok(Self {
            id,
            name: name(object, "type")?,
            payload,
        })
    }

    pub(super) fn deed(object: &Object) -> Option<Deed> {
        object.get("action_id")?;
        Some(Self::read(object, Protocol::V02).ok()?.as_deed())
    }

    pub(super) fn as_deed(&self) -> Deed {
        let payload = Value::Object(self.payload.clone()).to_string();
        (self.name.clone(), payload)
    }

    pub(in crate::bai) fn meaning(&self) -> Result<Meaning, String> {
        let request = |command: Command| Ok(Meaning::Do(Box::new(Request::new(command))));
        match self.name.as_str() {
            "input_text" => request(Command::from(ReplaceText {
                target: self.selector()?.ok_or("input_text needs a \"selector\".")?,
                text: self.text()?,
                no_password: Some(true),
            })),
            "wait" if self.payload.contains_key("ms") => {
                let ms = self.payload["ms"].as_u64();
                let ms = ms.filter(|ms| *ms <= Request::MAX_TIMEOUT_MS);
                let ms = ms.ok_or("\"ms\" must be whole milliseconds, at most 600000.")?;
                request(Command::from(Wait {
                    until: None,
                    ms: Some(ms),
                }))
            }
            "scroll" => {
                let number = |key: &str| match self.payload.get(key) {
                    None | Some(Value::Null) => Ok(0.0),
                    Some(value) => value
                        .as_f64()
                        .filter(|n| n.is_finite())
                        .ok_or_else(|| format!("\"{key}\" of scroll must be a number.")),
                };
                request(Command::from(ScrollBy {
                    dx: number("x")?,
                    dy: number("y")?,
                    target: self.selector()?,
                }))
            }
            "navigate" => {
                let url = self.payload.get("url").and_then(Value::as_str);
                let url = url.ok_or("navigate needs a \"url\".")?;
                request(Command::from(Navigate {
                    url: crate::with_scheme(url.trim()),
                    until: None,
                }))
            }
            "done" => Ok(Meaning::Done {
                success: self.payload.get("success") != Some(&Value::Bool(false)),
                summary: match self.payload.get("summary").and_then(Value::as_str) {
                    Some(summary) => line(summary, 400),
                    None => String::new(),
                },
            }),
            "subscribe" | "unsubscribe" | "batch" => {
                Err(format!("{} is nothing for a chat.", self.name))
            }
            name => request(self.catalog(name)?),
        }
    }

    /// Any other command by its name, with the selector as its target.
    fn catalog(&self, name: &str) -> Result<Command, String> {
        let mut payload = self.payload.clone();
        if payload.remove("selector").is_some()
            && let Some(target) = self.selector()?
        {
            let target = serde_json::to_value(target).unwrap_or_default();
            payload.insert("target".into(), target);
        }
        if let Some(password) =
            find_row(name).and_then(|row| row.args.iter().find(|arg| arg.name == "no_password"))
        {
            payload.insert(password.name.into(), Value::Bool(true));
        }
        native::read(name, payload).map_err(
            |Fault {
                 message,
                 suggestion,
                 ..
             }| {
                format!(
                    "{}. {}",
                    line(message.trim_end_matches('.'), 300),
                    line(&suggestion, 300)
                )
            },
        )
    }

    fn selector(&self) -> Result<Option<Target>, String> {
        let object = match self.payload.get("selector") {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(css)) => return Ok(Some(Target::Css(tidy(css)))),
            Some(Value::Object(object)) => object,
            Some(_) => return Err("\"selector\" must be a CSS selector or an object.".into()),
        };
        let value = object.get("value").and_then(Value::as_str);
        let value = value.filter(|value| !value.trim().is_empty());
        let value = tidy(value.ok_or("\"selector\" needs a \"value\".")?);
        match object.get("type").and_then(Value::as_str) {
            Some("css") => Ok(Some(Target::Css(value))),
            Some("xpath") => Ok(Some(Target::XPath(value))),
            Some("aria") => Ok(Some(Target::Label(value))),
            Some("text") => Ok(Some(Target::Text(value))),
            _ => Err("\"type\" of a selector is css, xpath, aria or text.".into()),
        }
    }

    fn text(&self) -> Result<String, String> {
        match self.payload.get("text") {
            Some(Value::String(text)) if text.chars().count() > MAX_TEXT => {
                Err(format!("\"text\" is longer than {MAX_TEXT} characters."))
            }
            Some(Value::String(text)) if text.contains('\0') => {
                Err("\"text\" contains NUL.".into())
            }
            Some(Value::String(text)) => Ok(text.clone()),
            _ => Err("input_text needs a \"text\".".into()),
        }
    }
}

/// A page shows its spaces as it likes, and a selector knows only one kind.
fn tidy(text: &str) -> String {
    text.replace('\u{a0}', " ").trim().to_owned()
}

fn must_be(object: &Object, key: &str, want: &str) -> Result<(), String> {
    match object.get(key).and_then(Value::as_str) == Some(want) {
        true => Ok(()),
        false => Err(format!("\"{key}\" must be \"{want}\".")),
    }
}

fn name(object: &Object, key: &str) -> Result<String, String> {
    match object.get(key).and_then(Value::as_str).map(str::trim) {
        Some(name) if (1..=200).contains(&name.len()) && !name.contains(char::is_control) => {
            Ok(name.to_owned())
        }
        _ => Err(format!("\"{key}\" must be a short text.")),
    }
}
