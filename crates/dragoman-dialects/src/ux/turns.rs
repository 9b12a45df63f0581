//! Whose turn it is: one message goes on until it wants something that takes time, and the next one waits.

use super::conversation::{Conversation, Purpose};
use super::read;
use super::run::Context;
use super::task::{Signal, Step, Task};
use super::trouble::{Kind, Trouble};
use super::wire::{Ask, RecordingResult};
use crate::json::Object;

/// Messages that wait for their turn.
const MOST_WAITING: usize = 1_000;

impl Conversation {
    pub(super) fn asked(&mut self, id: Option<String>, ask: Ask, object: &Object) {
        self.testing.record(&ask, object);
        let name = ask.name();
        let task = match ask {
            Ask::Subscribe(ask) => return self.subscribe(&id.unwrap_or_default(), &ask),
            Ask::Unsubscribe(ask) => return self.unsubscribe(id.as_deref(), &ask.subscription_id),
            Ask::FileSearch(ask) => return self.search(&id.unwrap_or_default(), &ask),
            Ask::Cancel(ask) => return self.cancel(id.as_deref(), &ask.cancels),
            Ask::GetRecording(_) => {
                let recording = self.testing.recorded();
                return self.send(
                    "recordingResult",
                    id.as_deref(),
                    &RecordingResult { recording },
                );
            }
            Ask::Batch(batch) => match read::steps(&batch) {
                Ok(steps) => Task::many(id, steps, batch.options),
                Err(trouble) => return self.error(id.as_deref(), trouble),
            },
            ask => Task::one(id, name, ask),
        };
        if self.waiting.len() >= MOST_WAITING {
            let message = format!("{MOST_WAITING} messages wait for their turn");
            return self.error(task.id.as_deref(), Trouble::new(Kind::Busy, message));
        }
        self.waiting.push_back(task);
        if self.current.is_none() {
            self.begin_next();
        }
    }

    pub(super) fn begin_next(&mut self) {
        while self.current.is_none() {
            let Some(mut task) = self.waiting.pop_front() else {
                return;
            };
            task.begin(self.clock.now());
            if task.waits() {
                self.listen();
            }
            self.current = Some(task);
            self.advance(Signal::Begin);
        }
    }

    fn context(&self) -> Context {
        Context {
            now: self.clock.now(),
            stirred: self.stirred,
            is_prompt: self.is_prompt,
            tell_state: self.testing.tells_state(),
        }
    }

    /// Let the current one go on until it wants something that takes time.
    pub(super) fn advance(&mut self, mut signal: Signal) {
        self.pausing = None;
        loop {
            let context = self.context();
            let Some(task) = &mut self.current else {
                return;
            };
            let own = !task.asks_to_see();
            match task.step(&context, signal) {
                Step::Look(scope) => return self.look(scope, own),
                Step::Do(command) => {
                    let left = task.time_left(context.now);
                    return self.submit(Purpose::Do, command, left, false);
                }
                Step::Pause(until) if self.clock.jumps() => {
                    self.clock.jump_to(until);
                    self.tell_due();
                    signal = Signal::Woken;
                }
                Step::Pause(until) => {
                    self.pausing = Some(until);
                    return;
                }
                Step::Settle(ask) => {
                    let id = self.current.take().and_then(|task| task.id);
                    return self.settle(id.as_deref(), &ask);
                }
                Step::Answer(answer) => {
                    if let Some(task) = self.current.take() {
                        self.answer(&task, answer);
                    }
                    return;
                }
                Step::Result(result) => {
                    if let Some(task) = self.current.take() {
                        self.batch_result(&task, &result);
                    }
                    return;
                }
            }
        }
    }

    pub(super) fn wake(&mut self) {
        if self.pausing.is_some() {
            self.advance(Signal::Woken);
            self.begin_next();
        }
    }

    fn settle(&mut self, id: Option<&str>, ask: &Ask) {
        let is_prompt = self.is_prompt == Some(true);
        match ask {
            Ask::TestMode(ask) => {
                let body = self.testing.test_mode(ask, is_prompt);
                if let (false, Some(url)) = (is_prompt, &self.url) {
                    self.testing.record_address(url);
                }
                self.send("testModeResult", id, &body);
            }
            Ask::ConfigureHeadless(ask) => {
                let body = self.testing.configure(ask, is_prompt);
                self.send("configureHeadlessResult", id, &body);
            }
            _ => {}
        }
        self.clock.pace(self.testing.pace());
    }
}
