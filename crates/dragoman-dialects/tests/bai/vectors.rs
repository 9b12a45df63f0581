//! Every example line of both documents, and the ways to get them wrong, as files in `conformance/bai-0.3` and
//! `conformance/bai-0.4`. With `BLESS=1` the answers are written anew: read the diff before you commit it.
//!
//! `# …` begins a conversation (after its handshake, unless the title speaks of one). `>>` is a message of the
//! assistant's as a JSON string, `>u` one of the user's, `>p` what the person does, `@` milliseconds that pass; `==` what is asked
//! of the browser, `<<` what is said, `--` what the log says.

use crate::stage::{Stage, options};
use dragoman_dialects::bai::{Options, Version, check, prompt};
use std::path::{Path, PathBuf};

fn path(version: Version, name: &str) -> PathBuf {
    let folder = match version {
        Version::V03 => "bai-0.3",
        Version::V04 => "bai-0.4",
    };
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../conformance")
        .join(folder)
        .join(name)
}

fn compare(path: &Path, got: &str) {
    let got = format!("{}\n", got.trim_end());
    if std::env::var_os("BLESS").is_some() {
        return std::fs::write(path, got).unwrap();
    }
    let want = std::fs::read_to_string(path).unwrap();
    assert_eq!(got, want, "{}", path.display());
}

fn play(version: Version, name: &str, options: &Options) {
    let path = path(version, name);
    let text = std::fs::read_to_string(&path).unwrap();
    let mut out = String::new();
    let mut stage = Stage::open(version, options.clone());
    let answers = ["== ", "<< ", "-- "];
    for line in text
        .lines()
        .filter(|l| !answers.iter().any(|a| l.starts_with(a)))
    {
        out += line;
        out += "\n";
        if let Some(title) = line.strip_prefix("# ") {
            stage = match title.to_lowercase().contains("handshake") {
                true => Stage::new(version, options.clone()),
                false => Stage::open(version, options.clone()),
            };
        }
        stage.asked.clear();
        stage.log.clear();
        let string = |text: &str| serde_json::from_str::<String>(text).unwrap();
        let said = match line.split_once(' ') {
            Some((">>", text)) => stage.assistant(&string(text)),
            Some((">u", text)) => stage.user(&string(text)),
            Some((">p", does)) => stage.person(does),
            Some(("@", ms)) => stage.wait(ms.parse().unwrap()),
            _ => continue,
        };
        for request in &stage.asked {
            let command = serde_json::to_string(&request.command).unwrap();
            out += &format!("== {command}");
            if let Some(tab) = request.tab {
                out += &format!(" in tab {tab}");
            }
            if let Some(ms) = request.timeout_ms {
                out += &format!(" within {ms} ms");
            }
            if let Some(why) = &request.asks {
                out += &format!(" if a person allows it: {why}");
            }
            out += "\n";
        }
        for text in said.iter().flat_map(|text| text.lines()) {
            out += &format!("<< {text}\n");
        }
        for text in &stage.log {
            out += &format!("-- {text}\n");
        }
    }
    compare(&path, &out);
}

#[test]
fn version_03() {
    compare(
        &path(Version::V03, "prompt.txt"),
        &prompt(Version::V03, &options()),
    );
    for name in ["examples.txt", "wrong.txt", "pages.txt"] {
        let options = Options {
            key: "wf_123".into(),
            ..options()
        };
        play(Version::V03, name, &options);
    }
}

#[test]
fn version_04() {
    compare(
        &path(Version::V04, "prompt.txt"),
        &prompt(Version::V04, &options()),
    );
    for name in ["examples.txt", "actions.txt", "wrong.txt", "pages.txt"] {
        play(Version::V04, name, &options());
    }
}

#[test]
fn transcripts_are_checked_like_programs() {
    for version in [Version::V03, Version::V04] {
        for name in ["good.txt", "bad.txt", "bad.jsonl"] {
            let text = std::fs::read_to_string(path(version, "check").join(name)).unwrap();
            let checked = check(version, &text);
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
                "{name}: {out}"
            );
            compare(&path(version, "check").join(format!("{name}.out")), &out);
        }
    }
}
