//! Bytes to replies: where a reply ends, in whatever pieces it comes, with bounded memory.
//!
//! Bare text is cut at the keyword. Framed text has its ends marked, and a reply is whole when the
//! keyword is in it. Must not know: what a reply says.

use super::MAX_REPLY;
use super::reply::has_command;
use crate::chat::Problem;
use crate::chat::frame::{Frame, text_of};
use crate::chat::words::line;
use std::time::Duration;

/// How long bare text may pause before we say that its keyword is missing.
const BARE_PATIENCE: Duration = Duration::from_secs(5);
/// The same for a framed reply, which has ended; it may only be told again, longer.
const FRAMED_PATIENCE: Duration = Duration::from_secs(1);
/// A framed line may escape every character of a reply.
const MAX_LINE: usize = 2 * MAX_REPLY;

/// What was heard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Heard {
    /// The assistant's words, keyword included.
    Reply(String),
    /// Words without the keyword; nothing more came.
    Unfinished,
    Person(Person),
    Bad(Problem),
}

/// What the person beside the assistant says; it reaches us by frames only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Person {
    /// Told to the assistant as the next prompt.
    Says(String),
    Stop,
    /// Look, do nothing.
    Observe,
    /// Go on, after `Stop` or `Observe`.
    Act,
    Approve,
    Reject,
}

impl Person {
    fn read(says: Option<String>, does: Option<&str>) -> Result<Self, Problem> {
        match (does, says) {
            (Some("stop"), _) => Ok(Self::Stop),
            (Some("observe"), _) => Ok(Self::Observe),
            (Some("act"), _) => Ok(Self::Act),
            (Some("approve"), _) => Ok(Self::Approve),
            (Some("reject"), _) => Ok(Self::Reject),
            (None, Some(says)) => Ok(Self::Says(says)),
            (other, _) => Err(Problem(format!(
                "A person cannot \"{}\"; it is stop, observe, act, approve or reject.",
                line(other.unwrap_or_default(), 40)
            ))),
        }
    }
}

#[derive(Debug)]
pub(super) struct Stream {
    keyword: String,
    framed: bool,
    buffer: Vec<u8>,
    /// Up to here the buffer holds no end.
    scanned: usize,
    /// More came than is kept; all of it is refused when it ends.
    overflow: bool,
    /// A reply that was told to be unfinished: its end may still come.
    left: String,
    /// A framed reply that is still being sent.
    partial: String,
    /// No more pieces of it are to come.
    ended: bool,
    /// Something in it was refused: the rest of it is, too.
    void: bool,
    patience: Option<Duration>,
}

impl Stream {
    pub fn new(keyword: &str, framed: bool) -> Self {
        Self {
            keyword: keyword.into(),
            framed,
            buffer: Vec::new(),
            scanned: 0,
            overflow: false,
            left: String::new(),
            partial: String::new(),
            ended: true,
            void: false,
            patience: None,
        }
    }

    pub fn feed(&mut self, now: Duration, bytes: &[u8]) -> Vec<Heard> {
        self.buffer.extend_from_slice(bytes);
        let mut heard = Vec::new();
        if self.framed {
            self.lines(now, &mut heard);
        } else {
            self.turns(&mut heard);
            // A full stop or a star behind the keyword is no reply yet.
            let says = |b: &u8| b.is_ascii_alphanumeric() || !b.is_ascii();
            let open = self.overflow || self.buffer.iter().any(says);
            self.patience = open.then(|| now + BARE_PATIENCE);
        }
        heard
    }

    /// Nothing more will come.
    pub fn end(&mut self, now: Duration) -> Vec<Heard> {
        let mut heard = Vec::new();
        if self.framed && !self.buffer.trim_ascii().is_empty() {
            heard.extend(self.feed(now, b"\n"));
        }
        if self.is_open() {
            heard.push(Heard::Unfinished);
        }
        self.forget();
        heard
    }

    /// A reply has begun and has not ended.
    pub fn is_open(&self) -> bool {
        self.patience.is_some()
    }

    pub fn wake_at(&self) -> Option<Duration> {
        self.patience
    }

    pub fn tick(&mut self, now: Duration) -> Option<Heard> {
        self.patience.filter(|at| *at <= now)?;
        self.patience = None;
        if !self.framed {
            let text = String::from_utf8_lossy(&std::mem::take(&mut self.buffer)).into_owned();
            self.left.push_str(&text);
            if self.left.len() > MAX_REPLY {
                self.left.clear();
                self.overflow = true;
            }
            self.scanned = 0;
        } else if self.ended {
            self.left = std::mem::take(&mut self.partial);
        }
        // What is still being sent may yet be finished.
        Some(Heard::Unfinished)
    }

    fn forget(&mut self) {
        self.buffer = Vec::new();
        self.left.clear();
        self.partial.clear();
        self.scanned = 0;
        self.overflow = false;
        self.patience = None;
    }

