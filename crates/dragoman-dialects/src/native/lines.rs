//! Bytes to lines, in whatever pieces they come, with bounded memory.
//!
//! Must not know: what a line says.

use super::decode::decode;
use super::json::recover_id;
use super::{Incoming, MAX_LINE};
use dragoman_model::{Code, Fault};

/// Holds the line that is not complete yet.
#[derive(Debug, Default)]
pub struct Decoder {
    line: Vec<u8>,
    /// The line was too long and was reported; its rest is thrown away.
    skipping: bool,
}

impl Decoder {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn feed(&mut self, mut bytes: &[u8]) -> Vec<Incoming> {
        let mut found = Vec::new();
        while let Some(end) = bytes.iter().position(|b| *b == b'\n') {
            found.extend(self.take(&bytes[..end]));
            found.extend(self.end_line());
            bytes = &bytes[end + 1..];
        }
        found.extend(self.take(bytes));
        found
    }

    /// The stream ended; a last line needs no line break.
    pub fn finish(&mut self) -> Option<Incoming> {
        self.end_line()
    }

    fn take(&mut self, piece: &[u8]) -> Option<Incoming> {
        if self.skipping {
            return None;
        }
        let room = MAX_LINE - self.line.len();
        if piece.len() <= room {
            self.line.extend_from_slice(piece);
            return None;
        }
        self.line.extend_from_slice(&piece[..room]);
        let id = recover_id(&self.line);
        self.skipping = true;
        self.line = Vec::new();
        let message = format!("The line is longer than {MAX_LINE} bytes");
        let fault = Fault::new(Code::TooLarge, message);
        Some(Incoming::Bad { id, fault })
    }

    fn end_line(&mut self) -> Option<Incoming> {
        if std::mem::take(&mut self.skipping) {
            return None;
        }
        let incoming = decode(&self.line);
        self.line.clear();
        // One long line shall not hold its memory for the rest of the connection.
        self.line.shrink_to(64 << 10);
        incoming
    }
}
