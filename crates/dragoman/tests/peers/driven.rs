//! Every dialect drives an executor, from its name to its end.

use crate::python::Peer;
use crate::served::{Gateway, Socket, run};
use crate::support::{Stand, descendants};
use serde_json::{Value, json};

/// What the executor lists, by name.
pub async fn refs(native: &mut Socket, id: &str) -> Vec<(String, u64)> {
    let told = native.ask(&json!({"id": id, "cmd": "snapshot"})).await;
    assert_eq!(told["status"], "done", "{told}");
    let nodes = told["reply"]["snapshot"]["nodes"].as_array().unwrap();
    let named = |node: &Value| Some((node["name"].as_str()?.to_owned(), node["ref"].as_u64()?));
    nodes.iter().filter_map(named).collect()
}

pub async fn ref_of(native: &mut Socket, id: &str, name: &str) -> u64 {
    let all = refs(native, id).await;
    let found = all.iter().find(|(its, _)| its == name);
    found.unwrap_or_else(|| panic!("{name} in {all:?}")).1
}

/// What is told next, other than what is not waited for.
async fn next_of(socket: &mut Socket, kind: &str) -> Value {
    loop {
        let told = socket.next().await;
        if told["type"] == kind {
            return told;
        }
    }
}

#[test]
fn a_native_client_drives_it() {
    for flags in [
        &[][..],
        &["--echo", "--queries"],
        &["--echo", "--queries", "--silent"],
    ] {
        let gateway = Gateway::start(&format!("driven-{}", flags.len()));
        let peer = Peer::executor(&gateway, "/action/executor?session=shop", flags);
        run(async {
            let mut native = gateway.connect("/native?session=shop").await;
            let save = ref_of(&mut native, "s1", "Save").await;
            let name = ref_of(&mut native, "s2", "Name").await;
            let click = json!({"id": "c", "cmd": "click", "target": save});
            let told = native.ask(&click).await;
            assert_eq!(told["status"], "done", "{flags:?} {told}");
            assert_eq!(told["receipt"]["hit"]["name"], "Save", "{told}");
            assert_eq!(peer.next("clicked"), "Save");
            let by_role = json!({"role": {"role": "button", "name": "save"}});
            let told = native
                .ask(&json!({"id": "c2", "cmd": "click", "target": by_role}))
                .await;
            assert_eq!(told["status"], "done", "{told}");
            assert_eq!(peer.next("clicked"), "Save");
            let replace = json!({"id": "t", "cmd": "replace_text", "target": name, "text": "Ada"});
            let told = native.ask(&replace).await;
            assert_eq!(told["status"], "done", "{told}");
            assert_eq!(peer.next("typed"), json!(["Name", "Ada"]));
            // Typing adds to what is there, which nobody knows; after a clear it is known.
            let typing = |id: &str| json!({"id": id, "cmd": "type", "target": name, "text": "Eve"});
            let told = native.ask(&typing("k1")).await;
            assert_eq!(told["fault"]["code"], "unsupported", "{told}");
            native
                .ask(&json!({"id": "k2", "cmd": "clear", "target": name}))
                .await;
            assert_eq!(peer.next("typed"), json!(["Name", ""]));
            let told = native.ask(&typing("k3")).await;
            assert_eq!(told["status"], "done", "{told}");
            assert_eq!(peer.next("typed"), json!(["Name", "Eve"]));
            native
                .ask(&json!({"id": "y", "cmd": "scroll_to", "x": 0, "y": 500}))
                .await;
            assert_eq!(peer.next("scrolled"), json!([0, 500]));
            let told = native
                .ask(&json!({"id": "n", "cmd": "navigate", "url": "https://example.com/next"}))
                .await;
            assert_eq!(told["receipt"]["effect"], "navigated", "{told}");
            assert_eq!(peer.next("went"), "https://example.com/next");
            let back = ref_of(&mut native, "s3", "Back").await;
            assert!(back > name, "no number is given twice");
            let told = native
                .ask(&json!({"id": "c3", "cmd": "click", "target": save}))
                .await;
            assert_eq!(told["fault"]["code"], "stale_ref", "{told}");
            assert_eq!(peer.so_far("clicked"), Vec::<Value>::new());
        });
        let no_browser = descendants(gateway.pid());
        assert_eq!(no_browser, [], "no browser is started for an executor");
    }
}

