//! What went wrong: the code and what to do next in our words, the rest as the page's.

use super::Paper;
use crate::mcp::call::Answer;
use crate::page_text::{push, push_bare, push_quoted, push_role};
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
    push_bare(page, &fault.message, MOST_MESSAGE);
    page.push('\n');
    if !general && !fault.suggestion.is_empty() {
        push_bare(page, &fault.suggestion, MOST_MESSAGE);
        page.push('\n');
    }
    for candidate in fault.candidates.iter().take(MOST_CANDIDATES) {
        push_candidate(page, candidate);
    }
    if let Some(more) = fault.candidates.len().checked_sub(MOST_CANDIDATES + 1) {
        push(page, format_args!("# {} more\n", more + 1));
    }
    failed(draft.done(), fault)
}

/// Of a call that came to nothing: only we and the client have had a word in it.
pub(crate) fn refusal(fault: &Fault) -> Answer {
    let text = format!(
        "Error {}. {}. {}",
        fault.code.as_str(),
        fault.message.trim_end_matches('.'),
        fault.suggestion
    );
    failed(text, fault)
}

fn failed(text: String, fault: &Fault) -> Answer {
    Answer {
        text,
        structured: Some(json!({ "error": fault })),
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
