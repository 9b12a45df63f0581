//! What both versions do alike when something happens: note the time, let it sink in, go on.
//!
//! Must not know: how anything is written.

use super::desk::{Desk, Ended};
use super::hearing::{Hearing, Said};
use crate::chat::{Act, Talk};
use dragoman_model::{Fault, Outcome, QueueItem, RequestId, SurfaceEvent};
use std::time::Duration;

/// One version's own part in a conversation.
pub(super) trait Voice: std::fmt::Debug + Send {
    type Action;

    fn desk(&mut self) -> &mut Desk<Self::Action>;
    fn hearing(&mut self) -> &mut Hearing;
    fn prompt(&self) -> String;
    fn hear(&mut self, said: Said);
    fn ended(&mut self, ended: Ended);
    /// An action waits for a person.
    fn waits(&mut self, key: u64);
    fn happened(&mut self, event: &SurfaceEvent);
    /// A person changed an action in the queue, or let it go.
    fn edited(&mut self, item: &QueueItem);
    /// What waits for a person waits in vain.
    fn nobody_left(&mut self);
    /// Whatever can be said now is.
    fn go_on(&mut self) -> Vec<Act>;
    fn wakes_at(&self) -> Option<Duration>;
    fn has_more(&self) -> bool;
}

impl<V: Voice> Talk for V {
    fn start(&mut self, now: Duration) -> Vec<Act> {
        self.desk().now = now;
        let prompt = self.prompt();
        self.desk().say(prompt);
        self.desk().start();
        self.go_on()
    }

    fn bytes(&mut self, now: Duration, bytes: &[u8]) -> Vec<Act> {
        self.desk().now = now;
        for said in self.hearing().bytes(bytes) {
            self.hear(said);
        }
        self.go_on()
    }

    fn end(&mut self, now: Duration) -> Vec<Act> {
        self.desk().now = now;
        for said in self.hearing().end() {
            self.hear(said);
        }
        self.desk().over = true;
        self.nobody_left();
        self.go_on()
    }

    fn tick(&mut self, now: Duration) -> Vec<Act> {
        self.desk().now = now;
        self.go_on()
    }

    fn wake_at(&self) -> Option<Duration> {
        self.wakes_at()
    }

    fn is_busy(&self) -> bool {
        self.has_more()
    }

    fn outcome(&mut self, now: Duration, id: &RequestId, outcome: Outcome) -> Vec<Act> {
        self.desk().now = now;
        let ended = self.desk().outcome(id, outcome);
        self.ended(ended);
        self.go_on()
    }

    fn refused(&mut self, now: Duration, id: Option<&RequestId>, fault: Fault) -> Vec<Act> {
        self.desk().now = now;
        let ended = self.desk().refused(id, fault);
        self.ended(ended);
        self.go_on()
    }

    fn accepted(&mut self, now: Duration, id: &RequestId, number: u64, waits: bool) -> Vec<Act> {
        self.desk().now = now;
        match self.desk().accepted(id, number, waits) {
            Some(_) if self.desk().over => self.nobody_left(),
            Some(key) => self.waits(key),
            None => {}
        }
        self.go_on()
    }

    fn event(&mut self, now: Duration, event: SurfaceEvent) -> Vec<Act> {
        self.desk().now = now;
        self.happened(&event);
        self.go_on()
    }

    fn item(&mut self, now: Duration, item: QueueItem) -> Vec<Act> {
        self.desk().now = now;
        self.edited(&item);
        self.go_on()
    }
}
