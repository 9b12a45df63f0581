//! Calls that take long: their client hears of them, can take them back, and is answered in time.

use crate::client::{Answer, Mcp};
use serde_json::json;
use std::time::{Duration, Instant};

#[test]
fn a_call_that_is_taken_back_is_cancelled() {
    let mut mcp = Mcp::start(&[]);
    mcp.at("<button onclick=\"document.title='pressed'\">Go</button>");
    let wait = mcp.begin(
        "browser_wait_for",
        json!({"text": "never", "timeout": 50_000}),
    );
    let behind = mcp.begin("browser_click", json!({"target": "text=Go"}));
    // The queue goes in order: while the first waits, the second does.
    let queue = mcp.begin("queue_list", json!({}));
    let listed = Answer::of(&mcp.answer(queue));
    assert!(listed.text.contains("running"), "{}", listed.text);
    let began = Instant::now();
    mcp.notify(
        "notifications/cancelled",
        json!({"requestId": wait, "reason": "enough"}),
    );
    let clicked = Answer::of(&mcp.answer(behind));
    assert!(!clicked.failed, "{}", clicked.text);
    assert!(began.elapsed() < Duration::from_secs(10));
    let ended = mcp.call("queue_list", json!({})).text;
    assert!(
        ended.contains("cancelled") || ended.contains("failed"),
        "{ended}"
    );
    let answered = mcp.notices.iter().any(|m| m["id"] == wait);
    assert!(!answered, "a cancelled call is not answered");
}

#[test]
fn a_call_that_waits_its_turn_can_be_taken_back_too() {
    let mut mcp = Mcp::start(&[]);
    mcp.at("<button onclick=\"document.title='pressed'\">Go</button>");
    let wait = mcp.begin(
        "browser_wait_for",
        json!({"text": "never", "timeout": 50_000}),
    );
    let click = mcp.begin("browser_click", json!({"target": "text=Go"}));
    mcp.notify("notifications/cancelled", json!({"requestId": click}));
    mcp.notify("notifications/cancelled", json!({"requestId": wait}));
    assert_eq!(mcp.script("() => document.title"), json!(""));
}

#[test]
fn whoever_asks_hears_of_progress() {
    let mut mcp = Mcp::start(&[]);
    let params = json!({
        "name": "browser_wait_for",
        "arguments": {"time": 2.2},
        "_meta": {"progressToken": "token-7"},
    });
    let answer = Answer::of(&mcp.request("tools/call", params));
    assert!(!answer.failed, "{}", answer.text);
    let words: Vec<_> = mcp
        .notices
        .iter()
        .filter(|m| m["method"] == "notifications/progress")
        .collect();
    assert!(!words.is_empty());
    assert_eq!(words[0]["params"]["progressToken"], "token-7");
    assert!(words[0]["params"]["progress"].as_f64().unwrap() >= 1.0);
    mcp.notices.clear();
    mcp.call("browser_wait_for", json!({"time": 1.5}));
    assert!(mcp.notices.is_empty(), "{:?}", mcp.notices);
}

#[test]
fn a_deadline_is_kept() {
    let mut mcp = Mcp::start(&["--timeout", "1500"]);
    let page = json!({"url": "data:text/html,<p>quiet</p>", "timeout": 30_000});
    mcp.call("browser_navigate", page.clone());
    let began = Instant::now();
    let said = mcp.fails("browser_wait_for", json!({"text": "never"}));
    assert!(said.starts_with("Error timeout"), "{said}");
    assert!(began.elapsed() < Duration::from_secs(8), "{said}");
    let said = mcp.fails(
        "browser_evaluate",
        json!({"function": "() => { for (;;) {} }", "timeout": 1500}),
    );
    assert!(
        said.starts_with("Error hung") || said.starts_with("Error timeout"),
        "{said}"
    );
    mcp.call("browser_navigate", page);
    assert!(mcp.snapshot().contains("quiet"));
}
