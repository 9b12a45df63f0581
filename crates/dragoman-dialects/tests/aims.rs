//! The catalog says which commands need a target; what gives it back must know them all.
#![allow(clippy::unwrap_used)]

use dragoman_model::{CATALOG, Command, Ref, Target, TargetUse};

#[test]
fn every_command_that_needs_a_target_has_one() {
    for row in CATALOG
        .iter()
        .filter(|row| row.target == TargetUse::Required)
    {
        let args = row.args.iter().filter(|arg| arg.required);
        let json: serde_json::Map<_, _> = args
            .map(|arg| {
                let value = match arg.kind {
                    "Target" => serde_json::json!({ "css": "a" }),
                    "String" => "x".into(),
                    _ => serde_json::json!([]),
                };
                (arg.name.to_owned(), value)
            })
            .collect();
        let command = Command::parse(row.name, serde_json::Value::Object(json));
        let command = command
            .unwrap()
            .unwrap_or_else(|e| panic!("{}: {e}", row.name));
        assert_eq!(
            command.target(),
            Some(&Target::Css("a".into())),
            "{}",
            row.name
        );
        assert_eq!(
            command.aimed_at(Ref(7)).target(),
            Some(&Target::Ref(Ref(7)))
        );
    }
}
