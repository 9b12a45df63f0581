//! What a transcript cannot show well: limits, many messages, any text.

use super::stage::{Stage, Surface};
use dragoman_dialects::ux::wire::File;
use dragoman_dialects::ux::{Found, MAX_MESSAGE};
use dragoman_model::*;
use proptest::prelude::*;
use serde_json::{Value, json};

fn batch(count: usize) -> Value {
    let commands: Vec<Value> = (0..count).map(|_| json!({"type": "getState"})).collect();
    json!({"type": "batch", "requestId": "b", "commands": commands})
}

#[test]
fn a_batch_has_at_most_a_hundred_and_its_reads_share_a_look() {
    let mut stage = Stage::prompt();
    let sent = stage.send(&batch(100));
    assert_eq!(sent[0]["results"].as_array().unwrap().len(), 100);
    assert_eq!(sent[0]["success"], true);
    assert_eq!(stage.looks(), 1);
    let sent = stage.send(&batch(101));
    assert_eq!(sent[0]["code"], "BATCH_TOO_LARGE");
    assert_eq!(stage.looks(), 1, "nothing of it was done");
}

#[test]
fn at_most_ten_subscriptions() {
    let mut stage = Stage::prompt();
    let subscribe = |n: usize| json!({"type": "subscribe", "requestId": format!("s{n}"), "events": ["inputChanged"]});
    for n in 0..10 {
        assert_eq!(stage.send(&subscribe(n))[0]["type"], "subscribed");
    }
    assert_eq!(
        stage.send(&subscribe(10))[0]["code"],
        "TOO_MANY_SUBSCRIPTIONS"
    );
    stage.send(&json!({"type": "unsubscribe", "subscriptionId": "s3"}));
    assert_eq!(stage.send(&subscribe(10))[0]["type"], "subscribed");
}

