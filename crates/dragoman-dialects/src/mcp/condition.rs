//! A condition as a client writes it: as in `native/1`, with elements named as everywhere here.
//!
//! Must not know: what waits for it.

use super::target;
use crate::native::shorthand::{ABOUT_ELEMENTS, check_condition};
use dragoman_model::{Code, Condition, Fault};
use serde_json::{Value, json};

pub(super) const HOW: &str = "{visible|hidden|exists|enabled|checked|focused: target}, {text|gone: …}, {url|title: …}, \
     {value: {target, equals|contains: …}}, {load: complete}, {network_quiet: ms}, {not|all|any: …}";

pub(super) fn parse(mut value: Value) -> Result<Condition, Fault> {
    write_out(&mut value)?;
    check_condition(&value).map_err(|(message, suggestion)| {
        let fault = Fault::new(
            Code::BadArgument,
            format!("The condition is not understood: {message}"),
        );
        fault.suggest(suggestion.unwrap_or_else(|| format!("A condition is {HOW}.")))
    })?;
    serde_json::from_value(value).map_err(|error| {
        Fault::new(
            Code::BadArgument,
            format!("The condition is not understood: {error}"),
        )
        .suggest(format!("A condition is {HOW}."))
    })
}

fn write_out(value: &mut Value) -> Result<(), Fault> {
    let Value::Object(object) = value else {
        return Ok(());
    };
    for (name, inner) in object.iter_mut() {
        match (name.as_str(), inner) {
            ("not", inner) => write_out(inner)?,
            ("all" | "any", Value::Array(parts)) => parts.iter_mut().try_for_each(write_out)?,
            ("value", Value::Object(fields)) => {
                fields.get_mut("target").map_or(Ok(()), element)?;
            }
            ("url" | "title", inner) => {
                if let Some(text) = inner.as_str() {
                    let kind = if text.contains('*') {
                        "glob"
                    } else {
                        "contains"
                    };
                    *inner = json!({ kind: text });
                }
            }
            (name, inner) if ABOUT_ELEMENTS.contains(&name) => element(inner)?,
            _ => {}
        }
    }
    Ok(())
}

fn element(value: &mut Value) -> Result<(), Fault> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return Ok(()),
    };
    *value = json!(target::parse(&text)?);
    Ok(())
}
