//! One session's effects, in order. While a record is on its way to the disk, what comes after it
//! waits here; other sessions do not.

use crate::journal::Lease;
use crate::status::{Current, Page, Ring, Session};
use dragoman_engine::{Effect, Message, Record};
use dragoman_model::{QueueItem, RequestId, State};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;
use tokio::time::Instant;

/// Far less than anybody would lose by it: what is held back was not acknowledged.
const HOLD: Duration = Duration::from_millis(10);

#[derive(Debug)]
pub struct Lane {
    waiting: VecDeque<Effect>,
    /// Handed to the journal, not yet durable.
    writing: Vec<Record>,
    held_since: Option<Instant>,
    open: BTreeMap<u64, Open>,
    /// Commands that only read, until the record of their end has been written.
    reads: BTreeSet<u64>,
    paused: bool,
    /// The journal failed: nothing starts until it works again.
    halted: bool,
    /// Where it was last seen.
    pub page: Option<Page>,
    ended: u64,
    took: Ring<64>,
    _lease: Lease,
}

/// A command that has not ended.
#[derive(Debug, Clone)]
pub struct Open {
    pub id: Option<RequestId>,
    pub name: &'static str,
    state: State,
    began: Option<Instant>,
}

/// A command that has just ended.
#[derive(Debug)]
pub struct Ended {
    pub name: &'static str,
    pub state: State,
    /// `None`: it never started.
    pub took: Option<Duration>,
}

/// What the lane wants done next.
#[derive(Debug)]
pub enum Next {
    /// What waits for the records alone may be got ready meanwhile.
    Append(Vec<Record>, Option<Effect>),
    /// Records that nothing waits for; they may wait for company until then.
    Hold(Instant),
    CarryOut(Effect),
    Wait,
}

impl Lane {
    pub fn new(lease: Lease) -> Self {
        Self {
            waiting: VecDeque::new(),
            writing: Vec::new(),
            held_since: None,
            open: BTreeMap::new(),
            reads: BTreeSet::new(),
            paused: false,
            halted: false,
            page: None,
            ended: 0,
            took: Ring::default(),
            _lease: lease,
        }
    }

    /// What the journal brought back.
    pub fn restore(&mut self, items: &[QueueItem], paused: bool) {
        self.paused = paused;
        for item in items.iter().filter(|item| !item.state.is_end()) {
            let open = Open {
                id: item.id.clone(),
                name: item.command.name(),
                state: item.state,
                began: None,
            };
            self.open.insert(item.number, open);
        }
    }

    /// Comes back with the command that it ends, if it does.
    pub fn push(&mut self, effect: Effect) -> Option<Ended> {
        let ended = self.observe(&effect);
        self.waiting.push_back(effect);
        ended
    }

    /// Records are written together, also when words stand between them: what is told then waits
    /// for a little more than it must, and a command needs one trip to the disk less.
    ///
    /// The end of a read is told without waiting for its record: the command is durable by then,
    /// and whoever died in between has read and changed nothing. That record then waits for
    /// company, since nothing waits for it.
    pub fn next(&mut self, now: Instant) -> Next {
        if !self.writing.is_empty() {
            return Next::Wait;
        }
        if let Some(word) = self.take_word_of_read() {
            return Next::CarryOut(word);
        }
        if matches!(self.waiting.front(), Some(Effect::Record(_))) {
            let until = *self.held_since.get_or_insert(now) + HOLD;
            let urgent = |effect: &Effect| !self.can_wait(effect);
            if now < until && !self.waiting.iter().any(urgent) {
                return Next::Hold(until);
            }
            self.held_since = None;
            self.writing = self.take_records();
            return Next::Append(self.writing.clone(), self.first_to_start());
        }
        match self.waiting.pop_front() {
            Some(effect) => Next::CarryOut(effect),
            None => Next::Wait,
        }
    }

    /// At the front the end of a read, and right behind it the words that tell of it: those words.
    fn take_word_of_read(&mut self) -> Option<Effect> {
        let ended = |effect: Option<&Effect>| match effect {
            Some(Effect::Record(Record::Ended { number, .. })) => Some(*number),
            _ => None,
        };
        let mut at = 0;
        while let Some(number) = ended(self.waiting.get(at)) {
            if !self.reads.contains(&number) {
                return None;
            }
            at += 1;
        }
        let behind = at
            .checked_sub(1)
            .and_then(|last| ended(self.waiting.get(last)))?;
        match self.waiting.get(at) {
            Some(Effect::Tell {
                message: Message::Outcome { number, .. },
                ..
            }) if *number == behind => self.waiting.remove(at),
            _ => None,
        }
    }

    fn can_wait(&self, effect: &Effect) -> bool {
        match effect {
            Effect::Record(Record::Ended { number, .. }) => self.reads.contains(number),
            _ => false,
        }
    }

