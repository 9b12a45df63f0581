//! `action/1` without a browser: the document's messages, whole conversations, and any text at all.

#![allow(clippy::unwrap_used)]

use dragoman_dialects::action::{Act, Conversation, FromBackend, ToBackend, schemas};
use dragoman_model::*;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::time::Duration;

struct Stage {
    talk: Conversation,
    now: Duration,
    page: Vec<Node>,
    outside: u64,
    asked: Vec<Command>,
    fault: Option<Fault>,
}

impl Stage {
    fn new(page: Vec<Node>) -> (Self, Vec<Value>) {
        let mut stage = Self {
            talk: Conversation::new("test"),
            now: Duration::ZERO,
            page,
            outside: 3,
            asked: Vec::new(),
            fault: None,
        };
        let acts = stage.talk.start(stage.now, None);
        let sent = stage.play(acts);
        (stage, sent)
    }

    fn send(&mut self, message: &Value) -> Vec<Value> {
        self.text(&message.to_string())
    }

    fn text(&mut self, text: &str) -> Vec<Value> {
        let acts = self.talk.message(self.now, text);
        self.play(acts)
    }

    fn changed(&mut self) -> Vec<Value> {
        let event = SurfaceEvent::Changed {
            tab: TabId(1),
            since: SnapshotId(1),
        };
        let acts = self.talk.event(self.now, &event);
        self.play(acts)
    }

    fn wait(&mut self, ms: u64) -> Vec<Value> {
        self.now += Duration::from_millis(ms);
        let acts = self.talk.tick(self.now);
        self.play(acts)
    }

    fn play(&mut self, acts: Vec<Act>) -> Vec<Value> {
        let mut sent = Vec::new();
        for act in acts {
            match act {
                Act::Send(message) => sent.push(serde_json::to_value(message).unwrap()),
                Act::Submit(request) => {
                    let outcome = self.outcome(&request);
                    let acts = self.talk.outcome(self.now, &request.id.unwrap(), outcome);
                    sent.extend(self.play(acts));
                }
            }
        }
        sent
    }

    fn outcome(&mut self, request: &Request) -> Outcome {
        let done = |reply: Reply| Outcome::Done(reply.into());
        match &request.command {
            Command::Subscribe(_) => done(Reply::Nothing),
            Command::TakeSnapshot(_) => done(Reply::Snapshot(Box::new(Snapshot {
                id: SnapshotId(1),
                tab: TabId(1),
                url: "https://example.com/".into(),
                title: "Example".into(),
                viewport: Viewport::default(),
                focus: None,
                dialog: None,
                outside: self.outside,
                omitted: 0,
                prompt: None,
                nodes: self.page.clone(),
            }))),
            // The hands know which numbers were never given to anything.
            Command::Click(c) if matches!(c.target, Target::Ref(Ref(n)) if n > 3) => {
                Outcome::failed(Fault::new(Code::UnknownRef, "There is no such element"))
            }
            other => {
                self.asked.push(other.clone());
                match self.fault.take() {
                    Some(fault) => Outcome::failed(fault),
                    None => done(Reply::Nothing),
                }
            }
        }
    }
}

fn button(r#ref: u64, name: &str) -> Node {
    Node {
        r#ref: Some(Ref(r#ref)),
        tag: "button".into(),
        role: "button".into(),
        name: name.into(),
        interactive: true,
        in_view: true,
        bounds: Some(Bounds {
            x: 100.0,
            y: 200.0,
            width: 80.0,
            height: 30.5,
        }),
        ..Node::default()
    }
}

fn click(id: u64) -> Value {
    json!({"type": "ActionCommand", "data": {"type": "click_element", "ref": id}})
}

/// The transcript in `conformance/action`; with `BLESS=1` the answers are written anew.
#[test]
fn vectors() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../conformance/action/executor.txt");
    let old = std::fs::read_to_string(&path).unwrap();
    let mut new = String::new();
    let mut stage: Option<Stage> = None;
    let is_answer = |line: &&str| line.starts_with("==") || line.starts_with("<<");
    for line in old.lines().filter(|line| !is_answer(line)) {
        new += &format!("{line}\n");
        let sent = match (line.get(..2), &mut stage) {
            (Some("++"), _) => {
                let field = Node {
                    tag: "input".into(),
                    role: "textbox".into(),
                    ..button(2, "Name")
                };
                let (begun, sent) = Stage::new(vec![button(1, "Login"), field]);
                stage = Some(begun);
                sent
            }
            (Some(">>"), Some(stage)) => stage.text(line[2..].trim()),
            _ => continue,
        };
        for asked in stage.iter_mut().flat_map(|stage| stage.asked.drain(..)) {
            new += &format!("== {}\n", serde_json::to_string(&asked).unwrap());
        }
        for sent in sent {
            new += &format!("<< {sent}\n");
        }
    }
    if std::env::var_os("BLESS").is_some() {
        return std::fs::write(&path, new).unwrap();
    }
    assert_eq!(new, old);
}

#[test]
fn the_document_s_flow() {
    let (mut stage, sent) = Stage::new(vec![button(1, "Login")]);
    let tree = json!([{"id": 1, "role": "button", "name": "Login", "tag": "BUTTON",
        "bounds": {"x": 100, "y": 200, "width": 80, "height": 30.5}}]);
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0]["type"], "Snapshot");
    assert_eq!(sent[0]["data"]["tree"], tree);
    assert_eq!(sent[0]["data"]["outside_viewport"], 3);
    let sent = stage.send(&click(1));
    let want =
        json!({"type": "ActionResult", "data": {"success": true, "error": null, "data": {}}});
    assert_eq!(sent, [want]);
    assert!(matches!(&stage.asked[0], Command::Click(c) if c.target == Target::Ref(Ref(1))));
}

