//! What an agent sees and does.

use crate::stage::{answer, command, done, fails, fruit, look, prompt, snapshot};
use dragoman_model::{Code, Data, Leaf, PromptKind, Reply};
use serde_json::json;

#[test]
fn what_is_seen() {
    let mut prompt = prompt(fruit());
    let seen = snapshot(&mut prompt, json!({}));
    let lines: Vec<String> = seen
        .nodes
        .iter()
        .map(|n| {
            format!(
                "{} {} {} {:?}",
                n.depth,
                n.role,
                n.id.as_deref().unwrap_or("-"),
                n.name
            )
        })
        .collect();
    let want = [
        r#"0 window window:main "Prompt""#,
        r#"1 heading header:p1 "Pick a fruit""#,
        r#"1 searchbox input:filter "Filter""#,
        r#"1 listbox list:choices "Choices""#,
        r#"2 option choice:0:apple "Apple""#,
        r#"2 option choice:1:banana "Banana""#,
        r#"2 option choice:2:pineapple "Pineapple""#,
        r#"1 button button:submit "Submit""#,
        r#"1 button button:cancel "Cancel""#,
    ];
    assert_eq!(lines, want);
    let state = seen.prompt.unwrap();
    assert_eq!(
        (state.kind, state.choices, state.shown),
        (PromptKind::Arg, 3, 3)
    );
    assert_eq!(
        (state.selected, state.value.as_deref()),
        (Some(0), Some("apple"))
    );
    assert!(seen.nodes[4].selected == Some(true) && seen.nodes[4].in_view);
    assert!(seen.nodes[2].focused && seen.nodes[2].value.as_deref() == Some(""));
    assert_eq!(seen.focus, seen.nodes[2].r#ref);
    let refs: std::collections::BTreeSet<_> = seen.nodes.iter().filter_map(|n| n.r#ref).collect();
    assert_eq!(refs.len(), seen.nodes.len());
}

#[test]
fn only_what_is_asked_for() {
    let choices: Vec<String> = (0..100_000).map(|i| format!("choice {i}")).collect();
    let mut prompt = prompt(json!({"type": "arg", "choices": choices}));
    let few = snapshot(&mut prompt, json!({"limit": 10}));
    assert_eq!((few.nodes.len(), few.omitted), (10, 99_996));
    let one = snapshot(&mut prompt, json!({"limit": 1}));
    assert_eq!((one.nodes.len(), one.omitted), (1, 100_005));
    let in_view = snapshot(&mut prompt, json!({"in_view": true, "interactive": true}));
    let options = in_view.nodes.iter().filter(|n| n.role == "option").count();
    assert_eq!((options, in_view.outside), (9, 99_991));
    assert!(in_view.nodes.iter().all(|n| n.interactive && n.in_view));
    done(&mut prompt, json!({"cmd": "scroll_to", "x": 0, "y": 500}));
    let lower = snapshot(&mut prompt, json!({"in_view": true}));
    let first = lower.nodes.iter().find(|n| n.role == "option").unwrap();
    assert_eq!(first.id.as_deref(), Some("choice:500:choice-500"));
    assert_eq!(first.bounds.unwrap().y, 2.0);
    let last = json!({"cmd": "scroll_into_view", "target": {"semantic": "choice:99999:*"}});
    done(&mut prompt, last);
    let root = snapshot(&mut prompt, json!({"root": {"semantic": "choice:99999:*"}}));
    assert!(root.nodes[0].in_view, "{root:?}");
}

#[test]
fn acting() {
    let mut arg = prompt(fruit());
    done(
        &mut arg,
        json!({"cmd": "replace_text", "target": {"semantic": "input:filter"}, "text": "an"}),
    );
    assert_eq!((arg.state().shown, arg.state().input.as_str()), (1, "an"));
    done(
        &mut arg,
        json!({"cmd": "clear", "target": {"role": {"role": "searchbox"}}}),
    );
    done(
        &mut arg,
        json!({"cmd": "press", "keys": "ArrowDown", "count": 2}),
    );
    assert_eq!(arg.state().value.as_deref(), Some("pineapple"));
    done(
        &mut arg,
        json!({"cmd": "click", "target": {"text": "Banana"}}),
    );
    assert_eq!(arg.state().value.as_deref(), Some("banana"));
    done(
        &mut arg,
        json!({"cmd": "select", "target": {"semantic": "list:choices"}, "options": [{"value": "apple"}]}),
    );
    assert_eq!(arg.state().selected, Some(0));
    done(
        &mut arg,
        json!({"cmd": "select", "target": {"semantic": "list:choices"}, "options": [{"index": 2}]}),
    );
    done(
        &mut arg,
        json!({"cmd": "select", "target": {"semantic": "list:choices"}, "options": [{"label": "BANANA"}]}),
    );
    let told = done(&mut arg, json!({"cmd": "submit"}));
    assert_eq!(told.reply, Reply::Value(Data::Text("banana".into())));
    assert_eq!(answer(&mut arg), Some(Some("banana".into())));
    assert_eq!(
        fails(&mut arg, json!({"cmd": "press", "keys": "Enter"})),
        Code::WrongState
    );
    // It can still be looked at.
    assert_eq!(snapshot(&mut arg, json!({"limit": 1})).nodes.len(), 1);

    let mut typed = prompt(fruit());
    done(&mut typed, json!({"cmd": "type", "text": "kiwi\n"}));
    assert_eq!(answer(&mut typed), Some(Some("kiwi".into())));
    let mut twice = prompt(fruit());
    done(
        &mut twice,
        json!({"cmd": "click", "count": 2, "target": {"semantic": "choice:2:*"}}),
    );
    assert_eq!(answer(&mut twice), Some(Some("pineapple".into())));
    let mut with = prompt(fruit());
    done(&mut with, json!({"cmd": "submit", "value": "other"}));
    assert_eq!(answer(&mut with), Some(Some("other".into())));
    let mut cancelled = prompt(fruit());
    done(
        &mut cancelled,
        json!({"cmd": "click", "target": {"semantic": "button:cancel"}}),
    );
    assert_eq!(answer(&mut cancelled), Some(None));
}

#[test]
fn fields_and_marks() {
    let html =
        "<input name=n><input type=checkbox name=c><select name=s><option>a<option>b</select>";
    let mut form = prompt(json!({"type": "form", "html": html}));
    done(
        &mut form,
        json!({"cmd": "check", "target": {"semantic": "input:c"}}),
    );
    done(
        &mut form,
        json!({"cmd": "check", "target": {"semantic": "input:c"}}),
    );
    done(
        &mut form,
        json!({"cmd": "select", "target": {"semantic": "input:s"}, "options": [{"label": "b"}]}),
    );
    done(
        &mut form,
        json!({"cmd": "insert_text", "target": {"semantic": "input:n"}, "text": "x"}),
    );
    done(&mut form, json!({"cmd": "submit"}));
    assert_eq!(
        answer(&mut form),
        Some(Some(r#"{"c":"on","n":"x","s":"b"}"#.into()))
    );

    let mut select = prompt(json!({"type": "select", "choices": ["a", "b", "c"]}));
    done(
        &mut select,
        json!({"cmd": "check", "target": {"semantic": "choice:2:c"}}),
    );
    done(
        &mut select,
        json!({"cmd": "check", "target": {"semantic": "choice:0:a"}}),
    );
    done(
        &mut select,
        json!({"cmd": "uncheck", "target": {"semantic": "choice:1:b"}}),
    );
    done(&mut select, json!({"cmd": "submit"}));
    assert_eq!(answer(&mut select), Some(Some(r#"["a","c"]"#.into())));
}

#[test]
fn the_menu_folds() {
    let mut spec = fruit();
    spec["actions"] =
        json!([{"name": "Copy", "shortcut": "cmd+c"}, {"name": "Copy"}, {"name": "copy"}]);
    let mut prompt = prompt(spec);
    let expanded = |prompt: &mut dragoman_prompt::Prompt| {
        let seen = snapshot(prompt, json!({}));
        let button = seen
            .nodes
            .into_iter()
            .find(|n| n.id.as_deref() == Some("button:actions"));
        button.unwrap().expanded
    };
    done(
        &mut prompt,
        json!({"cmd": "expand", "target": {"semantic": "button:actions"}}),
    );
    done(
        &mut prompt,
        json!({"cmd": "expand", "target": {"semantic": "button:actions"}}),
    );
    assert_eq!(expanded(&mut prompt), Some(true));
    done(
        &mut prompt,
        json!({"cmd": "collapse", "target": {"semantic": "button:actions"}}),
    );
    assert_eq!(expanded(&mut prompt), Some(false));
    let ids: Vec<_> = snapshot(&mut prompt, json!({}))
        .nodes
        .into_iter()
        .filter_map(|n| n.id)
        .collect();
    for id in ["action:cmd+c", "action:copy", "action:copy~2"] {
        assert!(ids.iter().any(|other| other == id), "{id} in {ids:?}");
    }
    done(
        &mut prompt,
        json!({"cmd": "click", "target": {"semantic": "action:copy~2"}}),
    );
    assert_eq!(answer(&mut prompt), Some(Some("copy".into())));
}

#[test]
fn never_the_wrong_element() {
    let mut prompt = prompt(fruit());
    let seen = snapshot(&mut prompt, json!({}));
    let banana = seen.nodes[5].r#ref.unwrap();
    let check = |prompt: &mut dragoman_prompt::Prompt, target, want| {
        let got = fails(prompt, json!({"cmd": "click", "target": target}));
        assert_eq!(got, want, "{target}");
    };
    check(
        &mut prompt,
        json!({"semantic": "choice:*:*"}),
        Code::Ambiguous,
    );
    check(&mut prompt, json!({"text": "app"}), Code::Ambiguous);
    check(
        &mut prompt,
        json!({"semantic": "choice:7:*"}),
        Code::NotFound,
    );
    check(
        &mut prompt,
        json!({"semantic": "choice:1:apple"}),
        Code::NotFound,
    );
    check(&mut prompt, json!({"css": "button"}), Code::Unsupported);
    check(&mut prompt, json!({"ref": 9999}), Code::UnknownRef);
    done(
        &mut prompt,
        json!({"cmd": "replace_text", "target": {"semantic": "input:filter"}, "text": "pine"}),
    );
    check(&mut prompt, json!({"ref": banana.0}), Code::Hidden);
    check(
        &mut prompt,
        json!({"semantic": "choice:1:banana"}),
        Code::Hidden,
    );
    prompt.set_choices(vec![dragoman_prompt::Choice::plain("pine")]);
    check(&mut prompt, json!({"ref": banana.0}), Code::StaleRef);
    let other = [
        (json!({"cmd": "screenshot"}), Code::Unsupported),
        (
            json!({"cmd": "navigate", "url": "https://x.example"}),
            Code::Unsupported,
        ),
        (
            json!({"cmd": "press", "keys": "Hyper+x"}),
            Code::BadArgument,
        ),
        (
            json!({"cmd": "replace_text", "target": {"semantic": "list:choices"}, "text": "x"}),
            Code::NotEditable,
        ),
        (
            json!({"cmd": "select", "target": {"semantic": "list:choices"}, "options": [{"value": "x"}]}),
            Code::NoOption,
        ),
        (
            json!({"cmd": "select", "target": {"semantic": "list:choices"}, "options": []}),
            Code::BadArgument,
        ),
    ];
    for (asked, want) in other {
        let failure = prompt.perform(&command(asked.clone()), look()).unwrap_err();
        assert_eq!(failure.fault.code, want, "{asked}");
        assert!(!failure.fault.suggestion.is_empty());
    }
}

#[test]
fn facts() {
    let mut prompt = prompt(fruit());
    let check = |prompt: &dragoman_prompt::Prompt, leaf, want| {
        let leaf: Leaf = serde_json::from_value(leaf).unwrap();
        assert_eq!(prompt.holds(&leaf).map_err(|f| f.code), want, "{leaf:?}");
    };
    check(
        &prompt,
        json!({"exists": {"semantic": "choice:0:*"}}),
        Ok(true),
    );
    check(&prompt, json!({"visible": {"text": "Banana"}}), Ok(true));
    check(
        &prompt,
        json!({"focused": {"semantic": "input:filter"}}),
        Ok(true),
    );
    check(&prompt, json!({"text": "Pick a fruit"}), Ok(true));
    check(
        &prompt,
        json!({"state": {"shown": 3, "kind": "arg", "focused": true}}),
        Ok(true),
    );
    check(&prompt, json!({"state": {"shown": 2}}), Ok(false));
    check(
        &prompt,
        json!({"state": {"colour": "red"}}),
        Err(Code::BadArgument),
    );
    done(&mut prompt, json!({"cmd": "type", "text": "ban"}));
    check(
        &prompt,
        json!({"exists": {"semantic": "choice:0:*"}}),
        Ok(false),
    );
    check(&prompt, json!({"hidden": {"text": "Apple"}}), Ok(true));
    check(&prompt, json!({"gone": "Apple"}), Ok(true));
    check(
        &prompt,
        json!({"value": {"target": {"semantic": "input:filter"}, "equals": "ban"}}),
        Ok(true),
    );
}

#[test]
fn an_undo_gives_back_everything() {
    let mut prompt = prompt(fruit());
    crate::stage::press(&mut prompt, "p Down");
    let saved = prompt.save();
    let before = snapshot(&mut prompt, json!({}));
    crate::stage::press(&mut prompt, "x Control+u Down Down");
    prompt.set_focus(false);
    prompt.restore(saved.clone());
    assert_eq!(prompt.save(), saved);
    assert_eq!(snapshot(&mut prompt, json!({})), before);
}

/// `cargo test --release -p dragoman-prompt -- --ignored --nocapture a_look`
#[test]
#[ignore = "a measurement"]
fn a_look_at_a_hundred_thousand() {
    let choices: Vec<String> = (0..100_000).map(|i| format!("choice {i}")).collect();
    let mut prompt = prompt(json!({"type": "arg", "choices": choices}));
    for (words, asked) in [
        ("how it stands", json!({"limit": 1})),
        ("what is in view", json!({"in_view": true})),
        ("a hundred nodes", json!({"limit": 100})),
    ] {
        let began = std::time::Instant::now();
        const TIMES: u32 = 1_000;
        for _ in 0..TIMES {
            snapshot(&mut prompt, asked.clone());
        }
        let took = began.elapsed() / TIMES;
        println!("{words}: {took:?}");
        assert!(took.as_micros() < 1_000, "{words}: {took:?}");
    }
}
