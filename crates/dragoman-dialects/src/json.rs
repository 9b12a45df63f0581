//! JSON as strictly as we want it: no key twice, no depth without end.
//!
//! Must not know: which keys there are.

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

pub(crate) type Object = Map<String, Value>;

/// Whether objects and lists of the first value are nested deeper than we read. Needs no stack.
pub(crate) fn too_deep(line: &str, most: usize) -> bool {
    if !line.trim_start().starts_with(['{', '[']) {
        return false;
    }
    let mut depth = 0usize;
    let mut bytes = line.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => skip_string(&mut bytes),
            b'{' | b'[' if depth == most => return true,
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth <= 1 => return false,
            b'}' | b']' => depth -= 1,
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

pub(crate) fn parse(line: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str::<Strict>(line).map(|strict| strict.0)
}

/// The first value in a text, and how many bytes it takes; what follows is not looked at.
pub(crate) fn first(text: &str) -> Result<(Value, usize), serde_json::Error> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Strict>();
    match values.next() {
        Some(value) => value.map(|Strict(value)| (value, values.byte_offset())),
        None => Err(de::Error::custom("there is nothing")),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_counted_outside_strings() {
        let nest = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        assert!(!too_deep(&nest(64), 64));
        assert!(too_deep(&nest(65), 64));
        assert!(!too_deep(&format!("\"\\\"{}", "[".repeat(100)), 64));
    }

    #[test]
    fn the_first_value_ends_where_it_ends() {
        assert_eq!(first(" {\"a\":1} x").unwrap().1, 8);
        assert!(first("{\"a\":1,\"a\":2}").is_err());
        assert!(first(" ").is_err());
    }
}
