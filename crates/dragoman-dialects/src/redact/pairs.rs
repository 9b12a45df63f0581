//! A name and a value in running text: `password: hunter2`, `?token=…`, `"pin": "1234"`,
//! `<secret>…</secret>`, "your code is 123456".
//!
//! Must not know: values that give themselves away.

use super::names::{self, Words, list};
use super::text::{after, before, floor};
use super::{Hit, Kind, starts_with_placeholder};
use std::ops::Range;
use std::sync::LazyLock;

const MOST_NAME: usize = 48;
const MOST_QUOTED: usize = 4096;

/// What forms and pages say behind such a name without giving it away.
const WORDS: &str = "required, optional, weak, strong, medium, good, hidden, show, hide, forgot, \
     forgotten, invalid, valid, incorrect, wrong, missing, empty, none, null, undefined, true, \
     false, yes, no, on, off, expired, changed, reset, string, number, boolean, text, password, \
     token, unset, unknown, redacted, confirm, repeat, new, old, current, basic, bearer, digest, \
     erforderlich, obligatorio, requis, ok, error, failed, success, disabled, enabled, str, bytes";

static SAID: Words = LazyLock::new(|| list(WORDS));

pub(super) fn find(text: &str, hits: &mut Vec<Hit>) {
    codes_in_front(text, hits);
    options(text, hits);
    let mut done = 0;
    for (at, sign) in signs(text) {
        if at < done {
            continue;
        }
        let Some(name) = name_before(text, at, sign, done) else {
            continue;
        };
        let kind = match names::meaning_at_end(&text[name.clone()]) {
            Some(kind @ (Kind::Key | Kind::NationalId)) => kind,
            _ => continue,
        };
        let code = is_code(&text[name.clone()]);
        let value = value_after(text, at + sign.len(), sign, &text[name]);
        let fits = match kind {
            Kind::Key => is_secret(text, &value, sign, code),
            _ => is_document(&text[value.clone()]),
        };
        if !value.is_empty() && fits {
            hits.push((value.clone(), kind));
        }
        done = value.end;
    }
}

/// "123456 is your code".
fn codes_in_front(text: &str, hits: &mut Vec<Hit>) {
    for (at, sign) in text.match_indices(" is your ") {
        let from = floor(text, at.saturating_sub(12));
        let is_code = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let code = text[from..at].rsplit(|c| !is_code(c)).next();
        let code = code.unwrap_or_default();
        let behind = &text[at + sign.len()..];
        let behind = &behind[..floor(behind, MOST_NAME)];
        let sentence = behind.split(['.', '!', '\n']).next().unwrap_or_default();
        let digits = code.bytes().filter(u8::is_ascii_digit).count();
        let fits = (4..=10).contains(&code.len()) && digits >= 4;
        if fits && names::meaning(sentence) == Some(Kind::Key) {
            hits.push((at - code.len()..at, Kind::Key));
        }
    }
}

/// `--password hunter2`
fn options(text: &str, hits: &mut Vec<Hit>) {
    for (at, sign) in text.match_indices("--") {
        let start = at + sign.len();
        let head = &text[start..floor(text, start + MOST_NAME)];
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let len = head.find(|c| !is_name(c)).unwrap_or(0);
        let spaced = len > 2 && head[len..].starts_with(' ');
        if !spaced || names::meaning_at_end(&head[..len]) != Some(Kind::Key) {
            continue;
        }
        let value = value_after(text, start + len, "=", "");
        let fits = !text[value.clone()].starts_with('-') && is_secret(text, &value, "=", false);
        if fits && !value.is_empty() {
            hits.push((value, Kind::Key));
        }
    }
}