    /// The records before the first effect that does something; words keep their order.
    fn take_records(&mut self) -> Vec<Record> {
        let mut records = Vec::new();
        let mut words = Vec::new();
        while let Some(effect) = self.waiting.pop_front() {
            match effect {
                Effect::Record(record) => {
                    if let Record::Ended { number, .. } = &record {
                        self.reads.remove(number);
                    }
                    records.push(record);
                }
                Effect::Tell { .. } => words.push(effect),
                other => {
                    self.waiting.push_front(other);
                    break;
                }
            }
        }
        for word in words.into_iter().rev() {
            self.waiting.push_front(word);
        }
        records
    }

    /// The command that starts as soon as the records are durable.
    fn first_to_start(&self) -> Option<Effect> {
        let word = |effect: &&Effect| matches!(effect, Effect::Tell { .. });
        let first = self.waiting.iter().find(|effect| !word(effect))?;
        matches!(first, Effect::Perform { .. }).then(|| first.clone())
    }

    pub fn durable(&mut self) {
        self.writing.clear();
        self.halted = false;
    }

    /// The records that were being written and everything behind them.
    pub fn failed(&mut self) -> Vec<Effect> {
        self.halted = true;
        let records = std::mem::take(&mut self.writing);
        let behind = std::mem::take(&mut self.waiting);
        records
            .into_iter()
            .map(Effect::Record)
            .chain(behind)
            .collect()
    }

    /// We are ending: what would start something is left undone.
    pub fn keep_only_words(&mut self) {
        self.waiting
            .retain(|effect| matches!(effect, Effect::Record(_) | Effect::Tell { .. }));
    }

    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.writing.is_empty()
    }

    /// Something of it runs or will run without anybody saying more.
    pub fn is_busy(&self) -> bool {
        let goes_on = |open: &Open| match open.state {
            State::Running => true,
            State::Approved => !self.paused,
            _ => false,
        };
        !self.is_empty() || (!self.halted && self.open.values().any(goes_on))
    }

    pub fn open_count(&self) -> usize {
        self.open.len()
    }

    pub fn running(&self) -> Vec<(u64, Open)> {
        self.open
            .iter()
            .filter(|(_, open)| open.state == State::Running)
            .map(|(number, open)| (*number, open.clone()))
            .collect()
    }

    /// What an operator may see of it; who takes part, others know.
    pub fn at_a_glance(&self) -> Session {
        let count = |state| self.open.values().filter(|o| o.state == state).count();
        let current = self.open.values().find(|o| o.state == State::Running);
        let for_ms = |began: Instant| began.elapsed().as_millis() as u64;
        Session {
            proposed: count(State::Proposed),
            approved: count(State::Approved),
            running: count(State::Running),
            paused: self.paused || self.halted,
            current: current.map(|open| Current {
                command: open.name.into(),
                for_ms: open.began.map_or(0, for_ms),
            }),
            page: self.page.clone(),
            ended: self.ended,
            recent: self.took.recent(),
            ..Session::default()
        }
    }

    fn observe(&mut self, effect: &Effect) -> Option<Ended> {
        match effect {
            Effect::Record(Record::Ended {
                number, outcome, ..
            }) => {
                let open = self.open.remove(number)?;
                self.ended += 1;
                let took = open.began.map(|began| began.elapsed());
                took.iter().for_each(|took| self.took.note(*took));
                return Some(Ended {
                    name: open.name,
                    state: outcome.state(),
                    took,
                });
            }
            Effect::Record(record) => self.observe_record(record),
            Effect::Tell {
                message: Message::Outcome { number, .. },
                ..
            } => {
                self.open.remove(number);
            }
            _ => {}
        }
        None
    }

    fn observe_record(&mut self, record: &Record) {
        match record {
            Record::Submitted {
                number,
                request,
                state,
                ..
            } => {
                let open = Open {
                    id: request.id.clone(),
                    name: request.command.name(),
                    state: *state,
                    began: None,
                };
                self.open.insert(*number, open);
                if request.command.reads_only() {
                    self.reads.insert(*number);
                }
            }
            Record::Approved { number, .. } => self.enter(*number, State::Approved),
            Record::Doubted { number, .. } => self.enter(*number, State::Proposed),
            Record::Started { number, .. } => self.enter(*number, State::Running),
            Record::Replaced { number, state, .. } => self.enter(*number, *state),
            Record::Paused { paused, .. } => self.paused = *paused,
            Record::Ended { .. }
            | Record::Moved { .. }
            | Record::Allowed { .. }
            | Record::SessionOpened { .. }
            | Record::SessionClosed { .. } => {}
        }
    }

    fn enter(&mut self, number: u64, state: State) {
        if let Some(open) = self.open.get_mut(&number) {
            open.state = state;
            open.began = (state == State::Running).then(Instant::now);
        }
    }
}
