//! Prompts on a gateway, for agents that come by WebSocket.

use crate::served::Gateway;
use crate::support::socket::{Socket, run};
use serde_json::{Value, json};

const FRUIT: &str =
    r#"[{"type":"arg","id":"1","choices":["apple","banana"]},{"type":"confirm","id":"2"}]"#;

/// As it stands in an address.
fn coded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

async fn ux(socket: &mut Socket, mut message: Value) -> Value {
    message["requestId"] = "r".into();
    socket.send(&message).await;
    socket.next().await
}

#[test]
fn an_agent_opens_a_session_of_prompts() {
    run(async {
        let gateway = Gateway::start("gateway-prompts");
        let path = format!("/ux?session=desk&surface=prompt&ask={}", coded(FRUIT));
        let mut agent = gateway.connect(&path).await;
        let state = ux(&mut agent, json!({"type": "getState"})).await;
        assert_eq!(state["state"]["promptType"], "arg", "{state}");
        // Another one, in another language, sees the same prompt, and may act.
        let mut other = gateway.connect("/native?session=desk").await;
        let typed = json!({"id": 1, "cmd": "type", "text": "ban"});
        assert_eq!(other.ask(&typed).await["status"], "done");
        let done = ux(&mut agent, json!({"type": "submit"})).await;
        assert_eq!(done["value"], "banana", "{done}");
        let next = json!({"type": "waitFor", "condition": {"type": "stateMatch", "state": {"promptId": "2"}}});
        assert_eq!(ux(&mut agent, next).await["success"], true);
        // Who comes later may ask more.
        let more = coded(r#"{"type":"arg","id":"3"}"#);
        let path = format!("/ux?session=desk&surface=prompt&ask={more}");
        let mut later = gateway.connect(&path).await;
        let _ = ux(&mut later, json!({"type": "submit"})).await;
        let next = json!({"type": "waitFor", "condition": {"type": "stateMatch", "state": {"promptId": "3"}}});
        assert_eq!(ux(&mut agent, next).await["success"], true);
    });
}

#[test]
fn who_may_not_ask_or_asks_what_cannot_be() {
    run(async {
        let gateway = Gateway::start("gateway-prompts-refused");
        let looks = gateway.new_token("looks", "observe");
        let ask = |query: &str, token: &str| {
            let bearer = format!("Bearer {token}");
            gateway.status(&format!("/ux?{query}"), &[("Authorization", &bearer)])
        };
        let own = |query: &str| ask(query, &gateway.token);
        assert_eq!(ask("session=a&surface=prompt", &looks), 403);
        assert_eq!(own("surface=carpet"), 400);
        assert_eq!(own("ask=%7B%7D"), 400);
        assert_eq!(own("surface=prompt&ask=%7B%7D"), 400);
        for kind in ["term", "path"] {
            let asked = coded(&format!(r#"{{"type":"{kind}"}}"#));
            assert_eq!(own(&format!("surface=prompt&ask={asked}")), 400, "{kind}");
        }
        // A session keeps its surface.
        let mut browses = gateway.connect("/native?session=b").await;
        let hello = browses.next().await;
        assert_eq!(hello["type"], "hello");
        let open = json!({"id": 1, "cmd": "wait", "ms": 1});
        assert_eq!(browses.ask(&open).await["status"], "done");
        assert_eq!(own("session=b&surface=prompt"), 409);
        // A session that was closed is over, with what would have been asked next; then it may be opened otherwise.
        let path = format!("/ux?session=c&surface=prompt&ask={}", coded(FRUIT));
        let mut agent = gateway.connect(&path).await;
        let state = ux(&mut agent, json!({"type": "getState"})).await;
        assert_eq!(state["state"]["promptId"], "1", "{state}");
        let admin = format!("Bearer {}", gateway.new_token("admin", "admin"));
        let closed = gateway.ask("DELETE", "/sessions/c", &[("Authorization", &admin)]);
        assert_eq!(closed.status, 204, "{closed:?}");
        assert!(agent.end().await.is_some());
        let mut again = gateway.connect("/ux?session=c&surface=prompt").await;
        let state = ux(&mut again, json!({"type": "getState"})).await;
        assert_eq!(state["state"]["promptType"], "none", "{state}");
        // One of their own ends with them.
        let mut agent = gateway.connect("/ux?surface=prompt").await;
        let state = ux(&mut agent, json!({"type": "getState"})).await;
        assert_eq!(state["state"]["promptType"], "none", "{state}");
    });
}
