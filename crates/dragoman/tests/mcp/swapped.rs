//! Pages that draw themselves anew between a look and a press: nodes replaced, reordered, renamed,
//! lists sorted another way. A press hits what was meant, or nothing.

use crate::client::{Mcp, ref_in};
use serde_json::{Value, json};

/// Rows with a button each; every press is noted by the row's own name.
const PAGE: &str = "<ul id=list></ul><script>
    const pressed = [];
    const draw = (names) => {
      list.replaceChildren(...names.map((name) => {
        const row = document.createElement('li');
        const button = document.createElement('button');
        button.textContent = 'Delete ' + name;
        button.onclick = () => pressed.push(name);
        row.append(name + ' ', button);
        return row;
      }));
    };
    draw(['ant', 'bee', 'cat', 'dog', 'elk']);
    </script>";

/// What becomes of a press.
#[derive(Clone, Copy, PartialEq)]
enum Press {
    /// The button is the same.
    Hits,
    /// Another one took its place, and cannot be mistaken.
    Heals,
    Refused,
}

impl Press {
    /// What the page noted.
    fn leaves(self) -> Value {
        match self {
            Self::Refused => json!([]),
            Self::Hits | Self::Heals => json!(["cat"]),
        }
    }
}

/// What the page does in between.
const CHANGES: &[(&str, &str, Press)] = &[
    ("nothing", "() => 0", Press::Hits),
    (
        "replaced by the like",
        "() => draw(['ant','bee','cat','dog','elk'])",
        Press::Heals,
    ),
    (
        "sorted backwards",
        "() => draw(['elk','dog','cat','bee','ant'])",
        Press::Heals,
    ),
    (
        "moved, the nodes the same",
        "() => list.append(list.children[0], list.children[1])",
        Press::Hits,
    ),
    (
        "another one before it",
        "() => draw(['new','ant','bee','cat','dog','elk'])",
        Press::Heals,
    ),
    (
        "gone",
        "() => draw(['ant','bee','dog','elk'])",
        Press::Refused,
    ),
    ("all gone", "() => draw([])", Press::Refused),
    (
        "renamed in place",
        "() => { list.querySelectorAll('button')[2].textContent = 'Delete all' }",
        Press::Refused,
    ),
    (
        "names passed on",
        "() => { const b = [...list.querySelectorAll('button')]; const t = b.map((x) => x.textContent); b.forEach((x, i) => { x.textContent = t[(i + 1) % 5] }) }",
        Press::Refused,
    ),
    (
        "two of its name",
        "() => draw(['cat','ant','cat'])",
        Press::Refused,
    ),
    (
        "covered",
        "() => { const d = document.createElement('div'); d.style = 'position:fixed;inset:0;background:white'; d.onclick = () => pressed.push('cover'); document.body.append(d) }",
        Press::Refused,
    ),
    (
        "disabled",
        "() => { list.querySelectorAll('button')[2].disabled = true }",
        Press::Refused,
    ),
    (
        "hidden",
        "() => { list.children[2].style.display = 'none' }",
        Press::Refused,
    ),
];

#[test]
fn zero_wrong_presses() {
    let mut mcp = Mcp::start(&[]);
    for (what, change, press) in CHANGES {
        mcp.at(PAGE);
        let snapshot = mcp.snapshot();
        let cat = ref_in(&snapshot, "Delete cat").unwrap_or_else(|| panic!("{snapshot}"));
        mcp.call("browser_evaluate", json!({"function": change}));
        let answer = mcp.try_call("browser_click", json!({"target": cat}));
        let pressed: Value = mcp.script("() => pressed");
        let said = &answer.text;
        assert_eq!(pressed, press.leaves(), "{what}: {said}");
        assert_eq!(answer.failed, *press == Press::Refused, "{what}: {said}");
        let healed = said.contains("healed");
        assert_eq!(healed, *press == Press::Heals, "{what}: {said}");
    }
}

/// The same in a batch: what is prepared by one step is pressed by the next.
#[test]
fn zero_wrong_presses_in_a_batch() {
    let mut mcp = Mcp::start(&[]);
    for (what, change, press) in CHANGES {
        mcp.at(PAGE);
        let snapshot = mcp.snapshot();
        let cat = ref_in(&snapshot, "Delete cat").unwrap();
        let steps = json!([
            {"tool": "browser_evaluate", "arguments": {"function": change}},
            {"tool": "browser_click", "arguments": {"target": cat}},
        ]);
        let answer = mcp.try_call("browser_batch", json!({"steps": steps}));
        let pressed = mcp.script("() => pressed");
        assert_eq!(pressed, press.leaves(), "{what}: {}", answer.text);
    }
}

/// And when a step of the batch sets it off itself: what the step tells of it, its operator has not seen yet.
#[test]
fn zero_wrong_presses_behind_a_press_of_the_same_batch() {
    let mut mcp = Mcp::start(&[]);
    for (what, change, press) in CHANGES {
        mcp.at(&format!("<button id=go>Go</button>{PAGE}"));
        let snapshot = mcp.snapshot();
        let of = |name| ref_in(&snapshot, name).unwrap_or_else(|| panic!("{name}: {snapshot}"));
        let (go, cat) = (of("button \"Go\""), of("Delete cat"));
        mcp.call(
            "browser_evaluate",
            json!({ "function": format!("() => {{ go.onclick = {change} }}") }),
        );
        let steps = json!([
            {"tool": "browser_click", "target": go},
            {"tool": "browser_click", "target": cat},
        ]);
        let answer = mcp.try_call("browser_batch", json!({ "steps": steps }));
        let pressed = mcp.script("() => pressed");
        assert_eq!(pressed, press.leaves(), "{what}: {}", answer.text);
    }
}
