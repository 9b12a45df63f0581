//! Who is let in, and what is spoken behind each door.

use crate::served::{Gateway, run};
use crate::support::{Folder, Pipe, Stand, dragoman};
use futures_util::SinkExt;
use serde_json::json;
use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;
use tokio_tungstenite::tungstenite::{Bytes, Message};

#[test]
fn nobody_is_let_in_who_should_not_be() {
    let gateway = Gateway::start("gate");
    let good = format!("Bearer {}", gateway.token);
    let only_looks = format!("Bearer {}", gateway.new_token("looks", "observe"));
    let ours = format!("http://{}", gateway.at);
    let port = gateway.at.rsplit(':').next().unwrap().to_owned();
    let rebound = format!("rebound.example:{port}");
    for path in ["/native", "/action", "/command"] {
        let check = |headers: &[(&str, &str)], want: u16| {
            assert_eq!(gateway.status(path, headers), want, "{path} {headers:?}");
        };
        check(&[("Authorization", &good)], 101);
        check(&[("Authorization", &good), ("Origin", &ours)], 101);
        let offered = format!("dragoman.v1, tok.{}", gateway.token);
        check(&[("Sec-WebSocket-Protocol", &offered)], 101);
        check(&[], 401);
        check(&[("Authorization", "Bearer drg_nonsense")], 401);
        check(&[("Authorization", &good[..good.len() - 1])], 401);
        check(&[("Authorization", &gateway.token)], 401);
        check(&[("Authorization", &only_looks)], 403);
        for origin in [
            "http://evil.example",
            "https://evil.example",
            "null",
            "http://127.0.0.1:1",
            "file://",
        ] {
            check(&[("Authorization", &good), ("Origin", origin)], 403);
        }
        check(&[("Authorization", &good), ("Host", &rebound)], 403);
        check(&[("Authorization", &good), ("Host", "127.0.0.1")], 403);
    }
    for path in ["/health", "/nothing", "/"] {
        assert_eq!(gateway.status(path, &[]), 401, "{path}");
        let foreign = [("Authorization", good.as_str()), ("Origin", "null")];
        assert_eq!(gateway.status(path, &foreign), 403, "{path}");
    }
    assert_eq!(
        gateway.status("/health", &[("Authorization", &only_looks)]),
        200
    );
    assert_eq!(gateway.status("/nothing", &[("Authorization", &good)]), 404);
    gateway.revoke("test");
    assert_eq!(
        gateway.status("/native", &[("Authorization", &good)]),
        401,
        "revoked at once"
    );
}

/// A page that even knows the token.
#[test]
fn a_page_in_a_browser_is_not_let_in() {
    let gateway = Gateway::start("page");
    let page = format!(
        "<script>const s = new WebSocket('ws://{}/native', ['dragoman.v1', 'tok.{}']);
         s.onopen = () => document.title = 'let in'; s.onerror = () => document.title = 'refused';</script>",
        gateway.at, gateway.token
    );
    let stand = Stand::start(&[("/", &page)]);
    let mut pipe = Pipe::start(&["--journal", ":memory:", "--url", &format!("{}/", stand.url)]);
    let told = pipe.ask(&json!({"id": 1, "cmd": "wait", "until": {"any": [
        {"title": {"equals": "refused"}}, {"title": {"equals": "let in"}}]}}));
    assert_eq!(told["status"], "done", "{told}");
    let told =
        pipe.ask(&json!({"id": 2, "cmd": "assert", "that": {"title": {"equals": "refused"}}}));
    assert_eq!(told["status"], "done", "{told}");
}

