//! One message of a chat, character by character: the lines that are meant for us, and the block
//! that opens a conversation. However the message is cut into pieces, the same is found in it.
//!
//! A line is ours when it begins with one of our words; what stands in a quote, in inline code or in the
//! middle of a sentence is talk. Must not know: whose message it is, what a line means.

use super::object::{Read, Reader, is_nothing};
use crate::chat::words::line;
use crate::json::Object;

/// A line that is not ours is not kept beyond this.
const LONG: usize = 8 << 10;

/// What a language's lines look like.
#[derive(Debug, Clone, Copy)]
pub(super) struct Marks {
    /// How a line of ours begins.
    pub words: &'static [&'static str],
    /// The language of the code block that opens a conversation.
    pub block: Option<&'static str>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Heard {
    /// A line of ours.
    Line {
        word: String,
        body: Body,
        /// As it was written, without what a page put in.
        raw: String,
    },
    /// The object in a block of ours.
    Block { body: Body, raw: String },
    /// Not for us, though it may look so; why.
    Ignored(String),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Body {
    Nothing,
    Object(Object),
    /// What is wrong with it.
    Bad(String),
}

#[derive(Debug)]
pub(super) struct Scanner {
    marks: Marks,
    state: State,
    /// The line so far.
    line: String,
    /// We are inside a fenced block of this language.
    fence: Option<String>,
    /// The line before named the block's language, as pages show it.
    label: bool,
}

#[derive(Debug)]
enum State {
    Line,
    /// An object behind a word of ours, or in our block.
    Object {
        word: Option<String>,
        reader: Reader,
        written: String,
    },
    /// Whatever is left of the line is nothing to us.
    Rest,
}

impl Scanner {
    pub fn new(marks: Marks) -> Self {
        Self {
            marks,
            state: State::Line,
            line: String::new(),
            fence: None,
            label: false,
        }
    }

    pub fn feed(&mut self, text: &str) -> Vec<Heard> {
        let mut found = Vec::new();
        for c in text.chars() {
            self.push(c, &mut found);
        }
        found
    }

    /// The message is over: a last line needs no line break.
    pub fn end(&mut self) -> Vec<Heard> {
        let mut found = Vec::new();
        if let State::Object { .. } = self.state {
            self.broken("It does not end.".into(), &mut found);
        }
        self.push('\n', &mut found);
        self.fence = None;
        self.label = false;
        found
    }

    fn push(&mut self, c: char, found: &mut Vec<Heard>) {
        match &mut self.state {
            State::Rest => {
                if c == '\n' {
                    self.state = State::Line;
                }
            }
            State::Line if c == '\n' => {
                let line = std::mem::take(&mut self.line);
                self.line_ended(&line, found);
            }
            State::Line => {
                if c == '{' && self.opens() {
                    let line = std::mem::take(&mut self.line);
                    let word = Some(tidy(&line).to_owned()).filter(|word| !word.is_empty());
                    self.state = State::Object {
                        word,
                        reader: Reader::default(),
                        written: line,
                    };
                    return self.push(c, found);
                }
                self.line.push(c);
                if self.line.len() > LONG {
                    let line = std::mem::take(&mut self.line);
                    self.line_ended(&line, found);
                    self.state = State::Rest;
                }
            }
            State::Object {
                word,
                reader,
                written,
            } => {
                written.push(c);
                match reader.push(c) {
                    Read::More => {}
                    Read::Whole(object) => {
                        let heard = heard(word.take(), Body::Object(object), reader.text());
                        self.state = State::Rest;
                        found.push(heard);
                    }
                    Read::Bad(why) => self.broken(why, found),
                }
            }
        }
    }

    /// What was begun is no object. The lines that came after it are read for themselves.
    fn broken(&mut self, why: String, found: &mut Vec<Heard>) {
        let state = std::mem::replace(&mut self.state, State::Rest);
        let State::Object {
            word,
            reader,
            written,
        } = state
        else {
            return;
        };
        let rest = written.split_once('\n').map(|(_, rest)| rest);
        let why = match rest {
            Some(_) => format!("The line ends before its object does. {why}"),
            None => why,
        };
        found.push(heard(word, Body::Bad(why), reader.text()));
        if let Some(rest) = rest {
            self.state = State::Line;
            for c in rest.chars() {
                self.push(c, found);
            }
        }
    }

    /// Whether an object that begins here is one for us.
    fn opens(&self) -> bool {
        let before = tidy(&self.line);
        match before.is_empty() {
            true => self.in_block(),
            false => self.is_ours(before) && !before.contains(char::is_whitespace),
        }
    }

    fn in_block(&self) -> bool {
        self.label || self.fence.is_some() && self.fence.as_deref() == self.marks.block
    }

    fn is_ours(&self, line: &str) -> bool {
        self.marks.words.iter().any(|word| line.starts_with(word))
    }

    fn line_ended(&mut self, whole: &str, found: &mut Vec<Heard>) {
        let text = tidy(whole);
        if self.is_ours(text) {
            let word = text.split(char::is_whitespace).next().unwrap_or_default();
            found.push(heard(Some(word.into()), Body::Nothing, text));
        } else if self.marks.words.iter().any(|word| text.contains(word)) {
            let why = match text.chars().next() {
                Some('>') => "it stands in a quote",
                Some('`') => "it stands in inline code",
                _ => "it does not begin its line",
            };
            // What stands in the object may be meant to be typed.
            let shown = text.split('{').next().unwrap_or_default();
            found.push(Heard::Ignored(format!("{}: {why}", line(shown, 80))));
        }
        self.fences(text);
    }

    fn fences(&mut self, text: &str) {
        let marker = ["```", "~~~"].iter().find(|mark| text.starts_with(**mark));
        let is_chrome = |text: &str| {
            let known = ["copy", "copy code", "edit", "download", "wrap", "run"];
            text.is_empty() || known.contains(&text.to_ascii_lowercase().as_str())
        };
        let named = self
            .marks
            .block
            .is_some_and(|name| text.eq_ignore_ascii_case(name));
        self.label = self.fence.is_none() && (named || self.label && is_chrome(text));
        let Some(marker) = marker else {
            return;
        };
        self.label = false;
        self.fence = match self.fence {
            Some(_) => None,
            None => {
                let info = text[marker.len()..].trim_start_matches(['`', '~']);
                let language = info.split_whitespace().next().unwrap_or_default();
                Some(language.to_ascii_lowercase())
            }
        };
    }
}

fn heard(word: Option<String>, body: Body, text: &str) -> Heard {
    match word {
        Some(word) => Heard::Line {
            raw: match body {
                Body::Nothing => text.to_owned(),
                _ => format!("{word} {text}"),
            },
            word,
            body,
        },
        None => Heard::Block {
            body,
            raw: text.to_owned(),
        },
    }
}

/// Without what shows nothing at both ends.
fn tidy(line: &str) -> &str {
    line.trim_matches(|c: char| c.is_whitespace() || is_nothing(c))
}
