//! Small questions about places in a text, each answered in bounded time.
//!
//! Must not know: what anybody is looking for.

pub(super) fn before(text: &str, at: usize) -> Option<char> {
    text[..at].chars().next_back()
}

pub(super) fn after(text: &str, at: usize) -> Option<char> {
    text[at..].chars().next()
}

/// A char that, right beside something, makes both one word. Scripts that are written without
/// spaces do not count: what stands beside such a sign is a word of its own.
pub(super) fn is_glue(c: char) -> bool {
    c == '_' || (c.is_alphanumeric() && !('\u{2e80}'..'\u{ff00}').contains(&c))
}

pub(super) fn glued_before(text: &str, at: usize) -> bool {
    before(text, at).is_some_and(is_glue)
}

pub(super) fn glued_after(text: &str, at: usize) -> bool {
    after(text, at).is_some_and(is_glue)
}

/// The char boundary at or before a place that may lie anywhere.
pub(super) fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// A blank inside a line: what people put between groups of digits.
pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}' | '\u{2007}')
}

pub(super) fn is_dash(c: char) -> bool {
    matches!(c, '-' | '\u{2010}' | '\u{2011}' | '\u{2012}' | '\u{2013}')
}

/// The value of a decimal digit, also in the other scripts that forms are filled in with.
pub(super) fn digit(c: char) -> Option<u8> {
    if c.is_ascii() {
        return c.to_digit(10).map(|d| d as u8);
    }
    let zeros = ['\u{660}', '\u{6f0}', '\u{966}', '\u{9e6}', '\u{ff10}'];
    let value = |zero: char| (c as u32).checked_sub(zero as u32).filter(|d| *d < 10);
    zeros.into_iter().find_map(value).map(|d| d as u8)
}

/// `count` letters and digits from `start`, in upper case, with at most one of `between` in each
/// gap; and where they end. `None` when they are not a whole word.
pub(super) fn squeeze(
    text: &str,
    start: usize,
    count: usize,
    between: &[char],
) -> Option<(String, usize)> {
    let mut out = String::with_capacity(count);
    let mut gap = true;
    for (at, c) in text[start..].char_indices() {
        if c.is_ascii_alphanumeric() {
            out.push(c.to_ascii_uppercase());
            gap = false;
        } else if gap || !between.contains(&c) {
            return None;
        } else {
            gap = true;
        }
        if out.len() == count {
            let end = start + at + 1;
            return (!glued_after(text, end)).then_some((out, end));
        }
    }
    None
}
