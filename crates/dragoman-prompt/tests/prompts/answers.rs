//! What a person's keys answer, for every kind of prompt.

use crate::stage::{answer, fruit, press, prompt, snapshot};
use dragoman_model::PromptEvent;
use dragoman_prompt::{Action, Choice, Entry, Out, Prompt};
use serde_json::{Value, json};

#[track_caller]
fn check(spec: Value, keys: &str, want: Option<&str>) {
    let mut prompt = prompt(spec.clone());
    press(&mut prompt, keys);
    let answered = answer(&mut prompt);
    assert_eq!(answered, Some(want.map(str::to_owned)), "{spec} {keys}");
    assert!(prompt.is_answered());
}

#[test]
fn arg() {
    check(fruit(), "Enter", Some("apple"));
    check(fruit(), "Down Enter", Some("banana"));
    check(fruit(), "Down Down Down Down Enter", Some("pineapple"));
    check(fruit(), "Down Up Up Up Enter", Some("apple"));
    check(fruit(), "Escape", None);
    check(fruit(), "Control+c", None);
    check(fruit(), "A N Enter", Some("banana"));
    // The selection goes back to the first with each change of the filter.
    check(fruit(), "Down a Enter", Some("apple"));
    check(fruit(), "x y z Enter", Some("xyz"));
    check(json!({"type": "arg"}), "h i Enter", Some("hi"));
    check(json!({"type": "arg"}), "Enter", Some(""));
    check(
        json!({"type": "mini", "choices": ["a", "b"]}),
        "Down Enter",
        Some("b"),
    );
    check(
        json!({"type": "micro", "choices": ["a", "b"]}),
        "Enter",
        Some("a"),
    );
}

fn more(prompt: &mut Prompt, names: &[&str]) {
    prompt.more_choices(names.iter().copied().map(Choice::plain).collect());
}

