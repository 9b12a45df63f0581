//! What the browser wrote to its stderr last: kept to explain its end, never interpreted as
//! anything but text.
//!
//! Must not know: processes, why somebody wants to hear it.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// How many lines are kept, and how many bytes of each.
const LINES_KEPT: usize = 40;
const LINE_LIMIT: usize = 500;

/// What to try for causes that can be told from Chromium's words.
const ADVICE: &[(&str, &str)] = &[
    (
        "error while loading shared libraries",
        "Install the missing library (`ldd` on the browser lists them), or install Chromium from \
         your distribution.",
    ),
    (
        "No usable sandbox",
        "Allow unprivileged user namespaces, or install the chromium-sandbox package.",
    ),
    (
        "requires the chromium snap",
        "Install a real browser (`sudo snap install chromium`, or Google Chrome), or set \
         DRAGOMAN_BROWSER to one.",
    ),
    (
        "Missing X server",
        "Leave out --headed, or start under a desktop or xvfb-run.",
    ),
    (
        "No space left on device",
        "Free some space in the temporary directory, or set TMPDIR to another one.",
    ),
    (
        "already running",
        "Close the browser that uses this profile, or choose another profile directory.",
    ),
];

#[derive(Debug, Clone, Default)]
pub(super) struct LastWords(Rc<RefCell<VecDeque<String>>>);

impl LastWords {
    /// Reads to the end; the browser must never wait for us to take its words.
    pub async fn listen(self, mut stderr: impl AsyncRead + Unpin) {
        let mut buffer = vec![0; 4096];
        let mut line = Vec::new();
        while let Ok(read @ 1..) = stderr.read(&mut buffer).await {
            for byte in &buffer[..read] {
                match byte {
                    b'\n' => self.keep(&mut line),
                    _ if line.len() < LINE_LIMIT => line.push(*byte),
                    _ => {}
                }
            }
        }
        self.keep(&mut line);
    }

    fn keep(&self, line: &mut Vec<u8>) {
        let text = String::from_utf8_lossy(line).trim().to_owned();
        line.clear();
        if text.is_empty() {
            return;
        }
        tracing::trace!(target: "chromium", "{text}");
        let mut lines = self.0.borrow_mut();
        if lines.len() == LINES_KEPT {
            lines.pop_front();
        }
        lines.push_back(text);
    }

    pub fn advice(&self) -> &'static str {
        let lines = self.0.borrow();
        ADVICE
            .iter()
            .find(|(cause, _)| lines.iter().any(|line| line.contains(cause)))
            .map_or(
                "Run `dragoman doctor`, or set DRAGOMAN_BROWSER to another browser.",
                |(_, advice)| advice,
            )
    }
}

/// As the end of a sentence: nothing when nothing was said.
impl std::fmt::Display for LastWords {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let lines = self.0.borrow();
        if lines.is_empty() {
            return Ok(());
        }
        f.write_str("; it wrote:")?;
        for line in lines.iter() {
            write!(f, "\n  {line}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "current_thread")]
    async fn only_the_last_lines_are_kept() {
        let mut text = String::new();
        for number in 1..=100 {
            text += &format!("line {number}\n\n");
        }
        text += &"x".repeat(2000);
        let words = LastWords::default();
        words.clone().listen(text.as_bytes()).await;
        let lines = words.0.borrow();
        assert_eq!(lines.len(), LINES_KEPT);
        assert_eq!(lines[0], "line 62");
        assert_eq!(lines[LINES_KEPT - 1].len(), LINE_LIMIT);
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_known_cause_has_its_own_advice() {
        let words = LastWords::default();
        assert!(words.advice().contains("doctor"));
        let stderr = "x: error while loading shared libraries: libnss3.so: cannot open";
        words.clone().listen(stderr.as_bytes()).await;
        assert!(words.advice().contains("missing library"));
        assert!(words.to_string().contains("libnss3.so"));
    }
}
