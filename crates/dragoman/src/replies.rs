//! An assistant that was recorded: its replies are played one after the other, as if it were there,
//! and both sides are shown.
//!
//! Must not know: what a reply says, the browser. It speaks `command/1` in frames, like any other.

use crate::link::{Link, Told, output};
use anyhow::anyhow;
use dragoman_dialects::command::has_command;
use serde::Deserialize;
use tokio::sync::mpsc;

#[derive(Debug)]
pub struct Player {
    lines: Option<mpsc::Sender<Vec<u8>>>,
    told: Told,
    replies: Vec<String>,
    /// A tab is opened before anything is said: what it looks like is waited for.
    opens: bool,
}

/// What a conversation was made of.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Played {
    pub replies: usize,
    pub errors: Vec<String>,
}

/// One line of the conversation, as it happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line<'a> {
    Assistant(&'a str),
    User(&'a str),
}

#[derive(Deserialize)]
struct Frame {
    role: String,
    text: String,
}

impl Player {
    pub fn new(replies: Vec<String>, opens: bool) -> (Link, Self) {
        let (lines, input) = mpsc::channel(2);
        let (output, outlet) = output();
        let player = Self {
            lines: Some(lines),
            told: Told::new(outlet),
            replies,
            opens,
        };
        (Link { input, output }, player)
    }

    /// Each reply is given once the one before has been answered. Ends when all is said.
    pub async fn play(mut self, mut show: impl FnMut(Line)) -> anyhow::Result<Played> {
        let mut played = Played::default();
        for _ in 0..1 + usize::from(self.opens) {
            self.hear(&mut played, &mut show).await;
        }
        for reply in std::mem::take(&mut self.replies) {
            show(Line::Assistant(&reply));
            let frame = serde_json::json!({"role": "assistant", "text": reply});
            let lines = self
                .lines
                .as_ref()
                .ok_or_else(|| anyhow!("nobody listens"))?;
            let sent = lines.send(format!("{frame}\n").into_bytes()).await;
            if sent.is_err() {
                break;
            }
            played.replies += 1;
            if has_command(&reply) {
                self.hear(&mut played, &mut show).await;
            }
        }
        self.lines = None;
        while self.hear(&mut played, &mut show).await {}
        Ok(played)
    }

    /// The next message to the assistant; whether there was one.
    async fn hear(&mut self, played: &mut Played, show: &mut impl FnMut(Line)) -> bool {
        let Some(line) = self.told.next_line().await else {
            return false;
        };
        if let Ok(frame) = serde_json::from_slice::<Frame>(&line)
            && frame.role == "user"
        {
            show(Line::User(&frame.text));
            let errors = frame
                .text
                .lines()
                .filter(|l| l.starts_with("System Error:"));
            played.errors.extend(errors.map(str::to_owned));
        }
        true
    }
}

/// The replies in a recording: bare text that is cut at its keywords, or frames, of which only the
/// assistant's count. Whatever keyword they were recorded with, they end with this session's.
pub fn read(text: &str, keyword: &str) -> Vec<String> {
    let framed = text.trim_start().starts_with('{');
    let recorded: Vec<String> = match framed {
        true => text
            .lines()
            .filter_map(|line| serde_json::from_str::<Frame>(line).ok())
            .filter(|frame| frame.role == "assistant")
            .map(|frame| without_keyword(&frame.text).0.to_owned())
            .collect(),
        false => {
            let mut rest = text;
            let mut found = Vec::new();
            while !rest.trim().is_empty() {
                let (reply, after) = without_keyword(rest);
                found.push(reply.to_owned());
                rest = after;
            }
            found
        }
    };
    let whole = recorded.iter().map(|reply| reply.trim());
    let whole = whole.filter(|reply| reply.contains(char::is_alphanumeric));
    whole.map(|reply| format!("{reply}\n\n{keyword}")).collect()
}

/// What stands before the first keyword, and what after it.
fn without_keyword(text: &str) -> (&str, &str) {
    let mut from = 0;
    while let Some(found) = text[from..].find("[END:") {
        let start = from + found;
        let end = text[start..].find([']', '\n']).map(|end| start + end);
        match end {
            Some(end) if text.as_bytes()[end] == b']' => return (&text[..start], &text[end + 1..]),
            Some(end) => from = end,
            None => break,
        }
    }
    (text, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recordings() {
        let bare = "Hello.\n[END:a-b-1]\n\nGo on [END: not one\nreally.\n[END:a-b-1]\nlast";
        let want = [
            "Hello.\n\nK",
            "Go on [END: not one\nreally.\n\nK",
            "last\n\nK",
        ];
        assert_eq!(read(bare, "K"), want);
        let framed = "{\"role\":\"user\",\"text\":\"no\"}\n{\"role\":\"assistant\",\"text\":\"yes [END:x]\"}\n";
        assert_eq!(read(framed, "K"), ["yes\n\nK"]);
        assert!(read(" \n", "K").is_empty());
    }
}
