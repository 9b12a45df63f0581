//! Files that are written by the program itself and kept in the repository, so that people can
//! read them without building anything. CI checks that they are current.

use crate::metadata::Metadata;
use crate::shell;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Where a file lies, and what `dragoman` is asked to make it.
const FILES: &[(&str, &[&str])] = &[
    ("docs/commands.md", &["commands", "--markdown"]),
    ("docs/config.md", &["config", "--markdown"]),
    ("docs/mcp-tools.md", &["mcp", "--markdown"]),
];

/// Dialects whose messages have schemas, each in a file of its own.
const SCHEMAS: &[&str] = &["action", "ux"];

/// Write them all anew.
pub fn write() -> Result<()> {
    shell::run(&mut shell::cargo(&["build", "--package", "dragoman"]))?;
    let program = Metadata::read()?.program("debug", "dragoman");
    for (file, text) in all(&program)? {
        let path = shell::root().join(&file);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let same = fs::read_to_string(&path).is_ok_and(|old| old == text);
        if !same {
            fs::write(&path, &text).with_context(|| format!("cannot write {file}"))?;
        }
        println!("{file}: {}", if same { "was current" } else { "written" });
    }
    for file in surplus(&program)? {
        fs::remove_file(shell::root().join(&file))?;
        println!("{file}: taken away");
    }
    Ok(())
}

/// Every file, and what should be in it.
fn all(program: &Path) -> Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    for (file, args) in FILES {
        files.push(((*file).to_owned(), make(program, args)?));
    }
    for dialect in SCHEMAS {
        let schemas = make(program, &["schema", dialect])?;
        let schemas: BTreeMap<String, serde_json::Value> = serde_json::from_str(&schemas)?;
        for (name, schema) in schemas {
            let file = format!("schemas/{dialect}/{name}.json");
            files.push((file, format!("{schema:#}\n")));
        }
    }
    Ok(files)
}

/// Schemas of messages that are no more.
fn surplus(program: &Path) -> Result<Vec<String>> {
    let wanted = all(program)?;
    let mut surplus = Vec::new();
    for dialect in SCHEMAS {
        let folder = format!("schemas/{dialect}");
        for entry in fs::read_dir(shell::root().join(&folder))? {
            let file = format!("{folder}/{}", entry?.file_name().to_string_lossy());
            if !wanted.iter().any(|(name, _)| *name == file) {
                surplus.push(file);
            }
        }
    }
    Ok(surplus)
}

/// Fail when one of them is not what `program` would write now.
pub fn check(program: &Path) -> Result<()> {
    let mut stale = surplus(program)?;
    for (file, want) in all(program)? {
        let have = fs::read_to_string(shell::root().join(&file)).unwrap_or_default();
        match first_difference(&have, &want) {
            None => println!("{file} is current"),
            Some(line) => {
                println!("{file} is not current, from line {line} on");
                stale.push(file);
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
