//! What went wrong: the code and what to do next in our words, the rest as the page's.

use super::Paper;
use crate::mcp::call::Answer;
use crate::page_text::{push, push_quoted, push_role};
use dragoman_model::{Candidate, Fault};
use serde_json::json;

const MOST_MESSAGE: usize = 600;
const MOST_CANDIDATES: usize = 10;

/// Of a step that was taken: its message may quote a page.
pub(crate) fn fault(paper: Paper, fault: &Fault) -> Answer {
    let mut draft = paper.draft();
    draft.say(format_args!("Error {}. ", fault.code.as_str()));
    let general = fault.suggestion == fault.code.suggestion();
    if general {
        draft.say(format_args!("{}", fault.suggestion));
    }
    let page = draft.page();
    push_quoted(page, &fault.message, MOST_MESSAGE);
    page.push('\n');
    if !general && !fault.suggestion.is_empty() {
        push_quoted(page, &fault.suggestion, MOST_MESSAGE);
        page.push('\n');
    }
    for candidate in fault.candidates.iter().take(MOST_CANDIDATES) {
        push_candidate(page, candidate);
    }
    if let Some(more) = fault.candidates.len().checked_sub(MOST_CANDIDATES + 1) {
        push(page, format_args!("# {} more\n", more + 1));
    }
    let page = json!({ "message": fault.message, "candidates": fault.candidates });
    Answer {
        structured: Some(json!({ "error": fault.code, "page": page })),
        is_error: true,
        ..paper.words(draft.done(paper.budget))
    }
}

/// Of a call that came to nothing: only we and the client have had a word in it.
pub(crate) fn refusal(fault: &Fault) -> Answer {
    let short = |text: &str| text.chars().take(400).collect::<String>();
    let message = short(fault.message.trim_end_matches('.'));
    let suggestion = short(&fault.suggestion);
    Answer {
        text: format!("Error {}. {message}. {suggestion}", fault.code.as_str()),
        structured: Some(
            json!({ "error": fault.code, "message": message, "suggestion": suggestion }),
        ),
        is_error: true,
        ..Answer::default()
    }
}

pub(crate) fn push_candidate(out: &mut String, candidate: &Candidate) {
    out.push_str("- ");
    push_role(out, &candidate.role);
    if !candidate.name.is_empty() {
        out.push(' ');
        push_quoted(out, &candidate.name, 100);
    }
    if let Some(r#ref) = candidate.r#ref {
        push(out, format_args!(" [ref={ref}]"));
    }
    out.push('\n');
}
