//! `action/1` with us as the backend, without a socket: the vectors of `conformance/action/backend.txt`, and
//! executors that say anything at all. With `BLESS=1` the answers are written anew: read the diff before
//! you commit it.

#![allow(clippy::unwrap_used)]

use dragoman_dialects::action::executor::{Ask, Executor, Form, Told};
use dragoman_model::{Code, Ref};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

#[test]
fn vectors() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/action/backend.txt");
    let old = std::fs::read_to_string(&path).unwrap();
    let new = run(&old);
    if std::env::var_os("BLESS").is_some() {
        return std::fs::write(&path, new).unwrap();
    }
    for (at, (want, got)) in old.lines().zip(new.lines()).enumerate() {
        assert_eq!(got, want, "line {}", at + 1);
    }
    assert_eq!(old.lines().count(), new.lines().count());
}

fn run(text: &str) -> String {
    let mut executor = Executor::default();
    let mut out = String::new();
    let is_answer = |line: &&str| line.starts_with("==") || line.starts_with("<<");
    for line in text.lines().filter(|line| !is_answer(line)) {
        out += line;
        out += "\n";
        let (marker, rest) = line.split_at(line.len().min(2));
        let rest = rest.trim_start();
        let answers = match marker {
            "++" | "--" => {
                if marker == "++" {
                    executor = Executor::default();
                }
                executor.connected(match rest {
                    "action_request" => Form::Request,
                    _ => Form::Envelope,
                });
                Vec::new()
            }
            "!!" => ask(&mut executor, rest),
            ">>" => {
                let told = executor.hear(rest);
                told.iter().flat_map(|told| show(&executor, told)).collect()
            }
            ".." => {
                executor.abandon(rest.parse().unwrap());
                Vec::new()
            }
            _ => Vec::new(),
        };
        for answer in answers {
            out += &answer;
            out += "\n";
        }
    }
    out
}

fn ask(executor: &mut Executor, words: &str) -> Vec<String> {
    let (what, rest) = words.split_once(' ').unwrap_or((words, ""));
    let element = |text: &str| Ref(text.strip_prefix('e').unwrap().parse().unwrap());
    let ask = match what {
        "navigate" => Ask::Navigate(rest.into()),
        "click" => Ask::Click(element(rest)),
        "type" => {
            let (wanted, text) = rest.split_once(' ').unwrap();
            Ask::Type(element(wanted), text.into())
        }
        "scroll" => {
            let (x, y) = rest.split_once(' ').unwrap();
            Ask::Scroll {
                x: x.parse().unwrap(),
                y: y.parse().unwrap(),
            }
        }
        "list" => Ask::List,
        "content" => Ask::Content {
            max: rest.parse().unwrap(),
        },
        other => panic!("{other}"),
    };
    if !executor.may_ask() {
        return vec!["== not now".into()];
    }
    match executor.ask(ask) {
        Ok(asked) => {
            let message = format!("<< {}", serde_json::to_string(&asked.message).unwrap());
            let again = asked.found_again.then(|| "== found again".to_owned());
            [again, Some(message)].into_iter().flatten().collect()
        }
        Err(fault) => vec![format!("== {}: {}", fault.code.as_str(), fault.message)],
    }
}

