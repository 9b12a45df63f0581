//! What an executor says, read with distrust. Its texts come from pages: they are capped, put on one
//! line, and stay texts.
//!
//! Must not know: what was asked.

use super::elements::{Element, Elements, one_line};
use crate::json;
use dragoman_model::{Code, Fault};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// A longer message is refused.
pub const MAX_HEARD: usize = 2 << 20;
const MAX_DEPTH: usize = 32;
const MOST_ERROR: usize = 200;
const MOST_URL: usize = 2_000;
const MOST_CONTENT: usize = 200_000;
/// Of what comes with a ping; more is not sent back.
const MOST_ECHO: usize = 1_000;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Heard {
    Listing(Listing),
    Answer {
        request_id: Option<String>,
        answer: Answer,
    },
    Ping {
        data: Option<Value>,
    },
    Pong,
    /// A message of a kind that is not for us.
    Other,
}

/// What it sees, numbered its way.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Listing {
    pub url: Option<String>,
    pub title: Option<String>,
    pub elements: Vec<Element>,
    pub outside: u64,
    pub omitted: u64,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answer {
    /// `Err`: it says that it could not.
    pub success: Result<(), Fault>,
    pub url: Option<String>,
    pub content: Option<Content>,
    /// `Some(Err)`: there is a list, and it cannot be read.
    pub listing: Option<Result<Listing, String>>,
}

/// A page's text.
#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    pub text: String,
    /// The executor left some of it out.
    pub truncated: bool,
}

/// A message that says nothing we could use, and what it seems to have been about.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Unreadable {
    pub about: About,
    pub reason: String,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum About {
    Listing,
    Answer { request_id: Option<String> },
    Nothing,
}

/// Every field that we look at, wherever it stands: the message, its data, the data of a result.
#[derive(Debug, Default, Deserialize)]
struct Fields<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<&'a RawValue>,
    #[serde(borrow)]
    request_id: Option<&'a RawValue>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    success: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow)]
    code: Option<&'a RawValue>,
    #[serde(borrow)]
    tree: Option<&'a RawValue>,
    #[serde(borrow)]
    elements: Option<&'a RawValue>,
    #[serde(borrow)]
    url: Option<&'a RawValue>,
    #[serde(borrow)]
    title: Option<&'a RawValue>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    text: Option<&'a RawValue>,
    #[serde(borrow)]
    truncated: Option<&'a RawValue>,
    #[serde(borrow)]
    outside_viewport: Option<&'a RawValue>,
    #[serde(borrow)]
    omitted: Option<&'a RawValue>,
}

pub(super) fn read(text: &str) -> Result<Heard, Unreadable> {
    // Something that may have been a list counts as one: the numbers are other ones now.
    let bad = |reason: String| Unreadable {
        about: match text.contains("Snapshot") || text.contains("\"tree\"") {
            true => About::Listing,
            false => About::Nothing,
        },
        reason,
    };
    if text.len() > MAX_HEARD {
        return Err(bad("it is too long".into()));
    }
    if json::too_deep(text, MAX_DEPTH) {
        return Err(bad("it is nested too deeply".into()));
    }
    if !text.trim_start().starts_with('{') {
        return Err(bad("it is no JSON object".into()));
    }
    let top: Fields = serde_json::from_str(text).map_err(|error| bad(short(&error)))?;
    let kind = top.kind.and_then(string);
    match kind.as_deref() {
        Some("Ping" | "ping") => Ok(Heard::Ping {
            data: top.data.and_then(echo),
        }),
        Some("Pong" | "pong") => Ok(Heard::Pong),
        Some("Snapshot" | "snapshot") => match object(top.data) {
            Some(fields) => heard_listing(&fields),
            None => Err(unlisted("a Snapshot without \"data\"".into())),
        },
        Some("ActionResult" | "action_result") => {
            let request_id = top.request_id.and_then(id);
            match object(top.data.or(top.result)) {
                Some(fields) => answer(&fields, request_id),
                None => Err(unanswered(request_id, "an ActionResult without \"data\"")),
            }
        }
        // Without the envelope, as the document shows them first.
        None if top.success.is_some() => answer(&top, top.request_id.and_then(id)),
        None if top.tree.is_some() => heard_listing(&top),
        _ => Ok(Heard::Other),
    }
}

fn unlisted(reason: String) -> Unreadable {
    let about = About::Listing;
    Unreadable { about, reason }
}

fn unanswered(request_id: Option<String>, reason: &str) -> Unreadable {
    Unreadable {
        about: About::Answer { request_id },
        reason: reason.into(),
    }
}

