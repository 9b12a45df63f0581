//! A file of messages, read without doing any of them: what an agent would be told is wrong with each.
//!
//! Must not know: where the file is, any surface.

use super::act;
use super::capabilities::negotiate;
use super::read::{self, Incoming};
use super::run::Run;
use super::trouble::Trouble;
use super::wire::{ANSWERS, Ask, Version};
use super::{condition, pattern};
use crate::chat::{Checked, Finding};
use serde_json::{Value, json};

/// One a line. What we answered is passed over, so that a whole conversation can be read; and a file that begins with
/// `open` is a test, in which nobody waits for answers.
pub fn check(text: &str) -> Checked {
    let mut checked = Checked::default();
    let mut version = Version::V2_0;
    let mut is_test = false;
    for (at, line) in text.lines().enumerate() {
        let object: Option<Value> = serde_json::from_str(line).ok();
        let kind = object.as_ref().and_then(|object| object["type"].as_str());
        let answered = kind.is_some_and(|kind| ANSWERS.iter().any(|row| row.name == kind));
        let remark = line.trim_start().starts_with("//");
        if line.trim().is_empty() || answered || remark {
            continue;
        }
        checked.replies += 1;
        if kind == Some("open") && checked.replies == 1 {
            is_test = true;
            continue;
        }
        let named = match object {
            Some(object) if is_test => with_id(object),
            _ => line.to_owned(),
        };
        let mut find = |reason: String| {
            let (line, column) = (at + 1, 1);
            checked.findings.push(Finding {
                line,
                column,
                reason,
            });
        };
        match read::read(&named, version) {
            Incoming::Unknown { name } => {
                find(format!("A message of the unknown type {name:?} is ignored"));
            }
            Incoming::Bad { trouble, .. } => find(trouble.in_words()),
            Incoming::Ask { ask, .. } => {
                if let Ask::AgentHello(hello) = &*ask
                    && let Ok((_, agreed)) = negotiate(hello)
                {
                    version = agreed;
                }
                match steps(*ask) {
                    Err(trouble) => find(trouble.in_words()),
                    Ok(steps) => {
                        checked.commands += steps.len();
                        let wrong = steps.iter().filter_map(|ask| look_at(ask).err());
                        wrong.for_each(|trouble| find(trouble.in_words()));
                    }
                }
            }
        }
    }
    checked
}

fn with_id(mut object: Value) -> String {
    if object.is_object() && object["requestId"].is_null() {
        object["requestId"] = json!("check");
    }
    object.to_string()
}

fn steps(ask: Ask) -> Result<Vec<Ask>, Trouble> {
    match ask {
        Ask::Batch(batch) => read::steps(&batch),
        ask => Ok(vec![ask]),
    }
}

/// What can be known without a surface.
fn look_at(ask: &Ask) -> Result<(), Trouble> {
    match ask {
        Ask::AgentHello(hello) => negotiate(hello).map(drop),
        Ask::WaitFor(ask) => condition::read(&ask.condition).map(drop),
        Ask::GetElements(ask) => {
            let filter = ask.filter.as_ref();
            match filter.and_then(|filter| filter.semantic_id_pattern.as_deref()) {
                Some(text) => pattern::regex(text).map(drop),
                None => Ok(()),
            }
        }
        ask if Run::changes(ask) => act::needs_look(ask, false).map(drop),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn wrong(text: &str, want: &[(usize, &str)]) {
        let found = check(text).findings;
        assert_eq!(found.len(), want.len(), "{found:?}");
        for (found, (line, words)) in found.iter().zip(want) {
            assert_eq!(found.line, *line, "{found:?}");
            assert!(found.reason.contains(words), "{found:?}");
        }
    }

    #[test]
    fn a_conversation() {
        let text = r#"{"type":"getState","requestId":"1"}
{"type":"stateResult","requestId":"1","state":{}}

{"type":"batch","requestId":"2","commands":[{"type":"setFilter","text":"a"},{"type":"submit"}]}"#;
        let checked = check(text);
        assert_eq!((checked.replies, checked.commands), (2, 3));
        assert_eq!(checked.findings, []);
    }

    #[test]
    fn what_is_wrong() {
        wrong("hello", &[(1, "not JSON")]);
        wrong("\n[1]", &[(2, "not a JSON object")]);
        wrong(r#"{"type":"getState"}"#, &[(1, "requestId")]);
        wrong(r#"{"type":"getStat","requestId":"1"}"#, &[(1, "getState")]);
        wrong(r#"{"type":"dance"}"#, &[(1, "ignored")]);
        let wait = |condition: &str| {
            format!(r#"{{"type":"waitFor","requestId":"1","condition":{condition}}}"#)
        };
        wrong(&wait(r#"{"type":"elementExists"}"#), &[(1, "semanticId")]);
        wrong(&wait(r#"{"type":"custom","expression":"1 +"}"#), &[(1, "")]);
        wrong(
            r#"{"type":"getElements","requestId":"1","filter":{"semanticIdPattern":"("}}"#,
            &[(1, "INVALID_PATTERN")],
        );
        wrong(
            r#"{"type":"batch","requestId":"1","commands":[{"type":"submit"},{"type":"batch"}]}"#,
            &[(1, "Command 1")],
        );
        wrong(
            r#"{"type":"action","requestId":"1","target":"window:main","action":"fly"}"#,
            &[(1, "fly")],
        );
    }

    #[test]
    fn a_version_that_was_agreed_upon() {
        let hello = r#"{"type":"agentHello","requestId":"1","agent":{"name":"a"},"protocol":{"version":"1.5"}}"#;
        let text = format!("{hello}\n{}", r#"{"type":"getState","requestId":"2"}"#);
        wrong(&text, &[(2, "version 2.0")]);
    }

    #[test]
    fn a_test() {
        let text = r#"{"type":"open","url":"https://example.com"}
{"type":"assert","assertions":[{"type":"windowVisible"}]}
{"type":"assert","assertions":[{"type":"windowOpen"}]}"#;
        wrong(text, &[(3, "windowOpen")]);
    }
}
