//! Whoever should not come in, at every door, before anything else happens.

use crate::served::{Gateway, run};
use crate::support::{Pipe, Stand};
use dragoman::gateway::ROUTES;
use serde_json::json;

/// Every door there is, and some that are none.
fn doors() -> Vec<String> {
    let ours = ROUTES.iter().map(|route| route.replace("{name}", "team"));
    let others = [
        "/",
        "/nothing",
        "/mcp/x",
        "/health/",
        "//native",
        "/.env",
        "/%2e%2e/native",
    ];
    ours.chain(others.map(str::to_owned)).collect()
}

/// What is refused, in one request: refused as a socket and as a page, and told no reason.
fn refused(gateway: &Gateway, path: &str, headers: &[(&str, &str)], want: u16) {
    assert_eq!(gateway.status(path, headers), want, "{path} {headers:?}");
    for method in ["GET", "POST", "DELETE", "OPTIONS"] {
        let answer = gateway.ask(method, path, headers);
        assert_eq!(answer.status, want, "{method} {path} {headers:?}");
        assert_eq!(answer.body, "", "{method} {path} {headers:?}");
    }
}

#[test]
fn every_door_is_shut_to_those_who_should_not_come_in() {
    let gateway = Gateway::start("every-door");
    let good = format!("Bearer {}", gateway.token);
    let port = gateway.at.rsplit(':').next().unwrap().to_owned();
    let rebound = format!("rebound.example:{port}");
    let lookalike = format!("127.0.0.1.evil.example:{port}");
    let offered = format!("dragoman.v1, tok.{}", gateway.token);
    let in_address = format!("?token={0}&access_token={0}", gateway.token);
    for path in doors() {
        let check = |headers: &[(&str, &str)], want| refused(&gateway, &path, headers, want);
        for origin in [
            "http://evil.example",
            "null",
            "file://",
            "http://127.0.0.1:1",
            "",
        ] {
            check(&[("Authorization", &good), ("Origin", origin)], 403);
            check(
                &[("Sec-WebSocket-Protocol", &offered), ("Origin", origin)],
                403,
            );
        }
        let twice = [
            ("Authorization", &*good),
            ("Origin", "null"),
            ("Origin", "null"),
        ];
        check(&twice, 403);
        for host in [
            &*rebound,
            &lookalike,
            "127.0.0.1",
            "localhost",
            "evil.example",
            "",
        ] {
            check(&[("Authorization", &good), ("Host", host)], 403);
        }
        check(&[], 401);
        check(&[("Authorization", "Bearer ")], 401);
        check(&[("Authorization", "Basic dGVzdDp0ZXN0")], 401);
        check(&[("Authorization", &good[..good.len() - 1])], 401);
        check(&[("Authorization", &good), ("Authorization", &good)], 401);
        check(&[("Cookie", &format!("token={}", gateway.token))], 401);
        refused(&gateway, &format!("{path}{in_address}"), &[], 401);
    }
}

#[test]
fn a_token_that_was_revoked_or_is_for_something_else_opens_nothing() {
    let gateway = Gateway::start("wrong-token");
    let bearer = |token: &str| format!("Bearer {token}");
    let looks = bearer(&gateway.new_token("looks", "observe"));
    let decides = bearer(&gateway.new_token("decides", "approve"));
    let acts = bearer(&gateway.token);
    let status = |path: &str, token: &str| gateway.status(path, &[("Authorization", token)]);
    for route in ROUTES {
        let path = route.replace("{name}", "team");
        let (watching, deciding, acting) = match *route {
            "/health" | "/status" | "/metrics" | "/executors" => (200, 200, 200),
            // No WebSocket is to be had there, whoever asks for one.
            "/mcp" => (403, 403, 406),
            // Asked for by the wrong method here; the scope is tried below.
            "/sessions/{name}" => (405, 405, 405),
            _ => (403, 403, 101),
        };
        assert_eq!(status(&path, &looks), watching, "{path} observe");
        assert_eq!(status(&path, &decides), deciding, "{path} approve");
        assert_eq!(status(&path, &acts), acting, "{path} act");
    }
    for token in [&looks, &decides, &acts] {
        let asked = gateway.ask("DELETE", "/sessions/team", &[("Authorization", token)]);
        assert_eq!((asked.status, &*asked.body), (403, ""));
    }
    gateway.revoke("test");
    for path in doors() {
        refused(&gateway, &path, &[("Authorization", &acts)], 401);
    }
    assert_eq!(
        status("/health", &looks),
        200,
        "the others are as they were"
    );
}

/// A page that even knows the token tries every door, by fetch and by WebSocket.
#[test]
fn a_page_in_a_browser_comes_in_by_no_door() {
    let gateway = Gateway::start("page-tries");
    let paths = serde_json::to_string(&doors()).unwrap();
    let page = format!(
        "<script>(async () => {{
          const at = '{at}', token = '{token}', got = [];
          for (const path of {paths}) {{
            for (const how of [
              {{}}, {{mode: 'no-cors'}}, {{headers: {{Authorization: 'Bearer ' + token}}}},
              {{method: 'POST', body: 'x', mode: 'no-cors'}},
            ]) try {{
              const answer = await fetch('http://' + at + path, how);
              if (answer.type !== 'opaque') got.push('read ' + path);
            }} catch {{}}
            await new Promise(done => {{
              const socket = new WebSocket('ws://' + at + path, ['dragoman.v1', 'tok.' + token]);
              socket.onopen = () => {{ got.push('opened ' + path); done(); }};
              socket.onerror = done;
            }});
          }}
          document.title = got.length ? got.join(', ') : 'nothing';
        }})()</script>",
        at = gateway.at,
        token = gateway.token,
    );
    let stand = Stand::start(&[("/", &page)]);
    let mut pipe = Pipe::start(&["--journal", ":memory:", "--url", &format!("{}/", stand.url)]);
    let waited =
        pipe.ask(&json!({"id": 1, "cmd": "wait", "until": {"not": {"title": {"equals": ""}}}}));
    assert_eq!(waited["status"], "done", "{waited}");
    let title = pipe.ask(&json!({"id": 2, "cmd": "evaluate", "script": "document.title"}));
    assert_eq!(title["reply"]["value"], "nothing", "{title}");
    let status = gateway.get("/status", &gateway.token);
    let status: serde_json::Value = serde_json::from_str(&status.body).unwrap();
    let tried = doors().len() as u64;
    assert!(
        status["refused"]["origin"].as_u64().unwrap() >= tried * 2,
        "{status}"
    );
    assert_eq!(status["sessions"], json!([]));
    // The door is there for whoever may come in.
    run(async {
        assert_eq!(
            gateway.connect("/native").await.next().await["type"],
            "hello"
        );
    });
}
