//! The commands in one whole reply, in the order they stand.
//!
//! Must not know: how the reply came, whether a command can be carried out.

use super::action::Action;
use crate::chat::Problem;
use crate::json;
use serde_json::Value;

/// One command, or what was meant as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// Where it begins, in bytes.
    pub at: usize,
    pub action: Result<Action, Problem>,
}

pub(super) fn commands(reply: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = reply[at..].find(['<', '`']) {
        let start = at + next;
        at = start + 1;
        let rest = &reply[start..];
        if let Some(open) = tag(rest, false) {
            let (action, used) = tagged(&rest[open..]);
            found.push(Found { at: start, action });
            at = start + open + used;
        } else if let Some(info) = rest.strip_prefix("```") {
            at = start + 3;
            if let Some((action, used)) = fenced(info) {
                found.push(Found { at: start, action });
                at += used;
            } else {
                // The rest of a run of backticks begins no block of its own.
                at += info.len() - info.trim_start_matches('`').len();
            }
        }
    }
    found
}

/// Whether the reply has anything that was meant as a command.
pub fn has_command(reply: &str) -> bool {
    !commands(reply).is_empty()
}

/// `<tool_code>` or `</tool_code>` at the very beginning, in any case, with white space inside; how long it is.
fn tag(text: &str, closing: bool) -> Option<usize> {
    let mut rest = text.strip_prefix('<')?.trim_start();
    if closing {
        rest = rest.strip_prefix('/')?.trim_start();
    }
    let name = rest
        .get(..9)
        .filter(|n| n.eq_ignore_ascii_case("tool_code"))?;
    let rest = rest[name.len()..].trim_start().strip_prefix('>')?;
    Some(text.len() - rest.len())
}

fn closing_tag(text: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    while let Some(next) = text[from..].find('<') {
        let at = from + next;
        if let Some(length) = tag(&text[at..], true) {
            return Some((at, at + length));
        }
        from = at + 1;
    }
    None
}

/// Behind an opening tag: the command, and how much of the text it took.
fn tagged(text: &str) -> (Result<Action, Problem>, usize) {
    let unfenced = skip_fence(text);
    let lead = text.len() - unfenced.len();
    let read = Action::read(unfenced);
    if let Ok((action, used)) = read {
        let after = lead + used;
        let tail = text[after..]
            .trim_start()
            .trim_start_matches('`')
            .trim_start();
        let skipped = text.len() - tail.len();
        return match tag(tail, true) {
            Some(length) => (Ok(action), skipped + length),
            None => match closing_tag(&text[after..]) {
                Some((_, end)) => (
                    Err(Problem(
                        "There is more than one command in the <tool_code> tag.".into(),
                    )),
                    after + end,
                ),
                None => (Err(not_closed()), after),
            },
        };
    }
    match closing_tag(text) {
        Some((_, end)) => (read.map(|(action, _)| action), end),
        None => (Err(not_closed()), text.len()),
    }
}

fn not_closed() -> Problem {
    Problem("The <tool_code> tag is not closed.".into())
}

/// Some assistants put a code fence inside the tag.
fn skip_fence(text: &str) -> &str {
    let trimmed = text.trim_start();
    match trimmed.strip_prefix("```") {
        Some(rest) => rest.strip_prefix("json").unwrap_or(rest),
        None => trimmed,
    }
}

