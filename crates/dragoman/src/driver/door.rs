//! The door: clients that come and go while the driver runs, as on a gateway. With a door, it runs
//! until it is told to end.

use super::client::Client;
use super::lane::Lane;
use super::{Driver, Event};
use crate::conversation::Conversation;
use crate::journal::Journal;
use crate::link::{Farewell, Link};
use crate::status::Status;
use crate::surface::Surface;
use dragoman_engine::{ClientId, Input, Rights};
use dragoman_model::SessionId;
use std::collections::BTreeSet;
use tokio::sync::{mpsc, oneshot};

/// A client that reads so much too slowly is let go; it may come back and look again.
const TOO_MUCH: usize = 16 << 20;

/// Sessions that are open at once; those that many share count once.
const SESSIONS: usize = 512;

/// Somebody who wants to take part in a session.
#[derive(Debug)]
pub struct Arrival {
    pub link: Link,
    pub conversation: Conversation,
    pub session: SessionId,
    /// The session is theirs alone and ends when they go.
    pub alone: bool,
    pub rights: Rights,
}

/// What somebody who is no client wants to know or have done.
#[derive(Debug)]
pub enum Question {
    /// Are you there?
    Pulse(oneshot::Sender<()>),
    Status(oneshot::Sender<Box<Status>>),
    /// Close this session, whoever takes part; whether it was open.
    Close(SessionId, oneshot::Sender<bool>),
}

/// Outside of it: cheap to clone, and may be handed to any task.
#[derive(Debug, Clone)]
pub struct Door {
    arrivals: mpsc::UnboundedSender<Arrival>,
    questions: mpsc::UnboundedSender<Question>,
}

impl Door {
    /// If nobody is there to let them in, they are told so.
    pub fn knock(&self, arrival: Arrival) {
        if let Err(mpsc::error::SendError(arrival)) = self.arrivals.send(arrival) {
            arrival.link.output.say_farewell(Farewell::GoingAway);
        }
    }

    /// Until nobody is let in any more.
    pub async fn closed(&self) {
        self.arrivals.closed().await;
    }

    /// Comes back when the driver has got round to it; whether it is there at all.
    pub async fn pulse(&self) -> bool {
        self.ask(Question::Pulse).await.is_some()
    }

    /// `None`: it is ending.
    pub async fn status(&self) -> Option<Status> {
        self.ask(Question::Status).await.map(|status| *status)
    }

    /// Whether there was such a session.
    pub async fn close(&self, session: SessionId) -> bool {
        let asked = self.ask(|answer| Question::Close(session, answer));
        asked.await.unwrap_or(false)
    }

    async fn ask<T>(&self, question: impl FnOnce(oneshot::Sender<T>) -> Question) -> Option<T> {
        let (sender, answer) = oneshot::channel();
        self.questions.send(question(sender)).ok()?;
        answer.await.ok()
    }
}

/// Inside of it.
#[derive(Debug)]
pub struct Inside {
    arrivals: mpsc::UnboundedReceiver<Arrival>,
    questions: mpsc::UnboundedReceiver<Question>,
    /// Until their session has been looked up.
    waiting: Vec<Arrival>,
}

pub(super) async fn next(door: &mut Option<Inside>) -> Event {
    let Some(inside) = door else {
        return std::future::pending().await;
    };
    tokio::select! {
        Some(arrival) = inside.arrivals.recv() => Event::Arrived(Box::new(arrival)),
        Some(question) = inside.questions.recv() => Event::Asked(question),
        else => std::future::pending().await,
    }
}

