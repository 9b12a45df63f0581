//! `ux/2.0`, a line for each message.

use super::{Said, answer, text_of};
use crate::clock::now_ms;
use dragoman_dialects::lines::{Line, Lines};
use dragoman_dialects::ux::{self, Act};
use dragoman_engine::Message;
use std::time::Duration;

#[derive(Debug)]
pub struct Agent {
    lines: Lines,
    talk: ux::Conversation,
}

impl Agent {
    pub fn new(options: ux::Options) -> Self {
        Self {
            lines: Lines::new(ux::MAX_MESSAGE),
            talk: ux::Conversation::new(options),
        }
    }

    pub fn start(&mut self, now: Duration) -> Vec<Said> {
        let epoch_ms = now_ms().saturating_sub(now.as_millis() as u64);
        said(self.talk.start(now, epoch_ms))
    }

    pub fn feed(&mut self, now: Duration, bytes: &[u8]) -> Vec<Said> {
        let lines = self.lines.feed(bytes);
        lines
            .into_iter()
            .flat_map(|line| self.line(now, line))
            .collect()
    }

    pub fn end(&mut self, now: Duration) -> Vec<Said> {
        let last = self.lines.finish();
        last.into_iter()
            .flat_map(|line| self.line(now, line))
            .collect()
    }

    fn line(&mut self, now: Duration, line: Line) -> Vec<Said> {
        said(match text_of(line) {
            Ok(text) if text.trim().is_empty() => Vec::new(),
            Ok(text) => self.talk.message(now, text.trim()),
            Err(why) => self.talk.unreadable(why),
        })
    }

    pub fn tell(&mut self, now: Duration, message: Message) -> Vec<Said> {
        said(match message {
            Message::Outcome {
                id: Some(id),
                outcome,
                ..
            } => self.talk.outcome(now, &id, outcome),
            Message::Refused {
                id: Some(id),
                fault,
                ..
            } => self.talk.refused(now, &id, fault),
            Message::Event { event, .. } => self.talk.event(now, &event),
            Message::QueueChanged { item, .. } => self.talk.queue_changed(now, &item),
            _ => Vec::new(),
        })
    }

    pub fn found(&mut self, now: Duration, number: u64, found: ux::Found) -> Vec<Said> {
        said(self.talk.found(now, number, found))
    }

    pub fn wake_at(&self) -> Option<Duration> {
        self.talk.wake_at()
    }

    pub fn tick(&mut self, now: Duration) -> Vec<Said> {
        said(self.talk.tick(now))
    }

    pub fn is_busy(&self) -> bool {
        self.talk.is_busy()
    }
}

fn said(acts: Vec<Act>) -> Vec<Said> {
    let said = |act| {
        Some(match act {
            Act::Submit(request) => Said::Submit {
                session: None,
                request,
            },
            Act::Send(line) => answer(line),
            Act::Search(search) => Said::Search(search),
            Act::StopSearch(number) => Said::StopSearch(number),
            Act::Note(note) => {
                tracing::info!("{note}");
                return None;
            }
        })
    };
    acts.into_iter().filter_map(said).collect()
}