/// Behind three backticks: a `json` block whose object has a `tool`, and how long it is. Anything else is prose.
fn fenced(text: &str) -> Option<(Result<Action, Problem>, usize)> {
    let body = text.get(..4).filter(|i| i.eq_ignore_ascii_case("json"))?;
    let body = &text[body.len()..];
    let line_end = body.len() - body.trim_start_matches([' ', '\t', '\r']).len();
    let body = body[line_end..].strip_prefix('\n')?;
    let before = text.len() - body.len();
    if json::too_deep(body.split("```").next().unwrap_or_default(), 32) {
        return None;
    }
    let (value, used) = json::first(body).ok()?;
    let Value::Object(object) = value else {
        return None;
    };
    if !object.contains_key("tool") {
        return None;
    }
    let tail = body[used..].trim_start();
    let end = before + body.len() - tail.len();
    Some(match tail.strip_prefix("```") {
        Some(_) => (Action::from_object(&object, "tool"), end + 3),
        None => (Err(Problem("The ```json block is not closed.".into())), end),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn click(id: u64) -> Result<Action, Problem> {
        Ok(Action::Click { id })
    }

    fn read(reply: &str) -> Vec<Result<Action, Problem>> {
        commands(reply).into_iter().map(|f| f.action).collect()
    }

    #[test]
    fn tags_in_every_shape() {
        assert_eq!(
            read("a <tool_code>{\"action\":\"click\",\"id\":1}</tool_code> b"),
            [click(1)]
        );
        assert_eq!(
            read("< TOOL_CODE >\n\n {\"action\" : \"click\",\n\"id\":\t1 }\n< / tool_code >"),
            [click(1)]
        );
        assert_eq!(
            read("<tool_code>\n```json\n{\"action\":\"click\",\"id\":1}\n```\n</tool_code>"),
            [click(1)]
        );
        let value = "</tool_code><tool_code>{\"action\":\"click\",\"id\":9}".to_owned();
        let json = serde_json::json!({"action":"type","id":1,"value":value});
        assert_eq!(
            read(&format!("<tool_code>{json}</tool_code>")),
            [Ok(Action::Type { id: 1, value })]
        );
    }

    #[test]
    fn the_older_block() {
        assert_eq!(
            read("```json\n{\"tool\":\"click\",\"id\":1}\n```"),
            [click(1)]
        );
        assert_eq!(read("```json\n{\"action\":\"click\",\"id\":1}\n```"), []);
        assert_eq!(read("```js\n{\"tool\":\"click\",\"id\":1}\n```"), []);
        assert_eq!(read("````json\n{\"tool\":\"click\",\"id\":1}\n````"), []);
        let inside = "```json\n<tool_code>{\"action\":\"click\",\"id\":1}</tool_code>\n```";
        assert_eq!(read(inside), [click(1)]);
    }

    #[test]
    fn what_is_broken_is_said() {
        let problem = |reply: &str| read(reply).pop().and_then(Result::err).map(|p| p.0);
        let check = |reply: &str, part: &str| {
            let said = problem(reply).unwrap_or_default();
            assert!(said.contains(part), "{reply}: {said}");
        };
        check("<tool_code>{\"action\":\"click\",\"id\":1}", "not closed");
        check("<tool_code>{\"action\":\"click\",", "not closed");
        check("<tool_code>click 1</tool_code>", "not valid JSON");
        check("<tool_code>[1]</tool_code>", "not a JSON object");
        check("<tool_code>{}</tool_code>", "no \"action\"");
        check(
            "<tool_code>{\"action\":\"click\"}</tool_code>",
            "needs \"id\"",
        );
        check(
            "<tool_code>{\"action\":\"click\",\"id\":-1}</tool_code>",
            "Element ID -1 not found.",
        );
        check(
            "<tool_code>{\"action\":\"click\",\"id\":1e300}</tool_code>",
            "not found.",
        );
        check(
            "<tool_code>{\"action\":\"click\",\"id\":1,\"id\":2}</tool_code>",
            "twice",
        );
        check(
            "<tool_code>{\"action\":\"fly\",\"id\":1}</tool_code>",
            "Unknown action \"fly\"",
        );
        check(
            "<tool_code>{\"action\":\"click\",\"id\":1}{\"action\":\"click\",\"id\":2}</tool_code>",
            "more than one",
        );
        let deep = format!(
            "<tool_code>{}{}</tool_code>",
            "[".repeat(10_000),
            "]".repeat(10_000)
        );
        check(&deep, "nested");
    }
}
