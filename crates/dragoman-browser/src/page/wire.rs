//! The conversation with the in-page script: what is asked, what comes back. Every call takes one
//! JSON object and answers one JSON text. Must not know CDP.

use super::node::PageNodes;
use dragoman_model::{Bounds, Candidate, Code, Data, Fault, Point, Ref, Target, Viewport, Word};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The function names the script offers on `__dragoman`.
pub(crate) mod call {
    pub const SNAPSHOT: &str = "snapshot";
    pub const CHANGES: &str = "changes";
    pub const AIM: &str = "aim";
    pub const GUARD: &str = "guard";
    pub const DISARM: &str = "disarm";
    pub const STOPPED: &str = "stopped";
    pub const SETTLE: &str = "settle";
    pub const POKE: &str = "poke";
    pub const EDIT: &str = "edit";
    pub const ROW: &str = "row";
    pub const STOP_ROW: &str = "stopRow";
    pub const TEXT: &str = "text";
    pub const SELECTION: &str = "selection";
    pub const QUERY: &str = "query";
    pub const STATE: &str = "state";
    pub const SCROLL: &str = "scroll";
    pub const HIGHLIGHT: &str = "highlight";
    pub const MARKS: &str = "marks";
    pub const WATCH: &str = "watch";
    pub const UNWATCH: &str = "unwatch";
    pub const SUBSCRIBE: &str = "subscribe";
    pub const FRAME_BOX: &str = "frameBox";
    pub const HIT_FRAME: &str = "hitFrame";
}

/// An answer is what was asked for, or a fault.
#[derive(Debug)]
pub(crate) enum Answer<T> {
    Ok(T),
    Fault { fault: PageFault, next: Option<u64> },
}

#[derive(Debug, Deserialize)]
struct Failed {
    fault: PageFault,
    next: Option<u64>,
}

impl<T: serde::de::DeserializeOwned> Answer<T> {
    /// A fault says so in its first word; large answers are read once, without looking back.
    pub fn read(text: &str) -> Result<Self, serde_json::Error> {
        if text.starts_with("{\"fault\"") {
            let Failed { fault, next } = serde_json::from_str(text)?;
            return Ok(Self::Fault { fault, next });
        }
        serde_json::from_str(text).map(Self::Ok)
    }
}

/// An answer that may tell which number is the first that no element has.
pub(crate) trait Numbered {
    fn next(&self) -> Option<u64> {
        None
    }
}

impl Numbered for Look {
    fn next(&self) -> Option<u64> {
        Some(self.next)
    }
}

impl Numbered for Delta {
    fn next(&self) -> Option<u64> {
        Some(self.next)
    }
}

impl Numbered for Aimed {
    fn next(&self) -> Option<u64> {
        Some(self.next)
    }
}

impl Numbered for Settled {
    fn next(&self) -> Option<u64> {
        let changes = self.changes.as_ref().map(|changes| changes.next);
        changes.max(self.ahead.as_ref().map(|aimed| aimed.next))
    }
}

impl Numbered for Marked {
    fn next(&self) -> Option<u64> {
        self.next
    }
}

impl Numbered for RowDone {
    fn next(&self) -> Option<u64> {
        self.next.max(self.ahead.as_ref().map(|aimed| aimed.next))
    }
}

impl Numbered for Text {}
impl Numbered for Queried {}
impl Numbered for Scrolled {}
impl Numbered for FrameBox {}
impl Numbered for Okay {}
impl Numbered for Stopped {}
impl Numbered for State {}
impl Numbered for Watched {}
impl Numbered for Value {}

