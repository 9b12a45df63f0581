//! An answer while it is written: our own words, and text of a page between two marks that no page
//! can guess. Outside the marks there is nothing that a page wrote.
//!
//! Must not know: what the answer is about.

use super::cost;
use crate::page_text::{push, push_quoted, push_word};
use memchr::memmem;
use std::fmt;

#[derive(Debug)]
pub(super) struct Draft<'a> {
    nonce: &'a str,
    text: String,
    page: String,
}

impl<'a> Draft<'a> {
    pub fn new(nonce: &'a str) -> Self {
        Self {
            nonce,
            text: String::new(),
            page: String::new(),
        }
    }

    /// Our own words.
    pub fn say(&mut self, words: fmt::Arguments) {
        self.close();
        push(&mut self.text, words);
    }

    /// Where lines of a page's text are written, each with its line break.
    pub fn page(&mut self) -> &mut String {
        &mut self.page
    }

    /// What has been written so far, marks included.
    pub fn tokens(&self) -> usize {
        let marks = if self.page.is_empty() {
            0
        } else {
            self.marks()
        };
        cost::tokens(&self.text) + cost::tokens(&self.page) + marks
    }

    /// What the marks cost.
    pub fn marks(&self) -> usize {
        9 + 2 * cost::tokens(self.nonce)
    }

    /// At most `budget` tokens: what is too much is cut from the end, line by line.
    pub fn done(mut self, budget: usize) -> String {
        let room = budget.saturating_sub(cost::tokens(&self.text) + self.marks());
        if !cost::fits(&self.page, room) {
            self.cut(room.saturating_sub(6));
        }
        self.close();
        self.text
    }

    fn cut(&mut self, room: usize) {
        let (mut kept, mut spent) = (0, 0);
        for line in self.page.split_inclusive('\n') {
            spent += cost::tokens(line);
            if spent > room {
                break;
            }
            kept += line.len();
        }
        self.page.truncate(kept);
        self.page.push_str("# cut\n");
    }

    fn close(&mut self) {
        if self.page.is_empty() {
            return;
        }
        if !self.text.is_empty() && !self.text.ends_with(['\n', ' ']) {
            self.text.push(' ');
        }
        let page = std::mem::take(&mut self.page);
        push(&mut self.text, format_args!("[page {}]\n", self.nonce));
        // Somebody may have told the page.
        match memmem::find(page.as_bytes(), self.nonce.as_bytes()) {
            Some(_) => self.text.push_str(&page.replace(self.nonce, "…")),
            None => self.text.push_str(&page),
        }
        if !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        push(&mut self.text, format_args!("[/{}]", self.nonce));
    }
}

const MOST_URL: usize = 300;
const MOST_TITLE: usize = 100;

/// `"Title" https://…` on a line of its own.
pub(super) fn push_place(out: &mut String, title: &str, url: &str) {
    if !title.is_empty() {
        push_quoted(out, title, MOST_TITLE);
        out.push(' ');
    }
    push_word(out, url, MOST_URL);
    out.push('\n');
}
