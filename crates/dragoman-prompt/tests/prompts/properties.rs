//! Whatever people and agents do, in whatever order: the prompt stands the same whether somebody watches
//! or not, and it always stands somewhere.

use crate::stage::{look, sized};
use dragoman_model::{Command, TakeSnapshot};
use dragoman_prompt::{Choice, Key, Out, Press, Prompt, Size, view};
use proptest::prelude::*;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::{Terminal, backend::TestBackend};
use serde_json::{Value, json};

/// What happens to a prompt.
#[derive(Debug, Clone)]
enum Op {
    /// A key of a person, as the terminal reports it.
    Key(KeyEvent),
    /// A command of an agent.
    Agent(Value),
    Click(u16, u16, u8),
    Wheel(isize),
    Paste(String),
    Resize(u16, u16),
    /// More choices have come.
    More(Vec<String>),
}

fn specs() -> impl Strategy<Value = Value> {
    let choices = json!([
        {"name": "Apple", "value": "apple", "preview": "# red"}, "Banana", "日本語", "", {"name": "Äpfel", "group": "g"},
        "a", "b", "c", "d", "e", "f", "g", "h", "i", "j",
    ]);
    let actions = json!([{"name": "Copy", "shortcut": "ctrl+y", "hasAction": true}, {"name": "Go", "value": "v"}]);
    prop::sample::select(vec!["arg", "select", "fields", "form", "div", "editor", "path", "chat", "template", "env", "confirm"])
        .prop_map(move |kind| {
            json!({
                "type": kind, "id": "p", "placeholder": "Ask", "choices": choices, "actions": actions,
                "fields": ["a", {"name": "b", "type": "checkbox"}, {"name": "c", "type": "textarea"}],
                "html": "<p>Hi</p><input name=x><input type=checkbox name=y><select name=z><option>1<option>2</select>",
                "content": "one\ntwo", "template": "{{x}} and {{y}}", "secret": true,
            })
        })
}

fn keys() -> impl Strategy<Value = KeyEvent> {
    let named = prop::sample::select(vec![
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::Left,
        KeyCode::Right,
        KeyCode::Home,
        KeyCode::End,
        KeyCode::PageUp,
        KeyCode::PageDown,
        KeyCode::Tab,
        KeyCode::BackTab,
        KeyCode::Backspace,
        KeyCode::Delete,
        KeyCode::F(3),
    ]);
    let ending = prop::sample::select(vec![KeyCode::Enter, KeyCode::Esc]);
    let letters = prop::sample::select(vec![
        'a', 'p', 'A', 'z', ' ', 'ä', '語', '\u{301}', 'k', 'u', 'w', 'n', 'y', 's',
    ]);
    let held = prop::sample::select(vec![
        KeyModifiers::NONE,
        KeyModifiers::NONE,
        KeyModifiers::CONTROL,
        KeyModifiers::ALT,
        KeyModifiers::SHIFT,
    ]);
    let code = prop_oneof![6 => named, 8 => letters.prop_map(KeyCode::Char), 1 => ending];
    (code, held).prop_map(|(code, held)| KeyEvent::new(code, held))
}

fn commands() -> impl Strategy<Value = Value> {
    let target = prop::sample::select(vec![
        json!({"semantic": "input:filter"}),
        json!({"semantic": "choice:1:*"}),
        json!({"semantic": "choice:*:*"}),
        json!({"semantic": "button:actions"}),
        json!({"semantic": "input:x"}),
        json!({"text": "Banana"}),
        json!({"semantic": "list:choices"}),
        json!({"ref": 9}),
        json!({"point": {"x": 3, "y": 4}}),
        json!("focused"),
    ]);
    let what = prop::sample::select(vec![
        json!({"cmd": "click"}),
        json!({"cmd": "type", "text": "ap\n"}),
        json!({"cmd": "type", "text": "x"}),
        json!({"cmd": "replace_text", "text": "app"}),
        json!({"cmd": "clear"}),
        json!({"cmd": "focus"}),
        json!({"cmd": "blur"}),
        json!({"cmd": "check"}),
        json!({"cmd": "uncheck"}),
        json!({"cmd": "expand"}),
        json!({"cmd": "collapse"}),
        json!({"cmd": "select", "options": [{"index": 3}]}),
        json!({"cmd": "scroll_into_view"}),
        json!({"cmd": "press", "keys": "ArrowDown", "count": 7}),
        json!({"cmd": "submit"}),
        json!({"cmd": "scroll_to", "x": 0, "y": 9}),
        json!({"cmd": "snapshot", "limit": 5}),
        json!({"cmd": "text"}),
    ]);
    (what, target).prop_map(|(mut what, target)| {
        match what["cmd"].as_str() {
            Some("snapshot") => {}
            _ => what["target"] = target,
        }
        what
    })
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let op = prop_oneof![
        8 => keys().prop_map(Op::Key),
        5 => commands().prop_map(Op::Agent),
        2 => (0..50_u16, 0..12_u16, 1..3_u8).prop_map(|(x, y, times)| Op::Click(x, y, times)),
        1 => (-3..=3_isize).prop_map(Op::Wheel),
        1 => "[a-z日\n \u{1b}]{0,6}".prop_map(Op::Paste),
        1 => (0..90_u16, 0..14_u16).prop_map(|(w, h)| Op::Resize(w, h)),
        1 => prop::collection::vec("[ap]{0,3}", 0..4).prop_map(Op::More),
    ];
    prop::collection::vec(op, 0..40)
}

