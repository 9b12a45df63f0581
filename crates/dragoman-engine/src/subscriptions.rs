//! Who wants to be told of what. Each subscription counts what it is told, from 1 without gaps,
//! so that an operator can see whether it missed something.
//!
//! Must not know: why an event happened, how a command got into its state.

use crate::turn::Turn;
use crate::{ClientId, Message};
use dragoman_model::{Code, EventKind, Fault, QueueItem, SessionId, SurfaceEvent};

/// Enough for any dashboard; a bound, because each event is copied for each subscription.
const MOST: usize = 64;

#[derive(Debug, Default)]
pub(crate) struct Subscriptions {
    list: Vec<Subscription>,
    last: u64,
}

#[derive(Debug)]
struct Subscription {
    id: u64,
    client: ClientId,
    events: Vec<EventKind>,
    told: u64,
}

impl Subscription {
    fn next_seq(&mut self) -> u64 {
        self.told += 1;
        self.told
    }
}

impl Subscriptions {
    pub fn add(&mut self, client: ClientId, events: &[EventKind]) -> Result<u64, Fault> {
        if self.list.len() >= MOST {
            let message = format!("A session has at most {MOST} subscriptions");
            return Err(Fault::new(Code::BadArgument, message)
                .suggest("Unsubscribe from what is no longer needed."));
        }
        self.last += 1;
        self.list.push(Subscription {
            id: self.last,
            client,
            events: events.to_vec(),
            told: 0,
        });
        Ok(self.last)
    }

    /// One of the client's own, or all of them.
    pub fn remove(&mut self, client: ClientId, which: Option<u64>) -> Result<(), Fault> {
        let before = self.list.len();
        self.list
            .retain(|s| s.client != client || which.is_some_and(|id| s.id != id));
        match which {
            Some(id) if self.list.len() == before => Err(Fault::new(
                Code::BadArgument,
                format!("There is no subscription {id} of yours"),
            )
            .suggest("Use the number that subscribe answered with.")),
            _ => Ok(()),
        }
    }

    pub fn want(&self, kind: EventKind) -> bool {
        self.list.iter().any(|s| s.events.contains(&kind))
    }

    pub fn forget(&mut self, id: u64) {
        self.list.retain(|s| s.id != id);
    }

    pub fn detach(&mut self, client: ClientId) {
        self.list.retain(|s| s.client != client);
    }

    pub fn tell_event(&mut self, turn: &mut Turn, session: &SessionId, event: &SurfaceEvent) {
        let kind = event.kind();
        for s in self.list.iter_mut().filter(|s| s.events.contains(&kind)) {
            let message = Message::Event {
                session: session.clone(),
                seq: s.next_seq(),
                subscription: s.id,
                event: event.clone(),
            };
            turn.tell(s.client, message);
        }
    }

    /// The item is made only if somebody wants it.
    pub fn tell_item(
        &mut self,
        turn: &mut Turn,
        session: &SessionId,
        item: impl Fn() -> QueueItem,
    ) {
        let wanted = |s: &&mut Subscription| s.events.contains(&EventKind::Queue);
        for s in self.list.iter_mut().filter(wanted) {
            let message = Message::QueueChanged {
                session: session.clone(),
                seq: s.next_seq(),
                subscription: s.id,
                item: item(),
            };
            turn.tell(s.client, message);
        }
    }
}
