//! Every message in these tests is held against its schema.

use dragoman_dialects::ux::schemas;
use jsonschema::Validator;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::LazyLock;

static ALL: LazyLock<HashMap<&str, Validator>> = LazyLock::new(|| {
    let made = |(name, schema): (&'static str, Value)| {
        let validator = jsonschema::draft202012::new(&schema);
        (name, validator.unwrap_or_else(|e| panic!("{name}: {e}")))
    };
    schemas().into_iter().map(made).collect()
});

#[track_caller]
pub fn check(message: &Value) {
    if let Err(why) = fits(message) {
        panic!("{why}: {message}");
    }
}

/// Why a message does not fit, if so.
pub fn fits(message: &Value) -> Result<(), String> {
    let name = message["type"].as_str().unwrap_or_default();
    let Some(schema) = ALL.get(name) else {
        return Err(format!("there is no schema {name:?}"));
    };
    schema.validate(message).map_err(|error| error.to_string())
}

#[test]
fn there_is_one_for_each_of_the_document_and_ours() {
    let all = schemas();
    let listed = all.iter().filter(|(_, schema)| schema.get("$id").is_some());
    assert_eq!(listed.count(), 15);
    let names: std::collections::BTreeSet<_> = all.iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), all.len());
}
