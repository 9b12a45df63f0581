//! Runs the transcripts in `conformance/mcp`. `>>` is a call, `==` a step it asks for, `!!` what is
//! told of that step, `<<` a line of the answer (`<!` of one that failed), `<%` the answer as data,
//! `#` a comment. With `BLESS=1` the answers are written anew: read the diff before you commit it.

use dragoman_dialects::mcp::*;
use dragoman_model::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const NONCE: &str = "483920175";

#[test]
fn transcripts() {
    let bless = std::env::var_os("BLESS").is_some();
    for path in files() {
        let old = std::fs::read_to_string(&path).unwrap();
        let new = run(&old);
        if bless && new != old {
            std::fs::write(&path, &new).unwrap();
            continue;
        }
        for (at, (want, got)) in old.lines().zip(new.lines()).enumerate() {
            assert_eq!(got, want, "{} line {}", path.display(), at + 1);
        }
        let (want, got) = (old.lines().count(), new.lines().count());
        assert_eq!(got, want, "{}", path.display());
    }
}

#[test]
fn every_tool_has_a_vector_that_is_answered() {
    let mut answered = BTreeSet::new();
    for path in files() {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut tool = "";
        for line in text.lines() {
            if let Some(call) = line.strip_prefix(">> ") {
                tool = call.split(' ').next().unwrap();
            } else if line.starts_with("<< ") {
                answered.insert(tool.to_owned());
            }
        }
    }
    for tool in dragoman_dialects::mcp::tools(&Caps::all()) {
        assert!(answered.contains(tool.name), "no vector of {}", tool.name);
    }
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/mcp");
    let entries = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "txt"));
    files.sort();
    assert!(files.len() >= 4);
    files
}

/// The transcript with its answers as they are now. One conversation has the whole of it.
fn run(text: &str) -> String {
    let mut conversation = Conversation::new(Options {
        caps: Caps::all(),
        ..Options::new(NONCE)
    });
    let mut call: Option<Call> = None;
    let mut out = String::new();
    for line in text.lines() {
        if ["==", "<<", "<!", "<%"]
            .iter()
            .any(|mark| line.starts_with(mark))
        {
            continue;
        }
        out += line;
        out += "\n";
        if let Some(said) = line.strip_prefix(">> ") {
            let (tool, args) = said.split_once(' ').unwrap_or((said, "{}"));
            let Value::Object(args) = serde_json::from_str(args).unwrap() else {
                panic!("{line}");
            };
            match conversation.call(tool, args) {
                Ok((begun, step)) => {
                    if let Some(session) = &begun.session {
                        out += &format!("== in session {session}\n");
                    }
                    call = Some(begun);
                    out += &shown(&step);
                }
                Err(fault) => out += &format!("<! no tool: {fault}\n"),
            }
        } else if let Some(told) = line.strip_prefix("!! ") {
            let call = call.as_mut().expect(line);
            out += &shown(&conversation.told(call, read(told)));
        }
    }
    out
}

fn shown(step: &Step) -> String {
    match step {
        Step::Submit(request) => format!("== {}\n", serde_json::to_string(request).unwrap()),
        Step::Control(control) => format!("== {}\n", serde_json::to_string(control).unwrap()),
        Step::Session(ask) => format!("== {ask:?}\n"),
        Step::Load { name } => format!("== load {name}\n"),
        Step::Save(save) => {
            let chosen = if save.chosen {
                ""
            } else {
                " (or another name)"
            };
            let data = match &save.data {
                SaveData::Text(text) => format!("{text:?}"),
                SaveData::Base64(data) => format!("base64 {data}"),
            };
            format!("== save {}{chosen}: {data}\n", save.name)
        }
        Step::Answer(answer) => {
            let mark = if answer.is_error { "<!" } else { "<<" };
            let mut out: String = answer
                .text
                .lines()
                .map(|l| format!("{mark} {l}\n"))
                .collect();
            for picture in &answer.pictures {
                out += &format!("{mark} ({} {})\n", picture.mime, picture.data);
            }
            if let Some(data) = &answer.structured {
                out += &format!("<% {data}\n");
            }
            out
        }
    }
}

/// `outcome {…}`, or shorter: `done {reply}`, `receipt {…}`, `fault code message`.
fn read(told: &str) -> Told {
    let (kind, rest) = told.split_once(' ').unwrap_or((told, "{}"));
    let json = || serde_json::from_str::<Value>(rest).unwrap_or_else(|e| panic!("{told}: {e}"));
    let outcome = |value: Value| {
        let outcome = serde_json::from_value(value).unwrap_or_else(|e| panic!("{told}: {e}"));
        Told::Outcome(outcome)
    };
    match kind {
        "outcome" => outcome(json()),
        "done" if rest == "{}" => outcome(json!({"status": "done"})),
        "done" => outcome(json!({"status": "done", "reply": json()})),
        "receipt" => outcome(json!({"status": "done", "receipt": json()})),
        "fault" => Told::Outcome(Outcome::failed(serde_json::from_value(json()).unwrap())),
        "refused" => Told::Refused(serde_json::from_value(json()).unwrap()),
        "queue" => Told::Queue(serde_json::from_value(json()).unwrap()),
        "controlled" => Told::Controlled,
        "saved" => Told::Saved { path: rest.into() },
        "file" => Told::File { text: rest.into() },
        "sessions" => {
            let names: Vec<String> = serde_json::from_str(rest).unwrap();
            let info = |(at, name): (usize, String)| SessionInfo {
                session: SessionId::new(name).unwrap(),
                own: at == 0,
            };
            Told::Sessions(names.into_iter().enumerate().map(info).collect())
        }
        other => panic!("what is {other}?"),
    }
}
