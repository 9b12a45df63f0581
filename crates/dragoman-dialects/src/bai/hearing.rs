//! Everything that is said in a chat, told once, however it reaches us: as one stream, message by message,
//! or as the whole chat read off its page again and again, with messages that grow, that were edited, or that
//! the page no longer shows.
//!
//! Must not know: what a line means.

use super::scan::{Heard, Marks, Scanner};
use crate::chat::Problem;
use crate::chat::frame::{Frame, Role, Turn};
use crate::lines::{Line, Lines};
use std::collections::{HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

/// One line of a framed chat.
const MAX_LINE: usize = 4 << 20;
/// Lines that are known again.
const MOST_SEEN: usize = 50_000;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Said {
    In(Role, Heard),
    /// A whole message of the user's, which may quote a page.
    User(String),
    /// The person, to us alone.
    Person {
        says: Option<String>,
        does: Option<String>,
    },
    Bad(Problem),
}

#[derive(Debug)]
pub(super) struct Hearing {
    marks: Marks,
    /// `None`: bare text, all of it the assistant's.
    frames: Option<Lines>,
    /// Bytes of a character that is not complete.
    half: Vec<u8>,
    /// The chat as it was seen last; the last message may still grow.
    known: Vec<Turn>,
    /// Reads the last message.
    scanner: Scanner,
    /// The last message may still grow.
    open: bool,
    /// A message of the assistant's that was still growing when the page stopped showing it, and the one before it.
    unfinished: Option<[Turn; 2]>,
    seen: HashSet<u64>,
    order: VecDeque<u64>,
}

impl Hearing {
    pub fn new(marks: Marks, framed: bool) -> Self {
        Self {
            marks,
            frames: framed.then(|| Lines::new(MAX_LINE)),
            half: Vec::new(),
            known: Vec::new(),
            scanner: Scanner::new(marks),
            open: false,
            unfinished: None,
            seen: HashSet::new(),
            order: VecDeque::new(),
        }
    }

    pub fn bytes(&mut self, bytes: &[u8]) -> Vec<Said> {
        let mut said = Vec::new();
        match &mut self.frames {
            Some(lines) => {
                for line in lines.feed(bytes) {
                    self.line(line, &mut said);
                }
            }
            None => {
                let text = self.decode(bytes);
                let found = self.scanner.feed(&text);
                self.found(Role::Assistant, found, false, &mut said);
            }
        }
        said
    }

    /// Nothing more will come.
    pub fn end(&mut self) -> Vec<Said> {
        let mut said = Vec::new();
        if let Some(last) = self.frames.as_mut().and_then(Lines::finish) {
            self.line(last, &mut said);
        }
        let role = self.known.last().map_or(Role::Assistant, |turn| turn.role);
        let found = self.scanner.end();
        self.found(role, found, false, &mut said);
        said
    }

    /// Bytes that are no text are shown as such, and can be nothing of ours.
    fn decode(&mut self, bytes: &[u8]) -> String {
        self.half.extend_from_slice(bytes);
        let mut text = String::new();
        loop {
            match std::str::from_utf8(&self.half) {
                Ok(rest) => {
                    text.push_str(rest);
                    self.half.clear();
                    return text;
                }
                Err(error) => {
                    let (good, rest) = self.half.split_at(error.valid_up_to());
                    text.push_str(&String::from_utf8_lossy(good));
                    let Some(bad) = error.error_len() else {
                        self.half = rest.to_vec();
                        return text;
                    };
                    text.push(char::REPLACEMENT_CHARACTER);
                    self.half = rest[bad..].to_vec();
                }
            }
        }
    }

    fn line(&mut self, line: Line, said: &mut Vec<Said>) {
        let bytes = match line {
            Line::Whole(bytes) if bytes.trim_ascii().is_empty() => return,
            Line::Whole(bytes) => bytes,
            Line::TooLong(_) => {
                let problem = format!("The line is longer than {MAX_LINE} bytes.");
                return said.push(Said::Bad(Problem(problem)));
            }
        };
        match Frame::read(bytes) {
            Ok(Frame::Assistant { text, more }) => self.piece(Role::Assistant, text, more, said),
            Ok(Frame::User { text }) => self.piece(Role::User, text, false, said),
            Ok(Frame::Person { says, does }) => said.push(Said::Person { says, does }),
            Ok(Frame::Transcript(turns)) => self.transcript(turns, said),
            Err(problem) => said.push(Said::Bad(problem)),
        }
    }

    /// A message, or the next part of one.
    fn piece(&mut self, role: Role, text: String, more: bool, said: &mut Vec<Said>) {
        let last = self.known.last().map(|turn| turn.role);
        let goes_on = self.open && last == Some(role);
        if let Some(last) = last.filter(|_| self.open && !goes_on) {
            self.close(last, false, said);
        }
        if goes_on {
            let found = self.scanner.feed(&text);
            self.found(role, found, false, said);
        } else {
            self.begin(role, &text, false, said);
        }
        match self.known.last_mut().filter(|_| goes_on) {
            Some(turn) => turn.text.push_str(&text),
            None => self.known.push(Turn { role, text }),
        }
        self.open = more;
        if !more {
            self.close(role, false, said);
        }
        if self.known.len() > 400 {
            self.known.drain(..200);
        }
    }

    /// The chat as it is shown now. What comes after the last thing that was known is new; where that
    /// is nowhere to be found, whatever line was never seen is.
    fn transcript(&mut self, turns: Vec<Turn>, said: &mut Vec<Said>) {
        let from = match self.anchor(&turns) {
            Some(at) => {
                self.finish(&turns[..at], said);
                let known = self.known.last().map_or(0, |turn| turn.text.len());
                let grown = &turns[at].text[known..];
                let found = self.scanner.feed(grown);
                self.found(turns[at].role, found, false, said);
                at + 1
            }
            None => {
                self.leave_unfinished();
                0
            }
        };
        let again = from == 0 && !self.known.is_empty();
        for (at, turn) in turns.iter().enumerate().skip(from) {
            if let Some(before) = at.checked_sub(1) {
                self.close(turns[before].role, again, said);
            }
            self.begin(turn.role, &turn.text, again, said);
        }
        self.open = true;
        if !turns.is_empty() {
            self.known = turns;
        }
    }

    /// The last message that is known is no longer shown.
    fn leave_unfinished(&mut self) {
        if let [.., before, last] = &self.known[..]
            && self.open
            && last.role == Role::Assistant
        {
            self.unfinished = Some([before.clone(), last.clone()]);
        }
    }

    /// What was not seen to its end is shown again, among what came before the last message that is known.
    fn finish(&mut self, earlier: &[Turn], said: &mut Vec<Said>) {
        let Some([before, last]) = &self.unfinished else {
            return;
        };
        let goes_on = |turn: &Turn| turn.role == last.role && turn.text.starts_with(&last.text);
        let is_it = |pair: &&[Turn]| pair[0] == *before && goes_on(&pair[1]);
        let Some(pair) = earlier.windows(2).find(is_it) else {
            return;
        };
        self.unfinished = None;
        let mut scanner = Scanner::new(self.marks);
        let mut found = scanner.feed(&pair[1].text);
        found.extend(scanner.end());
        self.found(pair[1].role, found, true, said);
    }

    /// Where the last message that is known stands: the place with the most of what was before it.
    fn anchor(&self, turns: &[Turn]) -> Option<usize> {
        let (last, before) = self.known.split_last()?;
        let alike = |at: &usize| {
            let earlier = turns[..*at].iter().rev().zip(before.iter().rev());
            earlier.take_while(|(a, b)| a == b).count()
        };
        let is_it = |turn: &Turn| turn.role == last.role && turn.text.starts_with(&last.text);
        let places = (0..turns.len()).filter(|at| is_it(&turns[*at]));
        places.rev().max_by_key(alike)
    }

    fn begin(&mut self, role: Role, text: &str, again: bool, said: &mut Vec<Said>) {
        if role == Role::User {
            said.push(Said::User(text.to_owned()));
        }
        self.scanner = Scanner::new(self.marks);
        let found = self.scanner.feed(text);
        self.found(role, found, again, said);
    }

    /// The last message will not grow any more.
    fn close(&mut self, role: Role, again: bool, said: &mut Vec<Said>) {
        let found = self.scanner.end();
        self.found(role, found, again, said);
        self.open = false;
    }

    /// `again`: only what was never seen before is told.
    fn found(&mut self, role: Role, found: Vec<Heard>, again: bool, said: &mut Vec<Said>) {
        for heard in found {
            let fresh = self.remember(role, &heard);
            if fresh || !again {
                said.push(Said::In(role, heard));
            }
        }
    }

    fn remember(&mut self, role: Role, heard: &Heard) -> bool {
        let raw = match heard {
            Heard::Line { raw, .. } | Heard::Block { raw, .. } | Heard::Ignored(raw) => raw,
        };
        let mut hasher = DefaultHasher::new();
        (role, raw).hash(&mut hasher);
        let hash = hasher.finish();
        if !self.seen.insert(hash) {
            return false;
        }
        self.order.push_back(hash);
        if self.order.len() > MOST_SEEN
            && let Some(oldest) = self.order.pop_front()
        {
            self.seen.remove(&oldest);
        }
        true
    }
}