fn heard_listing(fields: &Fields) -> Result<Heard, Unreadable> {
    match listing(fields) {
        Some(Ok(listing)) => Ok(Heard::Listing(listing)),
        Some(Err(reason)) => Err(unlisted(reason)),
        None => Err(unlisted("a Snapshot without a \"tree\"".into())),
    }
}

fn listing(fields: &Fields) -> Option<Result<Listing, String>> {
    let list = fields.tree.or(fields.elements)?;
    let elements: Elements = match serde_json::from_str(list.get()) {
        Ok(elements) => elements,
        Err(error) => return Some(Err(short(&error))),
    };
    let line = |raw: &RawValue| string(raw).map(|text| one_line(&text, MOST_URL));
    Some(Ok(Listing {
        url: fields.url.and_then(line),
        title: fields.title.and_then(line),
        elements: elements.listed,
        outside: fields.outside_viewport.and_then(count).unwrap_or(0),
        omitted: elements
            .more
            .saturating_add(fields.omitted.and_then(count).unwrap_or(0)),
    }))
}

fn answer(fields: &Fields, request_id: Option<String>) -> Result<Heard, Unreadable> {
    let request_id = request_id.or_else(|| fields.request_id.and_then(id));
    let success = fields.success.map(|raw| raw.get());
    let data = object(fields.data).unwrap_or_default();
    let success = match success {
        Some("true") => Ok(()),
        Some("false") => Err(failure(fields.error, data.code)),
        _ => return Err(unanswered(request_id, "\"success\" is not true or false")),
    };
    let text = data.content.or(data.text).and_then(string);
    let truncated = data.truncated.is_some_and(|raw| raw.get() == "true");
    let answer = Answer {
        success,
        url: data
            .url
            .and_then(string)
            .map(|url| one_line(&url, MOST_URL)),
        content: text.map(|text| cut(text, truncated)),
        listing: listing(&data),
    };
    Ok(Heard::Answer { request_id, answer })
}

/// What it says went wrong, in its words; ours say whose words they are.
fn failure(error: Option<&RawValue>, code: Option<&RawValue>) -> Fault {
    let said = error.and_then(string).map(|text| {
        // Nothing in it may look like a command or a tag to whoever reads it.
        let plain = text.replace(['<', '>', '{', '}', '"'], " ");
        one_line(&plain, MOST_ERROR)
    });
    let message = match said.filter(|said| !said.is_empty()) {
        Some(said) => format!("The executor could not do it and says \"{said}\""),
        None => "The executor could not do it and does not say why".into(),
    };
    let named = code.and_then(string);
    let known = |code: &&Code| Some(code.as_str()) == named.as_deref();
    Fault::new(
        BELIEVED
            .iter()
            .find(known)
            .copied()
            .unwrap_or(Code::ActionFailed),
        message,
    )
}

/// Codes that are an executor's to say: about its page, not about us.
const BELIEVED: &[Code] = &[
    Code::UnknownRef,
    Code::StaleRef,
    Code::NotFound,
    Code::Hidden,
    Code::Covered,
    Code::Disabled,
    Code::NotEditable,
    Code::Unsupported,
    Code::DialogOpen,
    Code::NavigationFailed,
    Code::Blocked,
];

fn cut(text: String, truncated: bool) -> Content {
    let keep = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    let longer = text.chars().count() > MOST_CONTENT;
    Content {
        text: text.chars().filter(keep).take(MOST_CONTENT).collect(),
        truncated: truncated || longer,
    }
}

fn object(raw: Option<&RawValue>) -> Option<Fields<'_>> {
    let text = raw?.get();
    text.starts_with('{')
        .then(|| serde_json::from_str(text).ok())
        .flatten()
}

fn string(raw: &RawValue) -> Option<String> {
    serde_json::from_str(raw.get()).ok()
}

fn count(raw: &RawValue) -> Option<u64> {
    serde_json::from_str(raw.get()).ok()
}

/// We send strings; what comes back as a number was never ours.
fn id(raw: &RawValue) -> Option<String> {
    match raw.get() {
        "null" => None,
        other => Some(string(raw).unwrap_or_else(|| other.chars().take(40).collect())),
    }
}

fn echo(raw: &RawValue) -> Option<Value> {
    (raw.get().len() <= MOST_ECHO)
        .then(|| json::parse(raw.get()).ok())
        .flatten()
}

fn short(error: &serde_json::Error) -> String {
    one_line(&error.to_string(), MOST_ERROR)
}
