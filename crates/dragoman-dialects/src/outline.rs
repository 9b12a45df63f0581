//! A snapshot as an indented outline, one line a node, for operators that read text:
//!
//! ```text
//! - heading "Orders" [level=1]
//!   - button "Add to cart" [ref=e12] [disabled]
//!   - textbox "Email" [ref=e13]: me@x.org
//! ```
//!
//! Everything in it came from a page, so nothing in it may end its line or its quotes.
//! Must not know: which dialect shows it.

use crate::page_text::{push, push_bare, push_quoted, push_role};
use dragoman_model::{Checked, Node, SelectOption, Snapshot};

/// Deeper nodes stand no further to the right: a page chooses its depth, not our memory.
const MOST_INDENT: usize = 40;
const MOST_NAME: usize = 300;
const MOST_VALUE: usize = 500;
const MOST_OPTIONS: usize = 50;

/// One line for each node and each option of a select, and a line beginning with `#` for each
/// thing that was left out.
pub fn outline(snapshot: &Snapshot) -> String {
    let mut out = String::with_capacity(snapshot.nodes.len() * 48);
    if let Some(dialog) = &snapshot.dialog {
        let mut text = String::from("# a dialog is open: ");
        push_quoted(&mut text, &dialog.message, MOST_VALUE);
        line(&mut out, 0, &text);
    }
    for node in &snapshot.nodes {
        write_node(&mut out, node);
    }
    if snapshot.outside > 0 {
        let count = snapshot.outside;
        line(
            &mut out,
            0,
            &format!("# {count} more outside the view: leave out in_view to see them"),
        );
    }
    if snapshot.omitted > 0 {
        let count = snapshot.omitted;
        line(
            &mut out,
            0,
            &format!("# {count} more left out: raise limit, or give a root"),
        );
    }
    out
}

fn write_node(out: &mut String, node: &Node) {
    let depth = usize::from(node.depth);
    let mut text = String::from("- ");
    push_role(&mut text, &node.role);
    if node.role == "text" {
        text.push_str(": ");
        push_bare(&mut text, &node.name, MOST_VALUE);
        return line(out, depth, &text);
    }
    if !node.name.is_empty() {
        text.push(' ');
        push_quoted(&mut text, &node.name, MOST_NAME);
    }
    push_states(&mut text, node);
    if node.new {
        text.push_str(" [new]");
    }
    if let Some(value) = node.value.as_deref().filter(|v| !v.is_empty()) {
        text.push_str(": ");
        push_bare(&mut text, value, MOST_VALUE);
    }
    line(out, depth, &text);
    write_options(out, depth + 1, &node.options);
}

/// The ref and what state the node is in, each in brackets.
pub(crate) fn push_states(text: &mut String, node: &Node) {
    if let Some(r#ref) = node.r#ref {
        push(text, format_args!(" [ref={ref}]"));
    }
    if let Some(level) = node.level {
        push(text, format_args!(" [level={level}]"));
    }
    for (word, state) in [("checked", node.checked), ("pressed", node.pressed)] {
        match state {
            Some(Checked::Yes) => push(text, format_args!(" [{word}]")),
            Some(Checked::Mixed) => push(text, format_args!(" [{word}=mixed]")),
            Some(Checked::No) | None => {}
        }
    }
    let flags = [
        (node.expanded == Some(true), "expanded"),
        (node.expanded == Some(false), "collapsed"),
        (node.selected == Some(true), "selected"),
        (node.disabled, "disabled"),
        (node.required, "required"),
        (node.invalid, "invalid"),
        (node.readonly, "readonly"),
        (node.password, "password"),
        (node.focused, "focused"),
        (node.covered, "covered"),
        (node.modal, "modal"),
    ];
    for (_, word) in flags.into_iter().filter(|(is, _)| *is) {
        push(text, format_args!(" [{word}]"));
    }
}

fn write_options(out: &mut String, depth: usize, options: &[SelectOption]) {
    for option in options.iter().take(MOST_OPTIONS) {
        let mut text = String::from("- option ");
        push_quoted(&mut text, &option.label, MOST_NAME);
        if option.selected {
            text.push_str(" [selected]");
        }
        if option.disabled {
            text.push_str(" [disabled]");
        }
        line(out, depth, &text);
    }
    if let Some(more) = options.len().checked_sub(MOST_OPTIONS + 1) {
        line(out, depth, &format!("# {} more options", more + 1));
    }
}

