//! Executors: programs that have a page and speak `action/1`, and that connect to us instead of being
//! started by us. Each has a name, which is that of a session; whoever works in that session works on
//! the executor's page.
//!
//! Must not know: sockets, the queue, the journal, any other dialect.

mod find;
mod peer;
mod perform;
mod watch;

pub use peer::Seat;

use dragoman_dialects::action::executor::Form;
use dragoman_model::{Command, Done, Failure, Fault, Leaf, Policy, SessionId, SurfaceEvent};
use peer::Peer;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;

/// All of them. Cheap to clone, and may be handed to any task.
#[derive(Debug, Clone)]
pub struct Executors(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    events: UnboundedSender<(SessionId, SurfaceEvent)>,
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    peers: BTreeMap<SessionId, Arc<Peer>>,
    /// Sessions that are open.
    sessions: HashMap<SessionId, Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// It works in a browser; no executor can have its name.
    browsed: bool,
    /// It may not go everywhere.
    fenced_in: bool,
}

/// Why an executor cannot have the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Taken {
    #[error("the session works in a browser")]
    ByBrowser,
    #[error("an executor with another token has the name")]
    ByAnother,
}

/// One line of the list of executors.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Row {
    pub session: SessionId,
    pub connected: bool,
}

impl Executors {
    pub fn new(events: UnboundedSender<(SessionId, SurfaceEvent)>) -> Self {
        let table = Mutex::default();
        Self(Arc::new(Inner { events, table }))
    }

    /// Whether an executor that came with this token may have the name.
    pub fn check(&self, session: &SessionId, token: &str) -> Result<(), Taken> {
        let table = self.table();
        if table
            .sessions
            .get(session)
            .is_some_and(|known| known.browsed)
        {
            return Err(Taken::ByBrowser);
        }
        match table.peers.get(session) {
            Some(peer) if peer.token != token => Err(Taken::ByAnother),
            _ => Ok(()),
        }
    }

    /// Take the name, also from an older connection with the same token.
    pub fn enter(&self, session: &SessionId, token: &str, form: Form) -> Result<Seat, Taken> {
        self.check(session, token)?;
        let mut table = self.table();
        let made = || Arc::new(Peer::new(session.clone(), token, self.0.events.clone()));
        let peer = table.peers.entry(session.clone()).or_insert_with(made);
        let peer = peer.clone();
        peer.fence_in(
            table
                .sessions
                .get(session)
                .is_some_and(|known| known.fenced_in),
        );
        Ok(Seat::take(peer, self.clone(), form))
    }

    pub fn list(&self) -> Vec<Row> {
        let table = self.table();
        let row = |(session, peer): (&SessionId, &Arc<Peer>)| Row {
            session: session.clone(),
            connected: peer.is_connected(),
        };
        table.peers.iter().map(row).collect()
    }

    pub(crate) fn find(&self, session: &SessionId) -> Option<Executor> {
        self.table().peers.get(session).cloned().map(Executor)
    }

    /// The executor that the session belongs to; else it is a browser's from now on.
    pub(crate) fn of(&self, session: &SessionId) -> Option<Executor> {
        let found = self.find(session);
        if found.is_none() {
            let mut table = self.table();
            table.sessions.entry(session.clone()).or_default().browsed = true;
        }
        found
    }

    /// The session is open, under these rules.
    pub(crate) fn configure(&self, session: &SessionId, policy: &Policy) {
        let mut table = self.table();
        let fenced_in = !policy.origins.is_empty();
        table.sessions.entry(session.clone()).or_default().fenced_in = fenced_in;
        if let Some(peer) = table.peers.get(session) {
            peer.fence_in(fenced_in);
            peer.announce_tab();
        }
    }

    /// The session is over.
    pub(crate) fn release(&self, session: &SessionId) {
        let mut table = self.table();
        table.sessions.remove(session);
        table.forget_unused(session);
    }

    pub(crate) fn shutdown(&self) {
        let peers: Vec<_> = self.table().peers.values().cloned().collect();
        peers.iter().for_each(|peer| peer.let_go());
    }

    /// A connection ended.
    fn left(&self, session: &SessionId) {
        self.table().forget_unused(session);
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// A name is kept for as long as there is a session or a connection that has it.
    fn forget_unused(&mut self, session: &SessionId) {
        let gone = |peer: &Arc<Peer>| !peer.is_connected();
        if !self.sessions.contains_key(session) && self.peers.get(session).is_some_and(gone) {
            self.peers.remove(session);
        }
    }
}

/// One executor as a surface.
#[derive(Debug, Clone)]
pub(crate) struct Executor(Arc<Peer>);

impl Executor {
    pub async fn perform(&self, command: &Command, time_left: Duration) -> Result<Done, Failure> {
        perform::perform(&self.0, command, time_left).await
    }

    pub async fn watch(&self, leaves: &[Leaf], report: impl FnMut(Vec<Option<bool>>)) -> Fault {
        watch::watch(&self.0, leaves, report).await
    }
}
