//! Commands that stand in page content. When the assistant writes one of them word for word, it may
//! be the page that speaks: a person decides.
//!
//! Must not know: what a command is, what becomes of such a one.

use crate::json::{self, Object};
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

/// Remembered at once; the oldest make room. More than a page can show.
const MOST: usize = 100_000;

#[derive(Debug)]
pub(crate) struct Quoted<T> {
    /// Each with the place it was seen in.
    known: HashMap<T, String>,
    order: VecDeque<T>,
}

impl<T> Default for Quoted<T> {
    fn default() -> Self {
        Self {
            known: HashMap::new(),
            order: VecDeque::new(),
        }
    }
}

impl<T: Hash + Eq + Clone> Quoted<T> {
    /// Where it was seen.
    pub fn source(&self, command: &T) -> Option<&str> {
        self.known.get(command).map(String::as_str)
    }

    /// Take note of the commands in a text that the assistant is about to see; whatever stands
    /// around them, each is an object.
    pub fn note(&mut self, source: &str, text: &str, read: impl Fn(&Object) -> Option<T>) {
        for (at, _) in text.match_indices('{') {
            if text[at + 1..].trim_start().starts_with('"')
                && let Some(object) = bare(&text[at..])
                && let Some(command) = read(&object)
            {
                self.add(source, command);
            }
        }
    }

    fn add(&mut self, source: &str, command: T) {
        if self.known.contains_key(&command) {
            return;
        }
        if self.order.len() == MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        self.order.push_back(command.clone());
        self.known.insert(command, source.to_owned());
    }
}

fn bare(text: &str) -> Option<Object> {
    if json::too_deep(text, 32) {
        return None;
    }
    match json::first(text) {
        Ok((Value::Object(object), _)) => Some(object),
        _ => None,
    }
}