#[test]
fn what_it_cannot_do_is_said() {
    let gateway = Gateway::start("unsupported");
    let _peer = Peer::executor(&gateway, "/action/executor?session=shop", &[]);
    run(async {
        let mut native = gateway.connect("/native?session=shop").await;
        let save = ref_of(&mut native, "s", "Save").await;
        let never = [
            json!({"cmd": "hover", "target": save}),
            json!({"cmd": "click", "target": save, "button": "right"}),
            json!({"cmd": "click", "target": save, "count": 2}),
            json!({"cmd": "click", "target": save, "modifiers": ["shift"]}),
            json!({"cmd": "click", "target": {"css": "button"}}),
            json!({"cmd": "press", "keys": "Enter"}),
            json!({"cmd": "type", "text": "x"}),
            json!({"cmd": "screenshot"}),
            json!({"cmd": "evaluate", "script": "1"}),
            json!({"cmd": "open_tab"}),
            json!({"cmd": "scroll_by", "dx": 0, "dy": 10}),
            json!({"cmd": "get_cookies"}),
            json!({"cmd": "text", "target": save}),
            json!({"cmd": "navigate", "url": "https://example.com", "until": "complete"}),
            json!({"cmd": "wait", "until": {"enabled": save}}),
            json!({"cmd": "assert", "that": {"url": {"contains": "x"}}}),
        ];
        for (at, mut command) in never.into_iter().enumerate() {
            command["id"] = json!(at);
            let told = native.ask(&command).await;
            assert_eq!(told["fault"]["code"], "unsupported", "{command} {told}");
            assert_ne!(told["fault"]["suggestion"], "", "{told}");
        }
        // It does not say which fields are for passwords.
        let word = json!({"id": "pw", "cmd": "replace_text", "target": save, "text": "x", "no_password": true});
        assert_eq!(native.ask(&word).await["fault"]["code"], "not_allowed");
        let script = json!({"id": "js", "cmd": "navigate", "url": "javascript:alert(1)"});
        assert_eq!(native.ask(&script).await["fault"]["code"], "bad_argument");
        let told = native.ask(&json!({"id": "tabs", "cmd": "list_tabs"})).await;
        assert_eq!(told["reply"]["tabs"][0]["tab"], 1, "{told}");
    });
}

#[test]
fn conditions_are_judged_by_what_it_lists_and_says() {
    let gateway = Gateway::start("conditions");
    let flags = ["--echo", "--queries", "--address"];
    let mut peer = Peer::executor(&gateway, "/action/executor?session=shop", &flags);
    run(async {
        let mut native = gateway.connect("/native?session=shop").await;
        let check = |id: &str, that: Value| json!({"id": id, "cmd": "assert", "that": that});
        let button = |name: &str| json!({"role": {"role": "button", "name": name}});
        for (at, (that, holds)) in [
            (json!({"visible": button("Save")}), true),
            (json!({"exists": button("Nope")}), false),
            (json!({"hidden": button("Nope")}), true),
            (json!({"url": {"starts_with": "https://example.com"}}), true),
            (json!({"title": {"equals": "Another"}}), false),
            (json!({"text": "You are at"}), true),
            (json!({"gone": "You are at"}), false),
        ]
        .into_iter()
        .enumerate()
        {
            let told = native.ask(&check(&format!("a{at}"), that.clone())).await;
            let want = if holds { "done" } else { "failed" };
            assert_eq!(told["status"], want, "{that} {told}");
        }
        let wait = json!({"id": "w", "cmd": "wait", "until": {"visible": button("Late")}});
        native.send(&wait).await;
        peer.page(&json!({"add": "Late"}));
        let told = native.answer(&json!("w")).await;
        assert_eq!(told["status"], "done", "{told}");
        let wait = json!({"id": "x", "cmd": "wait", "until": {"visible": button("Never")}, "timeout_ms": 200});
        let told = native.ask(&wait).await;
        assert_eq!(told["fault"]["code"], "timeout", "{told}");
        let told = native
            .ask(&json!({"id": "t", "cmd": "text", "max": 7}))
            .await;
        assert_eq!(told["reply"]["text"]["text"], "You are", "{told}");
    });
}

