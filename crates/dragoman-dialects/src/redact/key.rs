//! Keys and tokens by their looks: known beginnings, signed tokens, private keys, passwords in
//! addresses, and long strings that nobody could have thought of.
//!
//! Must not know: the names that values have.

use super::names::{Words, list};
use super::text::{before, floor, glued_before};
use super::{Hit, Kind};
use std::sync::LazyLock;

/// How a key begins, and how much must follow.
const BEGINNINGS: &[(&str, usize)] = &[
    ("sk-", 20),
    ("sk_live_", 10),
    ("sk_test_", 10),
    ("pk_live_", 10),
    ("pk_test_", 10),
    ("rk_live_", 10),
    ("rk_test_", 10),
    ("whsec_", 16),
    ("ghp_", 30),
    ("gho_", 30),
    ("ghu_", 30),
    ("ghs_", 30),
    ("ghr_", 30),
    ("github_pat_", 22),
    ("glpat-", 16),
    ("xoxb-", 10),
    ("xoxp-", 10),
    ("xoxa-", 10),
    ("xoxr-", 10),
    ("xoxs-", 10),
    ("xoxe-", 10),
    ("xapp-", 10),
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 30),
    ("ya29.", 20),
    ("npm_", 30),
    ("pypi-", 30),
    ("SG.", 30),
    ("hf_", 30),
    ("dop_v1_", 30),
    ("shpat_", 24),
    ("shpss_", 24),
    ("AGE-SECRET-KEY-1", 30),
    ("EAACEdEose0cBA", 10),
    ("sq0atp-", 16),
    ("key-", 32),
];

const LONG: usize = 32;
/// So much of a key tells whether it is one.
const MOST_READ: usize = 128;
const MOST_PARTS: usize = 5;

/// Words before a long string that make it harmless.
const HARMLESS: &str = "commit, commits, sha, sha1, sha256, sha384, sha512, md5, hash, checksum, \
     digest, etag, integrity, blob, tree, parent, rev, revision, base64, merge, git, index, \
     object, fingerprint";

const HARMLESS_NAMES: &[&str] = &["v", "hash", "ver", "rev", "etag", "integrity", "checksum"];

static SAID: Words = LazyLock::new(|| list(HARMLESS));

pub(super) fn find(text: &str, hits: &mut Vec<Hit>) {
    blocks(text, hits);
    userinfo(text, hits);
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !is_key(bytes[at]) {
            at += 1;
            continue;
        }
        let len = bytes[at..].iter().take_while(|b| is_key(**b)).count();
        word(text, at, at + len, hits);
        at += len;
    }
}

/// What keys are made of.
fn is_key(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"-_.+/=~".contains(&b)
}

/// One stretch of such bytes.
fn word(text: &str, start: usize, end: usize, hits: &mut Vec<Hit>) {
    let mut hit = |start: usize, end: usize| hits.push((start..end, Kind::Key));
    if let Some(start) = bearer(text, start, end) {
        return hit(start, trim(text, start, end));
    }
    // a known beginning may stand behind a slash, a point or an equals sign
    let (mut from, mut done) = (start, start);
    for part in text[start..end].split_inclusive(['/', '=', '.']) {
        let begins = from;
        from += part.len();
        if begins < done || glued_before(text, begins) {
            continue;
        }
        if let Some(len) = known(&text[begins..end]) {
            done = begins + len;
            hit(begins, done);
        }
    }
    if done > start {
        return;
    }
    let mut from = start;
    for part in text[start..end].split(['.', '~']) {
        let (begins, ends) = (from, from + part.len());
        from = ends + 1;
        if part.len() >= LONG {
            values(text, begins, ends, &mut hit);
        }
    }
}

/// The length of a key that begins here.
fn known(rest: &str) -> Option<usize> {
    if rest.starts_with("eyJ") {
        return signed(rest);
    }
    let (begin, least) = BEGINNINGS
        .iter()
        .find(|(begin, _)| rest.starts_with(begin))?;
    let dotted = begin.ends_with('.');
    let is_tail =
        |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_' || (dotted && c == '.');
    let len_of = |tail: &str| {
        let len = tail.find(|c| !is_tail(c)).unwrap_or(tail.len());
        tail[..len].trim_end_matches(['-', '.']).len()
    };
    let whole = &rest[begin.len()..];
    let tail = &whole[..len_of(&whole[..floor(whole, MOST_READ)])];
    let cloud = !matches!(*begin, "AKIA" | "ASIA")
        || (tail.len() == *least && !tail.contains(|c: char| c.is_ascii_lowercase()));
    let fits = tail.len() >= *least && cloud && is_dense(tail);
    fits.then(|| begin.len() + len_of(whole))
}

