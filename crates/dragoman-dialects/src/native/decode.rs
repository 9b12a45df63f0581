//! One line to what it says.
//!
//! Must not know: where the line came from.

use super::command::command;
use super::json::recover_id;
use super::words::{kind_of, quoted, short};
use super::{Incoming, MAX_DEPTH, MAX_ID, PROTOCOL};
use crate::json::{self, Object};
use dragoman_model::{
    Code, Control, Fault, OriginPattern, Request, RequestId, SessionId, TabId, nearest,
};
use serde_json::Value;

/// `None`: an empty line.
pub(super) fn decode(line: &[u8]) -> Option<Incoming> {
    let line = line.trim_ascii();
    if line.is_empty() {
        return None;
    }
    Some(match object(line) {
        Ok(object) => message(object),
        Err(fault) => Incoming::Bad {
            id: recover_id(line),
            fault,
        },
    })
}

fn object(line: &[u8]) -> Result<Object, Fault> {
    let bad = |message: String| Err(Fault::new(Code::BadInput, message));
    if let Some(at) = line.iter().position(|b| *b == 0) {
        return bad(format!("Byte {at} of the line is NUL"));
    }
    let text = match std::str::from_utf8(line) {
        Ok(text) => text,
        Err(error) => {
            return bad(format!(
                "Byte {} of the line is not UTF-8",
                error.valid_up_to()
            ));
        }
    };
    if json::too_deep(text, MAX_DEPTH) {
        return bad(format!("It is nested deeper than {MAX_DEPTH}"));
    }
    match json::parse(text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(other) => bad(format!(
            "A line should be one JSON object, not {}",
            kind_of(&other)
        )),
        Err(error) => bad(format!(
            "It cannot be read as JSON: {}",
            short(&error.to_string())
        )),
    }
}

fn message(mut object: Object) -> Incoming {
    let id = match take_id(&mut object) {
        Ok(id) => id,
        Err(fault) => return Incoming::Bad { id: None, fault },
    };
    body(object, id.clone()).unwrap_or_else(|fault| Incoming::Bad { id, fault })
}

fn body(mut object: Object, id: Option<RequestId>) -> Result<Incoming, Fault> {
    let session = take_session(&mut object)?;
    let kinds = ["cmd", "queue", "hello"];
    let given: Vec<&str> = kinds
        .into_iter()
        .filter(|k| object.contains_key(*k))
        .collect();
    match given[..] {
        ["queue"] => Ok(Incoming::Control {
            session,
            id,
            control: control(object)?,
        }),
        ["hello"] => {
            hello(object)?;
            Ok(Incoming::Hello { id, session })
        }
        // `command` says what is wrong when there is no `cmd` at all.
        ["cmd"] | [] => {
            let tab = take_number(&mut object, "tab")?;
            let tab = tab.map(u32::try_from).transpose();
            let tab = tab.map_err(|_| Fault::new(Code::UnknownTab, "There is no such tab"))?;
            let timeout_ms = take_number(&mut object, "timeout_ms")?;
            let request = Request {
                id,
                tab: tab.map(TabId),
                timeout_ms,
                ..Request::new(command(object)?)
            };
            Ok(Incoming::Request { session, request })
        }
        _ => {
            let message = format!("A line is one thing, not {}", given.join(" and "));
            Err(Fault::new(Code::BadInput, message))
        }
    }
}

fn take_id(object: &mut Object) -> Result<Option<RequestId>, Fault> {
    let bad = |message: &str| {
        Err(Fault::new(Code::BadInput, message)
            .suggest("Use a whole number that is not negative, or a short string, as the `id`."))
    };
    match object.remove("id") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Number(number)) => match number.as_u64() {
            Some(number) => Ok(Some(RequestId::Number(number))),
            None => bad("`id` is a negative number, a fraction or too large"),
        },
        Some(Value::String(text)) if text.len() <= MAX_ID => Ok(Some(RequestId::Text(text))),
        Some(Value::String(_)) => bad(&format!("`id` is longer than {MAX_ID} bytes")),
        Some(other) => bad(&format!(
            "`id` should be a number or a string, not {}",
            kind_of(&other)
        )),
    }
}

fn take_session(object: &mut Object) -> Result<Option<SessionId>, Fault> {
    let name = match object.remove("session") {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(name)) => SessionId::new(name),
        Some(_) => None,
    };
    match name {
        Some(name) => Ok(Some(name)),
        None => Err(
            Fault::new(Code::BadArgument, "`session` is no session's name")
                .suggest("A session's name is 1 to 64 letters, digits, '-', '_' or '.'."),
        ),
    }
}

