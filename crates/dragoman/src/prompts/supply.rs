//! Choices on standard input: one a line, plain or as a JSON object, taken as they come.

use dragoman_dialects::lines::{Line, Lines};
use dragoman_prompt::Choice;
use std::io::Read;
use tokio::sync::mpsc;

/// More than this is not read.
const MOST: usize = 64 << 20;
const CHUNK: usize = 64 << 10;

/// What comes; after the last of it the channel ends.
#[derive(Debug, Clone, PartialEq)]
pub enum Came {
    More(Vec<Choice>),
    /// No more can be read, for this reason.
    Trouble(String),
}

pub type Supply = mpsc::UnboundedReceiver<Came>;

/// Somebody may hold it open for ever, so a thread waits for it that is left behind when we end.
pub fn from_stdin() -> Supply {
    let (sender, supply) = mpsc::unbounded_channel();
    std::thread::spawn(move || read(std::io::stdin().lock(), |came| sender.send(came).is_ok()));
    supply
}

/// To the end, or until nobody takes any more.
pub fn read(mut input: impl Read, mut take: impl FnMut(Came) -> bool) {
    let mut lines = Lines::new(MOST);
    let mut chunk = vec![0; CHUNK];
    let mut left = MOST;
    loop {
        let length = match input.read(&mut chunk) {
            Ok(length) => length.min(left),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => {
                take(Came::Trouble(format!(
                    "standard input cannot be read: {error}"
                )));
                return;
            }
        };
        left -= length;
        let mut came = lines.feed(&chunk[..length]);
        if length == 0 {
            came.extend(lines.finish());
        }
        let some: Vec<Choice> = came.into_iter().filter_map(choice).collect();
        if !some.is_empty() && !take(Came::More(some)) {
            return;
        }
        if length == 0 {
            if left == 0 {
                let most = MOST >> 20;
                take(Came::Trouble(format!(
                    "only the first {most} MiB were read"
                )));
            }
            return;
        }
    }
}

/// A JSON object where it is one, else the line as it is.
fn choice(line: Line) -> Option<Choice> {
    let (Line::Whole(bytes) | Line::TooLong(bytes)) = line;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.strip_suffix('\r').unwrap_or(&text);
    match text.trim_start().chars().next() {
        _ if text.is_empty() => None,
        Some('{') => Some(serde_json::from_str(text).unwrap_or_else(|_| Choice::plain(text))),
        _ => Some(Choice::plain(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_in_any_pieces() {
        let text = b"plain\r\n\n{\"name\":\"A\",\"value\":\"a\"}\n{broken\nlast";
        for size in [1, 4, 100] {
            let mut names = Vec::new();
            let input = Pieces(text, size);
            read(input, |came| {
                match came {
                    Came::More(some) => names.extend(some.into_iter().map(|one| one.value)),
                    Came::Trouble(why) => panic!("{why}"),
                }
                true
            });
            assert_eq!(names, ["plain", "a", "{broken", "last"], "by {size}");
        }
    }

    #[test]
    fn more_than_is_read() {
        let mut came = Vec::new();
        read(std::io::repeat(b'a'), |next| {
            came.push(next);
            true
        });
        assert!(
            matches!(&came[..], [Came::More(some), Came::Trouble(_)] if some[0].name.len() == MOST),
            "{}",
            came.len()
        );
    }

    /// So many bytes at a time.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            let length = self.1.min(into.len());
            (&mut self.0).take(length as u64).read(into)
        }
    }
}
