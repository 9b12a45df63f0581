//! A chat without any program between it and us: the person carries its words to and fro by clipboard, or by hand.
//!
//! Must not know: which language the chat speaks.

mod clipboard;
mod lines;
mod person;
mod table;

pub use clipboard::{ADVICE, Clipboard};
pub use person::Person;
pub use table::Table;

use crate::term::{Paint, one_line, plain, say};
use dragoman_model::Fault;
use lines::Lines;
use person::Look;

/// What is said to the chat next, in words for the person.
#[derive(Debug, Clone, Copy)]
enum What {
    Prompt,
    Answer,
}

#[derive(Debug)]
pub struct Round {
    clipboard: Option<Clipboard>,
    lines: Lines,
    paint: Paint,
    /// Ours: taken for the chat's reply, it would come back to us.
    copied: String,
}

impl Round {
    pub fn new(clipboard: Option<Clipboard>) -> std::io::Result<Self> {
        Ok(Self {
            clipboard,
            lines: Lines::open()?,
            paint: Paint::for_stdout(),
            copied: String::new(),
        })
    }

    /// Prompt, replies and answers, until the person has had enough.
    pub async fn go(mut self, mut table: Table, mut person: Person) -> Result<(), Fault> {
        table.start();
        let mut what = What::Prompt;
        loop {
            match table.take_answer() {
                Some(answer) => self.hand_over(what, answer),
                None => say!("{}", self.paint.yellow("There is nothing to do in that reply. Let the chat go on, or tell it what you want.")),
            }
            what = What::Answer;
            let Some(reply) = self.reply().await else {
                return Ok(());
            };
            table.reply(&reply);
            loop {
                if !table.settle().await {
                    return Ok(());
                }
                match person.look().await? {
                    Look::Done => break,
                    Look::Going if table.hear().await => {}
                    Look::Asked if person.decide(&mut self.lines).await? => {}
                    Look::Going | Look::Asked => return Ok(()),
                }
            }
            person.tell_outcomes().await?;
        }
    }

    /// To the chat, by way of the person.
    fn hand_over(&mut self, what: What, text: String) {
        let name = match what {
            What::Prompt => "The prompt",
            What::Answer => "The answer",
        };
        let size = text.chars().count();
        let copied = self
            .clipboard
            .as_ref()
            .map(|clipboard| clipboard.copy(&text));
        match copied {
            Some(Ok(())) => {
                let line = format!(
                    "{name} is on the clipboard ({size} characters): paste it into your chat."
                );
                say!("\n{}", self.paint.green(&line));
            }
            other => {
                if let Some(Err(error)) = other {
                    let why = format!("The clipboard cannot be used: {error}");
                    say!("{}", self.paint.yellow(&one_line(&why, 400)));
                    self.clipboard = None;
                }
                let line = format!("{name}, to copy into your chat:");
                say!("\n{}\n\n{}\n", self.paint.green(&line), plain(&text));
            }
        }
        self.copied = text;
    }

    /// What the chat says; `None`: the person ends it.
    async fn reply(&mut self) -> Option<String> {
        loop {
            let how = match self.clipboard {
                Some(_) => {
                    "Then copy its reply and press Enter here (or paste it here and press Enter twice; q ends):"
                }
                None => "Then paste its reply here and press Enter twice (q ends):",
            };
            say!("{}", self.paint.dim(how));
            let first = self.lines.next().await?;
            match first.trim() {
                "q" | "quit" | "exit" => return None,
                "" => match self.copied_reply() {
                    Some(reply) => return Some(reply),
                    None => continue,
                },
                _ => return Some(self.typed(first).await),
            }
        }
    }

    fn copied_reply(&self) -> Option<String> {
        let pasted = self.clipboard.as_ref()?.paste();
        let trouble = match pasted {
            Ok(text) if text.trim().is_empty() => {
                "The clipboard is empty. Copy the chat's reply first.".to_owned()
            }
            Ok(text) if text.trim() == self.copied.trim() => {
                "This is still what you were to paste into the chat. Copy the chat's reply first."
                    .to_owned()
            }
            Ok(text) => return Some(text),
            Err(error) => {
                format!("The clipboard cannot be read: {error}. Paste the reply here instead.")
            }
        };
        say!("{}", self.paint.yellow(&one_line(&trouble, 400)));
        None
    }

    /// The rest of what is pasted: up to two empty lines, or the end.
    async fn typed(&mut self, first: String) -> String {
        let mut text = first;
        let mut empty = 0;
        while empty < 2 {
            let Some(line) = self.lines.next().await else {
                break;
            };
            empty = if line.trim().is_empty() { empty + 1 } else { 0 };
            text.push('\n');
            text.push_str(&line);
        }
        text
    }
}
