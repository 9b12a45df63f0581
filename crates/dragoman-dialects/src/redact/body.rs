//! What a page sent: JSON, the fields of a form, or anything else. Names stay, so that an operator
//! sees what was sent; values go where they or their names say so. What is not touched keeps every
//! byte, also in a body that was cut off.
//!
//! Must not know: where it was sent.

use super::{Kind, find, is_placeholder, names, redact, redact_value, replace, settle};
use std::borrow::Cow;

/// JSON in a string in JSON; deeper down it is text.
const MOST_INSIDE: usize = 3;
/// An object in an object. A body that goes deeper is read as text.
const MOST_DEEP: usize = 512;

/// A request body: JSON, urlencoded, multipart or anything else. Names survive, values are
/// redacted; a value under a name that says secret or identifier is redacted whatever it looks like.
pub fn redact_body(body: &str) -> Cow<'_, str> {
    settle(body, |body| changed(pass(body, 0), body))
}

fn pass(body: &str, inside: usize) -> Cow<'_, str> {
    let bare = body.trim_start();
    if bare.starts_with(['{', '[', '"'])
        && let Some(out) = Json::new(body, inside).read()
    {
        return Cow::Owned(out);
    }
    if bare.starts_with("--") && bare.contains("form-data") {
        return Cow::Owned(multipart(body));
    }
    if is_form(body) {
        return Cow::Owned(form(body));
    }
    redact(body)
}

fn changed(now: Cow<'_, str>, old: &str) -> Option<String> {
    (now != old).then(|| now.into_owned())
}

/// A name that is itself somebody's address or number is no name.
fn name(text: &str) -> String {
    let mut hits = find(text);
    hits.retain(|(range, kind)| *kind != Kind::Key || range.len() == text.len());
    replace(text, &hits)
}

fn is_form(body: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || "_.-[]%+~$:@*!".contains(c);
    let is_part = |part: &str| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        name.chars().all(is_name) && !value.contains(['<', '>', '{', '}', '"'])
    };
    let body = body.trim_end_matches(['\r', '\n']);
    body.contains('=') && !body.contains(char::is_whitespace) && body.split('&').all(is_part)
}

fn form(body: &str) -> String {
    let ends = body.len() - body.trim_end_matches(['\r', '\n']).len();
    let (fields, end) = body.split_at(body.len() - ends);
    let mut out = String::with_capacity(body.len());
    for (at, field) in fields.split('&').enumerate() {
        if at > 0 {
            out.push('&');
        }
        let Some((key, value)) = field.split_once('=') else {
            out.push_str(&coded(field, |plain| redact(plain).into_owned()));
            continue;
        };
        out.push_str(&coded(key, name));
        out.push('=');
        let key = decode(key);
        out.push_str(&coded(value, |plain| {
            redact_inside(&[&key], plain, 0).into_owned()
        }));
    }
    out.push_str(end);
    out
}

/// Changes what a coded text says; one that is not changed keeps its code.
fn coded(text: &str, change: impl Fn(&str) -> String) -> String {
    let plain = decode(text);
    let new = change(&plain);
    if new == plain {
        text.to_owned()
    } else {
        encode(&new)
    }
}

fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let hex = |at: usize| tail.get(at).and_then(|b| char::from(*b).to_digit(16));
        rest = match (first, hex(0), hex(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                &tail[2..]
            }
            (b'+', ..) => {
                bytes.push(b' ');
                tail
            }
            _ => {
                bytes.push(*first);
                tail
            }
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Brackets stay as they are, for whoever reads it.
fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b' ' => out.push('+'),
            b if b.is_ascii_alphanumeric() || b"-_.~[]".contains(&b) => out.push(char::from(b)),
            b => out.push_str(&format!("%{b:02X}")),
        }
    }
    out
}

/// A value that may itself be a body.
fn redact_inside<'a>(hints: &[&str], value: &'a str, inside: usize) -> Cow<'a, str> {
    let named = hints.iter().any(|hint| names::meaning(hint).is_some());
    if !named && inside < MOST_INSIDE && value.trim_start().starts_with(['{', '[']) {
        return pass(value, inside + 1);
    }
    redact_value(hints, value)
}