/// At least one piece of it is nobody's word.
fn is_dense(tail: &str) -> bool {
    tail.split(['-', '_', '.']).any(|piece| {
        let digit = piece.bytes().any(|b| b.is_ascii_digit());
        let letter = piece.bytes().any(|b| b.is_ascii_alphabetic());
        piece.len() >= 10 && digit && letter
    })
}

/// A signed token: three parts, the first of which begins like JSON.
fn signed(rest: &str) -> Option<usize> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let mut lengths = [0; MOST_PARTS];
    let mut len = 0;
    for (at, part) in rest.split('.').take(MOST_PARTS).enumerate() {
        let end = part.find(|c| !is_part(c)).unwrap_or(part.len());
        lengths[at] = end;
        len += end + usize::from(at > 0);
        if end < part.len() {
            break;
        }
    }
    let [head, body, sign, ..] = lengths;
    let token = rest[..len].trim_end_matches('.');
    let fits = head >= 10 && body >= 4 && (sign == 0 || sign >= 4);
    fits.then_some(token.len())
}

/// `Bearer xyz`, with something in it that no word has.
fn bearer(text: &str, start: usize, end: usize) -> Option<usize> {
    let from = floor(text, start.saturating_sub(8));
    let head = text[from..start].trim_end_matches(' ');
    let named = head.len() < start - from && head.len() >= 6 && {
        let at = floor(head, head.len() - 6);
        head[at..].eq_ignore_ascii_case("bearer") && !glued_before(text, from + at)
    };
    let value = &text[start..trim(text, start, end)];
    let odd = value.bytes().any(|b| b.is_ascii_digit());
    (named && odd && value.len() >= 8).then_some(start)
}

/// Without the point that ends the sentence.
fn trim(text: &str, start: usize, end: usize) -> usize {
    start + text[start..end].trim_end_matches(['.', '/']).len()
}

/// Each piece between equals signs, with what stands before it.
fn values(text: &str, start: usize, end: usize, hit: &mut impl FnMut(usize, usize)) {
    let padding = text[start..end].len() - text[start..end].trim_end_matches('=').len();
    let (mut from, mut name) = (start, "");
    for part in text[start..end - padding].split('=') {
        let ends = from + part.len();
        let last = ends == end - padding;
        let harmless = HARMLESS_NAMES.contains(&name) || name.contains('/');
        if part.len() + padding >= LONG && !harmless {
            long(text, from, if last { end } else { ends }, hit);
        }
        (from, name) = (ends + 1, part);
    }
}

/// Long strings without sense, outside of paths and away from words that say they are harmless.
fn long(text: &str, start: usize, end: usize, hit: &mut impl FnMut(usize, usize)) {
    let piece = &text[start..end];
    let bare = piece.trim_matches(['-', '_', '+']);
    if !is_hex_key(bare) && !is_scrambled(bare) {
        return;
    }
    let path = matches!(before(text, start), Some('/' | '.' | '%' | ':')) && !is_pair(text, start)
        || piece.starts_with('/')
        || piece.ends_with('/')
        || text[end..].starts_with(['.', '/'])
            && text[end + 1..].starts_with(char::is_alphanumeric)
        || is_path(piece);
    if !path && !is_harmless(text, start, piece) {
        hit(start, end);
    }
}

/// `name:value` rather than a port or a digest.
fn is_pair(text: &str, start: usize) -> bool {
    before(text, start) == Some(':') && {
        let from = floor(text, start.saturating_sub(12));
        !text[from..start - 1]
            .to_ascii_lowercase()
            .ends_with(|c: char| c.is_ascii_digit())
    }
}

/// Slashes between words: the path of a file.
fn is_path(piece: &str) -> bool {
    let is_wordy = |part: &&str| {
        let digits = part.bytes().filter(u8::is_ascii_digit).count();
        let capital = part.starts_with(|c: char| c.is_ascii_uppercase());
        let humps = turns(part).saturating_sub(usize::from(capital));
        part.len() < 3 || digits * 4 <= part.len() && humps * 4 <= part.len()
    };
    let parts = piece.split('/').filter(|part| !part.is_empty());
    let wordy = parts.clone().filter(is_wordy).count();
    piece.contains('/') && wordy * 2 > parts.count()
}

