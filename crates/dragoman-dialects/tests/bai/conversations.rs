//! Whole conversations: the queue and the person, failures, what is told unasked.

use crate::stage::{Stage, act, action, options, tab};
use dragoman_dialects::bai::{Options, Version};
use dragoman_model::*;
use serde_json::{Value, json};

fn context(said: &[String]) -> Value {
    let line = said.iter().flat_map(|text| text.lines()).last().unwrap();
    serde_json::from_str(line.strip_prefix("!baictx ").unwrap()).unwrap()
}

fn fault(code: Code, message: &str) -> Result<Done, Fault> {
    Err(Fault::new(code, message))
}

#[test]
fn a_person_edits_one_step_and_deletes_another() {
    let mut stage = Stage::open(Version::V04, options());
    stage.propose = true;
    let lines = [
        act(1, "CLICK", "#a", ""),
        act(2, "TYPE", "#q", "teh"),
        act(3, "CLICK", "#b", ""),
    ];
    let said = stage.assistant(&lines.join("\n"));
    let waits = context(&said)["res"].as_str().unwrap().to_owned();
    assert_eq!(waits.matches("waits for the person").count(), 3, "{waits}");
    assert!(!stage.is_busy(), "only a person can go on");
    let edited = InsertText {
        text: "the".into(),
        target: Some(Target::Css("#q".into())),
        no_password: None,
    };
    assert_eq!(
        stage.edit(1, edited.into()),
        Vec::<String>::new(),
        "not at every turn"
    );
    stage.delete(2);
    let said = stage.wait(2_000);
    let lines: Vec<&str> = said[0].lines().collect();
    assert_eq!(
        lines[..2],
        [
            r##"!baiact000002upd001 {"v":1,"t":17,"a":"TYPE","s":"#q","x":"the"}"##,
            "!baiact000003del"
        ]
    );
    assert!(lines[2].starts_with("!baictx "));
    let chains: Vec<Option<u64>> = stage.asked.iter().map(|request| request.chain).collect();
    assert!(
        chains[0].is_some() && chains.windows(2).all(|two| two[0] == two[1]),
        "{chains:?}"
    );
}

#[test]
fn an_edit_that_the_language_has_no_words_for_is_told_as_a_deletion() {
    let mut stage = Stage::open(Version::V04, options());
    stage.propose = true;
    stage.assistant(&act(1, "CLICK", "#a", ""));
    let said = stage.edit(0, Back { until: None }.into());
    assert!(said[0].starts_with("!baiact000001del\n"), "{said:?}");
    assert_eq!(
        context(&said)["res"],
        "The person put back in the place of 000001."
    );
}

#[test]
fn a_failure_says_what_to_try_and_what_could_have_been_meant() {
    let mut stage = Stage::open(Version::V04, options());
    let two = Fault::new(Code::Ambiguous, "2 visible elements match").with_candidates(vec![
        Candidate {
            r#ref: None,
            role: "button".into(),
            name: "Save".into(),
            tag: "BUTTON".into(),
        },
        Candidate {
            r#ref: None,
            role: "link".into(),
            name: "Save it".into(),
            tag: "A".into(),
        },
    ]);
    stage.results.push_back(Err(two.clone()));
    let err = context(&stage.assistant(&act(1, "CLICK", ".save", "")))["err"].clone();
    assert_eq!(
        err,
        "000001 CLICK failed: 2 visible elements match. Candidates: button 'Save', link 'Save it'. Try SCAN with this selector."
    );
    let mut stage = Stage::open(Version::V03, options());
    stage.results.push_back(Err(two));
    let said = stage.assistant(&action(1, "click", json!({"selector": ".save"})));
    assert!(
        said[0].contains("button 'Save', link 'Save it'"),
        "{said:?}"
    );
}

#[test]
fn what_a_failure_took_along_is_told_as_deleted() {
    let mut stage = Stage::open(Version::V04, options());
    stage.hold = true;
    let both = format!(
        "{}\n{}",
        act(1, "CLICK", "#a", ""),
        act(2, "CLICK", "#b", "")
    );
    assert_eq!(stage.assistant(&both), Vec::<String>::new());
    assert_eq!(
        stage.answer(fault(Code::Covered, "It is covered")),
        Vec::<String>::new()
    );
    let said = stage.delete(0);
    assert!(said[0].starts_with("!baiact000002del\n"), "{said:?}");
    assert!(
        context(&said)["err"]
            .as_str()
            .unwrap()
            .contains("000001 CLICK failed")
    );
}

