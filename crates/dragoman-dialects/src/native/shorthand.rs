//! Short ways to name elements, written out; and what is wrong with a condition.
//!
//! A number or `"e12"` stands for a ref. Other strings stand for nothing: `a:hover` could be a
//! semantic id or a selector, and guessing is how wrong elements get clicked.
//! Must not know: any particular command.

use super::words::{kind_of, quoted, short};
use crate::json::Object;
use dragoman_model::{Leaf, nearest};
use serde_json::Value;

/// The names of the leaves that are about one element.
pub(crate) const ABOUT_ELEMENTS: &[&str] = &[
    "exists", "visible", "hidden", "focused", "enabled", "checked",
];
const OTHER_LEAVES: &[&str] = &[
    "value",
    "text",
    "gone",
    "url",
    "title",
    "load",
    "network_quiet",
    "state",
];
const LOGIC: &[&str] = &["not", "all", "any"];

pub(crate) fn write_out(kind: &str, value: &mut Value) {
    match kind {
        "Target" => write_out_target(value),
        "Ref" => {
            if let Some(number) = ref_number(value) {
                *value = number;
            }
        }
        "Condition" => write_out_condition(value),
        _ => {}
    }
}

fn write_out_target(value: &mut Value) {
    if let Some(number) = ref_number(value) {
        *value = Value::Object(Object::from_iter([("ref".into(), number)]));
    } else if let Some(inner) = value.get_mut("ref")
        && let Some(number) = ref_number(inner)
    {
        *inner = number;
    }
}

fn ref_number(value: &Value) -> Option<Value> {
    match value {
        Value::Number(number) => number.as_u64().map(Value::from),
        Value::String(text) => {
            let digits = text.strip_prefix('e')?;
            let plain = digits.bytes().all(|b| b.is_ascii_digit());
            digits.parse().ok().filter(|_| plain).map(|n: u64| n.into())
        }
        _ => None,
    }
}

fn write_out_condition(value: &mut Value) {
    let Value::Object(object) = value else {
        return;
    };
    for (name, inner) in object.iter_mut() {
        match (name.as_str(), inner) {
            ("not", inner) => write_out_condition(inner),
            ("all" | "any", Value::Array(parts)) => parts.iter_mut().for_each(write_out_condition),
            ("value", Value::Object(fields)) => {
                fields
                    .get_mut("target")
                    .into_iter()
                    .for_each(write_out_target);
            }
            (name, inner) if ABOUT_ELEMENTS.contains(&name) => write_out_target(inner),
            _ => {}
        }
    }
}

/// What is wrong, and what to do about it where that is clear.
pub(crate) type Wrong = (String, Option<String>);

/// Finds the part that is wrong; reading the whole says only that something is.
pub(crate) fn check_condition(value: &Value) -> Result<(), Wrong> {
    let Value::Object(object) = value else {
        let message = format!("{} is no condition", kind_of(value));
        return Err((message, None));
    };
    let mut entries = object.iter();
    let (Some((name, inner)), None) = (entries.next(), entries.next()) else {
        let message = "a condition has exactly one name".into();
        return Err((
            message,
            Some("Put several conditions into {\"all\":[…]}.".into()),
        ));
    };
    match (name.as_str(), inner) {
        ("not", inner) => check_condition(inner),
        ("all" | "any", Value::Array(parts)) => parts.iter().try_for_each(check_condition),
        ("all" | "any", _) => Err((format!("{name} needs a list of conditions"), None)),
        (name, inner) => check_leaf(name, inner, value),
    }
}

fn check_leaf(name: &str, inner: &Value, whole: &Value) -> Result<(), Wrong> {
    let known = || {
        ABOUT_ELEMENTS
            .iter()
            .chain(OTHER_LEAVES)
            .chain(LOGIC)
            .copied()
    };
    if !known().any(|k| k == name) {
        let suggestion = match nearest(name, known()) {
            Some(like) => format!("Did you mean `{like}`?"),
            None => format!(
                "The conditions are {}.",
                known().collect::<Vec<_>>().join(", ")
            ),
        };
        return Err((
            format!("there is no condition {}", quoted(name)),
            Some(suggestion),
        ));
    }
    match <Leaf as serde::Deserialize>::deserialize(whole) {
        Ok(_) => Ok(()),
        Err(_) if ABOUT_ELEMENTS.contains(&name) => {
            let message = format!("{name} names no element: it is {}", kind_of(inner));
            Err((message, None))
        }
        Err(error) => Err((format!("{name}: {}", short(&error.to_string())), None)),
    }
}
