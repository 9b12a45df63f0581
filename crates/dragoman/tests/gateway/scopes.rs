//! What each scope is good for, once inside.

use crate::served::{Gateway, Socket, run};
use serde_json::{Value, json};

const PAGE: &str = "data:text/html,<title>T</title><button>Press</button>";

fn code(told: &Value) -> &str {
    told["fault"]["code"].as_str().unwrap_or_default()
}

async fn open_page(gateway: &Gateway, token: &str, path: &str) -> Socket {
    let mut socket = gateway.connect_as(token, path).await;
    let told = socket
        .ask(&json!({"id": "go", "cmd": "navigate", "url": PAGE}))
        .await;
    assert_eq!(told["status"], "done", "{told}");
    socket
}

#[test]
fn who_observes_watches_a_session_and_changes_nothing() {
    let gateway = Gateway::start("observe");
    let looks = gateway.new_token("looks", "observe");
    let bearer = format!("Bearer {looks}");
    let alone = |path| gateway.status(path, &[("Authorization", &bearer)]);
    assert_eq!(alone("/native"), 403, "a session of their own is no use");
    assert_eq!(alone("/action"), 403);
    assert_eq!(alone("/command?session=team"), 403);
    run(async {
        let mut nowhere = gateway.connect_as(&looks, "/native?session=team").await;
        assert_eq!(nowhere.end().await, Some(4404), "they open nothing");
        let mut acts = open_page(&gateway, &gateway.token, "/native?session=team").await;
        let mut watches = gateway.connect_as(&looks, "/native?session=team").await;
        let told = watches.ask(&json!({"id": 1, "cmd": "snapshot"})).await;
        assert_eq!(told["status"], "done", "{told}");
        for (id, asked) in (2..).zip([
            json!({"cmd": "evaluate", "script": "document.title = 'mine'"}),
            json!({"cmd": "click", "target": {"css": "button"}}),
            json!({"cmd": "batch", "steps": [{"cmd": "snapshot"}, {"cmd": "reload"}]}),
            json!({"cmd": "wait", "ms": 100_000}),
            json!({"cmd": "get_cookies"}),
            json!({"queue": "pause"}),
            json!({"queue": "approve", "number": 1}),
            json!({"queue": "clear"}),
        ]) {
            let mut asked = asked;
            asked["id"] = id.into();
            let told = watches.ask(&asked).await;
            assert_eq!(code(&told), "not_allowed", "{asked} {told}");
            assert!(!told["fault"]["suggestion"].as_str().unwrap().is_empty());
        }
        let elsewhere = json!({"id": "x", "cmd": "snapshot", "session": "elsewhere"});
        let told = watches.ask(&elsewhere).await;
        assert_eq!(code(&told), "unknown_session", "{told}");
        // What the others do is seen.
        let subscribe = json!({"id": "s", "cmd": "subscribe", "events": ["queue", "navigation"]});
        assert_eq!(watches.ask(&subscribe).await["status"], "done");
        let asked = json!({"id": "a", "cmd": "evaluate", "script": "document.title"});
        assert_eq!(
            acts.ask(&asked).await["reply"]["value"],
            "T",
            "nothing was changed"
        );
        loop {
            let told = watches.next().await;
            if told["item"]["id"] == "a" && told["item"]["state"] == "done" {
                break;
            }
        }
        // The same in a backend's language: pushed snapshots, and a refusal.
        let mut backend = gateway.connect_as(&looks, "/action?session=team").await;
        let mut told = backend.next().await;
        while told["data"]["tree"][0]["name"] != "Press" {
            told = backend.next().await;
        }
        let id = &told["data"]["tree"][0]["id"];
        let click = json!({"type": "click_element", "ref": id});
        backend
            .send(&json!({"type": "ActionCommand", "data": click}))
            .await;
        let told = backend.next().await;
        assert_eq!(told["data"]["success"], false, "{told}");
    });
}

