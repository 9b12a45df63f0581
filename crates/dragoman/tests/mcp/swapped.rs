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

/// What the page does in between, and whether the press may still find its button.
const CHANGES: &[(&str, &str, bool)] = &[
    ("nothing", "() => 0", true),
    (
        "replaced by the like",
        "() => draw(['ant','bee','cat','dog','elk'])",
        true,
    ),
    (
        "sorted backwards",
        "() => draw(['elk','dog','cat','bee','ant'])",
        true,
    ),
    (
        "moved, the nodes the same",
        "() => list.append(list.children[0], list.children[1])",
        true,
    ),
    (
        "another one before it",
        "() => draw(['new','ant','bee','cat','dog','elk'])",
        true,
    ),
    ("gone", "() => draw(['ant','bee','dog','elk'])", false),
    ("all gone", "() => draw([])", false),
    (
        "renamed in place",
        "() => { list.querySelectorAll('button')[2].textContent = 'Delete all' }",
        false,
    ),
    (
        "names passed on",
        "() => { const b = [...list.querySelectorAll('button')]; const t = b.map((x) => x.textContent); b.forEach((x, i) => { x.textContent = t[(i + 1) % 5] }) }",
        false,
    ),
    ("two of its name", "() => draw(['cat','ant','cat'])", false),
    (
        "covered",
        "() => { const d = document.createElement('div'); d.style = 'position:fixed;inset:0;background:white'; d.onclick = () => pressed.push('cover'); document.body.append(d) }",
        false,
    ),
    (
        "disabled",
        "() => { list.querySelectorAll('button')[2].disabled = true }",
        false,
    ),
    (
        "hidden",
        "() => { list.children[2].style.display = 'none' }",
        false,
    ),
];

#[test]
fn zero_wrong_presses() {
    let mut mcp = Mcp::start(&[]);
    for (what, change, found) in CHANGES {
        mcp.at(PAGE);
        let snapshot = mcp.snapshot();
        let cat = ref_in(&snapshot, "Delete cat").unwrap_or_else(|| panic!("{snapshot}"));
        mcp.call("browser_evaluate", json!({"function": change}));
        let answer = mcp.try_call("browser_click", json!({"target": cat}));
        let pressed: Value = mcp.script("() => pressed");
        match found {
            true => {
                assert_eq!(pressed, json!(["cat"]), "{what}: {}", answer.text);
                assert!(!answer.failed, "{what}: {}", answer.text);
            }
            false => {
                assert_eq!(pressed, json!([]), "{what}: {}", answer.text);
                assert!(answer.failed, "{what}: {}", answer.text);
            }
        }
    }
}

/// The same in a batch: what is prepared by one step is pressed by the next.
#[test]
fn zero_wrong_presses_in_a_batch() {
    let mut mcp = Mcp::start(&[]);
    for (what, change, found) in CHANGES {
        mcp.at(PAGE);
        let snapshot = mcp.snapshot();
        let cat = ref_in(&snapshot, "Delete cat").unwrap();
        let steps = json!([
            {"tool": "browser_evaluate", "arguments": {"function": change}},
            {"tool": "browser_click", "arguments": {"target": cat}},
        ]);
        let answer = mcp.try_call("browser_batch", json!({"steps": steps}));
        let want = if *found { json!(["cat"]) } else { json!([]) };
        assert_eq!(mcp.script("() => pressed"), want, "{what}: {}", answer.text);
    }
}
