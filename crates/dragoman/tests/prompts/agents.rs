//! An agent beside a person, at the same prompt.

use crate::support::socket::{self, Socket, status};
use crate::support::terminal::Terminal;
use crate::support::{Folder, dragoman};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::process::Stdio;

#[test]
fn both_see_and_both_act() {
    let folder = Folder::new("prompt-agent");
    let socket = folder.path("agent.sock");
    let place = format!("unix:{socket}");
    let arguments = [
        "prompt",
        "arg",
        "Pick",
        "apple",
        "banana",
        "--agent",
        &place,
        "--agent-dialect",
        "native",
    ];
    let mut terminal = Terminal::start(&arguments, &[], 7, 40);
    terminal.until_shown("2/2");
    assert_eq!(
        std::fs::metadata(&socket).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let mut agent = UnixStream::connect(&socket).unwrap();
    let mut lines = BufReader::new(agent.try_clone().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(next()["type"], "hello");
    writeln!(
        agent,
        "{}",
        json!({"id": 1, "cmd": "subscribe", "events": ["prompt"]})
    )
    .unwrap();
    assert_eq!(next()["status"], "done");
    terminal.press("a");
    assert_eq!(next()["key"], "a");
    assert_eq!(next()["value"], "a");
    writeln!(agent, "{}", json!({"id": 2, "cmd": "type", "text": "n"})).unwrap();
    terminal.until_shown("❯ an");
    let events: Vec<Value> = (0..5).map(|_| next()).collect();
    let told: Vec<&str> = events
        .iter()
        .filter_map(|event| event["what"].as_str())
        .collect();
    assert_eq!(
        told,
        [
            "key_pressed",
            "input_changed",
            "choices_updated",
            "choice_selected"
        ]
    );
    terminal.press("\r");
    while next()["what"] != "submitted" {}
    assert_eq!(terminal.child.wait().unwrap().exit_code(), 0);
    assert!(
        !std::fs::exists(&socket).unwrap(),
        "the socket stays behind"
    );
}

#[test]
fn an_agent_speaks_ux() {
    let folder = Folder::new("prompt-agent-ux");
    let socket = folder.path("agent.sock");
    let place = format!("unix:{socket}");
    let arguments = [
        "prompt", "arg", "Pick", "apple", "banana", "--agent", &place,
    ];
    let mut terminal = Terminal::start(&arguments, &[], 7, 40);
    terminal.until_shown("2/2");
    let mut agent = UnixStream::connect(&socket).unwrap();
    let mut lines = BufReader::new(agent.try_clone().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    let wait = json!({"type": "waitFor", "requestId": "w", "condition": {"type": "stateMatch", "state": {"inputValue": "b"}}});
    writeln!(agent, "{wait}").unwrap();
    terminal.press("b");
    assert_eq!(next()["success"], true);
    let select = json!({"type": "filterAndSelect", "requestId": "s", "filter": "ban"});
    writeln!(agent, "{select}").unwrap();
    assert_eq!(next()["value"], "banana");
    terminal.until_shown("❯ ban");
    writeln!(agent, "{}", json!({"type": "submit", "requestId": "e"})).unwrap();
    assert_eq!(next()["value"], "banana");
    assert_eq!(terminal.child.wait().unwrap().exit_code(), 0);
}

/// Where an agent is to come, and with which token, out of what was printed.
fn address(errors: &mut impl BufRead) -> (String, String) {
    let mut line = String::new();
    errors.read_line(&mut line).unwrap();
    let words: Vec<&str> = line.split_whitespace().collect();
    let ["Agents:", url, "token", token] = words[..] else {
        panic!("{line}");
    };
    (url.to_owned(), token.to_owned())
}

#[test]
fn an_agent_comes_by_websocket() {
    let mut child = dragoman()
        .args(["prompt", "arg", "Pick", "apple", "banana", "--headless"])
        .args(["--agent", "ws"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (url, token) = address(&mut BufReader::new(child.stderr.take().unwrap()));
    let at = url.strip_prefix("ws://").unwrap();
    let at = at.strip_suffix("/ux").unwrap().to_owned();
    assert!(at.starts_with("127.0.0.1:"), "{at}");
    let good = format!("Bearer {token}");
    let page = format!("dragoman.v1, tok.{token}");
    let origin = ("Origin", "http://evil.example");
    let check = |path: &str, headers: &[(&str, &str)], want: u16| {
        assert_eq!(status(&at, path, headers), want, "{path} {headers:?}");
    };
    check("/ux", &[], 401);
    check("/ux", &[("Authorization", &good[..good.len() - 1])], 401);
    check("/ux", &[("Authorization", &good), origin], 403);
    check("/ux", &[("Sec-WebSocket-Protocol", &page), origin], 403);
    let host = ("Host", "evil.example");
    check("/ux", &[("Authorization", &good), host], 403);
    check("/native", &[], 401);
    check("/native", &[("Authorization", &good)], 404);
    check("/", &[("Authorization", &good)], 404);
    socket::run(async {
        let mut agent = Socket::connect(&url, &token).await;
        let ask = json!({"type": "getState", "requestId": "1"});
        agent.send(&ask).await;
        assert_eq!(agent.next().await["state"]["selectedValue"], "apple");
        let ask =
            json!({"type": "selectByValue", "requestId": "2", "value": "banana", "submit": true});
        agent.send(&ask).await;
        assert_eq!(agent.next().await["value"], "banana");
        assert!(agent.end().await.is_some(), "it is told that we go");
    });
    let out = child.wait_with_output().unwrap();
    assert_eq!(
        (out.status.code(), &out.stdout[..]),
        (Some(0), &b"banana\n"[..])
    );
}

#[test]
fn events_come_in_the_order_they_happened() {
    let ask = r#"{"type":"arg","id":"p","choices":["apple","banana"]}"#;
    let mut child = dragoman()
        .args([
            "pipe",
            "--surface",
            "prompt",
            "--journal",
            ":memory:",
            "--ask",
            ask,
        ])
        .args(["--ask", r#"{"type":"confirm","id":"sure"}"#])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let commands = [
        json!({"id": 1, "cmd": "subscribe", "events": ["prompt", "tabs"]}),
        json!({"id": 2, "cmd": "type", "text": "an"}),
        json!({"id": 3, "cmd": "submit"}),
        json!({"id": 4, "cmd": "wait", "until": {"state": {"id": "sure"}}}),
        json!({"id": 5, "cmd": "snapshot", "limit": 1}),
    ];
    for command in commands {
        writeln!(stdin, "{command}").unwrap();
    }
    drop(stdin);
    let out = child.wait_with_output().unwrap();
    let lines: Vec<Value> = String::from_utf8(out.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let events = lines.iter().filter(|line| line["type"] == "event");
    let told: Vec<&str> = events
        .map(|event| event["what"].as_str().or(event["event"].as_str()).unwrap())
        .collect();
    let want = [
        "key_pressed",
        "input_changed",
        "key_pressed",
        "input_changed",
        "choices_updated",
        "choice_selected",
        "submitted",
        "prompt_changed",
        "tab_opened",
        "tab_closed",
        "prompt_changed",
    ];
    assert_eq!(told, want);
    let seen = lines.iter().find(|line| line["id"] == 5).unwrap();
    let seen = &seen["reply"]["snapshot"];
    assert_eq!(
        (&seen["tab"], &seen["prompt"]["kind"]),
        (&json!(2), &json!("confirm"))
    );
}
