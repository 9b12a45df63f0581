//! One line of text to one message, or to what is wrong with it.
//!
//! Must not know: what a message leads to.

use super::trouble::{Kind, Trouble};
use super::wire::{ASKS, Ask, Batch, Need, Version};
use super::{MAX_BATCH, MAX_ID, MAX_MESSAGE};
use crate::json::{self, Object};
use serde_json::Value;

const MAX_DEPTH: usize = 32;

#[derive(Debug)]
pub(super) enum Incoming {
    Ask {
        id: Option<String>,
        ask: Box<Ask>,
        object: Object,
    },
    Bad {
        id: Option<String>,
        trouble: Trouble,
    },
    /// Of a type that is not known, with nobody waiting for an answer.
    Unknown { name: String },
}

pub(super) fn read(text: &str, version: Version) -> Incoming {
    let bad = |message: String| Incoming::Bad {
        id: None,
        trouble: Trouble::new(Kind::Invalid, message),
    };
    if text.len() > MAX_MESSAGE {
        return bad("The message is too long".into());
    }
    if json::too_deep(text, MAX_DEPTH) {
        return bad("The message is nested too deeply".into());
    }
    let object = match json::parse(text) {
        Ok(Value::Object(object)) => object,
        Ok(_) => return bad("The message is not a JSON object".into()),
        Err(error) => return bad(format!("The message is not JSON: {error}")),
    };
    let id = match object.get("requestId") {
        None | Some(Value::Null) => None,
        Some(Value::String(id)) if id.len() <= MAX_ID => Some(id.clone()),
        Some(_) => {
            let message = format!("requestId should be a text of at most {MAX_ID} bytes");
            return bad(message);
        }
    };
    let name = match object.get("type") {
        Some(Value::String(name)) => name.clone(),
        _ => {
            let trouble = Trouble::new(Kind::Invalid, "The message has no type");
            return Incoming::Bad { id, trouble };
        }
    };
    let shown: String = name.chars().take(60).collect();
    let Some(row) = ASKS.iter().find(|row| row.name == name) else {
        return unknown(id, shown);
    };
    // What a script answers a prompt with looks like a submit, but has an id.
    if name == "submit" && object.contains_key("id") {
        return Incoming::Unknown { name: shown };
    }
    if row.since > version {
        let message = format!("{shown} requires protocol version {}+", text_of(row.since));
        let trouble = Trouble::new(Kind::UnsupportedType, message);
        return Incoming::Bad { id, trouble };
    }
    if row.id == Need::Must && id.is_none() {
        let message = format!("{shown} needs a requestId");
        let trouble = Trouble::new(Kind::Invalid, message);
        return Incoming::Bad { id, trouble };
    }
    match ask(&object) {
        Ok(ask) => Incoming::Ask {
            id,
            ask: Box::new(ask),
            object,
        },
        Err(trouble) => Incoming::Bad { id, trouble },
    }
}

fn text_of(version: Version) -> &'static str {
    match version {
        Version::V1_0 => "1.0",
        Version::V1_5 => "1.5",
        Version::V2_0 => "2.0",
    }
}

fn unknown(id: Option<String>, name: String) -> Incoming {
    if id.is_none() {
        return Incoming::Unknown { name };
    }
    let names = ASKS.iter().map(|row| row.name);
    let trouble = Trouble::new(
        Kind::UnsupportedType,
        format!("There is no message type {name:?}"),
    );
    let trouble = match dragoman_model::nearest(&name, names) {
        Some(like) => trouble.suggest(format!(
            "Did you mean {like:?}? Use agentHello to check supported features"
        )),
        None => trouble,
    };
    Incoming::Bad { id, trouble }
}

fn ask(object: &Object) -> Result<Ask, Trouble> {
    let name = object.get("type").and_then(Value::as_str).unwrap_or("");
    serde_json::from_value(Value::Object(object.clone())).map_err(|error| {
        let reason: String = error.to_string().chars().take(300).collect();
        Trouble::new(Kind::Invalid, format!("{name}: {reason}"))
    })
}

/// The commands of a batch; all are read before any is done.
pub(super) fn steps(batch: &Batch) -> Result<Vec<Ask>, Trouble> {
    let count = batch.commands.len();
    if count == 0 {
        return Err(Trouble::new(Kind::Invalid, "The batch is empty"));
    }
    if count > MAX_BATCH {
        let message = format!("The batch has {count} commands");
        return Err(Trouble::new(Kind::BatchTooLarge, message));
    }
    let read = |(at, object)| step(object).map_err(|trouble: Trouble| trouble.at(at));
    batch.commands.iter().enumerate().map(read).collect()
}

fn step(object: &Object) -> Result<Ask, Trouble> {
    let name = object.get("type").and_then(Value::as_str).unwrap_or("");
    let shown: String = name.chars().take(60).collect();
    if !ASKS.iter().any(|row| row.name == name) {
        let message = format!("There is no message type {shown:?}");
        return Err(Trouble::new(Kind::UnsupportedType, message));
    }
    match ask(object)? {
        Ask::Batch(_)
        | Ask::Subscribe(_)
        | Ask::Unsubscribe(_)
        | Ask::FileSearch(_)
        | Ask::Cancel(_)
        | Ask::AgentHello(_)
        | Ask::ConfigureHeadless(_)
        | Ask::TestMode(_)
        | Ask::GetRecording(_) => {
            let message = format!("{shown} has no place in a batch");
            Err(Trouble::new(Kind::Invalid, message).suggest("Send it by itself."))
        }
        Ask::GetElements(mut ask) => {
            ask.chunked = false;
            Ok(Ask::GetElements(ask))
        }
        ask => Ok(ask),
    }
}
