//! What the screen shows, as text.

use crate::stage::{fruit, press, prompt, sized};
use dragoman_prompt::{Prompt, Size, view};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use serde_json::{Value, json};

#[track_caller]
fn check(prompt: &Prompt, want: &[&str]) {
    assert_eq!(view::text(prompt).lines().collect::<Vec<_>>(), want);
}

#[test]
fn a_list() {
    let mut prompt = sized(fruit(), 40, 7);
    check(
        &prompt,
        &[
            "❯ Pick a fruit                       3/3",
            "────────────────────────────────────────",
            "▸ Apple  A red fruit",
            "  Banana",
            "  Pineapple",
            "",
            "Enter submit  Esc cancel",
        ],
    );
    press(&mut prompt, "p p Down");
    check(
        &prompt,
        &[
            "❯ pp                                 2/3",
            "────────────────────────────────────────",
            "  Pineapple",
            "▸ Apple  A red fruit",
            "",
            "",
            "Enter submit  Esc cancel",
        ],
    );
    press(&mut prompt, "x");
    assert!(view::text(&prompt).contains("nothing fits"));
    prompt.resize(Size {
        width: 12,
        height: 3,
    });
    check(&prompt, &["❯ ppx    0/3", "nothing fits", "Enter submit"]);
}

#[test]
fn letters_that_fit_stand_out() {
    let mut prompt = sized(fruit(), 40, 7);
    press(&mut prompt, "a l e");
    let mut buffer = Buffer::empty(Rect::new(0, 0, 40, 7));
    let caret = view::draw(&prompt, &mut buffer, true).unwrap();
    assert_eq!((caret.x, caret.y), (5, 0));
    let marked: String = (0..40)
        .map(|x| &buffer[(x, 2)])
        .filter(|cell| cell.modifier.contains(Modifier::UNDERLINED))
        .map(|cell| cell.symbol())
        .collect();
    assert_eq!(marked, "Ale");
    assert!(buffer[(0, 2)].modifier.contains(Modifier::REVERSED));
}

#[test]
fn wide_characters_take_two_cells() {
    let spec = json!({"type": "arg", "choices": [{"name": "日本語の長い名前です", "group": "言語"}, "👩‍👩‍👧 family"]});
    let prompt = sized(spec, 20, 6);
    check(
        &prompt,
        &[
            "❯                2/2",
            "────────────────────",
            "▸ 日本語の長い… 言語",
            "  👩‍👩‍👧 family",
            "",
            "Enter submit  Esc ca",
        ],
    );
}

#[test]
fn a_preview_beside_the_list() {
    let mut spec = fruit();
    spec["choices"][0]["preview"] = "# Apple\n\nIt is **red**.".into();
    let mut prompt = sized(spec, 60, 8);
    check(
        &prompt,
        &[
            "❯ Pick a fruit                                           3/3",
            "────────────────────────────────────────────────────────────",
            "▸ Apple  A red fruit          │ Apple",
            "  Banana                      │",
            "  Pineapple                   │ It is red.",
            "                              │",
            "                              │",
            "Enter submit  Esc cancel",
        ],
    );
    press(&mut prompt, "Down");
    assert!(!view::text(&prompt).contains('│'));
}

#[test]
fn forms_editors_pages() {
    let html = "<label>Name <input name=n value=Ada></label><input type=password name=pw value=abc>\
                <label><input type=checkbox name=c checked> News</label>\
                <select name=size><option>Small<option selected>Large</select>";
    let form = sized(
        json!({"type": "form", "placeholder": "Sign up", "html": html}),
        40,
        8,
    );
    check(
        &form,
        &[
            "Sign up",
            "────────────────────────────────────────",
            "▸ Name  Ada",
            "  pw    •••",
            "  News  [x]",
            "  size  ‹ Large ›",
            "",
            "Enter submit  Esc cancel  Tab next field",
        ],
    );
    let mut editor = sized(
        json!({"type": "editor", "content": "one\n\ttwo\nthree\nfour"}),
        30,
        5,
    );
    press(&mut editor, "Down Down Down");
    check(
        &editor,
        &[
            "editor",
            "─".repeat(30).as_str(),
            "three",
            "four",
            "Ctrl+S submit Esc cancel",
        ],
    );
    let page = sized(
        json!({"type": "div", "html": "<h1>Hi</h1><ul><li>one<li>two</ul>\u{1b}[31m"}),
        30,
        9,
    );
    check(
        &page,
        &[
            "div",
            "─".repeat(30).as_str(),
            "Hi",
            "",
            "• one",
            "• two",
            "",
            "[31m",
            "Enter submit  Esc cancel",
        ],
    );
}

#[test]
fn a_menu_and_a_terminal() {
    let mut spec = fruit();
    spec["actions"] = json!([{"name": "Copy", "shortcut": "cmd+c"}, {"name": "Delete", "description": "for good"}]);
    let mut menu = sized(spec, 50, 8);
    press(&mut menu, "Control+k Down");
    check(
        &menu,
        &[
            "❯ Pick a fruit                                 3/3",
            "─".repeat(50).as_str(),
            "▸ Apple  A red fruit",
            "  Banana",
            "  Pineapple",
            "       Copy                                 cmd+c",
            "       Delete  for good",
            "Enter submit  Esc cancel  Ctrl+K actions",
        ],
    );
    let mut term = sized(json!({"type": "term", "command": "ls"}), 30, 6);
    term.wrote("$ ls\r\n日本 \x1b[1mb\x1b[0m".as_bytes());
    check(
        &term,
        &[
            "ls",
            "─".repeat(30).as_str(),
            "$ ls",
            "日本 b",
            "",
            "              Ctrl+] end",
        ],
    );
}

/// Whatever its size, whatever it asks: nothing panics and nothing leaves the screen.
#[test]
fn every_kind_in_every_size() {
    let kinds = [
        "arg", "select", "fields", "form", "div", "editor", "path", "hotkey", "term", "chat",
        "mini", "micro", "drop", "env", "template", "confirm",
    ];
    for kind in kinds {
        let spec: Value = json!({
            "type": kind, "placeholder": "日本語 \u{1b}[2J", "hint": "hint", "html": "<p>Hi<input name=a>", "content": "x\ty",
            "choices": [{"name": "日本", "preview": "p", "description": "d", "group": "g"}], "fields": ["a"], "template": "{{x}}",
            "actions": [{"name": "A"}],
        });
        let mut prompt = prompt(spec);
        for (width, height) in [
            (0, 0),
            (1, 1),
            (2, 2),
            (3, 1),
            (5, 4),
            (61, 3),
            (80, 24),
            (200, 60),
        ] {
            prompt.resize(Size { width, height });
            let text = view::text(&prompt);
            assert!(
                text.lines().count() <= usize::from(height),
                "{kind} {width}x{height}"
            );
            assert!(!text.contains('\u{1b}'));
            press(&mut prompt, "Control+k");
            view::text(&prompt);
            press(&mut prompt, "Escape");
            prompt.wheel(1);
            prompt.wheel(-1);
        }
    }
}