#[test]
fn an_action_client_drives_it() {
    let gateway = Gateway::start("by-action");
    let mut peer = Peer::executor(&gateway, "/action/executor?session=shop", &[]);
    run(async {
        let mut action = gateway.connect("/action?session=shop").await;
        let mut snapshot = next_of(&mut action, "Snapshot").await;
        let id = |snapshot: &Value, name: &str| {
            let tree = snapshot["data"]["tree"].as_array().unwrap();
            tree.iter()
                .find(|e| e["name"] == name)
                .map(|e| e["id"].clone())
        };
        for at in 0..5 {
            let save = id(&snapshot, "Save").unwrap();
            let click = json!({"type": "click_element", "ref": save});
            action
                .send(&json!({"type": "ActionCommand", "data": click, "request_id": at}))
                .await;
            let told = next_of(&mut action, "ActionResult").await;
            assert_eq!(told["request_id"], at);
            assert_eq!(told["data"]["success"], true, "{told}");
            assert_eq!(peer.next("clicked"), "Save");
        }
        // What the page does by itself is pushed on.
        peer.page(&json!({"add": "News"}));
        while id(&snapshot, "News").is_none() {
            snapshot = next_of(&mut action, "Snapshot").await;
        }
    });
}

#[test]
fn a_chat_drives_it() {
    let gateway = Gateway::start("by-chat");
    run(async {
        // Whoever joins first may wait for the executor there.
        let mut chat = gateway.connect("/command?session=shop&goal=Save").await;
        let prompt = chat.next().await["text"].as_str().unwrap().to_owned();
        let peer = Peer::executor(&gateway, "/action/executor?session=shop", &[]);
        let keyword = prompt.rsplit(' ').next().unwrap().to_owned();
        let context = chat.next().await["text"].as_str().unwrap().to_owned();
        assert!(
            context.contains("<button id=\"2\">Save</button>"),
            "{context}"
        );
        assert!(
            context.contains("<input id=\"4\" type=\"text\" label=\"Name\">"),
            "{context}"
        );
        let mut say = async |command: &str| {
            let text = format!("<tool_code>{command}</tool_code> {keyword}");
            let reply = json!({"role": "assistant", "text": text});
            chat.send(&reply).await;
            loop {
                let text = chat.next().await["text"].as_str().unwrap().to_owned();
                // What the click before changed may be told first.
                if text.contains("Error") || !command.contains("Ada") || text.contains("Name") {
                    return text;
                }
            }
        };
        say("{\"action\":\"click\",\"id\":2}").await;
        assert_eq!(peer.next("clicked"), "Save");
        let told = say("{\"action\":\"type\",\"id\":4,\"value\":\"Ada\"}").await;
        assert!(told.contains("clear it"), "{told}");
        say("{\"action\":\"type\",\"id\":4,\"value\":\"\"}").await;
        assert_eq!(peer.next("typed"), json!(["Name", ""]));
        say("{\"action\":\"type\",\"id\":4,\"value\":\"Ada\"}").await;
        assert_eq!(peer.next("typed"), json!(["Name", "Ada"]));
    });
}

#[test]
fn names_are_kept_apart() {
    let gateway = Gateway::start("names");
    let other = gateway.new_token("Other one", "act");
    let bearer = |token: &str| format!("Bearer {token}");
    let path = "/action/executor?session=shop";
    let mut first = Peer::executor(&gateway, path, &["--echo"]);
    let second = Peer::executor(&gateway, "/action/executor?session=desk", &["--echo"]);
    // Without a name it is called like its token.
    let third = Peer::start("executor.py", &gateway, &other, "/action/executor", &[]);
    third.next("connected");
    let listed = gateway.get("/executors", &gateway.token).body;
    for name in ["desk", "shop", "Other-one"] {
        let row = format!("{{\"session\":\"{name}\",\"connected\":true}}");
        assert!(listed.contains(&row), "{listed}");
    }
    // Another token cannot take it away, and what works in a browser is no executor's.
    assert_eq!(
        gateway.status(path, &[("Authorization", &bearer(&other))]),
        409
    );
    let stand = Stand::start(&[("/", "<button>Here</button>")]);
    run(async {
        let mut browsed = gateway.connect("/native?session=browsed").await;
        let go = json!({"id": 1, "cmd": "navigate", "url": format!("{}/", stand.url)});
        assert_eq!(browsed.ask(&go).await["status"], "done");
        let good = bearer(&gateway.token);
        let taken = gateway.status(
            "/action/executor?session=browsed",
            &[("Authorization", &good)],
        );
        assert_eq!(taken, 409);
        let bad = gateway.status(
            "/action/executor?session=a%20b",
            &[("Authorization", &good)],
        );
        assert_eq!(bad, 400);

        // Two executors, two pages.
        let mut shop = gateway.connect("/native?session=shop").await;
        let mut desk = gateway.connect("/native?session=desk").await;
        first.page(&json!({"rename": ["Save", "Buy"]}));
        let buy = json!({"role": {"role": "button", "name": "Buy"}});
        let seen = json!({"id": "w", "cmd": "wait", "until": {"visible": buy}});
        assert_eq!(shop.ask(&seen).await["status"], "done");
        let buy = ref_of(&mut shop, "s", "Buy").await;
        let save = ref_of(&mut desk, "s", "Save").await;
        for (socket, target) in [(&mut shop, buy), (&mut desk, save)] {
            let told = socket
                .ask(&json!({"id": "c", "cmd": "click", "target": target}))
                .await;
            assert_eq!(told["status"], "done", "{told}");
        }
        assert_eq!(first.next("clicked"), "Buy");
        assert_eq!(second.next("clicked"), "Save");
        assert_eq!(first.so_far("clicked"), Vec::<Value>::new());
    });
}

