//! `bai/0.4` at the gateway: the assistant proposes on its socket, the person decides on another.

use crate::served::{Gateway, Socket, run};
use crate::support::Stand;
use serde_json::{Value, json};

const PAGE: &str =
    "<title>Form</title><input id=q><button id=a onclick=\"fetch('/a?' + q.value)\">A</button>
    <button id=b onclick=\"fetch('/b')\">B</button>";

/// What the assistant is told next, up to the message that has this in it.
async fn told(chat: &mut Socket, part: &str) -> String {
    loop {
        let frame = chat.next().await;
        let text = frame["text"].as_str().unwrap_or_default().to_owned();
        if text.contains(part) {
            return text;
        }
    }
}

#[test]
fn a_person_edits_one_step_and_deletes_another() {
    let gateway = Gateway::start_with("bai", &["--approve", "writes"], &[]);
    let decides = gateway.new_token("decides", "act,approve");
    let stand = Stand::start(&[("/", PAGE), ("/a", ""), ("/b", "")]);
    run(async {
        let mut person = gateway.connect_as(&decides, "/native?session=team").await;
        let go = json!({"id": 1, "cmd": "navigate", "url": format!("{}/", stand.url)});
        let approve = |number: &Value| json!({"id": format!("a{number}"), "queue": "approve", "number": number});
        person.send(&go).await;
        let mut helper = gateway.connect_as(&decides, "/native?session=team").await;
        let listed = helper.ask(&json!({"id": "l", "queue": "list"})).await;
        helper.ask(&approve(&listed["items"][0]["number"])).await;
        assert_eq!(person.answer(&json!(1)).await["status"], "done");

        let mut chat = gateway.connect("/bai?session=team").await;
        let prompt = chat.next().await["text"].as_str().unwrap().to_owned();
        let confirm = prompt
            .lines()
            .find(|line| line.starts_with("!baisession"))
            .unwrap();
        chat.send(&json!({"role": "assistant", "text": confirm}))
            .await;
        let context = told(&mut chat, "\"n\":\"Form\"").await;
        let context: Value = serde_json::from_str(&context["!baictx ".len()..]).unwrap();
        let act = |number: u32, a: &str, s: &str, x: &str| {
            let object = json!({"v": 1, "t": context["t"], "a": a, "s": s, "x": x});
            format!("!baiact{number:06} {object}")
        };
        let lines = [
            act(1, "TYPE", "#q", "tea"),
            act(2, "TYPE", "#q", "pto"),
            act(3, "CLICK", "#b", ""),
            act(4, "CLICK", "#a", ""),
        ];
        chat.send(&json!({"role": "assistant", "text": lines.join("\n")}))
            .await;
        told(&mut chat, "000004 CLICK waits for the person").await;

        // The assistant's own connection decides nothing.
        chat.send(&json!({"role": "person", "do": "approve"})).await;
        let listed = person
            .ask(&json!({"id": "l", "queue": "list", "limit": 0}))
            .await;
        let numbers: Vec<&Value> = listed["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| &item["number"])
            .collect();
        assert_eq!(numbers.len(), 4, "{listed}");
        let edited = json!({"cmd": "insert_text", "text": "pot", "target": {"css": "#q"}});
        person
            .ask(&json!({"id": "e", "queue": "replace", "number": numbers[1], "command": edited}))
            .await;
        person
            .ask(&json!({"id": "d", "queue": "cancel", "number": numbers[2]}))
            .await;
        let said = told(&mut chat, "del").await;
        for number in [numbers[0], numbers[1], numbers[3]] {
            person.ask(&approve(number)).await;
        }
        let last = told(&mut chat, "000004 CLICK: done").await;
        let all = format!("{said}\n{last}");
        assert!(
            all.contains("!baiact000002upd001 {") && all.contains("\"x\":\"pot\""),
            "{all}"
        );
        assert!(all.lines().any(|line| line == "!baiact000003del"), "{all}");
        let came = stand.came();
        assert!(
            came.iter().any(|line| line.contains("/a?teapot")),
            "{came:?}"
        );
        assert!(!came.iter().any(|line| line.contains("/b")), "{came:?}");
    });
}
