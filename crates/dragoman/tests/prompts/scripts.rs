//! Scripts in two languages, with a person and with an agent.

use crate::support::dragoman;
use crate::support::terminal::Terminal;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::Stdio;

fn script(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/prompts/scripts");
    folder.join(name).to_str().unwrap().to_owned()
}

#[test]
fn python_and_a_person() {
    let mut terminal = Terminal::start(&["script", &script("pick.py")], &[], 9, 60);
    terminal.until_shown("Pick a fruit");
    terminal.press("b");
    terminal.until_shown("▸ Banana  yellow");
    terminal.press("\r");
    terminal.until_shown("▸ First");
    terminal.press("Ada");
    terminal.until_shown("First  Ada");
    assert!(terminal.text().contains("Lovelace"), "{}", terminal.text());
    terminal.press("\r");
    terminal.until_shown("Ada Lovelace likes banana");
    assert_eq!(terminal.child.wait().unwrap().exit_code(), 0);
}

#[test]
fn python_and_nobody() {
    let mut terminal = Terminal::start(&["script", &script("pick.py")], &[], 9, 60);
    terminal.until_shown("Pick a fruit");
    terminal.press("\x1b");
    terminal.until_shown("nothing");
    assert_eq!(terminal.child.wait().unwrap().exit_code(), 3);
}

#[test]
fn what_a_script_complains_of_is_read_afterwards() {
    let mut terminal = Terminal::start(&["script", &script("fails.py")], &[], 12, 60);
    terminal.until_shown("Ask");
    assert!(!terminal.text().contains("careful"), "{}", terminal.text());
    terminal.press("x\r");
    terminal.until_shown("ValueError: x is wrong");
    let text = terminal.text();
    assert!(
        text.contains("careful") && !terminal.screen.screen().alternate_screen(),
        "{text}"
    );
    assert_eq!(terminal.child.wait().unwrap().exit_code(), 1);
}

#[test]
fn a_script_sees_the_screen() {
    let mut terminal = Terminal::start(&["script", &script("shot.py")], &[], 9, 70);
    // The script narrows the list once it has its picture: an answer before that would be heard first.
    terminal.until_shown("1/2");
    terminal.press("\r");
    terminal.until_shown("screenshotResult shot text/plain 70 9 True apple");
}

#[test]
fn node_and_a_person() {
    let mut terminal = Terminal::start(&["script", &script("pick.js")], &[], 9, 60);
    terminal.until_shown("Ctrl+K actions");
    terminal.press("\x0f");
    terminal.press("\t\x1b[B\t");
    terminal.until_shown("2 of 3");
    terminal.press("\r");
    terminal.until_shown("Ctrl+S submit");
    terminal.press("x");
    terminal.until_shown("xa");
    terminal.press("\x13");
    terminal.until_shown("Help=h xa");
    assert_eq!(terminal.child.wait().unwrap().exit_code(), 4);
}

#[test]
fn python_and_an_agent() {
    let mut child = dragoman()
        .args([
            "script",
            &script("pick.py"),
            "--headless",
            "--agent",
            "stdio",
            "--agent-dialect",
            "native",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut say = |what: Value| writeln!(stdin, "{what}").unwrap();
    let mut outcome = |id: u64| loop {
        let line: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        if line["id"] == id {
            return line;
        }
    };
    say(json!({"id": 1, "cmd": "wait", "until": {"state": {"id": "fruit"}}}));
    say(
        json!({"id": 2, "cmd": "select", "target": {"semantic": "list:choices"}, "options": [{"value": "banana"}]}),
    );
    say(json!({"id": 3, "cmd": "submit"}));
    assert_eq!(outcome(3)["reply"]["value"], "banana");
    say(json!({"id": 4, "cmd": "wait", "until": {"state": {"id": "who"}}}));
    assert_eq!(outcome(4)["status"], "done");
    say(json!({"id": 5, "cmd": "snapshot"}));
    let seen = outcome(5);
    assert_eq!(seen["reply"]["snapshot"]["prompt"]["kind"], "fields");
    say(
        json!({"id": 6, "cmd": "replace_text", "target": {"semantic": "input:first"}, "text": "Ada"}),
    );
    say(json!({"id": 7, "cmd": "submit"}));
    assert_eq!(outcome(7)["reply"]["value"], r#"["Ada","Lovelace"]"#);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
