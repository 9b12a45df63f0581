//! An account of one session, kept from its records alone, and the rules that effects obey.

use dragoman_engine::Record;
use dragoman_model::*;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Default)]
pub struct Model {
    pub policy: Policy,
    pub commands: BTreeMap<u64, Entry>,
    /// Waiting commands, in queue order.
    pub order: Vec<u64>,
    pub running: Option<u64>,
    pub paused: bool,
    /// The sites of which something was told.
    pub told: BTreeSet<String>,
    /// Told as failed because the journal failed; their records may come later.
    pub unrecorded: BTreeSet<u64>,
}

#[derive(Debug)]
pub struct Entry {
    pub request: Request,
    pub state: State,
    pub edits: u32,
    pub outcome: Option<Outcome>,
    pub performed: usize,
    /// A person has let it through as it is, in this life of the program.
    pub person: bool,
    /// It was in a person's hands before the program was started anew.
    pub needs_person: bool,
    /// The sites of which something had been told when it was given.
    pub knew: BTreeSet<String>,
}

/// What was handed in, as far as it matters for what is recorded.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cause {
    /// One may start although the queue is paused.
    pub step: bool,
    /// A person approved it; its record may have been lost for a while.
    pub by_person: bool,
}

impl Model {
    /// Checks and applies one durable record.
    pub fn apply(&mut self, record: &Record, cause: Cause) {
        match record {
            Record::SessionOpened { policy, .. } => self.policy = policy.clone(),
            Record::Submitted {
                number,
                request,
                state,
                ..
            } => self.submitted(*number, request, *state),
            Record::Approved { number, .. } => {
                let entry = self.waiting(*number);
                assert_eq!(entry.state, State::Proposed, "approved {number}");
                entry.state = State::Approved;
                entry.person |= cause.by_person;
            }
            Record::Doubted { number, .. } => {
                let entry = self.waiting(*number);
                assert_eq!(entry.state, State::Approved, "doubted {number}");
                entry.state = State::Proposed;
                entry.person = false;
            }
            Record::Replaced {
                number,
                command,
                state,
                ..
            } => {
                let asks = asks(&self.policy, command) && !lifts(&self.policy);
                let entry = self.waiting(*number);
                assert!(
                    !asks || *state == State::Proposed,
                    "an edit approved itself"
                );
                assert!(entry.state == State::Approved || *state == State::Proposed);
                entry.request.command = command.clone();
                entry.state = *state;
                entry.edits += 1;
                entry.person = false;
            }
            Record::Moved { number, before, .. } => {
                self.waiting(*number);
                self.order.retain(|n| n != number);
                let place = before.map(|b| self.order.iter().position(|n| *n == b).expect("waits"));
                self.order
                    .insert(place.unwrap_or(self.order.len()), *number);
            }
            Record::Started { number, .. } => self.started(*number, cause.step),
            Record::Allowed { policy, .. } => {
                assert_ne!(self.policy, *policy);
                self.policy = policy.clone();
            }
            Record::Ended {
                number, outcome, ..
            } => self.ended(*number, outcome),
            Record::Paused { paused, .. } => {
                assert_ne!(self.paused, *paused);
                self.paused = *paused;
            }
            Record::SessionClosed { .. } => {
                assert!(
                    self.order.is_empty() && self.running.is_none(),
                    "closed with commands in it"
                );
            }
        }
    }

    fn submitted(&mut self, number: u64, request: &Request, state: State) {
        let last = self.commands.last_key_value().map_or(0, |(n, _)| *n);
        assert!(number > last, "{number} after {last}");
        let asks = asks(&self.policy, &request.command);
        assert!(asks || state == State::Approved);
        assert!(!asks || lifts(&self.policy) || state == State::Proposed);
        let entry = Entry {
            request: request.clone(),
            state,
            edits: 0,
            outcome: None,
            performed: 0,
            person: false,
            needs_person: false,
            knew: self.told.clone(),
        };
        self.commands.insert(number, entry);
        self.order.push(number);
    }

    fn started(&mut self, number: u64, step: bool) {
        if !self.unrecorded.contains(&number) {
            assert_eq!(self.running, None, "{number} started beside another");
            assert!(!self.paused || step, "{number} started in a paused queue");
            let approved = |n: &&u64| self.commands[*n].state == State::Approved;
            let first = self.order.iter().find(approved);
            assert_eq!(first, Some(&number), "out of order");
        }
        let policy = self.policy.clone();
        let entry = self.waiting(number);
        assert_eq!(entry.state, State::Approved, "{number} started unapproved");
        let asks = asks(&policy, &entry.request.command) && !lifts(&policy);
        assert!(
            entry.person || !(asks || entry.needs_person),
            "{number} started without a person"
        );
        entry.state = State::Running;
        self.order.retain(|n| *n != number);
        self.running = Some(number);
    }

