//! One call of `Engine::handle`: the time it happens at, and the effects gathered so far.
//!
//! Must not know: what the effects mean, except which of them a read may overtake.

use crate::{ClientId, Effect, Message, Record, Time};

#[derive(Debug)]
pub(crate) struct Turn<'a> {
    pub now: Time,
    runs: &'a mut u64,
    effects: Vec<Effect>,
}

impl<'a> Turn<'a> {
    pub fn new(now: Time, runs: &'a mut u64) -> Self {
        Self {
            now,
            runs,
            effects: Vec::new(),
        }
    }

    pub fn effects(self) -> Vec<Effect> {
        self.effects
    }

    /// A number for a run; never given twice.
    pub fn new_run(&mut self) -> u64 {
        *self.runs += 1;
        *self.runs
    }

    pub fn record(&mut self, record: Record) {
        self.effects.push(Effect::Record(record));
    }

    pub fn tell(&mut self, client: ClientId, message: Message) {
        self.effects.push(Effect::Tell { client, message });
    }

    pub fn act(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// For what only reads: no record guards it, so it need not wait until records are durable.
    /// It goes before the records and messages at the end of the list, and no further.
    pub fn act_at_once(&mut self, effect: Effect) {
        let waits = |e: &Effect| matches!(e, Effect::Record(_) | Effect::Tell { .. });
        let place = self
            .effects
            .iter()
            .rposition(|e| !waits(e))
            .map_or(0, |at| at + 1);
        self.effects.insert(place, effect);
    }
}