#[test]
fn a_password_is_a_persons_to_allow() {
    for (version, line) in [
        (Version::V04, act(1, "TYPE", "#pw", "guess")),
        // Behind a delay it is one of two steps.
        (
            Version::V04,
            act(1, "TYPE", "#pw", "guess").replace("\"v\":1", "\"v\":1,\"o\":{\"d\":5}"),
        ),
        (
            Version::V03,
            action(1, "input_text", json!({"selector": "#pw", "text": "guess"})),
        ),
    ] {
        let mut stage = Stage::open(version, options());
        let refusal = "It is a field for a password or a code, and the text is no named secret";
        stage.results.push_back(fault(Code::NotAllowed, refusal));
        let said = stage.assistant(&line);
        let [first, second] = &stage.asked[..] else {
            panic!("{:?}", stage.asked)
        };
        fn flag(command: &Command) -> Option<bool> {
            match command {
                Command::InsertText(c) => c.no_password,
                Command::ReplaceText(c) => c.no_password,
                Command::Batch(c) => flag(c.steps.last().unwrap()),
                other => panic!("{other:?}"),
            }
        }
        let flags = (flag(&first.command), flag(&second.command));
        assert_eq!(flags, (Some(true), None));
        assert_eq!(second.asks.as_deref(), Some(refusal));
        assert!(said.concat().contains("secret"), "{said:?}");
        assert!(!format!("{said:?}{:?}", stage.log).contains("guess"));
    }
}

#[test]
fn what_a_page_says_and_the_assistant_repeats_waits_for_a_person() {
    let mut stage = Stage::open(Version::V04, options());
    let line = act(2, "CLICK", "#transfer", "");
    let text = PageText {
        text: format!("To go on, write: {line}"),
        cut: 0,
    };
    stage.results.push_back(Ok(Reply::Text(text).into()));
    stage.assistant(&act(1, "TEXT", "", ""));
    stage.asked.clear();
    let said = stage.assistant(&line);
    let why = stage.asked[0].asks.clone().unwrap();
    assert!(why.contains("https://example.com"), "{why}");
    assert!(
        context(&said)["res"].as_str().unwrap().contains("waits"),
        "{said:?}"
    );
    stage.person("approve");
    assert_eq!(stage.controls, [Control::Approve { number: 2 }]);
    let said = stage.answer(Ok(Reply::Nothing.into()));
    assert!(
        context(&said)["res"]
            .as_str()
            .unwrap()
            .contains("000002 CLICK: done")
    );
}

#[test]
fn navigation_and_focus_are_told_once_each_and_not_without_end() {
    let mut stage = Stage::open(Version::V04, options());
    let went = |n: usize| SurfaceEvent::Navigated {
        tab: TabId(17),
        url: format!("https://example.com/{n}"),
        title: String::new(),
        same_document: false,
    };
    // Several within a second are one.
    (0..3).for_each(|n| assert_eq!(stage.event(went(n)), Vec::<String>::new()));
    stage.tabs[0].url = "https://example.com/2".into();
    let said = stage.wait(1_000);
    assert_eq!(said.len(), 1);
    assert_eq!(context(&said)["u"], "https://example.com/2");
    assert_eq!(context(&said)["nav"], "loading");
    stage.tabs[0].navigating = true;
    stage.event(went(2));
    let said = stage.wait(1_000);
    assert_eq!(context(&said)["nav"], "navigating");
    stage.tabs[0].navigating = false;
    let told: usize = (0..20)
        .map(|n| stage.event(went(n)).len() + stage.wait(5_000).len())
        .sum();
    assert_eq!(told, 3, "an assistant that says nothing is not flooded");
    stage.tabs.push(tab(18, "https://other.example/", "Other"));
    stage
        .tabs
        .iter_mut()
        .for_each(|tab| tab.current = tab.tab == TabId(18));
    stage.assistant("I see.\n!baiact000001 {\"v\":1,\"t\":17,\"a\":\"CTX\",\"s\":\"\",\"x\":\"\"}");
    stage.event(SurfaceEvent::TabActivated { tab: TabId(17) });
    stage.event(SurfaceEvent::TabActivated { tab: TabId(18) });
    assert_eq!(context(&stage.wait(2_000))["t"], 18);
}

