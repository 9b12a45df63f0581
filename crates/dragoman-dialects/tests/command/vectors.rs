//! The document's examples, and more of their kind, as files in `conformance/command`. With
//! `BLESS=1` the answers are written anew: read the diff before you commit it.

use crate::stage::{KEYWORD, Stage, example, options};
use dragoman_dialects::command::{Action, Tool, check, prompt};
use dragoman_model::*;
use std::path::{Path, PathBuf};

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../conformance/command")
        .join(name)
}

fn compare(name: &str, got: &str) {
    let path = path(name);
    let got = format!("{}\n", got.trim_end());
    if std::env::var_os("BLESS").is_some() {
        return std::fs::write(&path, got).unwrap();
    }
    let want = std::fs::read_to_string(&path).unwrap();
    assert_eq!(got, want, "{name}");
}

#[test]
fn the_prompt() {
    compare("prompt.txt", &prompt(&options()));
}

#[test]
fn the_snapshot_and_the_calls() {
    let mut stage = Stage::with_page(options(), example());
    let context = stage.say("Nothing to do.");
    assert_eq!(
        context,
        Vec::<String>::new(),
        "a reply without a command is answered by nothing"
    );
    stage.event(SurfaceEvent::Request {
        tab: TabId(1),
        entry: call(
            7,
            "POST",
            "https://example.com/api/search",
            Some("{\"query\":\"weather today\"}"),
        ),
    });
    stage.network = vec![
        call(6, "GET", "https://example.com/old", None),
        call(
            7,
            "POST",
            "https://example.com/api/search",
            Some("{\"query\":\"weather today\"}"),
        ),
    ];
    let said = stage.say("<tool_code>{\"action\": \"click\", \"id\": 2}</tool_code>");
    compare("context.txt", &said.join("\n"));
    let said = stage.say("<tool_code>{\"action\": \"click\", \"id\": 2}</tool_code>");
    assert!(
        !said.join("\n").contains("api_activity"),
        "each call is told once"
    );
}

fn call(index: u64, method: &str, url: &str, body: Option<&str>) -> NetworkEntry {
    NetworkEntry {
        index,
        method: method.into(),
        url: url.into(),
        kind: "fetch".into(),
        status: None,
        failure: None,
        mime: None,
        request_body: body.map(Into::into),
        response_body: None,
        took_ms: None,
    }
}

/// `>>` a reply as a JSON string, `==` what is asked of the browser, `<<` what is said, up to the
/// first element of a context.
#[test]
fn replies() {
    let text = std::fs::read_to_string(path("replies.txt")).unwrap();
    let mut out = String::new();
    for line in text
        .lines()
        .filter(|l| !l.starts_with("==") && !l.starts_with("<<"))
    {
        out += line;
        out += "\n";
        let Some(reply) = line.strip_prefix(">> ") else {
            continue;
        };
        let reply: String = serde_json::from_str(reply).unwrap();
        let mut stage = Stage::with_page(options(), example());
        stage.asked.clear();
        let said = stage.say(&reply);
        for request in &stage.asked {
            let command = serde_json::to_string(&request.command).unwrap();
            let tab = request
                .tab
                .map(|tab| format!(" in tab {tab}"))
                .unwrap_or_default();
            out += &format!("== {command}{tab}\n");
        }
        for text in said.iter().flat_map(|text| text.lines()) {
            if text.starts_with("System") || text.starts_with("URL") {
                out += &format!("<< {text}\n");
            }
        }
    }
    compare("replies.txt", &out);
}

#[test]
fn a_transcript_is_checked_like_a_program() {
    let tools = vec![Tool {
        name: "Hacker News".into(),
        url: "https://news.ycombinator.com".into(),
    }];
    for name in ["good.txt", "bad.txt", "good.jsonl", "bad.jsonl"] {
        let text = std::fs::read_to_string(path("check").join(name)).unwrap();
        let checked = check(&text, Some(KEYWORD), &tools);
        let mut out = format!(
            "{} replies, {} commands\n",
            checked.replies, checked.commands
        );
        for finding in &checked.findings {
            out += &format!("{}:{}: {}\n", finding.line, finding.column, finding.reason);
        }
        assert_eq!(
            checked.findings.is_empty(),
            name.starts_with("good"),
            "{name}"
        );
        compare(&format!("check/{name}.out"), &out);
    }
    let none = check("Hello there.", None, &tools);
    assert_eq!(none.findings.len(), 1, "{none:?}");
}

#[test]
fn actions_have_names() {
    let all = [
        Action::Click { id: 1 },
        Action::Type {
            id: 1,
            value: String::new(),
        },
        Action::OpenTab { url: String::new() },
        Action::OpenTool {
            name: String::new(),
        },
    ];
    assert_eq!(
        all.map(|a| a.name()),
        ["click", "type", "open_tab", "open_tool"]
    );
}
