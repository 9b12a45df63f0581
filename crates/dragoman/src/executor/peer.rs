//! One executor: what it said, what it was asked, and the connection it has at the moment, if any.

use super::Executors;
use dragoman_dialects::action::FromBackend;
use dragoman_dialects::action::executor::{Answer, Ask, Asked, Executor as Talk, Form, Told};
use dragoman_model::{Code, Fault, Ref, SessionId, SnapshotId, SurfaceEvent};
use dragoman_model::{TabId, TabInfo};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{oneshot, watch};

/// So many messages that cannot be read end a connection.
const MOST_BAD: u32 = 20;

#[derive(Debug)]
pub(super) struct Peer {
    session: SessionId,
    pub token: String,
    events: UnboundedSender<(SessionId, SurfaceEvent)>,
    state: Mutex<State>,
    /// Counts everything that is worth looking up again.
    version: watch::Sender<u64>,
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub talk: Talk,
    /// Where commands go out; `None`: it is gone.
    line: Option<UnboundedSender<FromBackend>>,
    /// Of connections; each is a tab of its own.
    connections: u32,
    gone: String,
    waiting: HashMap<u64, oneshot::Sender<Result<Answer, Fault>>>,
    /// The last thing that was done left this field empty.
    pub emptied: Option<Ref>,
    /// The session may not go everywhere.
    pub fenced_in: bool,
    url: Option<String>,
    bad: u32,
}

impl State {
    pub fn tab(&self) -> TabId {
        TabId(self.connections)
    }

    pub fn tab_info(&self) -> TabInfo {
        let newest = self.talk.newest();
        TabInfo {
            tab: self.tab(),
            url: newest.and_then(|l| l.url.clone()).unwrap_or_default(),
            title: newest.and_then(|l| l.title.clone()).unwrap_or_default(),
            opener: None,
            current: true,
            navigating: false,
        }
    }

    pub fn check_connected(&self) -> Result<(), Fault> {
        match self.line {
            Some(_) => Ok(()),
            None => {
                let message = format!("The executor is not connected: {}", self.gone);
                Err(Fault::new(Code::BrowserGone, message)
                    .suggest("Try again when it has connected again."))
            }
        }
    }
}