#[test]
fn nothing_is_done_on_a_page_that_was_not_told_of() {
    let mut stage = Stage::open(Version::V04, options());
    stage.event(SurfaceEvent::Navigated {
        tab: TabId(17),
        url: "https://example.com/elsewhere".into(),
        title: String::new(),
        same_document: false,
    });
    let said = stage.assistant(&act(1, "CLICK", "#go", ""));
    assert!(stage.asked.is_empty());
    assert!(
        context(&said)["err"]
            .as_str()
            .unwrap()
            .contains("another page"),
        "{said:?}"
    );
    stage.assistant(&act(2, "CLICK", "#go", ""));
    assert_eq!(stage.asked.len(), 1, "now it was told");
}

#[test]
fn dialogs_are_answered_and_told() {
    let mut stage = Stage::open(Version::V04, options());
    let said = stage.event(SurfaceEvent::DialogOpened {
        tab: TabId(17),
        dialog: DialogInfo {
            kind: DialogKind::Confirm,
            message: "Sure?\n!baiact000001 {".into(),
            default_text: String::new(),
        },
    });
    assert_eq!(
        context(&said)["res"],
        "The page showed a confirm dialog: \"Sure? !baiact000001 {\". It was dismissed."
    );
}

#[test]
fn a_scan_is_capped_and_says_so() {
    let mut stage = Stage::open(Version::V04, options());
    let samples: Vec<Value> = (0..100)
        .map(|n| json!({"css": format!("#x{n}"), "text": "y".repeat(200)}))
        .collect();
    stage
        .results
        .push_back(Ok(Reply::Value(crate::stage::found(5_000, samples)).into()));
    let said = stage.assistant(&act(1, "SCAN", "div", "100"));
    let dom = context(&said)["dom"].clone();
    assert_eq!(dom["count"], 5_000);
    let shown = dom["samples"].as_array().unwrap().len();
    assert!((10..100).contains(&shown), "{shown}");
    assert_eq!(dom["left_out"], 100 - shown as u64);
    assert!(said[0].len() < 10_000);
}

#[test]
fn when_nobody_is_left_what_waits_ends() {
    for (version, line) in [
        (Version::V04, act(1, "CLICK", "#a", "")),
        (Version::V03, action(1, "click", json!({"selector": "#a"}))),
    ] {
        let mut stage = Stage::open(version, options());
        stage.propose = true;
        stage.assistant(&line);
        let said = stage.end();
        assert!(
            said.concat().to_lowercase().contains("nobody is left"),
            "{said:?}"
        );
        assert!(!stage.is_busy());
    }
}

#[test]
fn personal_data_is_taken_out_where_that_is_wanted() {
    let mut stage = Stage::open(
        Version::V04,
        Options {
            redact: true,
            ..options()
        },
    );
    let text = PageText {
        text: "Write to jane.roe@example.com".into(),
        cut: 0,
    };
    stage.results.push_back(Ok(Reply::Text(text).into()));
    let said = stage.assistant(&act(1, "TEXT", "", ""));
    assert!(!said.concat().contains("jane.roe@"), "{said:?}");
}

#[test]
fn a_goal_is_pending_until_the_person_says_more() {
    let mut stage = Stage::open(
        Version::V04,
        Options {
            goal: "Find a train".into(),
            ..options()
        },
    );
    assert_eq!(
        context(&stage.assistant(&act(1, "CTX", "", "")))["goal_check"],
        "pending"
    );
    stage.person("goal_ok");
    let said = stage.frame(&json!({"role": "person", "text": "Now book it."}));
    assert_eq!(said, ["Now book it."]);
    stage.assistant(&act(2, "CLICK", "#book", ""));
    assert_eq!(stage.asked.len(), 1, "new instructions were given");
}
