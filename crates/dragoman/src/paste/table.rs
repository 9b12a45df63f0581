//! The chat's side of the table: its language, spoken in this process. What it says is handed to the driver in values,
//! and what it is to be told is gathered until nothing more goes on.
//!
//! Must not know: the person, the clipboard.

use crate::conversation::{Conversation, Said, asked, controls, tell};
use crate::link::{Link, Outlet, output};
use crate::pictures::Pictures;
use dragoman_dialects::chat::{Act, Talk};
use dragoman_engine::Message;
use serde_json::json;
use std::time::Instant;
use tokio::sync::mpsc;

#[derive(Debug)]
pub struct Table {
    talk: Box<dyn Talk>,
    began: Instant,
    said: mpsc::UnboundedSender<Said>,
    bell: mpsc::Sender<Vec<u8>>,
    told: mpsc::UnboundedReceiver<Message>,
    answer: Vec<String>,
    pictures: Pictures,
    /// While it lives, somebody listens.
    _outlet: Outlet,
}

impl Table {
    /// The table, and what the driver needs to let it in.
    pub fn new(talk: Box<dyn Talk>) -> (Link, Conversation, Self) {
        let (said, hears) = mpsc::unbounded_channel();
        let (bell, input) = mpsc::channel(1);
        let (output, outlet) = output();
        let (tells, told) = mpsc::unbounded_channel();
        let conversation = Conversation::direct(hears, move |message| {
            let _ = tells.send(message);
            None
        });
        let table = Self {
            talk,
            began: Instant::now(),
            said,
            bell,
            told,
            answer: Vec::new(),
            pictures: Pictures::default(),
            _outlet: outlet,
        };
        (Link { input, output }, conversation, table)
    }

    pub fn start(&mut self) {
        let acts = self.talk.start(self.began.elapsed());
        self.carry_out(acts);
    }

    /// One whole reply of the assistant's.
    pub fn reply(&mut self, text: &str) {
        let frame = json!({"role": "assistant", "text": text});
        let line = format!("{frame}\n");
        let acts = self.talk.bytes(self.began.elapsed(), line.as_bytes());
        self.carry_out(acts);
    }

    /// Until nothing more happens by itself; whether anybody is still there.
    pub async fn settle(&mut self) -> bool {
        loop {
            let wake = self.talk.wake_at();
            if !self.talk.is_busy() && wake.is_none() && self.told.is_empty() {
                return true;
            }
            let wake = wake.map(|at| self.began + at);
            let tick = async move {
                match wake {
                    Some(at) => tokio::time::sleep_until(at.into()).await,
                    None => std::future::pending().await,
                }
            };
            let due = tokio::select! {
                () = tick => true,
                there = self.hear() => match there {
                    true => false,
                    false => return false,
                },
            };
            if due {
                let acts = self.talk.tick(self.began.elapsed());
                self.carry_out(acts);
            }
        }
    }

    /// The next thing that happens; whether anybody is still there.
    pub async fn hear(&mut self) -> bool {
        let Some(message) = self.told.recv().await else {
            return false;
        };
        let acts = tell(&mut *self.talk, self.began.elapsed(), message);
        self.carry_out(acts);
        true
    }

    /// What is to be said to the chat.
    pub fn take_answer(&mut self) -> Option<String> {
        let parts = std::mem::take(&mut self.answer);
        (!parts.is_empty()).then(|| parts.join("\n\n"))
    }

    fn carry_out(&mut self, acts: Vec<Act>) {
        for act in acts {
            let said = match act {
                Act::Submit(request) => asked(request),
                Act::Control(control) => controls(control),
                Act::Say(text) => {
                    self.answer.push(text);
                    continue;
                }
                Act::Show { name, data, .. } => {
                    self.pictures.keep(&name, &data);
                    continue;
                }
                Act::Log(text) => {
                    tracing::info!("{text}");
                    continue;
                }
            };
            let _ = self.said.send(said);
            // Full: a ring waits there already, and whoever answers it takes this too.
            let _ = self.bell.try_send(Vec::new());
        }
    }
}
