//! Who is let in, and what is spoken behind each door.

use crate::served::{Gateway, run};
use crate::support::{Folder, Stand, dragoman};
use serde_json::json;

#[test]
fn whoever_has_a_token_is_let_in() {
    let gateway = Gateway::start("gate");
    let good = format!("Bearer {}", gateway.token);
    let ours = format!("http://{}", gateway.at);
    let offered = format!("dragoman.v1, tok.{}", gateway.token);
    let port = gateway.at.rsplit(':').next().unwrap().to_owned();
    let by_name = format!("LOCALHOST:{port}");
    for path in ["/native", "/action", "/ux", "/command"] {
        let check = |headers: &[(&str, &str)]| {
            assert_eq!(gateway.status(path, headers), 101, "{path} {headers:?}");
        };
        check(&[("Authorization", &good)]);
        check(&[("Authorization", &good), ("Origin", &ours)]);
        check(&[("Authorization", &good), ("Host", &by_name)]);
        check(&[("Sec-WebSocket-Protocol", &offered)]);
    }
    assert_eq!(gateway.get("/health", &gateway.token).body, "ok\n");
    assert_eq!(gateway.get("/nothing", &gateway.token).status, 404);
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

        let mut agent = gateway.connect(&format!("/ux?url={}/", stand.url)).await;
        let click = json!({"type": "action", "requestId": "a", "target": "button:press", "action": "click"});
        agent.send(&click).await;
        let told = agent.next().await;
        assert_eq!(told["success"], true, "{told}");
        let found =
            json!({"type": "getElements", "requestId": "b", "filter": {"type": ["button"]}});
        agent.send(&found).await;
        assert_eq!(
            agent.next().await["elements"][0]["semanticId"],
            "button:pressed"
        );
        // Nobody said where files may be looked for.
        let search = json!({"type": "fileSearch", "requestId": "c", "query": "*"});
        agent.send(&search).await;
        assert_eq!(agent.next().await["code"], "FILE_REFUSED");

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
