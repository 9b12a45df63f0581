//! Each phase on a prompt, and the rough side.

use crate::agent::Agent;
use crate::support::Folder;
use serde_json::{Value, json};

#[test]
fn every_phase() {
    let mut agent = Agent::at_prompt();
    let told = agent
        .ask(json!({"type": "agentHello", "agent": {"name": "a"}, "protocol": {"version": "2.0"}}));
    assert_eq!(told["capabilities"]["unavailable"], json!([]), "{told}");
    let state = agent.state();
    assert_eq!(state["promptType"], "arg");
    assert_eq!(state["promptId"], "fruit-1");
    assert_eq!(state["placeholder"], "Pick a fruit");
    assert_eq!(state["choiceCount"], 3);
    let told = agent.ask(json!({"type": "subscribe", "events": ["inputChanged", "choiceSelected"], "filter": {"minInterval": 10}}));
    assert_eq!(told["type"], "subscribed");
    assert_eq!(
        agent.ask(json!({"type": "setFilter", "text": "app"}))["success"],
        true
    );
    let stream = agent.next_stream();
    assert_eq!(stream["event"], "inputChanged", "{stream}");
    assert_eq!(stream["data"]["value"], "app");
    let told = agent.ask(json!({"type": "getElements", "filter": {"type": ["choice"]}}));
    assert_eq!(told["totalCount"], 2, "{told}");
    let tree = agent.ask(json!({"type": "getAccessibilityTree", "depth": 3}));
    assert_eq!(tree["tree"]["semanticId"], "window:main", "{tree}");
    let told = agent.ask(
        json!({"type": "batch", "options": {"rollbackOnError": true}, "commands": [
        {"type": "setFilter", "text": "ban"}, {"type": "waitFor", "condition": "choicesRendered"},
        {"type": "action", "target": "choice:*:cherry", "action": "select"}]}),
    );
    assert_eq!(told["rolledBack"], true, "{told}");
    assert_eq!(agent.state()["inputValue"], "app");
    let told = agent.act("choice:*:*", "select", Value::Null);
    assert_eq!(told["errorCode"], "AMBIGUOUS_TARGET", "{told}");
    agent.acts("choice:*:pineapple", "select", Value::Null);
    let state = agent.state();
    assert_eq!(
        (&state["selectedIndex"], &state["selectedValue"]),
        (&json!(1), &json!("Pineapple"))
    );
    let told = agent.ask(json!({"type": "assert", "assertions": [
        {"type": "elementExists", "target": "choice:1:pineapple"}, {"type": "selectedValue", "value": "Pineapple"},
        {"type": "inputValue", "target": "input:filter", "value": "app"}, {"type": "windowVisible"}]}));
    assert_eq!(told["passed"], true, "{told}");
    let dom = agent.ask(json!({"type": "getVirtualDOM"}));
    assert_eq!(dom["dom"]["class"], "prompt-container", "{dom}");
    let picture = agent.ask(json!({"type": "captureScreenshot"}));
    assert_eq!(picture["mime"], "text/plain", "{picture}");
    let text = picture["data"].as_str().unwrap();
    assert!(
        text.starts_with("❯ app") && text.contains("▸ Pineapple"),
        "{text}"
    );
    let size = (&picture["width"], &picture["height"]);
    assert_eq!(size, (&json!(80), &json!(24)));
    let told = agent.ask(json!({"type": "submit"}));
    assert_eq!(told["value"], "Pineapple", "{told}");
    assert_eq!(agent.finish(), Some(0));
}

#[test]
fn time_stands_where_it_is_told_to() {
    let mut agent = Agent::at_prompt();
    let told = agent
        .ask(json!({"type": "testMode", "enable": true, "options": {"mockTime": true, "seed": 7}}));
    assert_eq!(told["success"], true, "{told}");
    let began = std::time::Instant::now();
    let told = agent.ask(json!({"type": "waitFor", "timeout": 60000,
        "condition": {"type": "elementExists", "semanticId": "choice:*:cherry"}}));
    assert_eq!(
        (&told["success"], &told["elapsed"]),
        (&json!(false), &json!(60000)),
        "{told}"
    );
    assert!(began.elapsed().as_secs() < 10);
}

#[test]
fn files_are_found_within_the_roots() {
    let folder = Folder::new("ux-search");
    for name in ["main.ts", "lib.ts", "notes.txt"] {
        std::fs::write(folder.path(name), "x").unwrap();
    }
    let root = folder.0.to_str().unwrap().to_owned();
    let mut agent = Agent::on(&["--surface", "prompt", "--search-root", &root]);
    let told = agent.ask(json!({"type": "fileSearch", "query": "*.ts", "streaming": true}));
    assert_eq!(told["type"], "fileSearchResult", "{told}");
    assert_eq!(told["complete"], true);
    assert_eq!(told["files"].as_array().unwrap().len(), 2);
    let told = agent.ask(json!({"type": "fileSearch", "query": "*", "onlyin": "/"}));
    assert_eq!(told["code"], "FILE_REFUSED", "{told}");
}

#[test]
fn bad_lines_are_answered_and_the_next_works() {
    let mut agent = Agent::at_prompt();
    let long = format!(
        "{{\"type\":\"setFilter\",\"text\":\"{}\"}}\n",
        "x".repeat(2 << 20)
    );
    let bad: [&[u8]; 5] = [
        b"nonsense\n",
        b"\xff\xfe\n",
        b"[[[[\n",
        b"{\"type\":\"getState\",\"requestId\":{}}\n",
        long.as_bytes(),
    ];
    for line in bad {
        agent.say_bytes(line);
        let told = agent.next();
        assert_eq!(told["type"], "error", "{told}");
        assert_eq!(told["code"], "INVALID_MESSAGE");
        assert_eq!(agent.state()["promptType"], "arg");
    }
}
