//! Bad input is normal: it is answered, and the next line works.

use crate::client::Mcp;
use serde_json::{Value, json};

#[test]
fn whatever_comes_the_next_line_works() {
    let mut mcp = Mcp::start(&[]);
    let deep = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{}1{}}}\n",
        "[".repeat(5_000),
        "]".repeat(5_000)
    );
    let long = format!("\"{}\"\n", "x".repeat(9 << 20));
    let lines: &[&[u8]] = &[
        b"\n",
        b"{\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":\n",
        b"\xff\xfe{}\n",
        b"null\n",
        b"42\n",
        b"[]\n",
        b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]\n",
        b"{\"id\":7}\n",
        b"{\"jsonrpc\":\"1.0\",\"id\":7,\"method\":\"ping\"}\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":99}}\n",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/nonsense\",\"params\":[1,2]}\n",
        deep.as_bytes(),
        long.as_bytes(),
    ];
    for (number, line) in lines.iter().enumerate() {
        mcp.pipe.say_bytes(line);
        let pong = mcp.request("ping", json!({}));
        assert_eq!(pong["result"], json!({}), "after line {number}");
    }
    let said: Vec<String> = mcp.notices.iter().map(Value::to_string).collect();
    let faults = said
        .iter()
        .filter(|line| line.contains("\"error\""))
        .count();
    assert!(faults >= 8, "{said:#?}");
}

#[test]
fn a_message_in_pieces_and_several_at_once() {
    let mut mcp = Mcp::start(&[]);
    for byte in b"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\"}\r\n" {
        mcp.pipe.say_bytes(&[*byte]);
    }
    assert_eq!(mcp.pipe.next()["id"], "a");
    let many: String = (0..50)
        .map(|n| format!("{{\"jsonrpc\":\"2.0\",\"id\":\"m{n}\",\"method\":\"tools/list\"}}\n"))
        .collect();
    mcp.pipe.say_bytes(many.as_bytes());
    for _ in 0..50 {
        assert!(mcp.pipe.next()["result"]["tools"].is_array());
    }
}

#[test]
fn wrong_calls_say_what_is_wrong() {
    let mut mcp = Mcp::start(&[]);
    let unknown = mcp.fails("browser_clack", json!({}));
    assert!(unknown.contains("browser_click"), "{unknown}");
    for (tool, args, word) in [
        ("browser_navigate", json!({}), "url"),
        ("browser_navigate", json!({"url": ["x"]}), "url"),
        (
            "browser_navigate",
            json!({"url": "file:///etc/passwd"}),
            "http",
        ),
        (
            "browser_navigate",
            json!({"url": "javascript:alert(1)"}),
            "http",
        ),
        (
            "browser_navigate",
            json!({"url": "http://169.254.169.254/"}),
            "blocked",
        ),
        ("browser_click", json!({"target": "e999"}), "e999"),
        ("browser_click", json!({"target": "css=["}), "["),
        (
            "browser_click",
            json!({"target": "e1", "nonsense": 1}),
            "nonsense",
        ),
        ("browser_wait_for", json!({"time": "soon"}), "time"),
        ("browser_batch", json!({"steps": "none"}), "steps"),
        (
            "session_close",
            json!({"session": "somebody-elses"}),
            "somebody-elses",
        ),
        (
            "browser_snapshot",
            json!({"session": "somebody-elses"}),
            "somebody-elses",
        ),
    ] {
        let said = mcp.fails(tool, args.clone());
        assert!(said.contains(word), "{tool} {args}: {said}");
    }
    for method in ["no/such/method", "prompts/get", "logging/setLevel"] {
        let answer = mcp.request(method, json!({}));
        assert!(answer["error"]["code"].is_number(), "{method}: {answer}");
    }
    mcp.at("<p>still here</p>");
    assert!(mcp.snapshot().contains("still here"));
}
