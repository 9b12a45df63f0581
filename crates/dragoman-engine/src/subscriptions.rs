//! Who wants to be told of what. Each subscription counts what it is told, from 1 without gaps,
//! so that an operator can see whether it missed something; and everything that happens has a
//! place in the session, so that one who comes back can be told what happened since.
//!
//! Must not know: why an event happened, how a command got into its state.

use crate::news::{Happened, News};
use crate::turn::Turn;
use crate::{ClientId, Message};
use dragoman_model::{Code, EventKind, Fault, QueueItem, Reply, SessionId, SurfaceEvent};

/// Enough for any dashboard; a bound, because each event is copied for each subscription.
const MOST: usize = 64;

#[derive(Debug, Default)]
pub(crate) struct Subscriptions {
    list: Vec<Subscription>,
    last: u64,
    news: News,
    /// What subscriptions of this turn missed.
    owed: Vec<(ClientId, Message)>,
}

#[derive(Debug)]
struct Subscription {
    id: u64,
    client: ClientId,
    events: Vec<EventKind>,
    told: u64,
}

impl Subscription {
    fn message(&mut self, session: &SessionId, at: u64, happened: &Happened) -> Message {
        self.told += 1;
        let (session, seq, subscription) = (session.clone(), self.told, self.id);
        match happened.clone() {
            Happened::Event(event) => Message::Event {
                session,
                seq,
                at,
                subscription,
                event,
            },
            Happened::Item(item) => Message::QueueChanged {
                session,
                seq,
                at,
                subscription,
                item,
            },
        }
    }
}

impl Subscriptions {
    /// With `since`, what happened after that place is told, too, if all of it is still known.
    pub fn add(
        &mut self,
        turn: &Turn,
        session: &SessionId,
        client: ClientId,
        events: &[EventKind],
        since: Option<u64>,
    ) -> Result<Reply, Fault> {
        if self.list.len() >= MOST {
            let message = format!("A session has at most {MOST} subscriptions");
            return Err(Fault::new(Code::BadArgument, message)
                .suggest("Unsubscribe from what is no longer needed."));
        }
        self.last += 1;
        let mut new = Subscription {
            id: self.last,
            client,
            events: events.to_vec(),
            told: 0,
        };
        let present = turn.last_place();
        let missed = since.map(|since| self.news.after(since, present, events));
        let resync = matches!(missed, Some(None));
        for (at, happened) in missed.flatten().into_iter().flatten() {
            self.owed.push((client, new.message(session, at, happened)));
        }
        self.list.push(new);
        self.news.keep(events, present);
        Ok(Reply::Subscribed {
            subscription: self.last,
            at: present,
            resync,
        })
    }

    /// One of the client's own, or all of them.
    pub fn remove(&mut self, client: ClientId, which: Option<u64>) -> Result<(), Fault> {
        let before = self.list.len();
        self.list
            .retain(|s| s.client != client || which.is_some_and(|id| s.id != id));
        self.forget_unwanted();
        match which {
            Some(id) if self.list.len() == before => Err(Fault::new(
                Code::BadArgument,
                format!("There is no subscription {id} of yours"),
            )
            .suggest("Use the number that subscribe answered with.")),
            _ => Ok(()),
        }
    }

    /// Whether anybody is told, or may come back for it.
    pub fn want(&self, kind: EventKind) -> bool {
        self.news.keeps(kind)
    }

    /// It never came to be.
    pub fn forget(&mut self, id: u64) {
        self.list.retain(|s| s.id != id);
        self.forget_unwanted();
    }

    /// A lost connection is not an end: what happens meanwhile is kept for a while.
    pub fn detach(&mut self, client: ClientId) {
        self.list.retain(|s| s.client != client);
    }

    fn forget_unwanted(&mut self) {
        let list = &self.list;
        self.news
            .keep_only(|kind| list.iter().any(|s| s.events.contains(&kind)));
    }

    /// Tell those who came back what they missed.
    pub fn catch_up(&mut self, turn: &mut Turn) {
        for (client, message) in self.owed.drain(..) {
            turn.tell(client, message);
        }
    }

    pub fn tell_event(&mut self, turn: &mut Turn, session: &SessionId, event: &SurfaceEvent) {
        if self.want(event.kind()) {
            self.tell(turn, session, Happened::Event(event.clone()));
        }
    }

    /// The item is made only if somebody wants it.
    pub fn tell_item(
        &mut self,
        turn: &mut Turn,
        session: &SessionId,
        item: impl FnOnce() -> QueueItem,
    ) {
        if self.want(EventKind::Queue) {
            self.tell(turn, session, Happened::Item(item()));
        }
    }

    fn tell(&mut self, turn: &mut Turn, session: &SessionId, happened: Happened) {
        // In the order it happened, also for whoever came back in this very turn.
        self.catch_up(turn);
        let at = turn.new_place();
        let kind = happened.kind();
        for s in self.list.iter_mut().filter(|s| s.events.contains(&kind)) {
            let message = s.message(session, at, &happened);
            turn.tell(s.client, message);
        }
        // Who has not come back for so long does not want it any more.
        if self.news.add(at, happened) {
            self.forget_unwanted();
        }
    }
}