#[test]
fn one_that_drops_is_gone_and_may_come_back() {
    let gateway = Gateway::start("drops");
    let path = "/action/executor?session=shop";
    let peer = Peer::executor(&gateway, path, &["--drop"]);
    run(async {
        let mut native = gateway.connect("/native?session=shop").await;
        native
            .ask(&json!({"id": "e", "cmd": "subscribe", "events": ["tabs", "trouble"]}))
            .await;
        let save = ref_of(&mut native, "s1", "Save").await;
        let click = |id: &str, target: u64| json!({"id": id, "cmd": "click", "target": target});
        native.send(&click("c1", save)).await;
        let gone = next_of(&mut native, "event").await;
        assert_eq!(gone["event"], "browser_gone", "{gone}");
        let told = native.answer(&json!("c1")).await;
        assert_eq!(told["fault"]["code"], "browser_gone", "{told}");
        let advice = told["fault"]["suggestion"].as_str().unwrap();
        assert!(advice.contains("may have taken effect"), "{told}");
        drop(peer);
        let told = native.ask(&json!({"id": "s2", "cmd": "snapshot"})).await;
        assert_eq!(
            told["fault"]["code"], "browser_gone",
            "no browser takes its place: {told}"
        );

        let peer = Peer::executor(&gateway, path, &[]);
        let opened = next_of(&mut native, "event").await;
        assert_eq!(opened["event"], "tab_opened", "{opened}");
        assert_eq!(opened["tab"]["tab"], 2, "{opened}");
        let told = native.ask(&click("c2", save)).await;
        assert_eq!(told["fault"]["code"], "stale_ref", "{told}");
        let again = ref_of(&mut native, "s3", "Save").await;
        assert!(again > save);

        // A second one of the same name and token takes over, and the first is let go.
        let newer = Peer::executor(&gateway, path, &[]);
        let (told, _) = peer.end();
        assert!(
            !told.iter().any(|line| line.get("clicked").is_some()),
            "{told:?}"
        );
        let save = ref_of(&mut native, "s4", "Save").await;
        assert_eq!(native.ask(&click("c3", save)).await["status"], "done");
        assert_eq!(newer.next("clicked"), "Save");
    });
}

#[test]
fn a_deadline_holds_and_late_answers_are_nobody_elses() {
    for (flags, echoes) in [
        (["--slow", "1500"].as_slice(), false),
        (&["--slow", "1500", "--echo"], true),
    ] {
        let gateway = Gateway::start(&format!("slow-{echoes}"));
        let peer = Peer::executor(&gateway, "/action/executor?session=shop", flags);
        run(async {
            let mut native = gateway.connect("/native?session=shop").await;
            let save = ref_of(&mut native, "s1", "Save").await;
            let delete = ref_of(&mut native, "s2", "Delete").await;
            let hurried = json!({"id": "c1", "cmd": "click", "target": save, "timeout_ms": 500});
            let told = native.ask(&hurried).await;
            assert_eq!(told["fault"]["code"], "timeout", "{told}");
            let told = native
                .ask(&json!({"id": "c2", "cmd": "click", "target": delete}))
                .await;
            assert_eq!(told["status"], "done", "{told}");
            assert_eq!(told["receipt"]["hit"]["name"], "Delete", "{told}");
            assert!(
                told["took_ms"].as_u64().unwrap() >= 1400,
                "its own answer: {told}"
            );
            assert_eq!(peer.next("clicked"), "Save");
            assert_eq!(peer.next("clicked"), "Delete");
        });
    }
}
