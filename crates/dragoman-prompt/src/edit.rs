//! Text that is being written: what stands there and where the caret is. A character is what a person
//! takes for one, whatever it is made of.

use crate::key::{Key, Press};
use unicode_segmentation::UnicodeSegmentation;

/// More than this is not taken: an answer is read as a whole.
const MOST: usize = 1 << 20;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text {
    text: String,
    /// In bytes, between two characters.
    caret: usize,
    many_lines: bool,
}

impl Text {
    pub fn line(text: &str) -> Self {
        let mut line = Self::default();
        line.set(text);
        line
    }

    pub fn lines(text: &str) -> Self {
        let mut lines = Self {
            many_lines: true,
            ..Self::default()
        };
        lines.set(text);
        lines.caret = 0;
        lines
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub fn before_caret(&self) -> &str {
        &self.text[..self.caret]
    }

    pub fn has_many_lines(&self) -> bool {
        self.many_lines
    }

    /// Leave exactly this, the caret behind it.
    pub fn set(&mut self, text: &str) {
        self.text.clear();
        self.caret = 0;
        self.insert(text);
    }

    pub fn insert(&mut self, text: &str) {
        let mut fits = String::with_capacity(text.len());
        for c in text.chars() {
            let c = match c {
                '\r' => continue,
                '\n' if self.many_lines => c,
                '\n' | '\t' if !self.many_lines => ' ',
                '\t' => c,
                c if c.is_control() => continue,
                c => c,
            };
            if self.text.len() + fits.len() + c.len_utf8() > MOST {
                break;
            }
            fits.push(c);
        }
        self.text.insert_str(self.caret, &fits);
        self.caret += fits.len();
    }

    /// Whether the key meant something here.
    pub fn key(&mut self, key: Key) -> bool {
        if let Some(c) = key.text() {
            self.insert(c.encode_utf8(&mut [0; 4]));
            return true;
        }
        let word = key.control || key.alt;
        match key.code {
            Press::Char(c) if key.control && !key.alt => return self.control(c),
            Press::Char('b') if key.alt => self.caret = self.word_before(),
            Press::Char('f') if key.alt => self.caret = self.word_behind(),
            Press::Left if word => self.caret = self.word_before(),
            Press::Right if word => self.caret = self.word_behind(),
            Press::Left => self.caret = self.before(),
            Press::Right => self.caret = self.behind(),
            Press::Home => self.caret = self.line_start(),
            Press::End => self.caret = self.line_end(),
            Press::Up if self.many_lines => self.step_line(-1),
            Press::Down if self.many_lines => self.step_line(1),
            Press::Enter if self.many_lines => self.insert("\n"),
            Press::Tab if self.many_lines => self.insert("\t"),
            Press::Backspace if word => self.delete(self.word_before(), self.caret),
            Press::Backspace => self.delete(self.before(), self.caret),
            Press::Delete => self.delete(self.caret, self.behind()),
            _ => return false,
        }
        true
    }

    /// The keys that every line in a terminal knows.
    fn control(&mut self, c: char) -> bool {
        match c {
            'a' => self.caret = self.line_start(),
            'e' => self.caret = self.line_end(),
            'b' => self.caret = self.before(),
            'f' => self.caret = self.behind(),
            'd' => self.delete(self.caret, self.behind()),
            'h' => self.delete(self.before(), self.caret),
            'w' => self.delete(self.word_before(), self.caret),
            'u' => self.delete(self.line_start(), self.caret),
            _ => return false,
        }
        true
    }

    /// Which line the caret is in, counted from 0.
    pub fn row(&self) -> usize {
        self.before_caret().matches('\n').count()
    }

    fn delete(&mut self, from: usize, to: usize) {
        self.text.replace_range(from..to, "");
        self.caret = from;
    }

    fn before(&self) -> usize {
        let last = self.before_caret().graphemes(true).next_back();
        self.caret - last.map_or(0, str::len)
    }

    fn behind(&self) -> usize {
        let next = self.text[self.caret..].graphemes(true).next();
        self.caret + next.map_or(0, str::len)
    }

    fn word_before(&self) -> usize {
        let mut words = self.before_caret().unicode_word_indices();
        words.next_back().map_or(0, |(at, _)| at)
    }

    fn word_behind(&self) -> usize {
        let mut words = self.text[self.caret..].unicode_word_indices();
        let end = words.next().map(|(at, word)| self.caret + at + word.len());
        end.unwrap_or(self.text.len())
    }

    fn line_start(&self) -> usize {
        self.before_caret().rfind('\n').map_or(0, |at| at + 1)
    }

    fn line_end(&self) -> usize {
        let rest = self.text[self.caret..].find('\n');
        rest.map_or(self.text.len(), |at| self.caret + at)
    }

    /// Up or down, as many characters into the line as before, where it has so many.
    fn step_line(&mut self, by: isize) {
        let column = self.text[self.line_start()..self.caret]
            .graphemes(true)
            .count();
        let target = match by {
            ..0 => match self.line_start() {
                0 => return self.caret = 0,
                start => self.text[..start - 1].rfind('\n').map_or(0, |at| at + 1),
            },
            _ => match self.line_end() {
                end if end == self.text.len() => return self.caret = end,
                end => end + 1,
            },
        };
        let line = self.text[target..].split('\n').next().unwrap_or("");
        let into: usize = line.graphemes(true).take(column).map(str::len).sum();
        self.caret = target + into;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(mut text: Text, keys: &str, want: &str) {
        for key in keys.split(' ').filter(|key| !key.is_empty()) {
            text.key(Key::parse(key).unwrap());
        }
        text.insert("|");
        assert_eq!(text.as_str(), want, "{keys}");
    }

    #[test]
    fn a_line() {
        check(Text::line("ab"), "", "ab|");
        check(Text::line("ab"), "Left x Home y End", "yaxb|");
        check(
            Text::line("e\u{301}👩‍👩‍👧x"),
            "Backspace Backspace",
            "e\u{301}|",
        );
        check(
            Text::line("one two  three"),
            "Control+w Control+Left",
            "one |two  ",
        );
        check(Text::line("one two"), "Control+a Alt+f Delete", "one|two");
        check(Text::line("one"), "Control+u Backspace Left Delete", "|");
        check(Text::line("a\nb\tc\u{1b}d"), "", "a b cd|");
    }

    #[test]
    fn lines() {
        check(Text::lines("one\ntwo"), "Down End Enter x", "one\ntwo\nx|");
        check(
            Text::lines("long line\nab\nlonger"),
            "End Down Down",
            "long line\nab\nlo|nger",
        );
        check(Text::lines("a\n\nb"), "Down Down Down Up", "a\n|\nb");
        check(Text::lines("ab"), "Right Up", "|ab");
    }
}
