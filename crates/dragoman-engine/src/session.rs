//! One session: everything that its operators share, and what is common to all that happens in
//! it. Submissions, controls, runs and the journal's failure each have a file of their own.
//!
//! Must not know: other sessions.

use crate::history::History;
use crate::identify::Asking;
use crate::judge::event_shows;
use crate::queue::{Item, Queue};
use crate::run::Running;
use crate::seen::SeenIds;
use crate::slim::slim;
use crate::subscriptions::Subscriptions;
use crate::tabs::Tabs;
use crate::turn::Turn;
use crate::{ClientId, Effect, Message, Record, Time};
use dragoman_model::{
    Code, EventKind, Fault, Outcome, Policy, QueueItem, RequestId, SessionId, State, SurfaceEvent,
};
use std::collections::BTreeSet;

/// What was read before a restart is not known, and may have been anything.
const BEFORE: &str = "pages before the program was started anew";

#[derive(Debug)]
pub(crate) struct Session {
    pub id: SessionId,
    pub policy: Policy,
    pub queue: Queue,
    pub running: Option<Running>,
    pub history: History,
    pub seen: SeenIds,
    pub tabs: Tabs,
    pub subscriptions: Subscriptions,
    listens: bool,
    pub clients: BTreeSet<ClientId>,
    /// What is being looked up for a command.
    pub asking: Option<Asking>,
    /// The first two sites of which something was read that the person has not called trusted. To carry words to any
    /// site means to carry them away from one of two, so no more need be known.
    pub read: Vec<String>,
    /// Counts what may have changed a page: what was looked up before is no longer sure.
    pub moment: u64,
    pub next_number: u64,
    pub paused: bool,
    /// Restored or put to rest, and nobody has come since.
    pub asleep: bool,
    /// The records that could not be written; while there is such a list, nothing starts.
    pub halted: Option<Vec<Record>>,
}

/// What the journal knew.
#[derive(Debug)]
pub(crate) struct Restored {
    pub items: Vec<QueueItem>,
    pub used: Vec<RequestId>,
    pub approved: Vec<u64>,
    pub next_number: u64,
    pub paused: bool,
}

impl Session {
    pub fn open(turn: &mut Turn, id: SessionId, policy: Policy) -> Self {
        let mut session = Self::empty(id, policy);
        session.record(
            turn,
            Record::SessionOpened {
                session: session.id.clone(),
                policy: session.policy.clone(),
            },
        );
        session.configure(turn);
        session
    }

    pub fn restore(turn: &mut Turn, id: SessionId, policy: Policy, known: Restored) -> Self {
        let mut session = Self::empty(id, policy);
        session.paused = known.paused;
        session.asleep = true;
        let highest = known.items.iter().map(|item| item.number).max();
        session.next_number = known.next_number.max(highest.map_or(1, |n| n + 1));
        if session.next_number > 1 {
            session.read = vec![BEFORE.into()];
        }
        known.used.iter().for_each(|id| session.seen.insert(id));
        for item in known.items {
            item.id.iter().for_each(|id| session.seen.insert(id));
            let approved = known.approved.contains(&item.number);
            session.take_back(turn, item, approved);
        }
        session.configure(turn);
        session
    }

    fn empty(id: SessionId, policy: Policy) -> Self {
        Self {
            id,
            policy,
            queue: Queue::default(),
            running: None,
            history: History::default(),
            seen: SeenIds::default(),
            tabs: Tabs::default(),
            subscriptions: Subscriptions::default(),
            listens: false,
            clients: BTreeSet::new(),
            asking: None,
            read: Vec::new(),
            moment: 0,
            next_number: 1,
            paused: false,
            asleep: false,
            halted: None,
        }
    }

    /// `approved`: a person had let it through.
    fn take_back(&mut self, turn: &mut Turn, item: QueueItem, approved: bool) {
        match item.state {
            State::Approved if !approved => {
                let mut item = Item::restored(item);
                item.knows = self.read.len();
                self.queue.push(item);
            }
            State::Proposed | State::Approved => self.ask_again(turn, Item::restored(item)),
            State::Running => {
                let message = "The program ended while this ran; it may have taken effect";
                let fault = Fault::new(Code::Interrupted, message);
                let outcome = Outcome::Interrupted { fault };
                self.end(turn, Item::restored(item), None, outcome);
            }
            State::Done | State::Failed | State::Deleted | State::Interrupted => {
                self.history.push(item);
            }
        }
    }

    fn configure(&self, turn: &mut Turn) {
        turn.act(Effect::Configure {
            session: self.id.clone(),
            policy: self.policy.clone(),
        });
    }

    pub fn attach(&mut self, client: ClientId) {
        self.asleep = false;
        self.clients.insert(client);
    }

    pub fn detach(&mut self, client: ClientId) {
        self.clients.remove(&client);
        self.subscriptions.detach(client);
        self.queue.detach(client);
        if let Some(running) = &mut self.running {
            running.detach(client);
        }
    }

