//! Files that are written by the program itself and kept in the repository, so that people can
//! read them without building anything. CI checks that they are current.

use crate::metadata::Metadata;
use crate::shell;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Where a file lies, and what `dragoman` is asked to make it.
const FILES: &[(&str, &[&str])] = &[
    ("docs/commands.md", &["commands", "--markdown"]),
    ("docs/config.md", &["config", "--markdown"]),
    ("docs/mcp-tools.md", &["mcp", "--markdown"]),
    (
        "schemas/action/from-backend.json",
        &["schema", "action", "from-backend"],
    ),
    (
        "schemas/action/to-backend.json",
        &["schema", "action", "to-backend"],
    ),
    (
        "schemas/action/action-command.json",
        &["schema", "action", "action-command"],
    ),
    (
        "schemas/action/action-result.json",
        &["schema", "action", "action-result"],
    ),
    (
        "schemas/action/snapshot.json",
        &["schema", "action", "snapshot"],
    ),
];

/// Write them all anew.
pub fn write() -> Result<()> {
    shell::run(&mut shell::cargo(&["build", "--package", "dragoman"]))?;
    let program = Metadata::read()?.program("debug", "dragoman");
    for (file, args) in FILES {
        let path = shell::root().join(file);
        let text = make(&program, args)?;
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let same = fs::read_to_string(&path).is_ok_and(|old| old == text);
        if !same {
            fs::write(&path, &text).with_context(|| format!("cannot write {file}"))?;
        }
        println!("{file}: {}", if same { "was current" } else { "written" });
    }
    Ok(())
}

/// Fail when one of them is not what `program` would write now.
pub fn check(program: &Path) -> Result<()> {
    let mut stale = Vec::new();
    for (file, args) in FILES {
        let want = make(program, args)?;
        let have = fs::read_to_string(shell::root().join(file)).unwrap_or_default();
        match first_difference(&have, &want) {
            None => println!("{file} is current"),
            Some(line) => {
                println!("{file} is not current, from line {line} on");
                stale.push(*file);
            }
        }
    }
    if !stale.is_empty() {
        bail!("{} out of date: type `cargo xtask gen`", stale.join(", "));
    }
    Ok(())
}

fn make(program: &Path, args: &[&str]) -> Result<String> {
    shell::read(Command::new(program).args(args).current_dir(shell::root()))
}

/// The number of the first line that differs, counted from one.
fn first_difference(have: &str, want: &str) -> Option<usize> {
    if have == want {
        return None;
    }
    let same = have.lines().zip(want.lines()).take_while(|(a, b)| a == b);
    Some(same.count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_found_by_line() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(first_difference("a\nb\n", "a\nc\n"), Some(2));
        assert_eq!(first_difference("a\n", "a\nb\n"), Some(2));
        assert_eq!(first_difference("", "a\n"), Some(1));
        assert_eq!(first_difference("a", "a\n"), Some(2));
    }
}