fn take_number(object: &mut Object, name: &str) -> Result<Option<u64>, Fault> {
    match object.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_u64() {
            Some(number) => Ok(Some(number)),
            None => {
                let message = format!("`{name}` should be a whole number, not {}", kind_of(&value));
                Err(Fault::new(Code::BadArgument, message))
            }
        },
    }
}

fn need_number(object: &mut Object, name: &str, what: &str) -> Result<u64, Fault> {
    take_number(object, name)?.ok_or_else(|| {
        Fault::new(Code::BadArgument, format!("{what} needs `{name}`"))
            .suggest(format!("`{name}` is the number of a command in the queue."))
    })
}

fn hello(mut object: Object) -> Result<(), Fault> {
    match object.remove("hello") {
        Some(Value::String(name)) if name == PROTOCOL => {}
        _ => {
            return Err(Fault::new(Code::Unsupported, format!("This is {PROTOCOL}"))
                .suggest(format!("Send {{\"hello\":\"{PROTOCOL}\"}}.")));
        }
    }
    nothing_left("hello", &[], &object)
}

fn control(mut object: Object) -> Result<Control, Fault> {
    let name = match object.remove("queue") {
        Some(Value::String(name)) => name,
        other => {
            let got = kind_of(&other.unwrap_or_default());
            let message = format!("`queue` should be the name of a control, not {got}");
            return Err(Fault::new(Code::BadInput, message));
        }
    };
    let (control, args): (Control, &[&str]) = match name.as_str() {
        "list" => {
            let limit = take_number(&mut object, "limit")?;
            let limit = limit.map(|n| usize::try_from(n).unwrap_or(usize::MAX));
            (Control::List { limit }, &["limit"])
        }
        "approve" => {
            let number = need_number(&mut object, "number", "approve")?;
            (Control::Approve { number }, &["number"])
        }
        "replace" => {
            let number = need_number(&mut object, "number", "replace")?;
            let command = Box::new(replacement(object.remove("command"))?);
            (Control::Replace { number, command }, &["number", "command"])
        }
        "cancel" => {
            let number = need_number(&mut object, "number", "cancel")?;
            (Control::Cancel { number }, &["number"])
        }
        "move" => {
            let number = need_number(&mut object, "number", "move")?;
            let before = take_number(&mut object, "before")?;
            (Control::Move { number, before }, &["number", "before"])
        }
        "pause" => (Control::Pause, &[]),
        "resume" => (Control::Resume, &[]),
        "step" => (Control::Step, &[]),
        "clear" => (Control::Clear, &[]),
        "allow" => {
            let origin = match object.remove("origin") {
                None => None,
                Some(Value::String(origin)) => Some(OriginPattern(origin)),
                Some(other) => {
                    let got = kind_of(&other);
                    let message = format!("`origin` of allow should be a text, not {got}");
                    return Err(Fault::new(Code::BadArgument, message));
                }
            };
            (Control::Allow { origin }, &["origin"])
        }
        "ask" => (Control::Ask, &[]),
        _ => return Err(unknown_control(&name)),
    };
    nothing_left(&name, args, &object)?;
    Ok(control)
}

fn replacement(value: Option<Value>) -> Result<dragoman_model::Command, Fault> {
    match value {
        Some(Value::Object(object)) => command(object),
        other => {
            let got = other.as_ref().map_or("nothing", kind_of);
            let message = format!("`command` of replace should be a command, not {got}");
            Err(Fault::new(Code::BadArgument, message)
                .suggest("`command` is an object with a `cmd` and its arguments."))
        }
    }
}

fn unknown_control(name: &str) -> Fault {
    let known = [
        "list", "approve", "replace", "cancel", "move", "pause", "resume", "step", "clear",
        "allow", "ask",
    ];
    let fault = Fault::new(
        Code::UnknownCommand,
        format!("There is no queue control {}", quoted(name)),
    );
    match nearest(name, known) {
        Some(like) => fault.suggest(format!("Did you mean `{like}`?")),
        None => fault.suggest(format!("The controls are {}.", known.join(", "))),
    }
}

fn nothing_left(what: &str, args: &[&str], object: &Object) -> Result<(), Fault> {
    let Some(name) = object.keys().next() else {
        return Ok(());
    };
    let message = format!("{what} has no argument {}", quoted(name));
    let fault = Fault::new(Code::BadArgument, message);
    Err(match nearest(name, args.iter().copied()) {
        Some(like) => fault.suggest(format!("Did you mean `{like}`?")),
        None if args.is_empty() => fault.suggest(format!("{what} takes no arguments.")),
        None => fault.suggest(format!("It takes {}.", args.join(", "))),
    })
}