    fn ended(&mut self, number: u64, outcome: &Outcome) {
        let entry = self
            .commands
            .get_mut(&number)
            .expect("ended without being submitted");
        assert!(entry.outcome.is_none(), "{number} ended twice");
        match outcome.state() {
            State::Deleted => assert!(matches!(entry.state, State::Proposed | State::Approved)),
            State::Failed if outcome.fault().unwrap().code == Code::JournalFailed => {}
            _ => assert_eq!(
                entry.state,
                State::Running,
                "{number} ended without having run"
            ),
        }
        entry.state = outcome.state();
        entry.outcome = Some(outcome.clone());
        self.order.retain(|n| *n != number);
        self.running = self.running.filter(|n| *n != number);
    }

    /// A `Perform` was carried out; `durable`: nothing before it in the list was.
    pub fn performed(&mut self, number: u64, command: &Command) {
        let entry = self
            .commands
            .get_mut(&number)
            .expect("performed and never submitted");
        assert!(entry.outcome.is_none(), "{number} performed after its end");
        entry.performed += 1;
        let most = match &entry.request.command {
            Command::Batch(batch) => {
                assert!(batch.steps.contains(command));
                batch.steps.len()
            }
            single => {
                // Aimed at what was approved, or as it came.
                let aimed = match command.target() {
                    Some(Target::Ref(element)) => &single.aimed_at(*element),
                    _ => single,
                };
                assert_eq!(aimed, command);
                1
            }
        };
        assert!(entry.performed <= most, "{number} performed twice");
        assert_eq!(
            self.running,
            Some(number),
            "{number} performed without being started"
        );
    }

    /// It is performed at this address, on the policy's word alone: it is allowed there, and carries nothing there from
    /// elsewhere.
    pub fn performed_at(&self, number: u64, command: &Command, url: &str) {
        let entry = &self.commands[&number];
        if entry.person || !asks(&self.policy, command) {
            return;
        }
        let to = match command {
            Command::Navigate(c) => &c.url,
            _ => url,
        };
        let trusted = to.starts_with("https://a.test/");
        assert!(
            self.policy.auto || (trusted && !self.policy.auto_origins.is_empty()),
            "{number} at {to} on nobody's word"
        );
        if matches!(command, Command::Navigate(_) | Command::InsertText(_)) {
            let foreign = |site: &&String| !to.starts_with(site.as_str());
            assert_eq!(
                entry.knew.iter().find(foreign),
                None,
                "{number} goes to {to}"
            );
        }
    }

    /// The program dies: what was in a person's hands is in nobody's, and what was read is not known.
    pub fn forget(&mut self) {
        self.unrecorded.clear();
        for entry in self.commands.values_mut() {
            entry.needs_person |= entry.person || entry.state == State::Proposed;
            entry.person = false;
        }
    }

    pub fn approved(&self) -> Vec<u64> {
        let approved = |n: &&u64| {
            let entry = &self.commands[*n];
            (entry.person || entry.needs_person) && entry.state == State::Approved
        };
        self.order.iter().filter(approved).copied().collect()
    }

    /// What a driver would hand back after a crash.
    pub fn items(&self) -> Vec<QueueItem> {
        let ended = self.commands.iter().filter(|(_, e)| e.outcome.is_some());
        let ended = ended.map(|(n, _)| *n);
        let all = ended.chain(self.running).chain(self.order.iter().copied());
        all.map(|number| self.item(number)).collect()
    }

    fn item(&self, number: u64) -> QueueItem {
        let entry = &self.commands[&number];
        QueueItem {
            number,
            id: entry.request.id.clone(),
            state: entry.state,
            command: entry.request.command.clone(),
            tab: entry.request.tab,
            timeout_ms: entry.request.timeout_ms,
            edits: entry.edits,
            means: None,
            note: None,
            outcome: entry.outcome.clone(),
        }
    }

    fn waiting(&mut self, number: u64) -> &mut Entry {
        assert!(self.order.contains(&number), "{number} does not wait");
        self.commands.get_mut(&number).unwrap()
    }
}

/// Whether something is allowed ahead, somewhere.
fn lifts(policy: &Policy) -> bool {
    policy.auto || !policy.auto_origins.is_empty()
}

fn asks(policy: &Policy, command: &Command) -> bool {
    match policy.approval {
        Approval::None => false,
        Approval::Writes => !command.reads_only(),
        Approval::All => true,
    }
}
