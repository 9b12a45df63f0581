//! Kinds of values in words, for faults that a person or a model can act on.
//!
//! Must not know: any particular command.

use serde_json::Value;

/// Kinds whose mismatch is said best by naming both kinds.
pub(super) fn is_plain(kind: &str) -> bool {
    let plain = [
        "String",
        "bool",
        "u8",
        "u16",
        "u32",
        "u64",
        "f64",
        "TabId",
        "Ref",
        "SnapshotId",
    ];
    plain.contains(&kind)
}

/// `None`: one of a few words, which the argument's own text lists.
pub(super) fn in_words(kind: &str) -> Option<String> {
    let plain = match kind {
        "String" => "a string",
        "bool" => "true or false",
        "u8" => "a whole number up to 255",
        "u16" => "a whole number up to 65535",
        "u32" | "u64" => "a whole number",
        "f64" => "a number",
        "TabId" => "the number of a tab",
        "Ref" => "a ref such as 12 or \"e12\"",
        "SnapshotId" => "the number of a snapshot",
        "Point" => "a point such as {\"x\":1,\"y\":2}",
        "Target" => {
            "an element (a ref such as 12 or \"e12\", {\"semantic\":…}, {\"css\":…}, {\"xpath\":…}, \
             {\"text\":…}, {\"label\":…}, {\"role\":{\"role\":…,\"name\":…}}, {\"point\":{\"x\":…,\"y\":…}} \
             or \"focused\")"
        }
        "Condition" => "a condition such as {\"visible\":{\"ref\":12}} or {\"text\":\"Done\"}",
        "Choice" => "an option ({\"label\":…}, {\"value\":…} or {\"index\":…})",
        "Cookie" => "a cookie such as {\"name\":\"a\",\"value\":\"b\"}",
        "Command" => "a command such as {\"cmd\":\"snapshot\"}",
        "Data" => "anything",
        list if list.starts_with("Vec") => {
            let inner = list.trim_start_matches("Vec").trim_matches(['<', '>', ' ']);
            let each = in_words(inner).map_or(String::new(), |words| format!(", each {words}"));
            return Some(format!("a list{each}"));
        }
        _ => return None,
    };
    Some(plain.into())
}

/// What a value is, without repeating it: it may be something that was typed.
pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(n) if n.is_u64() => "this number",
        Value::Number(n) if n.is_i64() => "a negative number",
        Value::Number(_) => "a fraction or too large a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "this object",
    }
}

/// A name that somebody else chose, cut and made harmless.
pub(super) fn quoted(name: &str) -> String {
    format!("{:?}", name.chars().take(60).collect::<String>())
}

pub(super) fn short(message: &str) -> String {
    let cut: String = message.chars().take(240).collect();
    if cut.len() < message.len() {
        cut + "…"
    } else {
        cut
    }
}
