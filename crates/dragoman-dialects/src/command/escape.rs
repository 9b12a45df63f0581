//! Page text inside our wrappers: escaped so that it closes nothing and begins no line, and can be
//! read back as it was.
//!
//! Must not know: which wrapper it is in.

use crate::chat::words::breaks;
use std::fmt::Write as _;

/// Between tags.
pub(super) fn text(text: &str, into: &mut String) {
    for c in text.chars() {
        match c {
            '&' => into.push_str("&amp;"),
            '<' => into.push_str("&lt;"),
            '>' => into.push_str("&gt;"),
            c if breaks(c) => drop(write!(into, "&#{};", u32::from(c))),
            c => into.push(c),
        }
    }
}

/// Between the quotes of an attribute.
pub(super) fn attribute(value: &str, into: &mut String) {
    for (n, part) in value.split('"').enumerate() {
        if n > 0 {
            into.push_str("&quot;");
        }
        text(part, into);
    }
}

/// At most so many characters, with a mark where it was cut.
pub(super) fn cap(text: &str, most: usize) -> std::borrow::Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => text.into(),
        Some((end, _)) => format!("{}…", &text[..end]).into(),
    }
}
