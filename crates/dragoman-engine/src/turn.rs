//! One call of `Engine::handle`: the time it happens at, and the effects gathered so far.
//!
//! Must not know: what the effects mean, except which of them a read may overtake.

use crate::{ClientId, Effect, Message, Record, Time};

/// What is counted over all sessions; no number is ever given twice.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub runs: u64,
    pub news: u64,
}

#[derive(Debug)]
pub(crate) struct Turn<'a> {
    pub now: Time,
    count: &'a mut Counters,
    effects: Vec<Effect>,
}

impl<'a> Turn<'a> {
    pub fn new(now: Time, count: &'a mut Counters) -> Self {
        Self {
            now,
            count,
            effects: Vec::new(),
        }
    }

    pub fn effects(self) -> Vec<Effect> {
        self.effects
    }

    /// A number for a run; never given twice.
    pub fn new_run(&mut self) -> u64 {
        self.count.runs += 1;
        self.count.runs
    }

    /// A place for something that happened, behind all others.
    pub fn new_place(&mut self) -> u64 {
        self.count.news += 1;
        self.count.news
    }

    /// The place of what happened last.
    pub fn last_place(&self) -> u64 {
        self.count.news
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