#[test]
fn numbers_have_no_gaps_and_what_is_lost_is_said() {
    let mut stage = Stage::prompt();
    stage.send(
        &json!({"type": "subscribe", "requestId": "s", "events": ["inputChanged"],
        "filter": {"minInterval": 5000, "debounce": false}}),
    );
    let mut told = Vec::new();
    for n in 0..300 {
        let what = PromptEvent::InputChanged {
            value: n.to_string(),
            previous: String::new(),
        };
        let tab = TabId(1);
        told.extend(stage.event(&SurfaceEvent::Prompt { tab, what }));
    }
    for _ in 0..200 {
        told.extend(stage.wait(5_000));
    }
    let numbers: Vec<u64> = told
        .iter()
        .map(|m| m["sequence"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    assert!(told.iter().any(|m| m["event"] == "resync"));
    let last = told.last().unwrap();
    assert_eq!(last["data"]["value"], "299", "the newest comes through");
}

#[test]
fn no_message_is_larger_than_was_announced() {
    let mut stage = Stage::prompt();
    if let Surface::Prompt(prompt) = &mut stage.surface {
        let long = "x".repeat(1_900);
        prompt.choices = (0..900)
            .map(|n| (format!("{n}{long}"), format!("{n}{long}"), long.clone()))
            .collect();
    }
    let all = json!({"type": "getElements", "requestId": "e", "limit": 1000});
    let sent = stage.send(&all);
    assert!(sent[0].to_string().len() <= MAX_MESSAGE);
    assert_eq!(sent[0]["truncated"], true);
    let mut chunked = all;
    chunked["chunked"] = true.into();
    chunked["chunkSize"] = 1000.into();
    let sent = stage.send(&chunked);
    assert!(sent.len() > 1);
    assert!(sent.iter().all(|m| m.to_string().len() <= MAX_MESSAGE));
    let told: usize = sent
        .iter()
        .map(|m| m["elements"].as_array().unwrap().len())
        .sum();
    assert_eq!(told, 903);
    let sent = stage.send(&json!({"type": "getAccessibilityTree", "requestId": "t"}));
    assert_eq!(sent[0]["code"], "RESPONSE_TOO_LARGE");
}

#[test]
fn messages_are_done_in_order() {
    let mut stage = Stage::prompt();
    let wait = json!({"type": "waitFor", "requestId": "w", "condition":
        {"type": "elementExists", "semanticId": "choice:*:cherry"}, "timeout": 100});
    assert_eq!(stage.send(&wait), Vec::<Value>::new());
    let state = json!({"type": "getState", "requestId": "g"});
    assert_eq!(stage.send(&state), Vec::<Value>::new());
    let sent = stage.wait(100);
    let ids: Vec<_> = sent.iter().map(|m| m["requestId"].clone()).collect();
    assert_eq!(ids, ["w", "g"]);
    assert_eq!(sent[0]["elapsed"], 100);
    assert!(!stage.talk.is_busy());
}

#[test]
fn a_search_is_told_as_it_goes_and_can_be_stopped() {
    let mut stage = Stage::prompt();
    let ask = |id: &str, streaming: bool| json!({"type": "fileSearch", "requestId": id, "query": "*.ts", "streaming": streaming});
    let file = |name: &str| File {
        path: format!("/src/{name}"),
        name: name.into(),
        ..File::default()
    };
    let part = |name: &str, over| Found {
        files: vec![file(name)],
        searched: 450,
        progress: 45,
        over,
    };
    assert_eq!(stage.send(&ask("search-001", true)), Vec::<Value>::new());
    let number = stage.searches[0].number;
    assert_eq!(stage.searches[0].query, "*.ts");
    let sent = stage.found(number, part("main.ts", None));
    assert_eq!(sent[0]["type"], "progress");
    assert_eq!(sent[0]["progress"], 45);
    assert_eq!(sent[0]["partial"]["files"][0]["path"], "/src/main.ts");
    let sent = stage.found(number, part("lib.ts", Some(Ok(true))));
    assert_eq!(sent[0]["type"], "fileSearchResult");
    assert_eq!(sent[0]["files"].as_array().unwrap().len(), 2);
    assert_eq!(sent[0]["complete"], true);
    // Without streaming, only the end is told.
    stage.send(&ask("quiet", false));
    let number = stage.searches[1].number;
    assert_eq!(stage.found(number, part("a.ts", None)), Vec::<Value>::new());
    let sent = stage.send(&json!({"type": "cancel", "requestId": "c", "cancels": "quiet"}));
    assert_eq!(sent[0]["complete"], false);
    assert_eq!(sent[1]["type"], "cancelResult");
    assert!(stage.searches.iter().all(|s| s.number != number));
    assert_eq!(stage.found(number, part("b.ts", None)), Vec::<Value>::new());
    // Not too many at once; and what cannot be searched says why.
    for n in 0..4 {
        assert_eq!(
            stage.send(&ask(&format!("m{n}"), true)),
            Vec::<Value>::new()
        );
    }
    assert_eq!(stage.send(&ask("m4", true))[0]["code"], "BUSY");
    let number = stage.searches.last().unwrap().number;
    let fault = Fault::new(Code::FileRefused, "It may not be searched");
    let sent = stage.found(
        number,
        Found {
            over: Some(Err(fault)),
            ..Found::default()
        },
    );
    assert_eq!(sent[0]["code"], "FILE_REFUSED");
}

#[test]
fn unknown_types_without_an_id_are_noted() {
    let mut stage = Stage::prompt();
    assert_eq!(stage.text("{\"type\":\"fly\"}"), Vec::<Value>::new());
    assert_eq!(stage.notes.len(), 1);
}

#[test]
fn a_failed_command_is_told_with_its_code() {
    let mut stage = Stage::page();
    stage.fault = Some(Fault::new(Code::Covered, "It is covered"));
    let click =
        json!({"type": "action", "requestId": "a", "target": "button:buy", "action": "click"});
    let sent = stage.send(&click);
    assert_eq!(sent[0]["errorCode"], "COVERED");
    assert_eq!(stage.send(&click)[0]["success"], true);
}

#[test]
fn nothing_that_a_page_says_breaks_out_of_its_document() {
    let mut stage = Stage::page();
    if let Surface::Page(page) = &mut stage.surface {
        page.nodes[5].name = "</button><script>alert(1)</script>".into();
        page.nodes[1].value = Some("\" onfocus=\"x".into());
        page.nodes[6].tag = "b><script".into();
    }
    let sent = stage.send(&json!({"type": "getVirtualDOM", "requestId": "v", "format": "html"}));
    let html = sent[0]["html"].as_str().unwrap();
    assert!(
        !html.contains("<script") && !html.contains("\" onfocus"),
        "{html}"
    );
}

proptest! {
    #[test]
    fn any_text_is_answered_at_most_once_and_the_next_works(text in "\\PC{0,80}") {
        let mut stage = Stage::prompt();
        prop_assert!(stage.text(&text).len() <= 1);
        let sent = stage.send(&json!({"type": "getState", "requestId": "g"}));
        prop_assert_eq!(&sent[0]["type"], &json!("stateResult"));
    }

    #[test]
    fn any_expression_and_pattern_ends(text in "[a-z0-9 .!&|()<>=\"'*+?{}\\[\\]\\\\]{0,60}") {
        let mut stage = Stage::prompt();
        let wait = json!({"type": "waitFor", "requestId": "w", "timeout": 10,
            "condition": {"type": "custom", "expression": text}});
        let mut sent = stage.send(&wait);
        sent.extend(stage.wait(10));
        prop_assert_eq!(sent.len(), 1);
        let find = json!({"type": "getElements", "requestId": "e", "filter": {"semanticIdPattern": text}});
        prop_assert_eq!(stage.send(&find).len(), 1);
    }

    #[test]
    fn any_target_is_one_element_or_none(target in "[a-z*:~0-9]{1,20}") {
        let mut stage = Stage::page();
        let click = json!({"type": "action", "requestId": "a", "target": target, "action": "click"});
        let sent = stage.send(&click);
        prop_assert_eq!(sent.len(), 1);
        prop_assert!(stage.asked.len() <= 1);
    }
}
