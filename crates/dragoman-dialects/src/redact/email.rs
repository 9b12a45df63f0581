//! E-mail addresses: around each `@`, as far as an address may reach.
//!
//! Must not know: which domains exist; only which endings are those of files.

use super::text::{after, before, floor};
use super::{Hit, Kind};

const MOST_LOCAL: usize = 96;
const MOST_DOMAIN: usize = 253;

/// How a file may end, and a domain does not.
const FILES: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "ico", "bmp", "tiff", "css", "scss", "js",
    "mjs", "cjs", "ts", "tsx", "jsx", "json", "html", "htm", "php", "pdf", "mp4", "webm", "mp3",
    "woff", "woff2", "ttf", "map", "xml", "txt", "csv", "yml", "yaml", "toml", "lock", "tgz",
    "tar", "gz", "exe", "dll", "jar", "vue", "service", "socket", "timer", "target", "conf",
];

pub(super) fn find(text: &str, hits: &mut Vec<Hit>) {
    let mut done = 0;
    for (at, sign) in signs(text) {
        if at < done {
            continue;
        }
        let Some(end) = domain_end(text, at + sign) else {
            continue;
        };
        if let Some(start) = local_start(text, at, done) {
            hits.push((start..end, Kind::Email));
            done = end;
        }
    }
}

/// Each sign that may join an address, and its length. `%40` is one in an address of a page.
fn signs(text: &str) -> impl Iterator<Item = (usize, usize)> + '_ {
    text.char_indices().filter_map(|(at, c)| match c {
        '@' | '＠' => Some((at, c.len_utf8())),
        '%' if text[at..].starts_with("%40") => Some((at, 3)),
        _ => None,
    })
}

fn local_start(text: &str, at: usize, done: usize) -> Option<usize> {
    let from = floor(text, at.saturating_sub(MOST_LOCAL)).max(done);
    if before(text, at) == Some('"') {
        return quoted_start(text, from, at - 1);
    }
    let mut start = at;
    for (place, c) in text[from..at].char_indices().rev() {
        if !is_local(c) || text[from + place..].starts_with("%40") {
            break;
        }
        start = from + place;
    }
    let local = text[start..at].trim_start_matches(|c: char| !c.is_alphanumeric() && c != '_');
    let start = at - local.len();
    let mention =
        before(text, start) == Some('@') && before(text, start - 1).is_none_or(|c| !is_local(c));
    let whole = !local.is_empty()
        && !local.ends_with('.')
        && local != "git"
        && !mention
        && !is_login(&text[from..start]);
    whole.then_some(start)
}

/// `https://user:` in front: what follows is a password, and not ours.
fn is_login(head: &str) -> bool {
    let user = head.strip_suffix(':').unwrap_or("/ ");
    user.trim_end_matches(|c: char| c != '/' && !c.is_whitespace())
        .ends_with("://")
}

/// `"john doe"@example.com`
fn quoted_start(text: &str, from: usize, quote: usize) -> Option<usize> {
    let inside = text[from..quote].rsplit('\n').next()?;
    let start = quote - inside.len() + inside.rfind('"')?;
    (quote - start > 1).then_some(start)
}

fn is_local(c: char) -> bool {
    c.is_alphanumeric() || "._%+-'~!#$*^".contains(c)
}

fn domain_end(text: &str, start: usize) -> Option<usize> {
    let limit = floor(text, start + MOST_DOMAIN);
    let rest = &text[start..limit];
    let is_domain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '.' | '。') || is_mark(c);
    let len = rest.find(|c| !is_domain(c)).unwrap_or(rest.len());
    let mut domain = rest[..len].trim_end_matches(['.', '-', '。']);
    // "me@x.org.Then" and "me@x.org..": the address ends where a label is empty
    if let Some(cut) = domain.find("..") {
        domain = &domain[..cut];
    }
    if domain.starts_with(['.', '-']) || is_density(domain) {
        return None;
    }
    let (_, top) = domain.rsplit_once(['.', '。'])?;
    is_top(top).then_some(start + domain.len())
}

/// Signs that belong to the letter before them, in scripts that write so.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{900}'..='\u{d7f}' | '\u{e31}'..='\u{e4e}')
}

fn is_top(top: &str) -> bool {
    let letters = top.chars().all(|c| c.is_alphabetic() || is_mark(c));
    let coded = top.len() > 4 && top.is_char_boundary(4) && top[..4].eq_ignore_ascii_case("xn--");
    let file = FILES.contains(&top.to_ascii_lowercase().as_str());
    (letters || coded) && top.chars().count() >= 2 && !file
}

/// `icon@2x.png`, and whatever else comes in double size.
fn is_density(domain: &str) -> bool {
    let label = domain.split('.').next().unwrap_or_default();
    let number = label.trim_end_matches(['x', 'X']);
    number.len() + 1 == label.len()
        && !number.is_empty()
        && number.bytes().all(|b| b.is_ascii_digit())
        && after(domain, label.len()) == Some('.')
}