/// Digests, pictures and commits, when the text says so.
fn is_harmless(text: &str, start: usize, piece: &str) -> bool {
    let digest = ["sha1-", "sha256-", "sha384-", "sha512-"];
    if digest.iter().any(|begin| piece.starts_with(begin)) || is_account(piece) {
        return true;
    }
    let from = floor(text, start.saturating_sub(100));
    let line = text[from..start].rsplit('\n').next().unwrap_or_default();
    line.rsplit(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(4)
        .any(|word| SAID.contains(word.to_ascii_lowercase().as_str()))
}

/// `0x` and forty digits: an address on a chain, which is public.
fn is_account(piece: &str) -> bool {
    let hex = |text: &str| text.bytes().all(|b| b.is_ascii_hexdigit());
    piece
        .strip_prefix("0x")
        .is_some_and(|rest| rest.len() == 40 && hex(rest))
}

fn is_hex_key(piece: &str) -> bool {
    let count = |class: fn(&u8) -> bool| piece.bytes().filter(class).count();
    let lower = count(|b| matches!(b, b'a'..=b'f'));
    let upper = count(|b| matches!(b, b'A'..=b'F'));
    let digits = count(u8::is_ascii_digit);
    let one_case = lower == 0 || upper == 0;
    piece.len() >= LONG
        && digits + lower + upper == piece.len()
        && one_case
        && digits >= 4
        && lower + upper >= 4
}

/// Small letters, capitals and digits without order, and no words among them.
fn is_scrambled(piece: &str) -> bool {
    let count = |class: u8| piece.bytes().filter(|b| class_of(*b) == class).count();
    let (small, large, digits, signs) = (count(0), count(1), count(2), count(3));
    let plain = small + large + digits;
    let turns = turns(piece);
    let mixed = small > 2 && large > 2 && digits > 0 && turns * 10 >= plain * 3;
    let flat = signs == 0 && digits >= 6 && small + large >= 6 && turns * 4 >= plain;
    let wordy = mixed && in_words(piece) * 5 > plain * 2;
    piece.len() >= LONG && signs * 6 <= plain && (mixed || flat) && !wordy
}

fn class_of(b: u8) -> u8 {
    match b {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    }
}

/// How often it goes from one class to another.
fn turns(piece: &str) -> usize {
    let turns = |pair: &&[u8]| {
        let (a, b) = (class_of(pair[0]), class_of(pair[1]));
        a != b && a < 3 && b < 3
    };
    piece.as_bytes().windows(2).filter(turns).count()
}

/// How much of it lies in runs of small letters as words have them.
fn in_words(piece: &str) -> usize {
    let runs = piece.split(|c: char| !c.is_ascii_lowercase());
    runs.map(str::len).filter(|len| *len >= 3).sum()
}

/// `https://user:password@host`
fn userinfo(text: &str, hits: &mut Vec<Hit>) {
    const MOST: usize = 256;
    for (at, _) in text.match_indices("://") {
        let start = at + 3;
        let rest = &text[start..floor(text, start + MOST)];
        let is_end = |c: char| c.is_whitespace() || "/?#\"'<>@[]".contains(c);
        let Some(len) = rest
            .find(is_end)
            .filter(|len| rest[*len..].starts_with('@'))
        else {
            continue;
        };
        let named = rest[..len]
            .split_once(':')
            .is_some_and(|(_, pass)| !pass.is_empty());
        if named {
            hits.push((start..start + len, Kind::Key));
        }
    }
}

/// Private keys between their lines, or as much of one as is there. Each is looked for only up to
/// where the next one begins.
fn blocks(text: &str, hits: &mut Vec<Hit>) {
    const MOST_TITLE: usize = 48;
    const BEGIN: &str = "-----BEGIN ";
    let mut begins = text.match_indices(BEGIN).map(|(at, _)| at).peekable();
    while let Some(at) = begins.next() {
        let next = begins.peek().map_or(text.len(), |next| *next);
        let title = at + BEGIN.len();
        let line = &text[title..floor(text, title + MOST_TITLE).min(next)];
        let Some(len) = line.find("-----") else {
            continue;
        };
        let body = title + len + 5;
        let end = block_end(text, body.min(next), next);
        if line[..len].contains("PRIVATE KEY") && end > body {
            hits.push((at..end, Kind::Key));
        }
    }
}

fn block_end(text: &str, body: usize, next: usize) -> usize {
    let is_body =
        |c: char| c.is_ascii_alphanumeric() || c.is_ascii_whitespace() || "+/=\\-:,.".contains(c);
    let rest = &text[body..next];
    let rest = &rest[..rest.find(|c| !is_body(c)).unwrap_or(rest.len())];
    if let Some(end) = rest.find("-----END ") {
        let title = &rest[end + 9..];
        return body + end + 9 + title.find("-----").map_or(title.len(), |at| at + 5);
    }
    // cut off: as long as the lines are those of a key
    let mut len = 0;
    for line in rest.split_inclusive(|c: char| c.is_ascii_whitespace()) {
        let bare = line.trim_end();
        if !bare.is_empty() && bare.len() < 16 {
            break;
        }
        len += line.len();
    }
    body + rest[..len].trim_end().len()
}