#[test]
fn a_person_decides_and_that_is_never_who_asked() {
    let gateway = Gateway::start_with("approve", &["--approve", "writes"], &[]);
    let decides = gateway.new_token("decides", "approve");
    let both = gateway.new_token("both", "act,approve");
    let admin = gateway.new_token("admin", "admin");
    run(async {
        let write = |id: &str| json!({"id": id, "cmd": "evaluate", "script": "1 + 1"});
        let approve =
            |id: &str, number: &Value| json!({"id": id, "queue": "approve", "number": number});
        let mut asks = gateway.connect("/native?session=team").await;
        let mut person = gateway.connect_as(&decides, "/native?session=team").await;
        let mut two_hats = gateway.connect_as(&both, "/native?session=team").await;
        let mut root = gateway.connect_as(&admin, "/native?session=team").await;
        for socket in [&mut asks, &mut person, &mut two_hats, &mut root] {
            assert_eq!(socket.next().await["type"], "hello");
        }
        asks.send(&write("w")).await;
        let accepted = asks.next().await;
        assert_eq!(accepted["state"], "proposed", "{accepted}");
        let number = accepted["number"].clone();
        for queue in ["resume", "step"] {
            let told = asks.ask(&json!({"id": queue, "queue": queue})).await;
            assert_eq!(code(&told), "not_allowed", "{told}");
        }
        assert_eq!(code(&asks.ask(&approve("a", &number)).await), "not_allowed");
        assert_eq!(code(&person.ask(&write("p")).await), "not_allowed");
        // Edited by a person, then approved; the answer goes to who asked.
        let edit = json!({"id": "e", "queue": "replace", "number": number,
            "command": {"cmd": "evaluate", "script": "2 + 2"}});
        assert_eq!(person.ask(&edit).await["type"], "controlled");
        assert_eq!(
            person.ask(&approve("b", &number)).await["type"],
            "controlled"
        );
        let told = asks.answer(&json!("w")).await;
        assert_eq!(told["reply"]["value"], 4, "{told}");
        // Not even with all scopes: it takes a second connection.
        for (hat, socket) in [("two", &mut two_hats), ("root", &mut root)] {
            socket.send(&write(hat)).await;
            let number = socket.next().await["number"].clone();
            let told = socket.ask(&approve("c", &number)).await;
            assert_eq!(code(&told), "not_allowed", "{told}");
            assert_eq!(
                person.ask(&approve("d", &number)).await["type"],
                "controlled"
            );
            assert_eq!(socket.answer(&json!(hat)).await["status"], "done");
        }
    });
}

#[test]
fn an_admin_closes_sessions() {
    let gateway = Gateway::start("close");
    let admin = gateway.new_token("admin", "admin");
    let close = |token: &str, path: &str| {
        let bearer = format!("Bearer {token}");
        gateway
            .ask("DELETE", path, &[("Authorization", &bearer)])
            .status
    };
    run(async {
        let mut one = gateway.connect("/native?session=team").await;
        let mut two = gateway.connect("/native?session=team").await;
        let mut other = gateway.connect("/native?session=other").await;
        one.send(&json!({"id": 1, "cmd": "wait", "ms": 100_000}))
            .await;
        let listed = one.ask(&json!({"id": 2, "queue": "list"})).await;
        assert_eq!(listed["items"][0]["state"], "running", "{listed}");
        other.next().await;
        assert_eq!(close(&gateway.token, "/sessions/team"), 403);
        assert_eq!(close(&admin, "/sessions/nobody"), 404);
        assert_eq!(close(&admin, "/sessions/..%2f"), 404);
        assert_eq!(close(&admin, "/sessions/team"), 204);
        let told = one.answer(&json!(1)).await;
        assert_eq!(code(&told), "cancelled", "{told}");
        assert_eq!(one.end().await, Some(4410));
        assert_eq!(two.end().await, Some(4410));
        let told = other.ask(&json!({"id": 1, "cmd": "list_tabs"})).await;
        assert_eq!(told["status"], "done");
        let mut again = gateway.connect("/native?session=team").await;
        assert_eq!(again.next().await["session"], "team");
    });
}
