//! The transcripts in `conformance/ux`; with `BLESS=1` the answers are written anew.
//!
//! `++ prompt` and `++ page` begin; `>>` is what the agent says (`>!` where it is not as its schema wants it), `==` a command it
//! leads to, `<<` what is told; `@ 100` lets time pass, `** changed` something happen.

use super::schemas;
use super::stage::{Stage, Surface};
use std::path::PathBuf;

fn play(file: &str) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../conformance/ux");
    let path = folder.join(file);
    let old = std::fs::read_to_string(&path).unwrap();
    let mut new = String::new();
    let mut stage: Option<Stage> = None;
    let is_answer = |line: &&str| line.starts_with("==") || line.starts_with("<<");
    for line in old.lines().filter(|line| !is_answer(line)) {
        new += &format!("{line}\n");
        let said = line.get(2..).unwrap_or("").trim();
        let sent = match (line.get(..2), &mut stage) {
            (Some("++"), _) => {
                stage = Some(match said {
                    "page" => Stage::page(),
                    _ => Stage::prompt(),
                });
                continue;
            }
            (Some(kind @ (">>" | ">!")), Some(stage)) => {
                if let Ok(message) = serde_json::from_str(said) {
                    let fits = schemas::fits(&message);
                    assert_eq!(fits.is_ok(), kind == ">>", "{line}: {fits:?}");
                }
                stage.text(said)
            }
            (Some("@ "), Some(stage)) => stage.wait(said.parse().unwrap()),
            (Some("**"), Some(stage)) => happen(stage, said),
            _ => continue,
        };
        for asked in stage.iter_mut().flat_map(|stage| stage.asked.drain(..)) {
            new += &format!("== {}\n", serde_json::to_string(&asked).unwrap());
        }
        for sent in sent {
            new += &format!("<< {sent}\n");
        }
    }
    if std::env::var_os("BLESS").is_some() {
        return std::fs::write(&path, new).unwrap();
    }
    assert_eq!(new, old, "{file}");
}

/// What somebody else does to the surface.
fn happen(stage: &mut Stage, what: &str) -> Vec<serde_json::Value> {
    match (
        what.split_once(' ').unwrap_or((what, "")),
        &mut stage.surface,
    ) {
        (("choice", name), Surface::Prompt(prompt)) => {
            let (name, value) = (name.to_owned(), name.to_lowercase());
            prompt.choices.push((name, value, String::new()));
        }
        (("no-choices", _), Surface::Prompt(prompt)) => prompt.choices.clear(),
        (("type", text), Surface::Page(page)) => page.nodes[1].value = Some(text.into()),
        (("focus", _), Surface::Page(page)) => page.nodes[1].focused = true,
        (("changed", _), _) => {}
        (other, _) => panic!("{other:?}"),
    }
    stage.changed()
}

#[test]
fn seeing() {
    play("seeing.txt");
}

#[test]
fn doing() {
    play("doing.txt");
}

#[test]
fn telling() {
    play("telling.txt");
}

#[test]
fn action() {
    play("action.txt");
}

#[test]
fn hello() {
    play("hello.txt");
}

#[test]
fn testing() {
    play("testing.txt");
}

#[test]
fn bad() {
    play("bad.txt");
}