/// Parts with headers; the name of each is in one of them.
fn multipart(body: &str) -> String {
    let bare = body.trim_start();
    let fence = bare.lines().next().unwrap_or("--").trim_end();
    let mut out = String::with_capacity(body.len());
    for (at, part) in body.split(fence).enumerate() {
        if at > 0 {
            out.push_str(fence);
        }
        let blank = ["\r\n\r\n", "\n\n"].iter().find_map(|blank| {
            let at = part.find(blank)?;
            Some(at + blank.len())
        });
        let Some(start) = blank else {
            out.push_str(&redact(part));
            continue;
        };
        let (head, value) = part.split_at(start);
        let bare = value.trim_end_matches(['\r', '\n', '-']);
        let bare = if bare.is_empty() {
            value.trim_end()
        } else {
            bare
        };
        let key = quoted(head, "name=\"");
        out.push_str(&replace_in(head));
        out.push_str(&redact_inside(&[key], bare, 0));
        out.push_str(&value[bare.len()..]);
    }
    out
}

fn replace_in(head: &str) -> String {
    head.split_inclusive('\n').map(name).collect()
}

fn quoted<'a>(head: &'a str, before: &str) -> &'a str {
    let after = head.split(before).nth(1).unwrap_or_default();
    after.split('"').next().unwrap_or_default()
}

/// A walk over JSON that copies it, and changes what must not be seen.
struct Json<'a> {
    text: &'a str,
    at: usize,
    copied: usize,
    out: String,
    inside: usize,
    frames: Vec<Frame>,
    key: Option<String>,
}

/// An object or a list that is open.
struct Frame {
    object: bool,
    /// The name it has itself.
    name: String,
    /// It lies under the name of a secret, and so does all that is in it.
    under: Option<Kind>,
    /// In `{"name": "password", "value": …}`, what the first says of the second.
    told: Option<String>,
}

impl<'a> Json<'a> {
    fn new(text: &'a str, inside: usize) -> Self {
        Self {
            text,
            at: 0,
            copied: 0,
            out: String::with_capacity(text.len()),
            inside,
            frames: Vec::new(),
            key: None,
        }
    }