fn show(executor: &Executor, told: &Told) -> Vec<String> {
    match told {
        Told::Changed { since } => {
            let Some(newest) = executor.newest() else {
                return vec![format!("== list -, was {since}")];
            };
            let elements = newest
                .elements
                .iter()
                .map(|e| format!(" {} {} {:?} {}", e.r#ref, e.role, e.name, e.tag));
            let about = [
                newest.url.as_ref().map(|url| format!(" at {url}")),
                newest
                    .title
                    .as_ref()
                    .map(|title| format!(" titled {title:?}")),
                (newest.outside > 0).then(|| format!(" outside {}", newest.outside)),
                (newest.omitted > 0).then(|| format!(" omitted {}", newest.omitted)),
            ];
            let about: String = about.into_iter().flatten().collect();
            let elements: Vec<String> = elements.collect();
            let number = newest.number;
            vec![format!(
                "== list {number}, was {since}{about}:{}",
                elements.join(",")
            )]
        }
        Told::Answered { number, answer } => vec![match answer {
            Ok(answer) => {
                let changed = if answer.changed { ", changed" } else { "" };
                let url = answer.url.as_ref().map(|url| format!(", url {url}"));
                let content = answer.content.as_ref().map(|content| {
                    let cut = if content.truncated { ", cut" } else { "" };
                    format!(", text {:?}{cut}", content.text)
                });
                let more: String = [url, content].into_iter().flatten().collect();
                format!("== answered {number}: done{changed}{more}")
            }
            Err(fault) => format!(
                "== answered {number}: {}: {}",
                fault.code.as_str(),
                fault.message
            ),
        }],
        Told::Send(message) => vec![format!("<< {}", serde_json::to_string(message).unwrap())],
        Told::Bad(reason) => vec![format!("== bad: {reason}")],
    }
}

fn snapshot(names: &[&str]) -> String {
    let tree: Vec<Value> = names
        .iter()
        .zip(1..)
        .map(|(name, id)| json!({"id": id, "role": "button", "name": name, "tag": "BUTTON"}))
        .collect();
    json!({"type": "Snapshot", "data": {"tree": tree}}).to_string()
}

#[test]
fn too_much_is_counted_or_refused() {
    let mut executor = Executor::default();
    let many = "{\"id\":1},".repeat(60_000);
    let numbered: Vec<Value> = (1..30_000).map(|id| json!({"id": id})).collect();
    executor.hear(&json!({"tree": numbered}).to_string());
    let newest = executor.newest().unwrap();
    assert_eq!((newest.elements.len(), newest.omitted), (2_000, 27_999));
    executor.hear(&format!("{{\"tree\":[{}]}}", many.trim_end_matches(',')));
    let newest = executor.newest().unwrap();
    assert_eq!((newest.elements.len(), newest.omitted), (0, 60_000));
    let long = format!(
        "{{\"tree\":[{{\"id\":1,\"name\":\"{}\"}}]}}",
        "x".repeat(3 << 20)
    );
    let deep = format!("{{\"data\":{}", "[".repeat(100_000));
    for (text, reason) in [(long, "it is too long"), (deep, "it is nested too deeply")] {
        assert_eq!(executor.hear(&text)[0], Told::Bad(reason.into()));
    }
    let name = "y".repeat(5_000);
    executor.hear(&snapshot(&[&name]));
    assert_eq!(executor.newest().unwrap().elements[0].name.len(), 500);
    let big = json!({"type": "Ping", "data": "z".repeat(5_000)});
    let told = executor.hear(&big.to_string());
    assert!(
        matches!(&told[..], [Told::Send(pong)] if serde_json::to_value(pong).unwrap() == json!({"type": "Pong"}))
    );
}

proptest! {
    /// Lists of few names, so that there are equal ones, in any order: a ref that is good leads to an
    /// element of the name it had, and none is ever given to another name.
    #[test]
    fn a_ref_never_changes_hands(
        lists in proptest::collection::vec(proptest::collection::vec(0..6usize, 0..8), 1..20),
        acts in proptest::collection::vec(any::<bool>(), 20),
    ) {
        let names = ["Save", "Delete", "Edit", "Open", "", "Next"];
        let mut executor = Executor::default();
        executor.connected(Form::Envelope);
        let mut owners: BTreeMap<Ref, String> = BTreeMap::new();
        for (list, act) in lists.iter().zip(acts) {
            let shown: Vec<&str> = list.iter().map(|at| names[*at]).collect();
            executor.hear(&snapshot(&shown));
            let newest = executor.newest().unwrap().clone();
            prop_assert_eq!(newest.elements.len(), shown.len());
            for (element, name) in newest.elements.iter().zip(&shown) {
                let owner = owners.entry(element.r#ref).or_insert_with(|| (*name).into());
                prop_assert_eq!(owner.as_str(), *name);
            }
            for (gone, _) in owners.iter().filter(|(r, _)| newest.elements.iter().all(|e| e.r#ref != **r)) {
                prop_assert_eq!(executor.ask(Ask::Click(*gone)).unwrap_err().code, Code::StaleRef);
            }
            // What is sent is the number that the newest list gives to exactly this element.
            for (at, element) in newest.elements.iter().enumerate().filter(|_| act) {
                let asked = executor.ask(Ask::Click(element.r#ref)).unwrap();
                let sent = serde_json::to_value(&asked.message).unwrap();
                prop_assert_eq!(&sent["data"]["ref"], &json!(at + 1));
                executor.hear("{\"success\":true}");
            }
        }
    }

    #[test]
    fn anything_may_be_said(texts in proptest::collection::vec("\\PC{0,60}", 0..10), kind in 0..4usize) {
        let mut executor = Executor::default();
        executor.connected(Form::Envelope);
        executor.hear(&snapshot(&["Save"]));
        for text in &texts {
            executor.hear(text);
            let kinds = ["Snapshot", "ActionResult", "Ping", "Pong"];
            executor.hear(&format!("{{\"type\":\"{}\",\"data\":{text}}}", kinds[kind]));
            executor.hear(&json!({"type": kinds[kind], "data": {"tree": text, "success": text}}).to_string());
        }
        executor.connected(Form::Request);
        executor.hear(&snapshot(&["Save"]));
        let element = executor.newest().unwrap().elements[0].r#ref;
        let asked = executor.ask(Ask::Click(element)).unwrap();
        let told = executor.hear(&json!({"success": true, "request_id": format!("d-{}", asked.number)}).to_string());
        let done = matches!(&told[..], [Told::Answered { answer: Ok(_), .. }]);
        prop_assert!(done);
    }
}
