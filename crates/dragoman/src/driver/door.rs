//! The door: clients that come and go while the driver runs, as on a gateway. With a door, it runs
//! until it is told to end.

use super::Driver;
use super::lane::Lane;
use crate::conversation::Conversation;
use crate::journal::Journal;
use crate::link::Link;
use crate::surface::Surface;
use dragoman_engine::{ClientId, Input};
use dragoman_model::SessionId;
use tokio::sync::mpsc;

/// A client that reads so much too slowly is let go; it may come back and look again.
const TOO_MUCH: usize = 16 << 20;

/// Somebody who wants to take part in a session.
#[derive(Debug)]
pub struct Arrival {
    pub link: Link,
    pub conversation: Conversation,
    pub session: SessionId,
    /// The session is theirs alone and ends when they go.
    pub alone: bool,
}

/// Outside of it: cheap to clone, and may be handed to any task.
#[derive(Debug, Clone)]
pub struct Door(mpsc::UnboundedSender<Arrival>);

impl Door {
    /// Whether anybody is there to let them in.
    pub fn knock(&self, arrival: Arrival) -> bool {
        self.0.send(arrival).is_ok()
    }
}

/// Inside of it.
#[derive(Debug)]
pub struct Inside {
    arrivals: mpsc::UnboundedReceiver<Arrival>,
    /// Until their session has been looked up.
    waiting: Vec<Arrival>,
}

pub(super) async fn next(door: &mut Option<Inside>) -> Option<Arrival> {
    match door {
        Some(inside) => inside.arrivals.recv().await,
        None => std::future::pending().await,
    }
}

impl<J: Journal + 'static, S: Surface> Driver<J, S> {
    /// From now on clients may come in, and their going ends nothing but themselves.
    pub fn open_door(&mut self) -> Door {
        let (outside, arrivals) = mpsc::unbounded_channel();
        self.door = Some(Inside {
            arrivals,
            waiting: Vec::new(),
        });
        Door(outside)
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
        if let Some(door) = &mut self.door {
            door.waiting.push(arrival);
        }
        if !self.opening.contains_key(&session)
            && let Err(error) = self.look_up(&session, Vec::new())
        {
            tracing::warn!(%session, %error, "a session cannot be joined");
            self.turn_away(&session);
        }
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
            let alone = !others.any(|other| other.takes_part_in(session));
            if alone && self.passing.contains(session) {
                self.close_session(session.clone());
            }
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
            self.leave(client);
        }
    }
}
