//! `dragoman test`: what it says, what it writes, how it ends.

use crate::support::{Folder, Stand, dragoman};
use serde_json::json;
use std::io::Write;
use std::process::{Output, Stdio};

fn test(arguments: &[&str]) -> (String, Output) {
    let output = dragoman()
        .arg("test")
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (String::from_utf8_lossy(&output.stdout).into_owned(), output)
}

#[test]
fn prompts_are_tested() {
    let folder = Folder::new("ux-test-prompt");
    let open = json!({"type": "open", "ask": [{"type": "arg", "placeholder": "Pick", "choices": ["Apple", "Banana"]}]});
    let good = format!(
        "{open}\n// a remark\n{}\n{}\n",
        json!({"type": "setFilter", "text": "ban"}),
        json!({"type": "assert", "assertions": [{"type": "selectedValue", "value": "Banana"}]})
    );
    let bad = format!(
        "{good}{}\n{}\n",
        json!({"type": "batch", "commands": [{"type": "assert", "assertions": [{"type": "choiceCount", "value": 9, "message": "Nine of them"}]}]}),
        json!({"type": "submit"})
    );
    let (yes, no, none) = (
        folder.path("good.jsonl"),
        folder.path("bad.jsonl"),
        folder.path("none.jsonl"),
    );
    std::fs::write(&yes, good).unwrap();
    std::fs::write(&no, bad).unwrap();
    let junit = folder.path("report.xml");
    let (said, output) = test(&[&yes]);
    assert!(
        output.status.success() && said.contains("1 passed, 0 failed"),
        "{said}"
    );
    let (said, output) = test(&[&yes, &no, &none, "--junit", &junit]);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("bad.jsonl:5") && said.contains("Nine of them"),
        "{said}"
    );
    assert!(
        said.contains("expected 9") && said.contains("actual   2"),
        "{said}"
    );
    assert!(
        said.contains("| ") && said.contains("Banana"),
        "the screen is shown: {said}"
    );
    assert!(said.contains("1 passed, 2 failed"), "{said}");
    let xml = std::fs::read_to_string(&junit).unwrap();
    assert!(xml.contains("tests=\"3\" failures=\"2\""), "{xml}");
}

#[test]
fn files_are_checked_without_doing_anything() {
    let folder = Folder::new("ux-check");
    let (good, bad) = (folder.path("good.jsonl"), folder.path("bad.jsonl"));
    let open = json!({"type": "open", "ask": [{"type": "arg"}]});
    let batch = json!({"type": "batch", "commands": [{"type": "setFilter", "text": "a"}, {"type": "submit"}]});
    std::fs::write(&good, format!("{open}\n// a remark\n{batch}\n")).unwrap();
    let wait = json!({"type": "waitFor", "requestId": "1", "condition": {"type": "custom", "expression": "1 +"}});
    std::fs::write(&bad, format!("{wait}\nhello\n")).unwrap();
    let check = |file: &str, input: &str| {
        let mut child = dragoman()
            .args(["check", "--dialect", "ux", file])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        let out = child.wait_with_output().unwrap();
        (out.status.code(), String::from_utf8(out.stdout).unwrap())
    };
    let (code, said) = check(&good, "");
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("2 messages with 2 commands, nothing wrong"),
        "{said}"
    );
    let (code, said) = check(&bad, "");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("bad.jsonl:1:1: INVALID_EXPRESSION"), "{said}");
    assert!(said.contains("bad.jsonl:2:1: INVALID_MESSAGE"), "{said}");
    let (code, said) = check("-", r#"{"type":"getState","requestId":"1"}"#);
    assert_eq!(
        (code, said.as_str()),
        (Some(0), "-: 1 messages with 1 commands, nothing wrong\n")
    );
}

#[test]
fn pages_are_tested() {
    let stand = Stand::start(&[("/", "<title>Order</title><button>Buy</button>")]);
    let folder = Folder::new("ux-test-page");
    let open = json!({"type": "open", "url": format!("{}/", stand.url)});
    let lines = format!(
        "{open}\n{}\n{}\n",
        json!({"type": "waitFor", "condition": {"type": "elementExists", "semanticId": "button:buy"}}),
        json!({"type": "assert", "assertions": [{"type": "stateEquals", "path": "title", "value": "Sold"}]})
    );
    let file = folder.path("page.jsonl");
    std::fs::write(&file, lines).unwrap();
    let pictures = folder.path("pictures");
    let (said, output) = test(&[&file, "--pictures", &pictures]);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("expected \"Sold\"") && said.contains("actual   \"Order\""),
        "{said}"
    );
    let picture = std::fs::read(format!("{pictures}/page-3.png")).unwrap();
    assert!(picture.starts_with(b"\x89PNG"), "{said}");
}