impl<J: Journal + 'static, S: Surface> Driver<J, S> {
    /// From now on clients may come in, and their going ends nothing but themselves.
    pub fn open_door(&mut self) -> Door {
        let (arriving, arrivals) = mpsc::unbounded_channel();
        let (asking, questions) = mpsc::unbounded_channel();
        self.door = Some(Inside {
            arrivals,
            questions,
            waiting: Vec::new(),
        });
        Door {
            arrivals: arriving,
            questions: asking,
        }
    }

    /// Nobody is let in any more, and those who wait are told so.
    pub(super) fn close_door(&mut self) {
        let Some(door) = &mut self.door else {
            return;
        };
        door.arrivals.close();
        let mut turned_away = std::mem::take(&mut door.waiting);
        while let Ok(arrival) = door.arrivals.try_recv() {
            turned_away.push(arrival);
        }
        for arrival in turned_away {
            arrival.link.output.say_farewell(Farewell::GoingAway);
        }
    }

    pub(super) fn answer(&mut self, question: Question) {
        match question {
            Question::Pulse(asker) => drop(asker.send(())),
            Question::Status(asker) => drop(asker.send(Box::new(self.status()))),
            Question::Close(session, asker) => {
                let open = self.lanes.contains_key(&session);
                if open {
                    self.passing.insert(session.clone());
                    self.close_passing(&session);
                }
                let _ = asker.send(open);
            }
        }
    }

    pub(super) fn has_door(&self) -> bool {
        self.door.is_some()
    }

    pub(super) fn arrive(&mut self, arrival: Arrival) {
        let session = arrival.session.clone();
        if arrival.alone {
            self.passing.insert(session.clone());
        }
        if self.lanes.contains_key(&session) {
            return self.bring_in(arrival);
        }
        let is_opening = self.opening.contains_key(&session);
        if !is_opening && !arrival.rights.act {
            return arrival.link.output.say_farewell(Farewell::NoSession);
        }
        if !is_opening && self.is_full() {
            tracing::warn!(%session, "too many sessions are open");
            self.passing.remove(&session);
            return arrival.link.output.say_farewell(Farewell::Full);
        }
        if let Some(door) = &mut self.door {
            door.waiting.push(arrival);
        }
        if !is_opening && let Err(error) = self.look_up(&session, Vec::new()) {
            tracing::warn!(%session, %error, "a session cannot be joined");
            self.turn_away(&session);
        }
    }

    /// Whether another session would be one too many.
    pub(super) fn is_full(&self) -> bool {
        self.has_door() && self.lanes.len() + self.opening.len() >= SESSIONS
    }

    /// A session is open: those who waited for it come in.
    pub(super) fn let_in(&mut self, session: &SessionId) {
        for arrival in self.take_waiting(session) {
            self.bring_in(arrival);
        }
    }

    fn bring_in(&mut self, arrival: Arrival) {
        let client = self.join(arrival.link, arrival.conversation, &arrival.session);
        self.admit(client, arrival.rights);
    }

    /// What a client may do; until somebody says so, everything.
    pub fn admit(&mut self, client: ClientId, rights: Rights) {
        if let Some(known) = self.clients.get_mut(&client) {
            known.may_search = rights.act;
        }
        self.input(Input::Admit { client, rights });
    }

    /// Their links end, and with them their connections.
    pub(super) fn turn_away(&mut self, session: &SessionId) {
        drop(self.take_waiting(session));
    }

    fn take_waiting(&mut self, session: &SessionId) -> Vec<Arrival> {
        let Some(door) = &mut self.door else {
            return Vec::new();
        };
        let waiting = std::mem::take(&mut door.waiting);
        let (theirs, others) = waiting.into_iter().partition(|a| a.session == *session);
        door.waiting = others;
        theirs
    }

    /// One client of many has gone.
    pub(super) fn leave(&mut self, client: ClientId) {
        let Some(gone) = self.clients.remove(&client) else {
            return;
        };
        self.input(Input::Detach { client });
        for session in gone.sessions() {
            let mut others = self.clients.values();
            if !others.any(|other| other.takes_part_in(session)) {
                self.close_passing(session);
            }
        }
    }

    /// A session that nobody comes back to ends.
    pub(super) fn close_passing(&mut self, session: &SessionId) {
        if self.passing.contains(session) {
            self.close_session(session.clone());
        }
    }

    /// Over for good; what is left of it to write is written.
    pub(super) fn close_session(&mut self, session: SessionId) {
        self.passing.remove(&session);
        self.input(Input::CloseSession {
            session: session.clone(),
        });
        self.closed.insert(session);
    }

    pub(super) fn forget_closed(&mut self) {
        if self.closed.is_empty() {
            return;
        }
        let lanes = &mut self.lanes;
        let written = |session: &SessionId| lanes.get(session).is_none_or(Lane::is_empty);
        let (gone, left) = std::mem::take(&mut self.closed)
            .into_iter()
            .partition(written);
        self.closed = left;
        let gone: BTreeSet<SessionId> = gone;
        lanes.retain(|session, _| !gone.contains(session));
        if !self.has_door() {
            return;
        }
        let farewell = match self.draining {
            Some(_) => Farewell::GoingAway,
            None => Farewell::Closed,
        };
        self.send_away(farewell, |client| gone.iter().any(|s| client.came_for(s)));
    }

    /// How many there were.
    pub(super) fn send_away(
        &mut self,
        farewell: Farewell,
        whom: impl Fn(&Client) -> bool,
    ) -> usize {
        let clients = self.clients.iter().filter(|(_, client)| whom(client));
        let going: Vec<ClientId> = clients.map(|(id, _)| *id).collect();
        for id in &going {
            if let Some(client) = self.clients.get(id) {
                client.say_farewell(farewell);
            }
            self.leave(*id);
        }
        going.len()
    }

    pub(super) fn look_after_the_door(&mut self) {
        if !self.has_door() {
            return;
        }
        let slow = self.send_away(Farewell::TooSlow, |client| client.backlog() > TOO_MUCH);
        if slow > 0 {
            tracing::warn!(slow, "clients that read too slowly are let go");
            self.tally.slow_readers += slow as u64;
        }
    }
}
