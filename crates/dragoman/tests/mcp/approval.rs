//! What waits for a person is never let go by the model that asked for it.

use crate::client::{Http, Mcp};
use crate::served::Gateway;
use crate::support::SOON;
use serde_json::json;
use std::time::Instant;

/// Nobody else can come to a program that speaks by pipe: it says so, and at once.
#[test]
fn by_pipe_nobody_could_approve_and_that_is_said() {
    let mut mcp = Mcp::start(&["--approve", "writes"]);
    let page = json!({"url": "data:text/html,<title>Never</title>"});
    let refused = mcp.fails("browser_navigate", page);
    assert!(refused.contains("approval"), "{refused}");
    assert!(refused.contains("dragoman serve --approve"), "{refused}");
    let approve = json!({"action": "approve", "number": 1});
    let refused = mcp.fails("queue_edit", approve);
    assert!(refused.starts_with("Error not_allowed"), "{refused}");
    assert!(refused.contains("dragoman queue"), "{refused}");
    // What only reads needs nobody; and what was refused does not happen later either.
    assert!(mcp.snapshot().contains("about:blank"));
    let queue = mcp.call("queue_list", json!({})).text;
    assert!(!queue.contains("proposed"), "{queue}");
}

#[test]
fn by_http_the_own_connection_is_told_who_approves() {
    let gateway = Gateway::start_with("mcp-approval", &["--approve", "writes"], &[]);
    let both = gateway.new_token("both", "act,approve");
    let mut asks = Http::open(&gateway.at, Some(&both));
    let mut same = asks.beside();
    let going =
        std::thread::spawn(move || asks.call("browser_navigate", json!({"url": "about:blank"})));
    let until = Instant::now() + SOON;
    while !same.call("queue_list", json!({})).text.contains("navigate") {
        assert!(Instant::now() < until, "it was never asked");
    }
    let approve = json!({"action": "approve", "number": 1});
    let refused = same.call("queue_edit", approve);
    assert!(refused.failed, "{}", refused.text);
    assert!(refused.text.contains("dragoman queue"), "{}", refused.text);
    let cancel = json!({"action": "cancel", "number": 1});
    assert!(!same.call("queue_edit", cancel).failed);
    assert!(going.join().unwrap().failed);
}