#[test]
fn choices_that_come_later() {
    let mut prompt = prompt(json!({"type": "arg", "strict": true}));
    prompt.expect_more(true);
    press(&mut prompt, "Enter");
    assert!(
        !prompt.take_out().contains(&Out::NoMatch),
        "it is too early"
    );
    press(&mut prompt, "a p p");
    more(&mut prompt, &["grapp"]);
    more(&mut prompt, &["plum", "apple"]);
    // Nobody has chosen: the best is selected, though it came last.
    assert_eq!(prompt.state().value.as_deref(), Some("apple"));
    let told = prompt.take_out();
    assert!(matches!(
        told.last(),
        Some(Out::Event(PromptEvent::ChoiceSelected { index: 0, value, .. })) if value == "apple"
    ));
    press(&mut prompt, "Down");
    let number = |prompt: &mut Prompt| {
        let seen = snapshot(prompt, json!({}));
        let grapp = seen.nodes.iter().find(|node| node.name == "grapp");
        grapp.map(|node| node.r#ref)
    };
    let before = number(&mut prompt);
    prompt.set_actions(vec![Action::default()]);
    more(&mut prompt, &["app"]);
    assert_eq!(prompt.state().value.as_deref(), Some("grapp"));
    assert!(before.is_some() && number(&mut prompt) == before);
    prompt.expect_more(false);
    press(&mut prompt, "Up Enter");
    assert_eq!(answer(&mut prompt), Some(Some("app".into())));
}

#[test]
fn what_is_undone_is_what_was_selected() {
    let mut prompt = prompt(fruit());
    press(&mut prompt, "p p Down");
    let before = prompt.save();
    assert_eq!(prompt.state().value.as_deref(), Some("apple"));
    press(&mut prompt, "Up");
    more(&mut prompt, &["pp", "ppp"]);
    prompt.restore(before);
    assert_eq!(prompt.state().value.as_deref(), Some("apple"));
}

#[test]
fn only_a_choice_will_do() {
    let mut spec = fruit();
    spec["strict"] = true.into();
    let mut prompt = prompt(spec);
    press(&mut prompt, "x y z Enter");
    let out = prompt.take_out();
    assert!(
        out.contains(&Out::NoMatch) && !prompt.is_answered(),
        "{out:?}"
    );
    assert!(
        out.iter()
            .any(|o| matches!(o, Out::Event(PromptEvent::Error { .. })))
    );
    press(&mut prompt, "Control+u Enter");
    assert_eq!(answer(&mut prompt), Some(Some("apple".into())));
}

#[test]
fn select() {
    let spec = || {
        let mut spec = fruit();
        spec["type"] = "select".into();
        spec
    };
    check(spec(), "Enter", Some(r#"["apple"]"#));
    check(
        spec(),
        "Down Tab Tab Enter",
        Some(r#"["banana","pineapple"]"#),
    );
    check(spec(), "Tab Shift+Tab Enter", Some(r#"["apple","banana"]"#));
    // What is marked stays so when the filter takes it away.
    check(spec(), "Tab b a n Tab Enter", Some(r#"["apple","banana"]"#));
    let mut one = spec();
    one["multiple"] = false.into();
    check(one, "Tab Down Enter", Some(r#"["banana"]"#));
}

#[test]
fn forms() {
    let fields = json!({"type": "fields", "fields": ["First", {"name": "b", "label": "Second", "value": "2"}]});
    check(fields.clone(), "a Tab x Enter", Some(r#"["a","2x"]"#));
    check(fields, "Down Down y Up z Enter", Some(r#"["z","2y"]"#));
    let html = "<input name=n><input type=checkbox name=c value=yes><select name=s><option>a<option>b</select>";
    let form = json!({"type": "form", "html": html});
    check(
        form.clone(),
        "N Tab Space Tab Right Enter",
        Some(r#"{"c":"yes","n":"N","s":"b"}"#),
    );
    check(form, "Enter", Some(r#"{"c":"","n":"","s":"a"}"#));
    let template = json!({"type": "template", "template": "Dear {{name}}, $1. {{name}}!"});
    check(template, "A d a Tab h i Enter", Some("Dear Ada, hi. Ada!"));
    let mut needed = prompt(json!({"type": "form", "html": "<input name=n required>"}));
    press(&mut needed, "Enter");
    assert!(!needed.is_answered() && needed.hud().contains("must not be empty"));
}

#[test]
fn texts() {
    check(
        json!({"type": "editor", "content": "b"}),
        "a Enter Control+s",
        Some("a\nb"),
    );
    check(json!({"type": "editor"}), "x Alt+Enter", Some("x"));
    check(
        json!({"type": "env", "key": "TOKEN", "secret": true}),
        "s 3 Enter",
        Some("s3"),
    );
    check(json!({"type": "chat"}), "h i Enter", Some("hi"));
    check(
        json!({"type": "div", "html": "<p>Hi"}),
        "Down Enter",
        Some(""),
    );
    check(json!({"type": "div", "html": "<p>Hi"}), "Escape", None);
    check(json!({"type": "confirm"}), "Enter", Some("true"));
    check(json!({"type": "confirm"}), "n", Some("false"));
    check(json!({"type": "confirm"}), "Down Enter", Some("false"));
    check(json!({"type": "confirm"}), "Escape", None);
    let mut dropped = prompt(json!({"type": "drop"}));
    dropped.paste("'/tmp/a b' /c\n");
    press(&mut dropped, "Enter");
    let want = r#"[{"name":"a b","path":"/tmp/a b"},{"name":"c","path":"/c"}]"#;
    assert_eq!(answer(&mut dropped), Some(Some(want.into())));
}

#[test]
fn a_hotkey() {
    let mut hotkey = prompt(json!({"type": "hotkey"}));
    press(&mut hotkey, "Control+Shift+p");
    let told: Value = serde_json::from_str(&answer(&mut hotkey).unwrap().unwrap()).unwrap();
    assert_eq!(told["shortcut"], "ctrl+shift+p");
    check(json!({"type": "hotkey"}), "Escape", None);
}

#[test]
fn a_path() {
    let entry = |name: &str, is_folder| Entry {
        name: name.into(),
        is_folder,
    };
    let mut path = prompt(json!({"type": "path", "startPath": "/home"}));
    assert_eq!(path.take_out(), [Out::Folder("/home".into())]);
    path.listed(
        "/home",
        Ok(vec![entry("ada", true), entry("note.txt", false)]),
    );
    press(&mut path, "Right");
    assert!(path.take_out().contains(&Out::Folder("/home/ada".into())));
    path.listed("/elsewhere", Ok(vec![entry("wrong", false)]));
    path.listed("/home/ada", Ok(vec![entry("x", false)]));
    press(&mut path, "Left");
    assert!(path.take_out().contains(&Out::Folder("/home".into())));
    path.listed(
        "/home",
        Ok(vec![entry("ada", true), entry("note.txt", false)]),
    );
    press(&mut path, "n o t e Enter");
    assert_eq!(answer(&mut path), Some(Some("/home/note.txt".into())));
    let mut new = prompt(json!({"type": "path", "startPath": "/"}));
    new.listed("/", Err("it cannot be read".into()));
    assert_eq!(new.hud(), "it cannot be read");
    press(&mut new, "n e w Enter");
    assert_eq!(answer(&mut new), Some(Some("/new".into())));
}

#[test]
fn a_terminal() {
    let mut term = prompt(json!({"type": "term", "command": "cat"}));
    press(&mut term, "a Control+c Up Alt+x F5");
    let keys: Vec<u8> = term
        .take_out()
        .into_iter()
        .fold(Vec::new(), |mut all, out| {
            if let Out::Keys(bytes) = out {
                all.extend(bytes);
            }
            all
        });
    assert_eq!(keys, b"a\x03\x1b[A\x1bx\x1b[15~");
    term.wrote(b"one\r\n\x1b[31mtwo\x1b[0m\r\n");
    term.ended();
    assert_eq!(answer(&mut term), Some(Some("one\ntwo".into())));
    check(json!({"type": "term"}), "Control+]", None);
}

#[test]
fn actions() {
    let spec = || {
        let mut spec = fruit();
        spec["actions"] = json!([
            {"name": "Copy", "shortcut": "cmd+y", "hasAction": true, "value": "c"},
            {"name": "Delete", "value": "gone"},
            {"name": "Hidden", "shortcut": "ctrl+g", "visible": false},
        ]);
        spec
    };
    check(spec(), "Control+k Down Enter", Some("gone"));
    check(spec(), "Control+k Down Down Enter", Some("gone"));
    check(spec(), "Control+g", Some("Hidden"));
    let mut prompt = prompt(spec());
    press(&mut prompt, "a Control+k Escape Control+y");
    let told = Out::Action {
        action: "Copy".into(),
        value: Some("c".into()),
        input: "a".into(),
    };
    assert!(prompt.take_out().contains(&told) && !prompt.is_answered());
}

#[test]
fn events_in_their_order() {
    let mut prompt = prompt(fruit());
    press(&mut prompt, "b");
    let events: Vec<PromptEvent> = prompt
        .take_out()
        .into_iter()
        .filter_map(|out| match out {
            Out::Event(event) => Some(event),
            _ => None,
        })
        .collect();
    let want = [
        PromptEvent::KeyPressed { key: "b".into() },
        PromptEvent::InputChanged {
            value: "b".into(),
            previous: String::new(),
        },
        PromptEvent::ChoicesUpdated { count: 1 },
        PromptEvent::ChoiceSelected {
            index: 0,
            value: "banana".into(),
            id: "choice:1:banana".into(),
        },
    ];
    assert_eq!(events, want);
}

#[test]
fn a_secret_is_told_to_nobody_but_its_asker() {
    let mut env = prompt(json!({"type": "env", "key": "TOKEN", "secret": true}));
    press(&mut env, "s 3 c Backspace Enter");
    let out = env.take_out();
    let (answers, told): (Vec<_>, Vec<_>) = out
        .into_iter()
        .partition(|out| matches!(out, Out::Answer(_)));
    assert_eq!(answers, [Out::Answer(Some("s3".into()))]);
    let told = format!(
        "{told:?}{:?}{}",
        env.state(),
        dragoman_prompt::view::text(&env)
    );
    for secret in ["s3", "\"s\"", "\"3\""] {
        assert!(!told.contains(secret), "{told}");
    }
}
