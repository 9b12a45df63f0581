//! Bytes to lines, in whatever pieces they come, with bounded memory.
//!
//! Must not know: what a line says.

/// Holds the line that is not complete yet.
#[derive(Debug)]
pub struct Lines {
    most: usize,
    line: Vec<u8>,
    /// The line was too long and was reported; its rest is thrown away.
    skipping: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    Whole(Vec<u8>),
    /// The beginning of one that is longer than is read.
    TooLong(Vec<u8>),
}

impl Lines {
    /// Lines of at most so many bytes.
    pub fn new(most: usize) -> Self {
        Self {
            most,
            line: Vec::new(),
            skipping: false,
        }
    }

    pub fn feed(&mut self, mut bytes: &[u8]) -> Vec<Line> {
        let mut found = Vec::new();
        while let Some(end) = bytes.iter().position(|b| *b == b'\n') {
            found.extend(self.take(&bytes[..end]));
            found.extend(self.finish());
            bytes = &bytes[end + 1..];
        }
        found.extend(self.take(bytes));
        found
    }

    /// The stream ended; a last line needs no line break.
    pub fn finish(&mut self) -> Option<Line> {
        let line = std::mem::take(&mut self.line);
        match std::mem::take(&mut self.skipping) {
            true => None,
            false => Some(Line::Whole(line)),
        }
    }

    fn take(&mut self, piece: &[u8]) -> Option<Line> {
        if self.skipping {
            return None;
        }
        let room = self.most - self.line.len();
        if piece.len() <= room {
            self.line.extend_from_slice(piece);
            return None;
        }
        self.line.extend_from_slice(&piece[..room]);
        self.skipping = true;
        Some(Line::TooLong(std::mem::take(&mut self.line)))
    }
}
