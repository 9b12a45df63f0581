//! The door: clients that come and go while the driver runs, as on a gateway. With a door, it runs
//! until it is told to end.

use super::lane::Lane;
use super::{Driver, Event};
use crate::conversation::Conversation;
use crate::journal::Journal;
use crate::link::{Farewell, Link};
use crate::surface::Surface;
use dragoman_engine::{ClientId, Input};
use dragoman_model::SessionId;
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
}

/// What somebody who is no client wants to know or have done.
#[derive(Debug)]
pub enum Question {
    /// Are you there?
    Pulse(oneshot::Sender<()>),
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

    pub(super) fn answer(&self, question: Question) {
        match question {
            Question::Pulse(asker) => drop(asker.send(())),
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
            self.join(arrival.link, arrival.conversation, &session);
            return;
        }
        let is_opening = self.opening.contains_key(&session);
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
            self.join(arrival.link, arrival.conversation, session);
        }
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
        let lanes = &mut self.lanes;
        self.closed.retain(|session| {
            let written = lanes.get(session).is_none_or(Lane::is_empty);
            if written {
                lanes.remove(session);
            }
            !written
        });
    }

    pub(super) fn look_after_the_door(&mut self) {
        if !self.has_door() {
            return;
        }
        let slow = self
            .clients
            .iter()
            .filter(|(_, client)| client.backlog() > TOO_MUCH);
        let slow: Vec<ClientId> = slow.map(|(id, _)| *id).collect();
        for client in slow {
            tracing::warn!(
                client = client.0,
                "a client that reads too slowly is let go"
            );
            if let Some(client) = self.clients.get(&client) {
                client.say_farewell(Farewell::TooSlow);
            }
            self.leave(client);
        }
    }
}
