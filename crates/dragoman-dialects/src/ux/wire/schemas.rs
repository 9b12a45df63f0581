//! The messages as JSON Schemas: the types, and around them what every message has.

use super::answers::ANSWERS;
use super::asks::{ASKS, Need};
use crate::ux::MAX_ID;
use schemars::Schema;
use serde_json::{Value, json};

/// The document's own names for those it lists.
const LISTED: &[&str] = &[
    "getState",
    "stateResult",
    "getElements",
    "elementsResult",
    "getAccessibilityTree",
    "accessibilityTreeResult",
    "batch",
    "batchResult",
    "waitFor",
    "subscribe",
    "stream",
    "action",
    "agentHello",
    "agentWelcome",
    "assert",
];

/// By the type of the message.
pub fn schemas() -> Vec<(&'static str, Value)> {
    let asks = ASKS
        .iter()
        .map(|row| (row.name, (row.schema)(), row.id == Need::Must));
    let answers = ANSWERS
        .iter()
        .map(|row| (row.name, (row.schema)(), row.answers));
    asks.chain(answers)
        .map(|(name, schema, id)| (name, message(name, schema, id)))
        .collect()
}

fn message(name: &str, schema: Schema, id: bool) -> Value {
    let mut schema = schema.to_value();
    schema["title"] = name.into();
    if LISTED.contains(&name) {
        schema["$id"] = format!("https://scriptkit.com/protocol/{name}.schema.json").into();
    }
    schema["properties"]["type"] = json!({ "const": name });
    schema["properties"]["requestId"] = json!({ "type": "string", "maxLength": MAX_ID });
    let mut required: Vec<Value> = vec!["type".into()];
    if id {
        required.push("requestId".into());
    }
    if let Some(others) = schema["required"].as_array() {
        required.extend(others.iter().cloned());
    }
    schema["required"] = required.into();
    schema
}