#[test]
fn every_command_in_every_envelope() {
    let (mut stage, _) = Stage::new(vec![button(1, "Login")]);
    let commands = [
        (
            json!({"type": "navigate_to", "url": "https://example.com"}),
            "navigate",
        ),
        (json!({"type": "click_element", "ref": 1}), "click"),
        (
            json!({"type": "type_text", "ref": 1, "text": "Hello World"}),
            "replace_text",
        ),
        (json!({"type": "scroll_to", "x": 0, "y": 500}), "scroll_to"),
        (
            json!({"type": "get_page_content", "max_length": 10}),
            "text",
        ),
    ];
    for (command, name) in commands {
        for (message, id) in [
            (
                json!({"type": "ActionCommand", "data": command}),
                Value::Null,
            ),
            (
                json!({"type": "ActionCommand", "data": command, "request_id": 7}),
                json!(7),
            ),
            (
                json!({"type": "action_request", "request_id": "r-1", "command": command}),
                json!("r-1"),
            ),
            (command.clone(), Value::Null),
        ] {
            stage.asked.clear();
            let sent = stage.send(&message);
            assert_eq!(stage.asked[0].name(), name, "{message}");
            assert_eq!(sent[0]["data"]["success"], true, "{message}");
            assert_eq!(sent[0]["request_id"], id, "{message}");
        }
    }
    let listed = stage.send(&json!({"type": "get_interactive_elements", "limit": 0}));
    assert_eq!(listed[0]["data"]["data"]["omitted"], 1);
    assert_eq!(
        stage.send(&json!({"type": "Ping"})),
        [json!({"type": "Pong"})]
    );
}

#[test]
fn a_snapshot_is_pushed_when_it_differs_and_ids_stay_with_their_nodes() {
    let (mut stage, _) = Stage::new(vec![button(1, "One"), button(2, "Two")]);
    stage.now += Duration::from_secs(1);
    assert_eq!(stage.changed(), Vec::<Value>::new());
    stage.page = vec![button(3, "Three"), button(2, "Two")];
    assert_eq!(
        stage.changed(),
        Vec::<Value>::new(),
        "it was looked at just now"
    );
    let sent = stage.wait(100);
    let ids: Vec<_> = sent[0]["data"]["tree"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["id"].clone())
        .collect();
    assert_eq!(ids, [3, 2]);
    let gone = stage.send(&click(1));
    assert!(
        matches!(&stage.asked[0], Command::Click(c) if c.target == Target::Ref(Ref(1))),
        "the hands decide: {gone:?}"
    );
}

#[test]
fn failures_have_all_their_fields_and_the_next_message_works() {
    let (mut stage, _) = Stage::new(vec![button(1, "Login")]);
    stage.fault = Some(Fault::new(Code::Covered, "It is covered"));
    let sent = stage.send(&click(1));
    assert_eq!(sent[0]["data"]["success"], false);
    assert_eq!(sent[0]["data"]["data"]["code"], "covered");
    let deep = "[".repeat(10_000);
    let long = "x".repeat(2 << 20);
    let bad = [
        "",
        "x",
        "[]",
        "{}",
        "{\"type\":7}",
        "{\"type\":\"ActionCommand\"}",
        "{\"type\":\"ActionCommand\",\"data\":1}",
        "{\"type\":\"ActionCommand\",\"data\":{\"type\":\"fly\"}}",
        "{\"type\":\"click_element\"}",
        "{\"type\":\"click_element\",\"ref\":-1}",
        "{\"type\":\"click_element\",\"ref\":99}",
        "{\"type\":\"click_element\",\"ref\":1,\"ref\":2}",
        "{\"type\":\"type_text\",\"ref\":1}",
        "{\"type\":\"scroll_to\",\"x\":\"a\",\"y\":1}",
        "{\"type\":\"Ping\",\"request_id\":{}}",
        "\u{0}",
        &deep,
        &long,
    ];
    for text in bad {
        stage.asked.clear();
        let shown: String = text.chars().take(60).collect();
        let sent = stage.text(text);
        assert_eq!(sent.len(), 1, "{shown}");
        let result = sent[0]["data"].as_object().unwrap();
        assert!(
            !result["success"].as_bool().unwrap() && result["error"].is_string(),
            "{shown}"
        );
        assert!(result.contains_key("data"), "{shown}");
        assert_eq!(stage.asked, [], "{shown}");
        assert_eq!(stage.send(&click(1))[0]["data"]["success"], true, "{shown}");
    }
}

#[test]
fn schemas_describe_what_is_said() {
    let names: Vec<_> = schemas().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), 5);
    let text = "{\"type\":\"ActionCommand\",\"data\":{\"type\":\"click_element\",\"ref\":1}}";
    let message: FromBackend = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&message).unwrap(), text);
    let (_, sent) = Stage::new(vec![button(1, "x")]);
    let read: ToBackend = serde_json::from_value(sent[0].clone()).unwrap();
    assert_eq!(serde_json::to_value(read).unwrap(), sent[0]);
}

proptest! {
    #[test]
    fn any_text_is_answered_once(text in "\\PC{0,80}", name in "\\PC{0,40}") {
        let (mut stage, sent) = Stage::new(vec![button(1, &name)]);
        prop_assert_eq!(&sent[0]["data"]["tree"][0]["name"], &json!(name));
        prop_assert_eq!(stage.text(&text).len(), 1);
        prop_assert_eq!(&stage.send(&click(1))[0]["data"]["success"], &json!(true));
    }
}
