//! Bytes to what their lines say.
//!
//! Must not know: where the bytes come from.

use super::decode::decode;
use super::json::recover_id;
use super::{Incoming, MAX_LINE};
use crate::lines::{Line, Lines};
use dragoman_model::{Code, Fault};

/// Holds the line that is not complete yet.
#[derive(Debug)]
pub struct Decoder(Lines);

impl Default for Decoder {
    fn default() -> Self {
        Self(Lines::new(MAX_LINE))
    }
}

impl Decoder {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Incoming> {
        self.0.feed(bytes).into_iter().filter_map(read).collect()
    }

    /// The stream ended; a last line needs no line break.
    pub fn finish(&mut self) -> Option<Incoming> {
        self.0.finish().and_then(read)
    }
}

fn read(line: Line) -> Option<Incoming> {
    match line {
        Line::Whole(line) => decode(&line),
        Line::TooLong(beginning) => {
            let message = format!("The line is longer than {MAX_LINE} bytes");
            Some(Incoming::Bad {
                id: recover_id(&beginning),
                fault: Fault::new(Code::TooLarge, message),
            })
        }
    }
}
