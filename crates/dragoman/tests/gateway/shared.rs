//! Several on one session: the same truth, in the same order, also for one who was away.

use crate::served::{Gateway, Socket, run};
use crate::support::Stand;
use serde_json::{Value, json};

const SESSION: &str = "/native?session=shared";

/// Join, and hear of the queue: the socket, and the answer to `subscribe`.
async fn join(gateway: &Gateway, name: &str, since: Option<u64>) -> (Socket, Value) {
    let mut socket = gateway.connect(SESSION).await;
    let mut ask = json!({"id": name, "cmd": "subscribe", "events": ["queue", "tabs"]});
    if let Some(since) = since {
        ask["since"] = since.into();
    }
    socket.send(&ask).await;
    loop {
        let said = socket.next().await;
        if said["type"] == "outcome" && said["id"] == name {
            return (socket, said["reply"]["subscribed"].clone());
        }
    }
}

/// The places and states of what is told, up to the end of that command.
async fn heard(socket: &mut Socket, until: &str) -> Vec<(u64, String)> {
    let mut all = Vec::new();
    loop {
        let said = socket.next().await;
        if said["type"] != "item" {
            continue;
        }
        let item = &said["item"];
        let state = item["state"].as_str().unwrap();
        let shown = format!("{} {state}", item["id"].as_str().unwrap());
        all.push((said["at"].as_u64().unwrap(), shown));
        if item["id"] == until && state == "done" {
            return all;
        }
    }
}

async fn act(socket: &mut Socket, names: &[&str]) {
    for name in names {
        let ask = json!({"id": name, "cmd": "wait", "ms": 1});
        socket.send(&ask).await;
    }
}

#[test]
fn who_was_away_hears_what_the_others_heard_and_nothing_twice() {
    run(async {
        let gateway = Gateway::start("shared-resume");
        let (mut stays, _) = join(&gateway, "s1", None).await;
        let (mut leaves, first) = join(&gateway, "s2", None).await;
        assert_eq!(first["resync"], Value::Null);
        act(&mut stays, &["one", "two"]).await;
        let all = heard(&mut stays, "two").await;
        let part = heard(&mut leaves, "two").await;
        assert!(all.ends_with(&part[1..]), "{all:?} {part:?}");
        drop(leaves);
        act(&mut stays, &["three", "four"]).await;
        let meanwhile = heard(&mut stays, "four").await;
        let last = part.last().unwrap().0;
        let (mut back, told) = join(&gateway, "s3", Some(last)).await;
        assert_eq!(told["resync"], Value::Null);
        let missed = heard(&mut back, "four").await;
        let meanwhile: Vec<_> = meanwhile.into_iter().filter(|(at, _)| *at > last).collect();
        assert_eq!(missed, meanwhile, "what was missed, in order, each once");
        act(&mut back, &["five"]).await;
        let rest = heard(&mut back, "five").await;
        assert!(rest.iter().all(|(at, _)| *at > missed.last().unwrap().0));
        assert!(heard(&mut stays, "five").await.ends_with(&rest));
        for unknown in [1, last + (1 << 40)] {
            let name = format!("r{unknown}");
            let (_, told) = join(&gateway, &name, Some(unknown)).await;
            assert_eq!(told["resync"], true, "since {unknown}");
        }
    });
}

#[test]
fn everybody_knows_an_element_by_the_same_number() {
    run(async {
        let gateway = Gateway::start("shared-numbers");
        let page = "<title>Numbers</title><button>Buy</button><button>Sell</button>";
        let stand = Stand::start(&[("/", page)]);
        let path = format!("/action?session=numbers&url={}/", stand.url);
        let mut numbers = Vec::new();
        for path in [path.as_str(), "/action?session=numbers"] {
            let mut socket = gateway.connect(path).await;
            let tree = loop {
                let said = socket.next().await;
                let tree = said["data"]["tree"].clone();
                if said["type"] == "Snapshot" && tree.as_array().is_some_and(|t| !t.is_empty()) {
                    break tree;
                }
            };
            numbers.push(tree);
        }
        assert_eq!(numbers[0], numbers[1]);
        assert_eq!(numbers[0][1]["name"], "Sell");
        let mut native = gateway.connect("/native?session=numbers").await;
        let press = json!({"id": 1, "cmd": "click", "target": {"ref": numbers[0][1]["id"]}});
        let said = native.ask(&press).await;
        assert_eq!(said["receipt"]["hit"]["name"], "Sell", "{said}");
    });
}