    /// Bare text: every keyword ends a reply.
    fn turns(&mut self, heard: &mut Vec<Heard>) {
        let length = self.keyword.len();
        while let Some(found) = find(&self.buffer[self.scanned..], self.keyword.as_bytes()) {
            let end = self.scanned + found + length;
            let rest = self.buffer.split_off(end);
            let turn = std::mem::replace(&mut self.buffer, rest);
            self.scanned = 0;
            heard.push(self.turn(turn));
        }
        self.scanned = self.buffer.len().saturating_sub(length.saturating_sub(1));
        if self.buffer.len() > MAX_REPLY {
            self.overflow = true;
            self.buffer.drain(..self.scanned);
            self.buffer.shrink_to(MAX_REPLY);
            self.scanned = 0;
        }
    }

    fn turn(&mut self, bytes: Vec<u8>) -> Heard {
        let left = std::mem::take(&mut self.left);
        if std::mem::take(&mut self.overflow) || bytes.len() > MAX_REPLY {
            return Heard::Bad(too_long());
        }
        match text_of(bytes) {
            // The end of what was said before, unless it is whole by itself.
            Ok(text) if !left.is_empty() && !has_command(&text) => Heard::Reply(left + &text),
            Ok(text) => Heard::Reply(text),
            Err(problem) => Heard::Bad(problem),
        }
    }

    fn lines(&mut self, now: Duration, heard: &mut Vec<Heard>) {
        while let Some(found) = self.buffer[self.scanned..].iter().position(|b| *b == b'\n') {
            let rest = self.buffer.split_off(self.scanned + found + 1);
            let line = std::mem::replace(&mut self.buffer, rest);
            self.scanned = 0;
            if std::mem::take(&mut self.overflow) {
                heard.push(Heard::Bad(too_long()));
                self.refuse_rest();
            } else if !line.trim_ascii().is_empty() {
                self.frame(now, line, heard);
            }
        }
        self.scanned = self.buffer.len();
        if self.buffer.len() > MAX_LINE {
            self.overflow = true;
            self.buffer = Vec::new();
            self.scanned = 0;
        }
    }

    fn frame(&mut self, now: Duration, line: Vec<u8>, heard: &mut Vec<Heard>) {
        let read = match Frame::read(line) {
            Ok(Frame::Assistant { text, more }) => {
                return self.assistant(now, &text, more, heard);
            }
            // What the chat's other side says is no command, whatever it says.
            Ok(Frame::User { .. }) => return,
            Ok(Frame::Person { says, does }) => Person::read(says, does.as_deref()),
            Ok(Frame::Transcript(_)) => Err(Problem("The line has no \"role\".".into())),
            Err(problem) => Err(problem),
        };
        match read {
            Ok(person) => heard.push(Heard::Person(person)),
            Err(problem) => {
                heard.push(Heard::Bad(problem));
                self.refuse_rest();
            }
        }
    }

    /// Half a reply is no reply: what is left of one that was being sent is not read either.
    fn refuse_rest(&mut self) {
        self.void = !self.ended;
        self.partial.clear();
        self.patience = None;
    }

    fn assistant(&mut self, now: Duration, text: &str, more: bool, heard: &mut Vec<Heard>) {
        if self.void {
            self.void = more;
            self.ended = !more;
            return;
        }
        // A reply that is read off a page may come again, grown.
        let again =
            self.ended && !self.partial.is_empty() && text.starts_with(self.partial.as_str());
        let grown = !self.left.is_empty() && text.starts_with(self.left.as_str());
        if again || grown {
            self.partial.clear();
        } else if self.ended && !self.partial.is_empty() {
            self.partial.clear();
            heard.push(Heard::Unfinished);
        }
        self.left.clear();
        self.partial.push_str(text);
        self.ended = !more;
        self.patience = None;
        if self.partial.len() > MAX_REPLY {
            heard.push(Heard::Bad(too_long()));
            return self.refuse_rest();
        }
        if more {
            self.patience = Some(now + BARE_PATIENCE);
        } else if self.partial.contains(&self.keyword) {
            heard.push(Heard::Reply(std::mem::take(&mut self.partial)));
        } else if self.partial.trim().is_empty() {
            self.partial.clear();
        } else {
            self.patience = Some(now + FRAMED_PATIENCE);
        }
    }
}

fn too_long() -> Problem {
    Problem(format!("The reply is longer than {MAX_REPLY} bytes."))
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    if needle.is_empty() {
        return None;
    }
    let mut from = 0;
    while let Some(next) = haystack[from..].iter().position(|b| *b == needle[0]) {
        let at = from + next;
        if haystack[at..].starts_with(needle) {
            return Some(at);
        }
        from = at + 1;
    }
    None
}