fn apply(prompt: &mut Prompt, op: &Op) {
    match op {
        Op::Key(event) => {
            if let Some(key) = view::key(event) {
                prompt.key(key);
            }
        }
        Op::Agent(asked) => {
            let command: Command = serde_json::from_value(asked.clone()).unwrap();
            let _ = prompt.perform(&command, look());
        }
        Op::Click(x, y, times) => prompt.click(*x, *y, *times),
        Op::Wheel(by) => prompt.wheel(*by),
        Op::Paste(text) => prompt.paste(text),
        Op::More(names) => prompt.more_choices(names.iter().map(Choice::plain).collect()),
        Op::Resize(width, height) => prompt.resize(Size {
            width: *width,
            height: *height,
        }),
    }
}

/// The same key by its name, as an agent would press it.
fn named(op: &Op) -> Op {
    match op {
        Op::Key(event) => match view::key(event) {
            Some(Key {
                code: Press::Char(' '),
                ..
            })
            | None => op.clone(),
            Some(key) => Op::Agent(json!({"cmd": "press", "keys": key.to_string()})),
        },
        other => other.clone(),
    }
}

/// Everything about it that anybody can see.
fn whole(prompt: &mut Prompt) -> String {
    let all = TakeSnapshot {
        in_view: None,
        interactive: None,
        root: None,
        all_refs: None,
        limit: None,
    };
    let seen = prompt.snapshot(&all, look()).unwrap();
    format!(
        "{seen:?} {:?} {} {}",
        prompt.save(),
        prompt.hud(),
        prompt.is_answered()
    )
}

fn draw(prompt: &Prompt) {
    let size = prompt.size();
    let mut terminal = Terminal::new(TestBackend::new(size.width, size.height)).unwrap();
    let _ = terminal.draw(|frame| {
        if let Some(caret) = view::draw(prompt, frame.buffer_mut(), true) {
            frame.set_cursor_position(caret);
        }
    });
}

fn check_stands(prompt: &Prompt) {
    let state = prompt.state();
    if let Some(list) = prompt.list() {
        let shown = list.shown().len();
        assert!(shown == 0 || list.at.selected < shown, "{state:?}");
        assert_eq!(state.selected.is_some(), shown > 0);
        let rows = usize::from(prompt.areas().body.height).max(1);
        let in_view = list.at.top..list.at.top + rows;
        assert!(
            shown == 0 || in_view.contains(&list.at.selected),
            "{:?} {rows}",
            list.at
        );
    }
    assert!(prompt.fields().is_empty() || prompt.field_at() < prompt.fields().len());
}

fn answers(out: &[Out]) -> usize {
    out.iter()
        .filter(|out| matches!(out, Out::Answer(_)))
        .count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn with_and_without_the_view(spec in specs(), ops in ops()) {
        let mut watched = sized(spec.clone(), 50, 12);
        let mut alone = sized(spec, 50, 12);
        for op in &ops {
            draw(&watched);
            apply(&mut watched, op);
            draw(&watched);
            apply(&mut alone, op);
            check_stands(&alone);
        }
        prop_assert_eq!(whole(&mut watched), whole(&mut alone));
        let (heard, told) = (watched.take_out(), alone.take_out());
        prop_assert!(answers(&told) <= 1);
        prop_assert_eq!(heard, told);
    }

    #[test]
    fn a_person_and_an_agent_do_the_same(spec in specs(), ops in ops()) {
        let mut person = sized(spec.clone(), 50, 12);
        let mut agent = sized(spec, 50, 12);
        for op in &ops {
            apply(&mut person, op);
            apply(&mut agent, &named(op));
        }
        prop_assert_eq!(whole(&mut person), whole(&mut agent));
        prop_assert_eq!(person.take_out(), agent.take_out());
    }
}
