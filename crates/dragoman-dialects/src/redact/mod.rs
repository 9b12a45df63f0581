//! What identifies a person, or lets somebody in under their name, taken out of text before an
//! operator reads it: addresses, numbers and keys become words such as `[EMAIL]`.
//!
//! Every look at the text is linear in its length, whatever the text is: there is no backtracking,
//! and what is looked at around a place has a bound.
//!
//! Must not know: where the text stood, and which dialect shows it.

mod body;
mod card;
mod coded;
mod email;
mod iban;
mod key;
mod names;
mod national;
mod near;
mod numbers;
mod pairs;
mod phone;
mod text;

pub use body::redact_body;

use std::borrow::Cow;
use std::ops::Range;

/// What was found. Its placeholder stands where it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Email,
    Phone,
    Card,
    Iban,
    NationalId,
    /// Passwords, tokens, codes: whatever admits.
    Key,
}

impl Kind {
    pub const ALL: [Self; 6] = [
        Self::Email,
        Self::Phone,
        Self::Card,
        Self::Iban,
        Self::NationalId,
        Self::Key,
    ];

    pub fn placeholder(self) -> &'static str {
        match self {
            Self::Email => "[EMAIL]",
            Self::Phone => "[PHONE]",
            Self::Card => "[CARD]",
            Self::Iban => "[IBAN]",
            Self::NationalId => "[ID]",
            Self::Key => "[SECRET]",
        }
    }
}

type Hit = (Range<usize>, Kind);

/// What a placeholder brings together may look like something new, so we look again. Text that has
/// not come to rest after so many passes was made to be like that, and is hidden as a whole.
const MOST_PASSES: usize = 8;

/// Everything in `text` that should not be shown: in order, apart from each other, and at char
/// boundaries.
pub fn find(text: &str) -> Vec<(Range<usize>, Kind)> {
    let mut hits = Vec::new();
    email::find(text, &mut hits);
    numbers::find(text, &mut hits);
    coded::find(text, &mut hits);
    iban::find(text, &mut hits);
    key::find(text, &mut hits);
    pairs::find(text, &mut hits);
    merge(hits)
}

/// Text with what identifies or admits a person taken out; borrowed when nothing was found.
pub fn redact(text: &str) -> Cow<'_, str> {
    settle(text, |text| {
        let hits = find(text);
        (!hits.is_empty()).then(|| replace(text, &hits))
    })
}

/// The value of a form field. The hints are what is known of it (its label, its name, its type): a
/// field called "Phone" with digits in it holds a phone number, and a password is hidden whatever
/// it looks like.
pub fn redact_value<'a>(hints: &[&str], value: &'a str) -> Cow<'a, str> {
    if value.trim().is_empty() || is_placeholder(value) {
        return Cow::Borrowed(value);
    }
    let pressed = |hint: &&str| ["checkbox", "radio", "button", "submit", "reset"].contains(hint);
    if hints.iter().any(pressed) {
        return redact(value);
    }
    let Some(kind) = hints.iter().find_map(|hint| names::meaning(hint)) else {
        return redact(value);
    };
    settle(value, |value| {
        if is_placeholder(value) {
            None
        } else if fits(kind, value) {
            Some(kind.placeholder().into())
        } else {
            Some(redact(value).into_owned()).filter(|new| new != value)
        }
    })
}

/// Whether a value may be what the name beside it says. Where a mistake would show a secret,
/// anything may.
fn fits(kind: Kind, value: &str) -> bool {
    match kind {
        Kind::Email => value.contains('@'),
        Kind::Phone => phone::may_be(value),
        Kind::Card | Kind::Iban | Kind::NationalId | Kind::Key => true,
    }
}

fn is_placeholder(text: &str) -> bool {
    Kind::ALL.iter().any(|kind| kind.placeholder() == text)
}

fn starts_with_placeholder(text: &str) -> bool {
    text.starts_with('[')
        && Kind::ALL
            .iter()
            .any(|kind| text.starts_with(kind.placeholder()))
}

/// One pass after the other until nothing changes. `pass` gives `None` when it found nothing.
fn settle<'a>(text: &'a str, pass: impl Fn(&str) -> Option<String>) -> Cow<'a, str> {
    let Some(mut now) = pass(text) else {
        return Cow::Borrowed(text);
    };
    for _ in 0..MOST_PASSES {
        match pass(&now) {
            Some(next) if next != now => now = next,
            _ => return Cow::Owned(now),
        }
    }
    Cow::Borrowed(Kind::Key.placeholder())
}

/// Hits that overlap become one, of the kind of the longest.
fn merge(mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.sort_by_key(|(range, _)| (range.start, usize::MAX - range.end));
    let mut merged: Vec<Hit> = Vec::with_capacity(hits.len());
    let mut longest = 0;
    for (range, kind) in hits {
        match merged.last_mut() {
            Some((last, last_kind)) if range.start < last.end => {
                if range.len() > longest {
                    (longest, *last_kind) = (range.len(), kind);
                }
                last.end = last.end.max(range.end);
            }
            _ => {
                longest = range.len();
                merged.push((range, kind));
            }
        }
    }
    merged
}

fn replace(text: &str, hits: &[Hit]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (range, kind) in hits {
        out.push_str(&text[from..range.start]);
        out.push_str(kind.placeholder());
        from = range.end;
    }
    out.push_str(&text[from..]);
    out
}
