//! `!baictx`: where the browser is, and what became of what was asked, in the short keys of the language.
//!
//! Must not know: when it is sent.

use crate::bai::told::{cap, object_line};
use dragoman_model::{Data, TabId};
use serde::Serialize;

const MOST_URL: usize = 2_000;
const MOST_TITLE: usize = 300;
const MOST_WORDS: usize = 2_000;
const MOST_TEXT: usize = 20_000;
/// A scan as JSON, in bytes.
const MOST_DOM: usize = 8_000;

#[derive(Debug, Default, Serialize)]
pub(super) struct Context {
    pub v: u8,
    pub id: String,
    /// Milliseconds since 1970.
    pub ts: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub t: Option<TabId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub u: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nav: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sel: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dom: Option<Scan>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub res: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub err: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub opened_tabs: Vec<Opened>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal_check: Option<&'static str>,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct Opened {
    pub id: TabId,
    pub u: String,
    pub n: String,
    pub purpose: String,
}

/// What a selector found.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(super) struct Scan {
    pub count: i64,
    pub samples: Vec<Data>,
    /// How many of those that were asked for did not fit.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: usize,
}

impl Scan {
    pub fn of(data: Data) -> Self {
        let Data::Map(mut map) = data else {
            return Self::default();
        };
        let count = match map.remove("count") {
            Some(Data::Int(count)) => count,
            _ => 0,
        };
        let samples = match map.remove("samples") {
            Some(Data::List(samples)) => samples,
            _ => Vec::new(),
        };
        let left_out = 0;
        Self {
            count,
            samples,
            left_out,
        }
    }

    fn capped(mut self) -> Self {
        let size = |data: &Data| serde_json::to_string(data).map_or(0, |text| text.len());
        let mut room = MOST_DOM;
        let fits = |data: &Data| {
            let fits = size(data) <= room;
            room = room.saturating_sub(size(data));
            fits
        };
        let all = self.samples.len();
        let kept = self
            .samples
            .iter()
            .map(fits)
            .take_while(|fits| *fits)
            .count();
        self.samples.truncate(kept);
        self.left_out = all - kept;
        self
    }
}

impl Context {
    pub fn line(self) -> String {
        let short = |text: Option<String>, most| text.map(|text| cap(&text, most));
        let capped = Self {
            u: short(self.u, MOST_URL),
            n: short(self.n, MOST_TITLE),
            sel: short(self.sel, MOST_WORDS),
            text: short(self.text, MOST_TEXT),
            dom: self.dom.map(Scan::capped),
            res: short(self.res, MOST_WORDS),
            err: short(self.err, MOST_WORDS),
            ..self
        };
        object_line("!baictx", &capped)
    }
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}
