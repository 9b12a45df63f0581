//! Clients by HTTP: who is let in, and that each has a browser to itself.

use crate::client::{Answer, Http, Mcp, VERSION, hello};
use crate::served::Gateway;
use crate::support::dragoman;
use serde_json::{Value, json};

#[test]
fn the_gate_comes_first() {
    let gateway = Gateway::start("mcp-gate");
    let (act, observe) = (
        gateway.new_token("act", "act"),
        gateway.new_token("observe", "observe"),
    );
    let status = |token: Option<&str>, header: Option<(&str, &str)>| {
        let mut http = Http::new(&gateway.at, token);
        http.headers
            .extend(header.map(|(name, value)| (name.to_owned(), value.to_owned())));
        http.request("initialize", hello(VERSION)).status
    };
    assert_eq!(status(None, None), 401);
    assert_eq!(status(Some("drg_nonsense"), None), 401);
    assert_eq!(status(Some(&observe), None), 403);
    assert_eq!(status(Some(&act), None), 200);
    assert_eq!(
        status(Some(&act), Some(("Origin", "https://evil.example"))),
        403
    );
    assert_eq!(status(Some(&act), Some(("Host", "evil.example"))), 403);
    let http = Http::new(&gateway.at, Some(&act));
    for (method, body) in [
        ("POST", "{"),
        ("POST", "nonsense"),
        ("PUT", "{}"),
        ("GET", ""),
    ] {
        let status = http.send(method, body).status;
        assert!((400..500).contains(&status), "{method} {body}: {status}");
    }
}

#[test]
fn without_a_token_only_where_that_was_said() {
    let gateway = Gateway::start_with("mcp-open", &["--no-auth"], &[]);
    let mut http = Http::new(&gateway.at, None);
    assert_eq!(http.request("initialize", hello(VERSION)).status, 200);
    let mut wrong = Http::new(&gateway.at, Some("drg_nonsense"));
    assert_eq!(wrong.request("initialize", hello(VERSION)).status, 401);
    let refused = dragoman()
        .args([
            "serve",
            "--port",
            "0",
            "--bind",
            "0.0.0.0",
            "--unencrypted",
            "--no-auth",
        ])
        .env("DRAGOMAN_TOKENS", gateway.folder.path("tokens.json"))
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
}

#[test]
fn clients_never_share_a_tab() {
    let gateway = Gateway::start("mcp-apart");
    let token = gateway.token.clone();
    let page = |name: &str| format!("data:text/html,<title>{name}</title><button>{name}</button>");
    let mut clients: Vec<Http> = (0..3)
        .map(|_| Http::open(&gateway.at, Some(&token)))
        .collect();
    for (n, client) in clients.iter_mut().enumerate() {
        client.call(
            "browser_navigate",
            json!({"url": page(&format!("number-{n}"))}),
        );
    }
    for (n, client) in clients.iter_mut().enumerate() {
        let seen = client.call("browser_snapshot", json!({})).text;
        for other in 0..3 {
            assert_eq!(
                seen.contains(&format!("number-{other}")),
                other == n,
                "{seen}"
            );
        }
        let tabs = client.call("browser_tabs", json!({"action": "list"})).text;
        assert_eq!(
            tabs.matches("number-").count(),
            tabs.matches(&format!("number-{n}")).count()
        );
    }
    // A session by the name of another client's is not theirs.
    let listed = clients[0].call("session_list", json!({}));
    let own = session_in(&listed);
    let refused = clients[1].call("browser_snapshot", json!({"session": own}));
    assert!(refused.failed, "{}", refused.text);
    // Nor is the protocol's own session anybody else's.
    let thief = gateway.new_token("thief", "act");
    let mut stolen = Http::new(&gateway.at, Some(&thief));
    stolen.headers.extend(clients[0].headers[1..].to_vec());
    assert_eq!(stolen.request("tools/list", json!({})).status, 404);
    assert_eq!(stolen.send("DELETE", "").status, 404);
    // One goes, the others stay.
    let gone = clients.remove(0);
    assert!(gone.send("DELETE", "").status < 300);
    for client in &mut clients {
        assert!(!client.call("browser_snapshot", json!({})).failed);
    }
}

fn session_in(answer: &Answer) -> String {
    let start = answer.text.find("mcp-").expect(&answer.text);
    let rest = &answer.text[start..];
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    rest[..end.unwrap_or(rest.len())].to_owned()
}

#[test]
fn sessions_of_one_client_are_apart() {
    let mut mcp = Mcp::start(&[]);
    mcp.at("<title>own</title><p>own page</p>");
    let opened = mcp.call("session_open", json!({}));
    let other = session_in(&opened);
    let page = "data:text/html,<title>other</title><p>other page</p>";
    mcp.call("browser_navigate", json!({"url": page, "session": other}));
    assert!(mcp.snapshot().contains("own page"));
    let seen = mcp.call("browser_snapshot", json!({"session": other})).text;
    assert!(
        seen.contains("other page") && !seen.contains("own page"),
        "{seen}"
    );
    mcp.call("session_close", json!({"session": other}));
    let said = mcp.fails("browser_snapshot", json!({"session": other}));
    assert!(said.contains(&other), "{said}");
    // Its own, closed, is followed by a new one.
    let own = session_in(&mcp.call("session_list", json!({})));
    mcp.call("session_close", json!({"session": own}));
    assert!(!mcp.snapshot().contains("own page"));
}

/// 2026-07-28: no session in the protocol, so a client opens them by a tool.
#[test]
fn a_version_without_sessions_names_them() {
    let gateway = Gateway::start("mcp-stateless");
    let token = gateway.token.clone();
    let call = |http: &mut Http, tool: &str, args: Value| {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({"_meta": meta, "name": tool, "arguments": args});
        http.headers.truncate(1);
        for (name, value) in [
            ("Mcp-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", tool),
        ] {
            http.headers.push((name.into(), value.into()));
        }
        let response = http.request("tools/call", params);
        assert_eq!(response.status, 200, "{tool}: {response:?}");
        assert_eq!(response.session, None);
        Answer::of(response.messages.last().unwrap())
    };
    let mut http = Http::new(&gateway.at, Some(&token));
    let nameless = call(&mut http, "browser_snapshot", json!({}));
    assert!(
        nameless.failed && nameless.text.contains("session_open"),
        "{}",
        nameless.text
    );
    let one = session_in(&call(&mut http, "session_open", json!({})));
    let two = session_in(&call(&mut http, "session_open", json!({})));
    let go = |session: &str| json!({"session": session, "url": format!("data:text/html,<p>in {session}")});
    for session in [&one, &two] {
        assert!(!call(&mut http, "browser_navigate", go(session)).failed);
    }
    for session in [&one, &two] {
        let seen = call(&mut http, "browser_snapshot", json!({"session": session}));
        assert!(
            seen.text.contains(&format!("in {session}")),
            "{}",
            seen.text
        );
    }
    let other = gateway.new_token("other", "act");
    let mut stranger = Http::new(&gateway.at, Some(&other));
    let refused = call(&mut stranger, "browser_snapshot", json!({"session": one}));
    assert!(refused.failed, "{}", refused.text);
}
