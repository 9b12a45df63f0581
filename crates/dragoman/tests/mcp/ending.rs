//! However it ends, nothing stays behind.

use crate::client::Mcp;
use crate::support::{descendants, wait_until_gone};
use serde_json::json;
use std::time::{Duration, Instant};

fn with_browser() -> Mcp {
    let mut mcp = Mcp::start(&[]);
    mcp.at("<p>here</p>");
    mcp
}

#[test]
fn the_end_of_input_is_the_end() {
    let mut mcp = with_browser();
    let browser = descendants(mcp.pipe.id());
    assert!(!browser.is_empty());
    mcp.pipe.end_input();
    assert_eq!(mcp.pipe.wait().code(), Some(0));
    wait_until_gone(&browser);
}

#[test]
fn what_was_asked_before_the_end_is_answered() {
    let mut mcp = with_browser();
    let id = mcp.begin("browser_snapshot", json!({}));
    mcp.pipe.end_input();
    assert!(mcp.answer(id).to_string().contains("here"));
    assert_eq!(mcp.pipe.wait().code(), Some(0));
}

#[test]
fn what_takes_long_does_not_hold_up_the_end() {
    let mut mcp = with_browser();
    let browser = descendants(mcp.pipe.id());
    mcp.begin(
        "browser_wait_for",
        json!({"text": "never", "timeout": 50_000}),
    );
    // Taken up: what is asked behind it is answered.
    mcp.call("session_list", json!({}));
    let began = Instant::now();
    mcp.pipe.end_input();
    assert_eq!(mcp.pipe.wait().code(), Some(0));
    wait_until_gone(&browser);
    assert!(
        began.elapsed() < Duration::from_secs(10),
        "{:?}",
        began.elapsed()
    );
}

#[test]
fn it_ends_before_it_began() {
    for said in [&b""[..], b"{\"jsonrpc\":\"2.0\"", b"nonsense\n"] {
        let mut mcp = Mcp::silent(&[]);
        mcp.pipe.say_bytes(said);
        mcp.pipe.end_input();
        assert_eq!(mcp.pipe.wait().code(), Some(0), "{said:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it() {
    use rustix::process::Signal;
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130)] {
        let mut mcp = with_browser();
        mcp.begin(
            "browser_wait_for",
            json!({"text": "never", "timeout": 50_000}),
        );
        let browser = descendants(mcp.pipe.id());
        mcp.pipe.signal(signal);
        assert_eq!(mcp.pipe.wait().code(), Some(code));
        wait_until_gone(&browser);
    }
}

#[test]
fn nothing_is_left_of_one_that_was_killed() {
    let mut mcp = with_browser();
    let browser = descendants(mcp.pipe.id());
    assert!(!browser.is_empty());
    mcp.pipe.kill();
    wait_until_gone(&browser);
}