fn line(out: &mut String, depth: usize, text: &str) {
    for _ in 0..depth.min(MOST_INDENT) {
        out.push_str("  ");
    }
    out.push_str(text);
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page_text::must_escape;
    use dragoman_model::{Ref, SnapshotId, TabId, Viewport};
    use proptest::prelude::*;

    fn snapshot(nodes: Vec<Node>) -> Snapshot {
        Snapshot {
            id: SnapshotId(1),
            tab: TabId(1),
            url: "https://shop.example/".into(),
            title: String::new(),
            viewport: Viewport::default(),
            focus: None,
            dialog: None,
            outside: 0,
            omitted: 0,
            prompt: None,
            nodes,
        }
    }

    fn node(depth: u16, r#ref: u64, role: &str, name: &str) -> Node {
        Node {
            depth,
            r#ref: (r#ref > 0).then_some(Ref(r#ref)),
            role: role.into(),
            name: name.into(),
            ..Node::default()
        }
    }

    #[track_caller]
    fn check(node: Node, want: &str) {
        assert_eq!(outline(&snapshot(vec![node])), format!("{want}\n"));
    }

    #[test]
    fn nodes_read_as_lines() {
        let with = |base: Node, change: fn(&mut Node)| {
            let mut node = base;
            change(&mut node);
            node
        };
        check(node(0, 0, "heading", "Orders"), r#"- heading "Orders""#);
        check(
            with(node(1, 0, "heading", "Orders"), |n| n.level = Some(1)),
            r#"  - heading "Orders" [level=1]"#,
        );
        check(
            with(node(0, 12, "button", "Add"), |n| n.disabled = true),
            r#"- button "Add" [ref=e12] [disabled]"#,
        );
        let email = || node(0, 13, "textbox", "Email");
        check(
            with(email(), |n| n.value = Some("me@x.org".into())),
            r#"- textbox "Email" [ref=e13]: me@x.org"#,
        );
        check(
            with(email(), |n| n.value = Some("two\nlines".into())),
            r#"- textbox "Email" [ref=e13]: "two\nlines""#,
        );
        check(
            with(email(), |n| {
                (n.password, n.required, n.invalid) = (true, true, true)
            }),
            r#"- textbox "Email" [ref=e13] [required] [invalid] [password]"#,
        );
        check(
            with(node(0, 1, "checkbox", ""), |n| {
                n.checked = Some(Checked::Mixed)
            }),
            "- checkbox [ref=e1] [checked=mixed]",
        );
        check(
            with(node(0, 1, "tab", "A"), |n| {
                (n.selected, n.expanded) = (Some(true), Some(false))
            }),
            r#"- tab "A" [ref=e1] [collapsed] [selected]"#,
        );
        check(node(0, 0, "text", "Hello, you"), "- text: Hello, you");
        check(node(0, 0, "text", "a\u{2028}b"), r#"- text: "a\u2028b""#);
        check(
            node(0, 0, "button] x\n- evil", "x"),
            r#"- buttonx-evil "x""#,
        );
        check(
            node(0, 0, "button", "a\"b\\c\u{202e}"),
            r#"- button "a\"b\\c\u202e""#,
        );
    }

    #[test]
    fn options_and_what_was_left_out() {
        let mut select = node(1, 5, "combobox", "Size");
        let option = |label: &str, selected| SelectOption {
            label: label.into(),
            value: String::new(),
            selected,
            disabled: false,
        };
        select.options = vec![option("S", false), option("M", true)];
        let mut whole = snapshot(vec![select]);
        (whole.outside, whole.omitted) = (3, 4);
        let want = "  - combobox \"Size\" [ref=e5]\n    - option \"S\"\n    - option \"M\" [selected]\n\
                    # 3 more outside the view: leave out in_view to see them\n\
                    # 4 more left out: raise limit, or give a root\n";
        assert_eq!(outline(&whole), want);
    }

    proptest! {
        #[test]
        fn any_page_keeps_one_line_a_node(
            nodes in prop::collection::vec((any::<u16>(), any::<String>(), any::<String>(), any::<Option<String>>()), 0..20)
        ) {
            let nodes: Vec<Node> = nodes.into_iter().map(|(depth, role, name, value)| {
                Node { value: value.map(Into::into), ..node(depth, 1, &role, &name) }
            }).collect();
            let count = nodes.len();
            let text = outline(&snapshot(nodes));
            prop_assert_eq!(text.lines().count(), count);
            prop_assert!(text.lines().all(|line| line.trim_start_matches(' ').starts_with("- ")));
            prop_assert!(!text.chars().any(|c| c != '\n' && must_escape(c)));
            prop_assert_eq!(text.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']).count(), count + 1);
        }
    }
}
