//! The person's side of the table: what a chat wants, in plain words, and what they decide about it.
//!
//! Must not know: the chat's language.

use super::lines::Lines;
use crate::direct::Direct;
use crate::queue::{in_editor, table, with_fields};
use crate::term::{Paint, one_line, say};
use crate::trouble::Trouble;
use dragoman_model::{Control, Fault, QueueItem, QueueView, SessionId, State};

const HELP: &str = "Enter: do them all; 2 3: only these; e 2 text=Hello: edit (e 2: in $EDITOR); d 3: delete; n: none of them; q: end";

#[derive(Debug)]
pub struct Person {
    hand: Direct,
    session: SessionId,
    paint: Paint,
    /// What was shown of the history already.
    shown: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// Something runs, or will by itself.
    Going,
    /// Something waits for the person.
    Asked,
    Done,
}

/// What was decided.
#[derive(Debug, PartialEq)]
enum Choice {
    All,
    None,
    Quit,
    These(Vec<u64>),
    Edit(u64, Vec<String>),
    Delete(Vec<u64>),
    Unclear(String),
}

impl Person {
    pub fn new(hand: Direct, session: SessionId) -> Self {
        Self {
            hand,
            session,
            paint: Paint::for_stdout(),
            shown: 0,
        }
    }

    /// How the steps stand.
    pub async fn look(&self) -> Result<Look, Fault> {
        let view = self.list(0).await?;
        let goes = |item: &QueueItem| matches!(item.state, State::Approved | State::Running);
        Ok(match view.items.as_slice() {
            [] => Look::Done,
            // They are shown what each step is about.
            items if view.looking || items.iter().any(goes) => Look::Going,
            _ => Look::Asked,
        })
    }

    async fn asked(&self) -> Result<Vec<QueueItem>, Fault> {
        let items = self.list(0).await?.items.into_iter();
        Ok(items.filter(|i| i.state == State::Proposed).collect())
    }

    /// Show what waits, and carry out one decision about it. Whether there was one.
    pub async fn decide(&self, lines: &mut Lines) -> Result<bool, Fault> {
        let asked = self.asked().await?;
        let numbers: Vec<u64> = asked.iter().map(|item| item.number).collect();
        self.show("The chat wants to:", asked.clone());
        say!("{}", self.paint.dim(HELP));
        let Some(line) = lines.next().await else {
            return Ok(false);
        };
        let result = match choice(&line) {
            Choice::All => {
                self.each(&numbers, |number| Control::Approve { number })
                    .await
            }
            Choice::These(these) => {
                self.each(&these, |number| Control::Approve { number })
                    .await
            }
            Choice::None => {
                self.each(&numbers, |number| Control::Cancel { number })
                    .await
            }
            Choice::Delete(these) => self.each(&these, |number| Control::Cancel { number }).await,
            Choice::Quit => return Ok(false),
            Choice::Edit(number, fields) => self.edit(&asked, number, &fields).await,
            Choice::Unclear(why) => Err(why),
        };
        if let Err(why) = result {
            say!("{}", self.paint.yellow(&one_line(&why, 400)));
        }
        Ok(true)
    }

    /// What became of the steps since the last time.
    pub async fn tell_outcomes(&mut self) -> Result<(), Fault> {
        let items = self.list(100).await?.items.into_iter();
        let new = |i: &QueueItem| i.number > self.shown && i.state.is_end();
        // What a dialect looks up by itself is no step of anybody's.
        let failed = |i: &QueueItem| i.outcome.as_ref().is_some_and(|o| o.fault().is_some());
        let steps = items
            .filter(new)
            .filter(|i| !i.command.reads_only() || failed(i));
        let steps: Vec<QueueItem> = steps.collect();
        self.shown = steps.iter().map(|i| i.number).fold(self.shown, u64::max);
        if !steps.is_empty() {
            self.show("What became of it:", steps);
        }
        Ok(())
    }