    /// At the end of a turn: who came back is told what was missed, behind the answer that says so.
    /// Changes are told by the pages only while somebody wants to hear of them.
    pub fn listen(&mut self, turn: &mut Turn) {
        self.subscriptions.catch_up(turn);
        let to_changes = self.subscriptions.want(EventKind::Changes);
        if self.listens != to_changes {
            self.listens = to_changes;
            let session = self.id.clone();
            turn.act(Effect::Listen {
                session,
                to_changes,
            });
        }
    }

    pub fn surface_event(&mut self, turn: &mut Turn, event: &SurfaceEvent) {
        self.tabs.observe(event);
        match event {
            SurfaceEvent::BrowserGone { reason } => self.browser_gone(turn.now, reason),
            SurfaceEvent::TabOpened { .. } => self.browser_back(),
            SurfaceEvent::Navigated { .. } | SurfaceEvent::Loaded { .. } => self.moment += 1,
            _ => {}
        }
        if event_shows(event) && self.subscriptions.want(event.kind()) {
            self.has_read(event.tab());
        }
        self.subscriptions.tell_event(turn, &self.id, event);
    }

    /// Everything in it ends, and then it does.
    pub fn close(mut self, turn: &mut Turn) {
        self.write_lost_records(turn);
        let fault = Fault::new(Code::Cancelled, "The session was closed");
        self.stop_running(turn, fault);
        self.delete_waiting(turn, "the session was closed");
        let session = self.id.clone();
        self.record(turn, Record::SessionClosed { session });
        turn.act(Effect::Release { session: self.id });
    }

    pub fn delete_waiting(&mut self, turn: &mut Turn, reason: &str) {
        for item in self.queue.take_all() {
            self.delete(turn, item, reason);
        }
    }

    pub fn delete(&mut self, turn: &mut Turn, item: Item, reason: &str) {
        let reason = reason.into();
        self.end(turn, item, None, Outcome::Deleted { reason });
    }

    /// The one place where a command gets its outcome: recorded, then told, then remembered.
    pub fn end(&mut self, turn: &mut Turn, item: Item, began: Option<Time>, outcome: Outcome) {
        if began.is_some() && !item.request.command.reads_only() {
            self.moment += 1;
        }
        let outcome = match item.edits {
            0 => outcome,
            _ => edited(outcome, &item),
        };
        let took = began.map_or(Time::ZERO, |then| turn.now.saturating_sub(then));
        let took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let kept = slim(&outcome);
        let record = Record::Ended {
            session: self.id.clone(),
            number: item.number,
            outcome: kept.clone(),
            took_ms,
        };
        self.record(turn, record);
        let message = Message::Outcome {
            session: self.id.clone(),
            id: item.request.id.clone(),
            number: item.number,
            command: item.request.command.name(),
            outcome,
            took_ms,
        };
        self.tell_about(turn, item.client, message);
        let (client, chain, number) = (item.client, item.request.chain, item.number);
        let ended = item.into_ended(kept);
        let failed = matches!(ended.state, State::Failed | State::Interrupted);
        self.subscriptions
            .tell_item(turn, &self.id, || ended.clone());
        self.history.push(ended);
        if let Some(chain) = chain.filter(|_| failed) {
            for item in self.queue.take_chain(client, chain) {
                self.delete(turn, item, &format!("command {number} before it failed"));
            }
        }
    }

    /// To whoever submitted it; when that one is gone, to all who are there.
    fn tell_about(&self, turn: &mut Turn, client: Option<ClientId>, message: Message) {
        match client {
            Some(client) => turn.tell(client, message),
            None => {
                for client in &self.clients {
                    turn.tell(*client, message.clone());
                }
            }
        }
    }

    pub fn announce(&mut self, turn: &mut Turn, item: &Item) {
        self.subscriptions.tell_item(turn, &self.id, || item.view());
    }

    /// While halted, records are kept for later.
    pub fn record(&mut self, turn: &mut Turn, record: Record) {
        match &mut self.halted {
            Some(lost) => lost.push(record),
            None => turn.record(record),
        }
    }

    pub fn refuse(&self, turn: &mut Turn, client: ClientId, id: Option<RequestId>, fault: Fault) {
        let session = self.id.clone();
        turn.tell(client, Message::Refused { session, id, fault });
    }
}

/// An operator is told that something else was done than was asked for.
fn edited(mut outcome: Outcome, item: &Item) -> Outcome {
    let receipt = match &mut outcome {
        Outcome::Done(done) => &mut done.receipt,
        Outcome::Failed { receipt, .. } => receipt,
        Outcome::Deleted { .. } | Outcome::Interrupted { .. } => return outcome,
    };
    let name = item.request.command.name();
    let target = item.request.command.target();
    let target = target.map_or_else(String::new, |target| format!(" {target}"));
    let note = format!("a person changed this step before it ran; it was: {name}{target}");
    receipt.get_or_insert_default().notes.push(note);
    outcome
}
