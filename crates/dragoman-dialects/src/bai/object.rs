//! One JSON object, character by character, as chat pages show it: with typographic quotes, with
//! spaces that are none, broken between two of its parts.
//!
//! Must not know: what stands around it.

use crate::chat::words::line;
use crate::json::{self, Object};
use serde_json::Value;

/// A longer object is none.
const MOST: usize = 64 << 10;
const MAX_DEPTH: usize = 32;
const MOST_LINES: usize = 200;

/// What is known once a character has been read.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Read {
    More,
    /// It ended with this character.
    Whole(Object),
    /// It cannot become an object any more; why.
    Bad(String),
}

#[derive(Debug, Default)]
pub(super) struct Reader {
    /// As JSON wants it.
    text: String,
    depth: usize,
    in_text: bool,
    escaped: bool,
    /// The page made its quotes typographic: then it did so with all of them.
    curly: Option<bool>,
    lines: usize,
}

impl Reader {
    /// What was read, without what a page put in.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The first character is the brace that opens it.
    pub fn push(&mut self, c: char) -> Read {
        if self.text.len() > MOST {
            return Read::Bad(format!("It is longer than {MOST} bytes."));
        }
        match self.in_text {
            true => self.inside(c),
            false => self.outside(c),
        }
    }

    fn inside(&mut self, c: char) -> Read {
        if self.escaped {
            self.escaped = false;
            self.text.push(self.straight(c));
            return Read::More;
        }
        match c {
            '\n' => return Read::Bad("A text in it is broken by the end of the line.".into()),
            '\r' => {}
            '\t' => self.text.push_str("\\t"),
            '\\' => {
                self.escaped = true;
                self.text.push('\\');
            }
            c => {
                let c = self.straight(c);
                self.in_text = c != '"';
                self.text.push(c);
            }
        }
        Read::More
    }

    fn outside(&mut self, c: char) -> Read {
        if self.curly.is_none() && self.depth == 1 && is_quote(c) {
            self.curly = Some(c != '"');
        }
        let c = self.straight(c);
        match c {
            '\n' => return self.broken(),
            c if c.is_whitespace() => self.text.push(' '),
            c if is_nothing(c) => {}
            '"' => {
                self.in_text = true;
                self.text.push(c);
            }
            '{' | '[' if self.depth == MAX_DEPTH => {
                return Read::Bad("It is nested too deeply.".into());
            }
            '{' | '[' => {
                self.depth += 1;
                self.text.push(c);
            }
            '}' | ']' => {
                self.depth = self.depth.saturating_sub(1);
                self.text.push(c);
                if self.depth == 0 {
                    return self.whole();
                }
            }
            c if c.is_ascii_digit() || ":,+-.truefalsnE".contains(c) => self.text.push(c),
            c => {
                let c = c.escape_debug();
                return Read::Bad(format!("It is not JSON: there is a stray {c}."));
            }
        }
        Read::More
    }

    /// A line may end between two parts of an object, if what is there can be the beginning of one.
    fn broken(&mut self) -> Read {
        self.text.push(' ');
        self.lines += 1;
        match json::first(&self.text) {
            Err(error) if !error.is_eof() => Read::Bad(not_json(&error)),
            _ if self.lines > MOST_LINES => Read::Bad("It does not end.".into()),
            _ => Read::More,
        }
    }

    fn whole(&self) -> Read {
        match json::parse(&self.text) {
            Ok(Value::Object(object)) => Read::Whole(object),
            Ok(_) => Read::Bad("It is not an object.".into()),
            Err(error) => Read::Bad(not_json(&error)),
        }
    }

    fn straight(&self, c: char) -> char {
        match c {
            c if self.curly != Some(true) => c,
            c if is_quote(c) => '"',
            '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' => '\'',
            c => c,
        }
    }
}

fn not_json(error: &serde_json::Error) -> String {
    format!("It is not JSON: {}.", line(&error.to_string(), 200))
}

fn is_quote(c: char) -> bool {
    matches!(
        c,
        '"' | '\u{201c}'..='\u{201f}' | '\u{ab}' | '\u{bb}' | '\u{2033}'
    )
}

/// What pages put between letters so that a line may break there, and marks that show nothing.
pub(super) fn is_nothing(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Read, usize) {
        let mut reader = Reader::default();
        for (at, c) in text.char_indices() {
            match reader.push(c) {
                Read::More => {}
                read => return (read, at),
            }
        }
        (Read::More, text.len())
    }

    #[test]
    fn objects_as_pages_show_them() {
        let check = |text: &str, want: Option<&str>| {
            let got = match read(text).0 {
                Read::Whole(object) => Some(Value::Object(object).to_string()),
                _ => None,
            };
            assert_eq!(got.as_deref(), want, "{text}");
        };
        check(r#"{"a":1} and more"#, Some(r#"{"a":1}"#));
        check(r#"{"a":"}{"}"#, Some(r#"{"a":"}{"}"#));
        check("{\u{a0}\"a\"\u{a0}:\u{200b}1}", Some(r#"{"a":1}"#));
        check("{\"a\":\u{201c}x\u{201d}}", None);
        check(
            "{\u{201c}a\u{201d}:\u{201c}[x=\u{2018}y\u{2019}]\u{201d}}",
            Some(r#"{"a":"[x='y']"}"#),
        );
        check(
            "{\"a\":\"\u{201c}x\u{201d}\"}",
            Some("{\"a\":\"\u{201c}x\u{201d}\"}"),
        );
        check(
            "{\"a\":1,\n \"b\":[true,null]}",
            Some(r#"{"a":1,"b":[true,null]}"#),
        );
        check("{\"a\":\"x\ny\"}", None);
        check("{\"a\":1,\"a\":2}", None);
        check("{\"a\":1,\nNext line", None);
        check("{\"a\":1", None);
    }

    #[test]
    fn half_an_object_is_waited_for_and_a_broken_one_is_not() {
        assert_eq!(read("{\"a\":").0, Read::More);
        assert_eq!(read("{\"a\":\n\n").0, Read::More);
        assert!(matches!(read("{\"a\":1,\n!").0, Read::Bad(_)));
        assert!(matches!(read("{1:\n").0, Read::Bad(_)));
        assert!(matches!(read(&"{\"a\":".repeat(40)).0, Read::Bad(_)));
    }
}