impl Peer {
    pub fn new(
        session: SessionId,
        token: &str,
        events: UnboundedSender<(SessionId, SurfaceEvent)>,
    ) -> Self {
        Self {
            session,
            token: token.into(),
            events,
            state: Mutex::default(),
            version: watch::Sender::new(0),
        }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_connected(&self) -> bool {
        self.state().line.is_some()
    }

    /// What has happened before this was called does not wake it.
    pub fn news(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }

    pub fn fence_in(&self, fenced_in: bool) {
        self.state().fenced_in = fenced_in;
    }

    /// For a session that did not hear of it yet.
    pub fn announce_tab(&self) {
        let state = self.state();
        if state.line.is_some() {
            let tab = state.tab_info();
            self.announce(SurfaceEvent::TabOpened { tab });
        }
    }

    /// End the connection, if there is one.
    pub fn let_go(&self) {
        self.lost(&mut self.state(), "the program ends");
    }

    /// Ask, once nothing else is asked. Whoever drops the question does not want to know any more.
    pub async fn ask(self: &Arc<Self>, ask: Ask) -> Result<(Asked, Question), Fault> {
        let mut news = self.news();
        loop {
            {
                let mut state = self.state();
                state.check_connected()?;
                if state.talk.may_ask() {
                    return self.put(&mut state, ask);
                }
            }
            if news.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    fn put(self: &Arc<Self>, state: &mut State, ask: Ask) -> Result<(Asked, Question), Fault> {
        let asked = state.talk.ask(ask)?;
        let (sender, answer) = oneshot::channel();
        state.waiting.insert(asked.number, sender);
        if let Some(line) = &state.line {
            let _ = line.send(asked.message.clone());
        }
        let question = Question {
            peer: self.clone(),
            number: asked.number,
            connection: state.connections,
            answer,
        };
        Ok((asked, question))
    }

    fn heard(&self, text: &str) -> (Vec<FromBackend>, bool) {
        let mut state = self.state();
        let mut out = Vec::new();
        let mut changed = false;
        for told in state.talk.hear(text) {
            match told {
                Told::Send(message) => out.push(message),
                Told::Changed { since } => {
                    changed = true;
                    self.announce_change(&mut state, since);
                }
                Told::Answered { number, answer } => {
                    if let Some(sender) = state.waiting.remove(&number) {
                        let _ = sender.send(answer);
                    }
                }
                Told::Bad(reason) => self.bad(&mut state, &reason),
            }
        }
        drop(state);
        self.wake();
        (out, changed)
    }

    fn announce_change(&self, state: &mut State, since: u64) {
        let tab = state.tab();
        let info = state.tab_info();
        let moved = state
            .talk
            .newest()
            .is_some_and(|newest| newest.url.is_some() && newest.url != state.url);
        if moved {
            state.url = Some(info.url.clone());
            self.announce(SurfaceEvent::Navigated {
                tab,
                url: info.url,
                title: info.title,
                same_document: false,
            });
        }
        let since = SnapshotId(since);
        self.announce(SurfaceEvent::Changed { tab, since });
    }

    fn bad(&self, state: &mut State, reason: &str) {
        tracing::warn!(session = %self.session, reason, "an executor's message cannot be used");
        state.bad += 1;
        if state.bad >= MOST_BAD {
            self.lost(state, "too many of its messages could not be used");
        }
    }

    pub fn announce(&self, event: SurfaceEvent) {
        // Nobody listens any more only while the house is closing down.
        let _ = self.events.send((self.session.clone(), event));
    }

    fn wake(&self) {
        self.version.send_modify(|version| *version += 1);
    }

    /// A new connection; an older one ends.
    fn connected(&self, form: Form) -> (u32, UnboundedReceiver<FromBackend>) {
        let (line, out) = unbounded_channel();
        let mut state = self.state();
        self.lost(&mut state, "it connected again");
        state.talk.connected(form);
        state.line = Some(line);
        state.connections += 1;
        state.bad = 0;
        state.url = None;
        let connection = state.connections;
        drop(state);
        self.announce_tab();
        self.wake();
        (connection, out)
    }

    /// What is under way ends now: nobody will say what became of it.
    fn lost(&self, state: &mut State, why: &str) {
        if state.line.take().is_none() {
            return;
        }
        state.gone = why.into();
        state.emptied = None;
        for (_, waiting) in state.waiting.drain() {
            let message = format!("The executor is gone: {why}");
            let fault = Fault::new(Code::BrowserGone, message)
                .suggest("Look at the page before you repeat it: it may have taken effect.");
            let _ = waiting.send(Err(fault));
        }
        let reason = format!("the executor is gone: {why}");
        self.announce(SurfaceEvent::BrowserGone { reason });
        self.wake();
    }
}

/// Something that was asked and not answered yet.
#[derive(Debug)]
pub(super) struct Question {
    peer: Arc<Peer>,
    number: u64,
    connection: u32,
    answer: oneshot::Receiver<Result<Answer, Fault>>,
}

impl Question {
    pub async fn answer(&mut self) -> Result<Answer, Fault> {
        match (&mut self.answer).await {
            Ok(answer) => answer,
            Err(_) => Err(Fault::new(Code::Internal, "The answer was lost")),
        }
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        let mut state = self.peer.state();
        if state.waiting.remove(&self.number).is_some() && state.connections == self.connection {
            state.talk.abandon(self.number);
            drop(state);
            self.peer.wake();
        }
    }
}

/// A connection's end of it. The name is free again when it is dropped, for the same token.
#[derive(Debug)]
pub struct Seat {
    peer: Arc<Peer>,
    all: Executors,
    connection: u32,
    out: UnboundedReceiver<FromBackend>,
}

impl Seat {
    pub(super) fn take(peer: Arc<Peer>, all: Executors, form: Form) -> Self {
        let (connection, out) = peer.connected(form);
        Self {
            peer,
            all,
            connection,
            out,
        }
    }

    /// What is to be sent; `None`: the connection is over.
    pub async fn next(&mut self) -> Option<FromBackend> {
        self.out.recv().await
    }

    /// A message came. What is to be sent at once, and whether it listed something new.
    pub fn heard(&self, text: &str) -> (Vec<FromBackend>, bool) {
        match self.is_current() {
            true => self.peer.heard(text),
            false => Default::default(),
        }
    }

    /// A message came that is no text.
    pub fn heard_nonsense(&self) {
        if self.is_current() {
            self.peer.bad(&mut self.peer.state(), "it is not text");
        }
    }

    fn is_current(&self) -> bool {
        self.peer.state().connections == self.connection
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        if self.is_current() {
            let mut state = self.peer.state();
            self.peer.lost(&mut state, "its connection ended");
        }
        self.all.left(&self.peer.session);
    }
}