#[test]
fn each_route_speaks_its_language() {
    let gateway = Gateway::start("routes");
    let page = "<title>T</title><button onclick=\"this.textContent='Pressed'\">Press</button>";
    let stand = Stand::start(&[("/", page)]);
    run(async {
        let mut action = gateway
            .connect(&format!("/action?url={}/", stand.url))
            .await;
        let mut told = action.next().await;
        while told["data"]["tree"][0]["name"] != "Press" {
            told = action.next().await;
        }
        action.send(&json!({"type": "ActionCommand", "data": {"type": "click_element", "ref": told["data"]["tree"][0]["id"]}})).await;
        assert_eq!(action.next().await["data"]["success"], true);
        assert_eq!(action.next().await["data"]["tree"][0]["name"], "Pressed");

        let mut chat = gateway
            .connect(&format!("/command?goal=Press%20it&url={}/", stand.url))
            .await;
        let prompt = chat.next().await["text"].as_str().unwrap().to_owned();
        assert!(prompt.contains("Press it"));
        let keyword = prompt.rsplit(' ').next().unwrap().to_owned();
        assert!(
            chat.next().await["text"]
                .as_str()
                .unwrap()
                .contains("<button id=\"1\">Press<")
        );
        let reply = format!("<tool_code>{{\"action\":\"click\",\"id\":1}}</tool_code> {keyword}");
        chat.send(&json!({"role": "assistant", "text": reply}))
            .await;
        assert!(
            chat.next().await["text"]
                .as_str()
                .unwrap()
                .contains("Pressed")
        );

        let mut one = gateway.connect("/native?session=team").await;
        let mut two = gateway.connect("/native?session=team").await;
        assert_eq!(one.next().await["session"], "team");
        assert_eq!(two.next().await["session"], "team");
        two.ask(&json!({"id": "s", "cmd": "subscribe", "events": ["queue"]}))
            .await;
        one.ask(&json!({"id": "a", "cmd": "list_tabs"})).await;
        loop {
            let told = two.next().await;
            if told["type"] == "item"
                && told["item"]["id"] == "a"
                && told["item"]["state"] == "done"
            {
                break;
            }
        }
        // Who goes takes nothing along.
        drop(one);
        assert_eq!(
            two.ask(&json!({"id": "b", "cmd": "list_tabs"})).await["status"],
            "done"
        );
        let mut again = gateway.connect("/native?session=team").await;
        again.next().await;
        let told = again.ask(&json!({"id": "c", "cmd": "list_tabs"})).await;
        assert!(
            told["number"].as_u64().unwrap() >= 4,
            "it is the same session: {told}"
        );
    });
}

#[test]
fn what_is_too_much_or_broken_hurts_nobody_else() {
    let gateway = Gateway::start("rough");
    run(async {
        let mut steady = gateway.connect("/native").await;
        steady.next().await;
        let mut big = gateway.connect("/native").await;
        big.next().await;
        let _ = big.0.send(Message::text("x".repeat(16 << 20))).await;
        big.end().await;
        let mut odd = gateway.connect("/native").await;
        odd.next().await;
        odd.0
            .send(Message::Binary(Bytes::from_static(b"\xff\xfe")))
            .await
            .unwrap();
        assert_eq!(odd.next().await["fault"]["code"], "bad_input");
        odd.0
            .send(Message::text("{\"id\":1,\n\"cmd\":\n\"list_tabs\"}"))
            .await
            .unwrap();
        assert_eq!(odd.next().await["status"], "done", "laid out for people");
        // Half an HTTP request, and a socket that says nothing at all.
        let mut half = TcpStream::connect(&gateway.at).unwrap();
        half.write_all(b"GET /native HTTP/1.1\r\nHost: ").unwrap();
        let mut idle = Vec::new();
        for _ in 0..200 {
            idle.push(gateway.connect("/native").await);
        }
        let began = std::time::Instant::now();
        assert_eq!(
            steady.ask(&json!({"id": 9, "cmd": "list_tabs"})).await["status"],
            "done"
        );
        assert!(began.elapsed() < Duration::from_secs(10));
        assert_eq!(idle[199].next().await["type"], "hello");
    });
}

#[test]
fn it_says_what_is_missing() {
    let folder = Folder::new("no-tokens");
    let none = dragoman()
        .args(["serve", "--port", "0", "--journal", ":memory:"])
        .env("DRAGOMAN_TOKENS", folder.path("tokens.json"))
        .output()
        .unwrap();
    assert_eq!(none.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&none.stderr).contains("dragoman token new"));
    let open = dragoman()
        .args(["serve", "--bind", "0.0.0.0"])
        .output()
        .unwrap();
    assert_eq!(open.status.code(), Some(2));
}