#[derive(Debug, Deserialize)]
pub(crate) struct PageFault {
    pub code: String,
    pub message: String,
    #[serde(default)]
    pub candidates: Vec<PageCandidate>,
    pub blocker: Option<PageCandidate>,
    /// Where the script failed: for the log, never for an operator.
    pub stack: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct PageCandidate {
    #[serde(default, rename = "ref")]
    pub number: u64,
    #[serde(default)]
    pub role: String,
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub tag: String,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
#[allow(non_snake_case)]
pub(crate) struct View {
    w: f64,
    h: f64,
    x: f64,
    y: f64,
    W: f64,
    H: f64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Look {
    pub next: u64,
    pub rev: u64,
    pub url: String,
    pub title: String,
    pub view: View,
    #[serde(default)]
    pub focus: u64,
    /// The compact form: role and tag, by the index that nodes have instead.
    #[serde(default)]
    kinds: Vec<(Word, Word)>,
    pub nodes: PageNodes,
    #[serde(default)]
    pub outside: u64,
    #[serde(default)]
    pub omitted: u64,
    /// How many nodes went ahead in pieces, and which of those are covered.
    #[serde(default)]
    pub sent: usize,
    #[serde(default)]
    covered: Vec<usize>,
}

impl Look {
    /// Put the nodes that went ahead in their place, and give every node its role and tag.
    pub fn complete(&mut self, mut ahead: PageNodes) {
        for at in self.covered.drain(..) {
            if let Some(node) = ahead.nodes.get_mut(at) {
                node.covered = true;
            }
        }
        ahead.append(std::mem::take(&mut self.nodes));
        ahead.resolve(&self.kinds);
        self.nodes = ahead;
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct Delta {
    pub next: u64,
    pub rev: u64,
    #[serde(default)]
    pub reset: bool,
    #[serde(default)]
    pub changed: PageNodes,
    #[serde(default)]
    pub removed: Vec<u64>,
    #[serde(default)]
    pub more: u64,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Aimed {
    #[serde(rename = "ref")]
    pub number: u64,
    pub next: u64,
    #[serde(default)]
    pub role: String,
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub tag: String,
    #[serde(default, rename = "type")]
    pub kind: Option<String>,
    /// What is in it is nobody's to see.
    #[serde(default)]
    pub secret: bool,
    #[serde(rename = "box")]
    pub area: Option<[f64; 4]>,
    pub point: Option<[f64; 2]>,
    #[serde(default)]
    pub healed: bool,
    pub how: Option<String>,
    pub href: Option<String>,
    #[serde(default, rename = "newTab")]
    pub new_tab: bool,
    /// Keys choose among its options: it is a `<select>`.
    #[serde(default)]
    pub list: bool,
    /// `edit` only: "insert" (type over the selection) or "set" (already done).
    pub mode: Option<String>,
    /// `edit` check: whether a click is needed.
    #[serde(default)]
    pub click: bool,
    /// `edit` fold and submit: what to press for it.
    pub press: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Queried {
    pub count: i64,
    pub samples: Vec<Data>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Settled {
    pub seen: std::collections::BTreeMap<String, Value>,
    pub blocked: Option<PageCandidate>,
    /// How many presses had reached the element before one was stopped.
    pub passed: u32,
    /// The last of these did, and the click that came of it would not have.
    pub strayed: bool,
    pub navigating: Option<Navigating>,
    pub popup: u32,
    pub started: Counts,
    pub pending: Counts,
    pub scrolled: bool,
    pub changes: Option<Delta>,
    /// The aim at what is pressed next.
    pub ahead: Option<Aimed>,
}

impl Settled {
    /// What is assumed when the document left before it could answer.
    pub fn lost() -> Self {
        let seen = [("pointerdown".to_owned(), Value::from(1))].into();
        Self {
            seen,
            ..Self::default()
        }
    }

    /// The press went to another document, and was stopped there.
    pub fn astray(blocker: PageCandidate) -> Self {
        Self {
            blocked: Some(blocker),
            ..Self::default()
        }
    }

    pub fn saw_press(&self) -> bool {
        self.seen.contains_key("pointerdown") || self.seen.contains_key("mousedown")
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Stopped {
    pub blocked: Option<PageCandidate>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Navigating {
    #[serde(default)]
    pub hash: bool,
    #[serde(default)]
    pub download: bool,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Counts {
    pub frames: u32,
    pub timers: u32,
    pub requests: u32,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Text {
    pub text: String,
    #[serde(default)]
    pub cut: u64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Scrolled {
    pub x: f64,
    pub y: f64,
    #[serde(default)]
    pub moved: bool,
}

#[derive(Debug, Deserialize)]
pub(crate) struct FrameBox {
    #[serde(rename = "box")]
    pub area: [f64; 4],
}

#[derive(Debug, Deserialize)]
pub(crate) struct Okay {
    #[serde(default)]
    pub ok: bool,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Marked {
    pub next: Option<u64>,
    #[serde(default)]
    pub refs: Vec<u64>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct State {
    #[serde(default)]
    pub title: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Watched {
    pub values: Vec<Option<bool>>,
}

/// What the script tells without being asked.
#[derive(Debug, Deserialize)]
pub(crate) struct Notice {
    pub watch: Option<u64>,
    #[serde(default)]
    pub values: Vec<Option<bool>>,
    pub changed: Option<u64>,
    /// The document is there, and so it is called.
    pub title: Option<String>,
    pub of: Option<String>,
    /// A piece of a snapshot that is still being taken.
    #[serde(default)]
    pub nodes: PageNodes,
    /// A field of a row that is filled in, and what came of it.
    pub aimed: Option<Aimed>,
    pub settled: Option<Settled>,
    /// The next field is begun.
    #[serde(default)]
    pub more: bool,
}

/// A row of fields has come to its end, or to one that the script cannot fill in.
#[derive(Debug, Deserialize)]
pub(crate) struct RowDone {
    pub done: usize,
    next: Option<u64>,
    pub ahead: Option<Aimed>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct AimAt<'a> {
    pub target: Value,
    pub r#for: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub track: Option<u64>,
    /// Only look: nothing is scrolled.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub still: bool,
    /// What `edit` would do next, done at once if the element can be aimed at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edit: Option<&'a Value>,
    /// The row of commands it is part of: elements are what they were when that was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pin: Option<u64>,
}

/// A target in the script's words. Semantic ids are resolved to refs before they get here.
pub(crate) fn target(target: &Target) -> Value {
    match target {
        Target::Ref(Ref(n)) => json!({ "ref": n }),
        Target::Semantic(id) => json!({ "semantic": id }),
        Target::Css(css) => json!({ "css": css }),
        Target::XPath(path) => json!({ "xpath": path }),
        Target::Text(text) => json!({ "text": text }),
        Target::Label(name) => json!({ "label": name }),
        Target::Role { role, name } => json!({ "role": role, "name": name }),
        Target::Point(Point { x, y }) => json!({ "point": [x, y] }),
        Target::Focused => json!({ "focused": true }),
    }
}

impl PageFault {
    pub fn into_fault(self, what: &str) -> Fault {
        let code = match self.code.as_str() {
            "not_found" => Code::NotFound,
            "ambiguous" => Code::Ambiguous,
            "stale" => Code::StaleRef,
            "hidden" => Code::Hidden,
            "covered" => Code::Covered,
            "disabled" => Code::Disabled,
            "not_editable" => Code::NotEditable,
            "no_option" => Code::NoOption,
            "bad_selector" | "bad_value" => Code::BadArgument,
            "unsupported" => Code::Unsupported,
            _ => Code::Internal,
        };
        let mut message = match what {
            "" => self.message,
            what => format!("{what}: {}", self.message),
        };
        if let Some(blocker) = &self.blocker {
            message.truncate(message.trim_end_matches('.').len());
            message.push_str(&format!(
                "; in the way: {} {:?}",
                blocker.role, blocker.name
            ));
        }
        let candidates = self.candidates.into_iter().map(Candidate::from).collect();
        Fault::new(code, message).with_candidates(candidates)
    }
}

impl From<PageCandidate> for Candidate {
    fn from(from: PageCandidate) -> Self {
        let r#ref = (from.number != 0).then_some(Ref(from.number));
        Self {
            r#ref,
            role: from.role,
            name: from.name,
            tag: from.tag,
        }
    }
}

impl From<View> for Viewport {
    fn from(view: View) -> Self {
        Self {
            width: view.w,
            height: view.h,
            scroll_x: view.x,
            scroll_y: view.y,
            page_width: view.W,
            page_height: view.H,
        }
    }
}

impl Aimed {
    pub fn bounds(&self) -> Option<Bounds> {
        self.area.map(|[x, y, width, height]| Bounds {
            x,
            y,
            width,
            height,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_the_script_failed_is_not_for_operators() {
        let said = r#"{"fault":{"code":"internal","message":"The script in the page failed.","stack":"at walk:1"},"next":3}"#;
        let Ok(Answer::<Text>::Fault { fault, next }) = Answer::read(said) else {
            panic!("{said} is a fault");
        };
        assert_eq!((fault.stack.as_deref(), next), (Some("at walk:1"), Some(3)));
        let fault = fault.into_fault("");
        assert_eq!(fault.message, "The script in the page failed.");
    }
}
