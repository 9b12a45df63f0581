//! Commands that stand in page content. When the assistant writes one of them word for word, it may
//! be the page that speaks: a person decides.
//!
//! Must not know: what becomes of such a command.

use super::action::Action;
use crate::json;
use serde_json::Value;
use std::collections::{HashSet, VecDeque};

/// Remembered at once; the oldest make room. More than a page can show.
const MOST: usize = 100_000;

#[derive(Debug, Default)]
pub(super) struct Quoted {
    known: HashSet<Action>,
    order: VecDeque<Action>,
}

impl Quoted {
    pub fn contains(&self, action: &Action) -> bool {
        self.known.contains(action)
    }

    /// Take note of the commands in a text that the assistant is about to see; whatever stands
    /// around them, each is an object.
    pub fn note(&mut self, text: &str) {
        for (at, _) in text.match_indices('{') {
            if text[at + 1..].trim_start().starts_with('"') {
                self.add(bare(&text[at..]));
            }
        }
    }

    fn add(&mut self, action: Option<Action>) {
        let Some(action) = action.filter(|action| !self.known.contains(action)) else {
            return;
        };
        if self.order.len() == MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        self.order.push_back(action.clone());
        self.known.insert(action);
    }
}

/// An object with a command's name, without anything around it.
fn bare(text: &str) -> Option<Action> {
    if json::too_deep(text, 32) {
        return None;
    }
    match json::first(text) {
        Ok((Value::Object(object), _)) => ["action", "tool"]
            .into_iter()
            .find_map(|key| Action::from_object(&object, key).ok()),
        _ => None,
    }
}