/// What joins a name and its value.
fn signs(text: &str) -> impl Iterator<Item = (usize, &'static str)> + '_ {
    text.char_indices().filter_map(|(at, c)| match c {
        ':' => Some((at, ":")),
        '：' => Some((at, "：")),
        '=' => Some((at, "=")),
        '>' => Some((at, ">")),
        ' ' if text[at..].starts_with(" is ") => Some((at, " is ")),
        _ => None,
    })
}

/// The words that end at the sign. In an element they are what stands behind its `<`.
fn name_before(text: &str, at: usize, sign: &str, done: usize) -> Option<Range<usize>> {
    let from = floor(text, at.saturating_sub(MOST_NAME)).max(done);
    let head = text[from..at].trim_end_matches([' ', '"', '\'', '`', '\\', '*', ']', ')']);
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ' | '[' | ']');
    let name = head
        .char_indices()
        .rev()
        .take_while(|(_, c)| is_name(*c))
        .last()
        .map_or(head.len(), |(at, _)| at);
    let range = from + name..from + head.len();
    let element = sign != ">" || before(text, range.start) == Some('<');
    (range.len() >= 3 && element).then_some(range)
}

/// Names of secrets that are digits.
fn is_code(name: &str) -> bool {
    let name = name.to_lowercase();
    ["pin", "otp", "cvc", "cvv", "csc", "code", "pin number"]
        .iter()
        .any(|end| name.ends_with(end))
}

fn value_after(text: &str, from: usize, sign: &str, name: &str) -> Range<usize> {
    let rest = &text[from..];
    let bare = rest.trim_start_matches([' ', '\t', '\\', '*']);
    let start = from + rest.len() - bare.len();
    if start - from > 8 {
        return from..from;
    }
    if sign == ">" {
        let len = bare[..floor(bare, MOST_QUOTED)].find('<').unwrap_or(0);
        return start..start + len;
    }
    if let Some(quote) = after(text, start).filter(|c| matches!(c, '"' | '\'' | '`')) {
        let inside = &bare[1..];
        let inside = &inside[..floor(inside, MOST_QUOTED)];
        let end = quote_end(inside, quote);
        if let Some(end) = end {
            return start + 1..start + 1 + end;
        }
    }
    let start = start + usize::from(bare.starts_with(['"', '\'', '`']));
    let scheme = if name.to_ascii_lowercase().ends_with("authorization") {
        ["Basic ", "Bearer ", "Digest ", "Token "]
            .iter()
            .find(|scheme| text[start..].starts_with(**scheme))
            .map_or(0, |scheme| scheme.len())
    } else {
        0
    };
    let start = start + scheme;
    let is_end = |c: char| c.is_whitespace() || ",;&\"'`<>)}]\\|".contains(c);
    let len = text[start..].find(is_end).unwrap_or(text.len() - start);
    let value = text[start..start + len].trim_end_matches(['.', '!', '?', ':']);
    start..start + value.len()
}

fn quote_end(inside: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in inside.char_indices() {
        match c {
            '\n' => return None,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return Some(at),
            _ => {}
        }
    }
    None
}

fn is_secret(text: &str, range: &Range<usize>, sign: &str, code: bool) -> bool {
    let value = &text[range.clone()];
    let masked = value
        .chars()
        .all(|c| matches!(c, '*' | '•' | '●' | '·' | 'x' | 'X' | '.' | '_' | '…'));
    if starts_with_placeholder(&text[range.start..])
        || masked
        || value.starts_with(['{', '[', '(', '$', '%', '<'])
    {
        return false;
    }
    let digits = value.chars().filter(char::is_ascii_digit).count();
    let letters = value.chars().filter(|c| c.is_alphabetic()).count();
    let count = value.chars().count();
    if code {
        let solid = digits >= 3 && digits + letters >= count.saturating_sub(2);
        return solid && (letters == 0 || count >= 6) && (sign != " is " || digits >= 4);
    }
    let plain = letters == count;
    match sign {
        " is " => digits > 0 && letters > 0 && count >= 6 && !value.contains("://"),
        _ if plain => {
            is_alone(text, range) && !SAID.contains(value.to_lowercase().as_str()) && count >= 6
        }
        _ => count >= 4 && (letters > 0 || digits >= 6),
    }
}

/// The number of a passport or a licence: letters and digits in one word.
fn is_document(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    (6..=20).contains(&value.len()) && digits >= 4 && letters > 0 && digits + letters == value.len()
}

/// Nothing comes behind it on its line, or what does is no prose.
fn is_alone(text: &str, range: &Range<usize>) -> bool {
    let rest = text[range.end..].trim_start_matches([' ', '"', '\'', '`', '.']);
    rest.chars()
        .next()
        .is_none_or(|c| !c.is_alphanumeric() && c != '(')
}