    /// `None` when this is no JSON, not even the beginning of some.
    fn read(mut self) -> Option<String> {
        while let Some(byte) = self.text.as_bytes().get(self.at) {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' | b',' => self.at += 1,
                b'{' | b'[' => self.open(*byte == b'{')?,
                b'}' | b']' => {
                    self.frames.pop().filter(|f| f.object == (*byte == b'}'))?;
                    self.key = None;
                    self.at += 1;
                }
                b'"' => self.string()?,
                b'0'..=b'9' | b'-' | b'a'..=b'z' => self.literal()?,
                _ => return None,
            }
        }
        self.copy(self.text.len());
        Some(self.out)
    }

    fn open(&mut self, object: bool) -> Option<()> {
        if self.frames.len() == MOST_DEEP {
            return None;
        }
        let key = self.key.take();
        let under = self.kind(key.as_deref()).filter(|kind| hides(*kind));
        let name = key.or_else(|| self.frames.last().map(|frame| frame.name.clone()));
        self.frames.push(Frame {
            object,
            name: name.unwrap_or_default().chars().take(64).collect(),
            under,
            told: None,
        });
        self.at += 1;
        Some(())
    }

    /// What the names around a value say of it.
    fn kind(&self, key: Option<&str>) -> Option<Kind> {
        let frame = self.frames.last();
        let under = frame.and_then(|frame| frame.under);
        let key = match (key, frame) {
            (Some(key), _) => key,
            (None, Some(frame)) => &frame.name,
            (None, None) => "",
        };
        let told = || names::meaning(frame?.told.as_deref()?);
        let both = || names::meaning(&format!("{} {key}", frame?.name)).filter(|kind| hides(*kind));
        under
            .or_else(|| names::meaning(key))
            .or_else(|| if key == "value" { told() } else { None })
            .or_else(|| {
                if key == "number" || key == "code" {
                    both()
                } else {
                    None
                }
            })
    }

    fn string(&mut self) -> Option<()> {
        let start = self.at + 1;
        let (end, closed) = string_end(self.text, start);
        let raw = &self.text[start..end];
        let plain = unescape(raw);
        self.at = end + usize::from(closed);
        let object = self.frames.last().is_some_and(|frame| frame.object);
        if object && self.key.is_none() {
            let new = name(&plain);
            if new != plain {
                self.put(start, end, &escape(&new));
            }
            self.key = Some(plain);
            return if closed { self.colon() } else { Some(()) };
        }
        let key = self.key.take();
        let new = self.change(key.as_deref(), &plain);
        if new != plain {
            self.put(start, end, &escape(&new));
        }
        if let (Some("name" | "key" | "field" | "id"), Some(frame)) =
            (key.as_deref(), self.frames.last_mut())
        {
            frame.told = Some(plain.chars().take(64).collect());
        }
        Some(())
    }

    fn colon(&mut self) -> Option<()> {
        let rest = self.text[self.at..].trim_ascii_start();
        self.at = self.text.len() - rest.len();
        if rest.starts_with(':') {
            self.at += 1;
        } else if !rest.is_empty() {
            return None;
        }
        Some(())
    }

    fn literal(&mut self) -> Option<()> {
        let rest = &self.text[self.at..];
        let is_part = |b: &u8| b.is_ascii_alphanumeric() || b"+-.".contains(b);
        let len = rest.bytes().take_while(is_part).count();
        let word = &rest[..len];
        let cut = len == rest.len();
        let named = ["true", "false", "null"]
            .iter()
            .any(|name| *name == word || cut && name.starts_with(word));
        let number = !named && word.parse::<f64>().is_ok_and(f64::is_finite) || word == "-" && cut;
        if !named && !number || self.frames.last().is_some_and(|f| f.object) && self.key.is_none() {
            return None;
        }
        let key = self.key.take();
        if number {
            let new = self.change(key.as_deref(), word);
            if new != word {
                self.put(self.at, self.at + len, &format!("\"{}\"", escape(&new)));
            }
        }
        self.at += len;
        Some(())
    }

    fn change(&self, key: Option<&str>, plain: &str) -> String {
        let kind = self.kind(key);
        match kind {
            Some(kind) if hides(kind) && !plain.is_empty() && !is_placeholder(plain) => {
                kind.placeholder().into()
            }
            Some(Kind::Phone) => redact_value(&["phone"], plain).into_owned(),
            Some(Kind::Email) => redact_value(&["email"], plain).into_owned(),
            Some(_) => plain.into(),
            None => redact_inside(&[], plain, self.inside).into_owned(),
        }
    }

    fn copy(&mut self, to: usize) {
        self.out.push_str(&self.text[self.copied..to]);
        self.copied = to;
    }

    fn put(&mut self, start: usize, end: usize, new: &str) {
        self.copy(start);
        self.out.push_str(new);
        self.copied = end;
    }
}

/// Kinds that are hidden by their name alone.
fn hides(kind: Kind) -> bool {
    !matches!(kind, Kind::Phone | Kind::Email)
}

/// Where the string ends, and whether its quote is there.
fn string_end(text: &str, start: usize) -> (usize, bool) {
    let mut bytes = text.as_bytes()[start..].iter().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'"' => return (start + at, true),
            _ => {}
        }
    }
    (text.len(), false)
}

/// What the string says; one with broken escapes says what it looks like.
fn unescape(raw: &str) -> String {
    if !raw.contains('\\') {
        return raw.to_owned();
    }
    serde_json::from_str(&format!("\"{raw}\"")).unwrap_or_else(|_| raw.to_owned())
}

fn escape(plain: &str) -> String {
    let quoted = serde_json::Value::from(plain).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}
