//! Text of a page on a line of ours: it cannot end the line or its quotes, hide, or turn the
//! direction of what follows, and it is cut where it is too long.
//!
//! Must not know: what the line is about.

use std::fmt::Write;

/// A role is a word; a page can put anything into a role attribute.
pub(crate) fn push_role(out: &mut String, role: &str) {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if !role.is_empty() && role.len() <= 40 && role.chars().all(plain) {
        return out.push_str(role);
    }
    let start = out.len();
    out.extend(role.chars().filter(|c| plain(*c)).take(40));
    if out.len() == start {
        out.push_str("generic");
    }
}

/// To the end of the line, and quoted only where that is needed.
pub(crate) fn push_bare(out: &mut String, text: &str, most: usize) {
    let odd = text.is_empty() || text.starts_with(['"', ' ']) || text.ends_with(' ');
    let long = text.len() > most && text.chars().nth(most).is_some();
    if odd || long || !is_plain(text) && text.chars().any(must_escape) {
        push_quoted(out, text, most);
    } else {
        out.push_str(text);
    }
}

/// One word, such as an address, that may begin a line; in quotes where it is anything else.
pub(crate) fn push_word(out: &mut String, text: &str, most: usize) {
    let starts = text.starts_with(|c: char| c.is_ascii_alphanumeric());
    if starts && text.len() <= most && text.bytes().all(|b| b.is_ascii_graphic() && b != b'"') {
        out.push_str(text);
    } else {
        push_quoted(out, text, most);
    }
}

/// In quotes, escaped as JSON escapes, cut with a mark outside the quotes.
pub(crate) fn push_quoted(out: &mut String, text: &str, most: usize) {
    out.push('"');
    if text.len() <= most && is_plain(text) && !text.contains(['"', '\\']) {
        out.push_str(text);
        out.push('"');
        return;
    }
    let mut chars = text.chars();
    for c in chars.by_ref().take(most) {
        push_escaped(out, c);
    }
    out.push('"');
    let more = chars.count();
    if more > 0 {
        push(out, format_args!("…+{more}"));
    }
}

fn push_escaped(out: &mut String, c: char) {
    match c {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c if must_escape(c) => {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                push(out, format_args!("\\u{unit:04x}"));
            }
        }
        c => out.push(c),
    }
}

pub(crate) fn push(out: &mut String, args: std::fmt::Arguments) {
    // Writing to a string cannot fail.
    let _ = out.write_fmt(args);
}

/// Only what stands on a plain keyboard, which is most text of most pages.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|b| (b' '..0x7f).contains(&b))
}

/// What could end a line, hide, or turn the direction of what follows.
pub(crate) fn must_escape(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{61c}' | '\u{180e}'
        )
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
}