    fn show(&self, title: &str, items: Vec<QueueItem>) {
        let view = QueueView {
            items,
            ..QueueView::default()
        };
        say!("\n{}", self.paint.bold(title));
        say!("{}", table(&view, self.paint).trim_end());
    }

    async fn edit(
        &self,
        asked: &[QueueItem],
        number: u64,
        fields: &[String],
    ) -> Result<(), String> {
        let item = asked.iter().find(|item| item.number == number);
        let item = item.ok_or_else(|| format!("Step {number} does not wait for you."))?;
        let said = |trouble: Trouble| format!("{}. {}", trouble.what, trouble.next);
        let command = match fields.is_empty() {
            true => in_editor(&item.command).map_err(said)?,
            false => Some(with_fields(&item.command, fields).map_err(said)?),
        };
        let Some(command) = command else {
            return Ok(());
        };
        let replace = |number| Control::Replace {
            number,
            command: Box::new(command.clone()),
        };
        self.each(&[number], replace).await
    }

    async fn each(&self, numbers: &[u64], control: impl Fn(u64) -> Control) -> Result<(), String> {
        for number in numbers {
            let done = self.hand.control(Some(&self.session), control(*number));
            done.await
                .map_err(|fault| format!("{}. {}", fault.message, fault.suggestion))?;
        }
        Ok(())
    }

    async fn list(&self, limit: usize) -> Result<QueueView, Fault> {
        let limit = Some(limit);
        let told = self
            .hand
            .control(Some(&self.session), Control::List { limit });
        Ok(told.await?.unwrap_or_default())
    }
}

fn choice(line: &str) -> Choice {
    let mut words = line.split_whitespace();
    let first = words.clone().next().unwrap_or_default();
    let numbers = |words: std::str::SplitWhitespace| {
        let read: Result<Vec<u64>, _> = words.map(str::parse).collect();
        read.ok().filter(|numbers| !numbers.is_empty())
    };
    let unclear = || Choice::Unclear(format!("{} is not clear. {HELP}", one_line(line, 60)));
    match first {
        "" => Choice::All,
        "n" | "none" => Choice::None,
        "q" | "quit" | "exit" => Choice::Quit,
        "d" | "delete" => {
            words.next();
            numbers(words).map_or_else(unclear, Choice::Delete)
        }
        "e" | "edit" => {
            let rest = line.trim_start()[first.len()..].trim_start();
            let (number, fields) = rest.split_once(' ').unwrap_or((rest, ""));
            match number.parse() {
                Ok(number) => Choice::Edit(number, fields_of(fields)),
                Err(_) => unclear(),
            }
        }
        _ => numbers(words).map_or_else(unclear, Choice::These),
    }
}

/// `name=value`, where a value goes on until the next name: nobody has to put quotes.
fn fields_of(text: &str) -> Vec<String> {
    let names = |word: &str| {
        let name = word.split_once('=').map(|(name, _)| name);
        name.is_some_and(|n| {
            !n.is_empty() && n.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
        })
    };
    let mut fields: Vec<String> = Vec::new();
    for word in text.trim().split(' ') {
        match fields.last_mut() {
            Some(last) if !names(word) => {
                last.push(' ');
                last.push_str(word);
            }
            _ if word.is_empty() => {}
            _ => fields.push(word.to_owned()),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_are_short() {
        let fields = |list: &[&str]| list.iter().map(|f| (*f).to_owned()).collect();
        for (line, want) in [
            ("", Choice::All),
            ("  ", Choice::All),
            ("n", Choice::None),
            ("q", Choice::Quit),
            ("2 3", Choice::These(vec![2, 3])),
            ("d 3", Choice::Delete(vec![3])),
            ("e 2", Choice::Edit(2, vec![])),
            (
                "e 2 text=two words count=3",
                Choice::Edit(2, fields(&["text=two words", "count=3"])),
            ),
        ] {
            assert_eq!(choice(line), want, "{line}");
        }
        for line in ["d", "2 x", "e", "e x", "yes please"] {
            assert!(matches!(choice(line), Choice::Unclear(_)), "{line}");
        }
    }
}
