//! JSON as strictly as we want it: no key twice, no depth without end; and the `id` of a line that
//! is no JSON at all.
//!
//! Must not know: which keys there are, except `id`.

use super::{MAX_DEPTH, MAX_ID};
use dragoman_model::RequestId;
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

pub(super) type Object = Map<String, Value>;

/// Whether objects and lists are nested deeper than we read. Needs no stack.
pub(super) fn too_deep(line: &str) -> bool {
    let mut depth = 0usize;
    let mut bytes = line.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => skip_string(&mut bytes),
            b'{' | b'[' if depth == MAX_DEPTH => return true,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

fn skip_string(bytes: &mut impl Iterator<Item = u8>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'"' => return,
            _ => {}
        }
    }
}

pub(super) fn parse(line: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str::<Strict>(line).map(|strict| strict.0)
}

/// A value whose objects have no key twice.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(StrictVisitor).map(Strict)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.into()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Strict(value)) = from.next_element()? {
            list.push(value);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut object = Object::new();
        while let Some(key) = from.next_key::<String>()? {
            if object.contains_key(&key) {
                let key: String = key.chars().take(60).collect();
                return Err(de::Error::custom(format_args!("{key:?} is given twice")));
            }
            let Strict(value) = from.next_value()?;
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

/// The `id` at the top of something that may be broken further on, so that whoever sent it can
/// tell which of its requests failed.
pub(super) fn recover_id(line: &[u8]) -> Option<RequestId> {
    let mut rest = line.trim_ascii_start().strip_prefix(b"{")?;
    let mut depth = 1usize;
    while let Some((first, tail)) = rest.split_first() {
        rest = match first {
            b'"' => {
                let (text, tail) = raw_string(tail)?;
                let value = tail.trim_ascii_start().strip_prefix(b":");
                match value {
                    Some(value) if depth == 1 && text == b"id" => return raw_id(value),
                    _ => tail,
                }
            }
            b'{' | b'[' => {
                depth += 1;
                tail
            }
            b'}' | b']' => {
                depth = depth.checked_sub(1).filter(|left| *left > 0)?;
                tail
            }
            _ => tail,
        };
    }
    None
}

fn raw_id(value: &[u8]) -> Option<RequestId> {
    let value = value.trim_ascii_start();
    if let Some(tail) = value.strip_prefix(b"\"") {
        let (text, _) = raw_string(tail)?;
        let text = std::str::from_utf8(text).ok()?;
        let plain = !text.contains('\\') && !text.contains('\0') && text.len() <= MAX_ID;
        return plain.then(|| RequestId::Text(text.into()));
    }
    let digits = value.iter().take_while(|b| b.is_ascii_digit()).count();
    let ends = matches!(value.get(digits), Some(b',' | b'}' | b' ' | b'\t' | b'\r'));
    let number = std::str::from_utf8(&value[..digits]).ok()?.parse().ok()?;
    ends.then_some(RequestId::Number(number))
}

/// Up to the closing quote, escapes left as they are; and what follows.
fn raw_string(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut at = 0;
    loop {
        match bytes.get(at)? {
            b'\\' => at += 2,
            b'"' => return Some((&bytes[..at], &bytes[at + 1..])),
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_in_broken_lines() {
        let check = |line: &str, want: Option<RequestId>| {
            assert_eq!(recover_id(line.as_bytes()), want, "{line}");
        };
        let number = |n| Some(RequestId::Number(n));
        check(r#"{"id":7,"cmd":"#, number(7));
        check(r#"  {"cmd":"x\"}{","a":{"id":1},"id" : 8 }"#, number(8));
        check(r#"{"id":"a-1","cmd":"#, Some(RequestId::Text("a-1".into())));
        check(r#"{"x":"id","y":1}"#, None);
        check(r#"{"id":-1}"#, None);
        check(r#"{"id":12"#, None);
        check(r#"{"id":"un"#, None);
        check(r#"{} {"id":1}"#, None);
        check("[1]", None);
        check(r#"{"id":99999999999999999999999}"#, None);
    }

    #[test]
    fn depth_is_counted_outside_strings() {
        let nest = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        assert!(!too_deep(&nest(MAX_DEPTH)));
        assert!(too_deep(&nest(MAX_DEPTH + 1)));
        assert!(!too_deep(&format!("\"\\\"{}", "[".repeat(100))));
    }
}
