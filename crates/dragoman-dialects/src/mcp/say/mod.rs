//! What came of a call, in words: short, in plain lines, with everything a page wrote between marks.
//!
//! Must not know: which steps led there.

mod act;
mod fault;
mod lists;
mod look;
mod state;

pub(super) use act::{act, batch, changes};
pub(super) use fault::{fault, refusal};
pub(super) use lists::{
    console, cookies, one_request, requests, routes, storage, tabs, to_line, value,
};
pub(super) use look::{find, snapshot};
pub(super) use state::{queue, sessions};

use super::call::{Answer, Picture};
use super::marks::Draft;
use dragoman_model::{Image, Reply};
use serde_json::{Value, json};

/// Where an answer is written: whose marks it has and how long it may be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paper<'a> {
    pub nonce: &'a str,
    pub budget: usize,
}

impl<'a> Paper<'a> {
    pub fn draft(&self) -> Draft<'a> {
        Draft::new(self.nonce)
    }

    /// What is left for a page's text behind what was said, marks and a closing line set aside.
    pub fn room(&self, draft: &Draft) -> usize {
        self.budget.saturating_sub(draft.tokens() + draft.marks())
    }

    pub fn words(&self, text: impl Into<String>) -> Answer {
        Answer {
            text: text.into(),
            ..Answer::default()
        }
    }
}

/// The answer as text, and as data: what a page wrote is under `page` there.
pub(super) fn answer(paper: Paper, draft: Draft, structured: Value) -> Answer {
    Answer {
        text: draft.done(paper.budget),
        structured: Some(structured),
        ..Answer::default()
    }
}

/// What was asked for, where it needs no more than itself to be told.
pub(super) fn reply(paper: Paper, reply: &Reply) -> Option<Answer> {
    Some(match reply {
        Reply::Value(it) => value(paper, it),
        Reply::Tabs(it) => tabs(paper, it),
        Reply::Console(it) => console(paper, it),
        Reply::Cookies(it) => cookies(paper, None, it),
        Reply::Storage(it) => storage(paper, None, it),
        Reply::Routes(it) => routes(paper, it),
        Reply::Changes(it) => changes(paper, it),
        Reply::Image(it) => picture(paper, it),
        Reply::Waited { ms } => Answer {
            structured: Some(json!({ "waited_ms": ms })),
            ..paper.words(format!("Waited {ms} ms"))
        },
        _ => return None,
    })
}

pub(super) fn picture(paper: Paper, image: &Image) -> Answer {
    Answer {
        pictures: vec![Picture {
            mime: image.mime.clone(),
            data: image.data.clone(),
        }],
        ..paper.words("Screenshot")
    }
}
