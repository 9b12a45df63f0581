//! Changing a command: some of its fields, or the whole of it in the person's own editor.

use crate::trouble::Trouble;
use dragoman_model::{Command, nearest};
use serde_json::Value;
use std::process::Command as Process;

/// The command with other fields: `text=Hello`, `count=2`, `target={"css":"a"}`; what is JSON counts as such, and an
/// empty value takes the field away.
pub fn with_fields(command: &Command, fields: &[String]) -> Result<Command, Trouble> {
    let mut whole = serde_json::to_value(command).unwrap_or_default();
    for field in fields {
        let Some((name, value)) = field.split_once('=') else {
            let next = "Write fields as name=value, such as text=Hello.";
            return Err(bad(format!("{field:?} is no field"), next));
        };
        set(command, &mut whole, name, value)?;
    }
    read(whole)
}

/// One field, from the way a person writes it.
pub(super) fn set(
    command: &Command,
    whole: &mut Value,
    name: &str,
    value: &str,
) -> Result<(), Trouble> {
    let args = command.row().args;
    if !args.iter().any(|arg| arg.name == name) {
        let like = nearest(name, args.iter().map(|arg| arg.name));
        let names: Vec<&str> = args.iter().map(|arg| arg.name).collect();
        let next = match like {
            Some(like) => format!("Did you mean {like}?"),
            None => format!("It has: {}.", names.join(", ")),
        };
        return Err(bad(format!("`{}` has no {name}", command.name()), &next));
    }
    let is_text = args
        .iter()
        .any(|arg| arg.name == name && arg.kind == "String");
    let value = match (value, is_text) {
        ("", _) => Value::Null,
        (text, true) => text.into(),
        (other, false) => serde_json::from_str(other).unwrap_or_else(|_| other.into()),
    };
    match (value, whole.as_object_mut()) {
        (Value::Null, Some(fields)) => drop(fields.remove(name)),
        (value, _) => whole[name] = value,
    }
    Ok(())
}

/// The command as the person leaves it in `$VISUAL` or `$EDITOR`; `None` when they changed nothing.
pub fn in_editor(command: &Command) -> Result<Option<Command>, Trouble> {
    let failed = |why: String| {
        let next = "Set EDITOR to an editor that waits, such as EDITOR=nano, or name fields: dragoman queue edit 2 text=Hello";
        Trouble::new(
            Trouble::FAILED,
            format!("the editor cannot be used: {why}"),
            next,
        )
    };
    let whole = serde_json::to_value(command).unwrap_or_default();
    let before = serde_json::to_string_pretty(&whole).unwrap_or_default() + "\n";
    let mut file = tempfile::Builder::new()
        .prefix("dragoman-")
        .suffix(".json")
        .tempfile()
        .map_err(|error| failed(error.to_string()))?;
    std::io::Write::write_all(&mut file, before.as_bytes())
        .map_err(|error| failed(error.to_string()))?;
    let editor = ["VISUAL", "EDITOR"].iter().find_map(std::env::var_os);
    let editor = editor.filter(|name| !name.is_empty());
    let editor = editor.unwrap_or_else(|| "vi".into());
    // As a shell would: an editor may come with arguments.
    let mut words = editor.to_str().unwrap_or("vi").split_whitespace();
    let status = Process::new(words.next().unwrap_or("vi"))
        .args(words)
        .arg(file.path())
        .status()
        .map_err(|error| failed(error.to_string()))?;
    if !status.success() {
        return Err(failed(format!("it ended with {status}")));
    }
    let after = std::fs::read_to_string(file.path()).map_err(|error| failed(error.to_string()))?;
    if after.trim() == before.trim() {
        return Ok(None);
    }
    let whole = serde_json::from_str(&after).map_err(|error| {
        bad(
            format!("what the editor left is no JSON: {error}"),
            "Nothing was changed. Edit it again.",
        )
    })?;
    read(whole).map(Some)
}

pub(super) fn read(whole: Value) -> Result<Command, Trouble> {
    serde_json::from_value(whole).map_err(|error| {
        let next = "Nothing was changed. `dragoman commands` lists what each command takes.";
        bad(format!("that is no command: {error}"), next)
    })
}

fn bad(what: String, next: &str) -> Trouble {
    Trouble::new(Trouble::USAGE, what, next.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(text: &str) -> Command {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn fields_are_set_taken_away_and_checked() {
        let click = command(r#"{"cmd":"click","target":{"ref":1},"count":2}"#);
        let fields = |list: &[&str]| list.iter().map(|f| (*f).to_owned()).collect::<Vec<_>>();
        let changed =
            with_fields(&click, &fields(&["count=", "target={\"css\":\"a=b\"}"])).unwrap();
        assert_eq!(
            changed,
            command(r#"{"cmd":"click","target":{"css":"a=b"}}"#)
        );
        let typed = command(r#"{"cmd":"type","text":"x"}"#);
        let changed = with_fields(&typed, &fields(&["text=12"])).unwrap();
        assert_eq!(changed, command(r#"{"cmd":"type","text":"12"}"#));
        for (wrong, said) in [
            ("txt=1", "has no txt"),
            ("text", "is no field"),
            ("text=", "no command"),
        ] {
            let trouble = with_fields(&typed, &fields(&[wrong])).unwrap_err();
            assert!(trouble.what.contains(said), "{}", trouble.what);
        }
    }
}
