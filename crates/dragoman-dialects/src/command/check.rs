//! A transcript on trial: every reply as it would be read, and what is wrong with it, where.
//!
//! Bare text is one reply after another, each with the keyword at its end. Framed text has both
//! sides, and only the assistant's is read. Must not know: files.

use super::Tool;
use super::action::{Action, no_tool};
use super::reply;
use crate::chat::{Checked, Finding, Problem};
use crate::json;
use serde_json::Value;

/// Without a keyword, the first that looks like one is taken.
pub fn check(text: &str, keyword: Option<&str>, tools: &[Tool]) -> Checked {
    let mut checked = Checked::default();
    let keyword = keyword.map(str::to_owned).or_else(|| first_keyword(text));
    let Some(keyword) = keyword else {
        checked.findings.push(Finding {
            line: 1,
            column: 1,
            reason: "There is no keyword: every reply ends with [END:…].".into(),
        });
        return checked;
    };
    if text.trim_start().starts_with('{') {
        framed(text, &keyword, tools, &mut checked);
    } else {
        bare(text, &keyword, tools, &mut checked);
    }
    checked
}

fn first_keyword(text: &str) -> Option<String> {
    let start = text.find("[END:")?;
    let end = text[start..].find(']')?;
    let found = &text[start..=start + end];
    (!found.contains(char::is_whitespace)).then(|| found.to_owned())
}

fn bare(text: &str, keyword: &str, tools: &[Tool], checked: &mut Checked) {
    let lines = Starts::of(text);
    let mut from = 0;
    while let Some(found) = text[from..].find(keyword) {
        let end = from + found + keyword.len();
        whole(&text[from..end], tools, checked, |at| {
            lines.place(text, from + at)
        });
        from = end;
    }
    let rest = &text[from..];
    if rest.contains(char::is_alphanumeric) {
        let at = from + rest.trim_end().len();
        checked.replies += 1;
        checked
            .findings
            .push(no_keyword(lines.place(text, at), keyword));
    }
}

fn framed(text: &str, keyword: &str, tools: &[Tool], checked: &mut Checked) {
    // Pieces of a reply that is still being sent, and the line it began on.
    let mut pieces = String::new();
    for (index, line) in text.lines().enumerate() {
        let at_line = index + 1;
        if line.trim().is_empty() {
            continue;
        }
        let mut wrong = |column: usize, reason: String| {
            checked.findings.push(Finding {
                line: at_line,
                column,
                reason,
            });
        };
        if json::too_deep(line, 8) {
            wrong(1, "The line is nested too deeply.".into());
            continue;
        }
        let object = match json::parse(line) {
            Ok(Value::Object(object)) => object,
            Ok(_) => {
                wrong(1, "The line is not a JSON object.".into());
                continue;
            }
            Err(error) => {
                wrong(
                    error.column().max(1),
                    format!("The line is not JSON: {error}."),
                );
                continue;
            }
        };
        let role = object.get("role").and_then(Value::as_str);
        match (role, object.get("text").and_then(Value::as_str)) {
            (Some("user" | "system"), _) => {}
            (Some("person"), text) => {
                match object.get("do").map(|word| word.as_str().unwrap_or("")) {
                    None if text.is_some() => {}
                    Some("stop" | "observe" | "act" | "approve" | "reject") => {}
                    _ => wrong(
                        1,
                        "A person says a \"text\", or does stop, observe, act, approve or reject."
                            .into(),
                    ),
                }
            }
            (Some("assistant"), Some(said)) if object.get("more") == Some(&Value::Bool(true)) => {
                pieces.push_str(said);
            }
            (Some("assistant"), Some(said)) if !pieces.is_empty() => {
                // Where in which piece something stands is not worth the trouble: the last line it is.
                let said = std::mem::take(&mut pieces) + said;
                if !said.contains(keyword) {
                    checked.findings.push(no_keyword((at_line, 1), keyword));
                }
                whole(&said, tools, checked, |_| (at_line, 1));
            }
            (Some("assistant"), Some(said)) => {
                let column = |at: usize| (at_line, column_in(line, said, at));
                if !said.contains(keyword) {
                    let (line, column) = column(said.trim_end().len());
                    checked.findings.push(no_keyword((line, column), keyword));
                }
                whole(said, tools, checked, column);
            }
            (Some("assistant"), None) => wrong(1, "The reply has no \"text\".".into()),
            (Some(_), _) => wrong(1, "\"role\" is assistant, user or person.".into()),
            (None, _) => wrong(1, "The line has no \"role\".".into()),
        }
    }
}

/// One reply; `at` turns an offset in it into a line and a column.
fn whole(text: &str, tools: &[Tool], checked: &mut Checked, at: impl Fn(usize) -> (usize, usize)) {
    checked.replies += 1;
    let found = reply::commands(text);
    for (index, command) in found.iter().enumerate() {
        checked.commands += 1;
        let reason = match &command.action {
            Err(Problem(problem)) => Some(problem.clone()),
            Ok(action) if index > 0 && found[0].action.as_ref() != Ok(action) => {
                Some("A reply has one command; this one is not executed.".into())
            }
            Ok(Action::OpenTool { name }) if !is_known(name, tools) => Some(no_tool(name, tools).0),
            Ok(_) => None,
        };
        if let Some(reason) = reason {
            let (line, column) = at(command.at);
            checked.findings.push(Finding {
                line,
                column,
                reason,
            });
        }
    }
}

fn is_known(name: &str, tools: &[Tool]) -> bool {
    let same = |tool: &Tool| tool.name.trim().to_lowercase() == name.trim().to_lowercase();
    tools.iter().any(same)
}

fn no_keyword((line, column): (usize, usize), keyword: &str) -> Finding {
    Finding {
        line,
        column,
        reason: format!("The reply does not end with the keyword {keyword}."),
    }
}

/// Where the lines of a text begin, so that many places in it are found quickly.
struct Starts(Vec<usize>);

impl Starts {
    fn of(text: &str) -> Self {
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        Self(std::iter::once(0).chain(breaks).collect())
    }

    fn place(&self, text: &str, at: usize) -> (usize, usize) {
        let line = self.0.partition_point(|start| *start <= at);
        let start = self.0[line - 1];
        (line, text[start..at].chars().count() + 1)
    }
}

/// Where in a line of JSON a place of its text stands.
fn column_in(line: &str, text: &str, at: usize) -> usize {
    let start = line.find("\"text\"").map_or(0, |key| {
        let after = &line[key + 6..];
        key + 6 + after.find('"').map_or(0, |quote| quote + 1)
    });
    let escaped = |text: &str| serde_json::Value::from(text).to_string().chars().count() - 2;
    line[..start].chars().count() + escaped(&text[..at]) + 1
}
