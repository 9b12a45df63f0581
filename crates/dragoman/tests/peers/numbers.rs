//! An executor numbers its elements anew with every list. Whatever it does, a command that is done hit the
//! element that was meant.

use crate::driven::refs;
use crate::python::Peer;
use crate::served::{Gateway, run};
use serde_json::{Value, json};

const ROUNDS: usize = 60;

#[test]
fn numbers_that_change_hit_nothing_else() {
    let gateway = Gateway::start("numbers");
    let mut peer = Peer::executor(&gateway, "/action/executor?session=shop", &["--shuffle"]);
    run(async {
        let mut native = gateway.connect("/native?session=shop").await;
        for name in ["More", "Delete"] {
            peer.page(&json!({"remove": name}));
        }
        for name in ["One", "Two", "Three"] {
            peer.page(&json!({"add": name}));
        }
        let there = json!({"id": "w", "cmd": "wait", "until": {"visible": {"text": "Three"}}});
        assert_eq!(native.ask(&there).await["status"], "done");
        let first = refs(&mut native, "first").await;
        let buttons = ["One", "Two", "Three", "Save"];
        let (mut right, mut wrong, mut crossed) = (0, 0, 0);
        for round in 0..ROUNDS {
            let name = buttons[round % buttons.len()];
            let target = first.iter().find(|(its, _)| its == name).unwrap().1;
            // Every third time the page lists anew by itself, at whatever moment.
            if round % 3 == 0 {
                peer.page(&json!({"push": true}));
            }
            let click = json!({"id": round, "cmd": "click", "target": target});
            let told = native.ask(&click).await;
            let hit = peer.next("clicked");
            match told["status"].as_str() {
                // The refs of the first list stay good: only they have their names.
                Some("done") if hit == json!(name) => right += 1,
                Some("done") => wrong += 1,
                // The list and the click crossed on the wire, and the outcome says so.
                _ => {
                    assert_eq!(told["fault"]["code"], "interrupted", "{told}");
                    crossed += 1;
                }
            }
        }
        assert_eq!((right + crossed, wrong), (ROUNDS, 0));
        assert!(right >= ROUNDS / 3, "{right}");
    });
}

#[test]
fn equal_names_are_never_mistaken() {
    let gateway = Gateway::start("equal");
    let mut peer = Peer::executor(
        &gateway,
        "/action/executor?session=shop",
        &["--silent", "--echo", "--queries"],
    );
    run(async {
        let mut native = gateway.connect("/native?session=shop").await;
        let one = refs(&mut native, "s1").await;
        let save = one.iter().find(|(name, _)| name == "Save").unwrap().1;
        peer.page(&json!({"add": "Save"}));
        let two = json!({"id": "w", "cmd": "wait", "until": {"not": {"exists": save}}});
        assert_eq!(native.ask(&two).await["status"], "done");
        let told = native
            .ask(&json!({"id": "c1", "cmd": "click", "target": save}))
            .await;
        assert_eq!(told["fault"]["code"], "stale_ref", "{told}");
        let by_name = json!({"id": "c2", "cmd": "click", "target": {"text": "Save"}});
        let told = native.ask(&by_name).await;
        assert_eq!(told["fault"]["code"], "ambiguous", "{told}");
        assert_eq!(told["fault"]["candidates"].as_array().unwrap().len(), 2);
        assert_eq!(peer.so_far("clicked"), Vec::<Value>::new());
    });
}
