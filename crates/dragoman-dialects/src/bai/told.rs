//! What is written to an assistant: one object a line behind a word of ours, and what became of an action
//! in a few plain words. What a page says stands in strings that it cannot end.
//!
//! Must not know: when it is said.

use crate::chat::words::{line, sentence};
use crate::page_text::{must_escape, push};
use dragoman_model::{Candidate, DownloadState, Effect, Fault, Hit, Receipt};
use serde::Serialize;

const MOST_CANDIDATES: usize = 8;
const MOST_NAME: usize = 80;

/// A word of ours and an object, on one line whatever is in it.
pub(super) fn object_line(word: &str, object: &impl Serialize) -> String {
    let json = serde_json::to_string(object).unwrap_or_default();
    let mut out = String::with_capacity(word.len() + 1 + json.len());
    out.push_str(word);
    out.push(' ');
    for c in json.chars() {
        match must_escape(c) {
            true => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    push(&mut out, format_args!("\\u{unit:04x}"));
                }
            }
            false => out.push(c),
        }
    }
    out
}

/// At most so many characters, with a mark where it was cut.
pub(super) fn cap(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// What an action did.
pub(super) fn receipt(receipt: Option<&Receipt>) -> String {
    let Some(receipt) = receipt else {
        return "done".into();
    };
    let mut words = match &receipt.hit {
        Some(hit) => format!("done on {}", element(hit)),
        None => "done".to_owned(),
    };
    match receipt.effect {
        Effect::None => words += ", no visible effect",
        Effect::Changed => words += ", the page changed",
        Effect::Scrolled => words += ", scrolled",
        Effect::Opened => words += ", opened a tab",
        Effect::Download => words += ", a download",
        Effect::Navigated => words += ", the page navigated",
        Effect::Dialog => words += ", a dialog opened",
    }
    if receipt.healed.is_some() {
        words += ", replaced meanwhile and found again";
    }
    if let Some(there) = &receipt.navigated {
        push(&mut words, format_args!(" to {}", quoted(&there.url, 200)));
        if let Some(status) = there.status.filter(|status| *status >= 400) {
            push(&mut words, format_args!(" (status {status})"));
        }
    }
    for download in &receipt.downloads {
        let state = match download.state {
            DownloadState::Started => "started",
            DownloadState::Finished => "finished",
            DownloadState::Cancelled => "cancelled",
        };
        let file = quoted(&download.file, MOST_NAME);
        push(&mut words, format_args!(", {file} {state}"));
    }
    if receipt.started.unfinished > 0 {
        words += ", the page is still busy";
    }
    words
}

/// Why it did not, what could have been meant, and what to do next.
pub(super) fn fault(fault: &Fault) -> String {
    let mut words = sentence(&fault.message);
    if !fault.candidates.is_empty() {
        let shown: Vec<String> = fault
            .candidates
            .iter()
            .take(MOST_CANDIDATES)
            .map(candidate)
            .collect();
        push(
            &mut words,
            format_args!(" Candidates: {}", shown.join(", ")),
        );
        if let Some(more) = fault.candidates.len().checked_sub(MOST_CANDIDATES + 1) {
            push(&mut words, format_args!(" and {} more", more + 1));
        }
        words.push('.');
    }
    words
}

fn candidate(candidate: &Candidate) -> String {
    named(&candidate.role, &candidate.name)
}

fn element(hit: &Hit) -> String {
    named(&hit.role, &hit.name)
}

fn named(role: &str, name: &str) -> String {
    match name.is_empty() {
        true => line(role, 40),
        false => format!("{} {}", line(role, 40), quoted(name, MOST_NAME)),
    }
}

/// Page text between single quotes.
pub(super) fn quoted(text: &str, most: usize) -> String {
    format!("'{}'", line(text, most).replace('\'', "’"))
}
