//! An operator inside this process that speaks in values: no text is written or read on the way, so
//! a snapshot of ten thousand elements is handed over as it is. To the driver it is a client like
//! any other, on a link that carries no bytes.
//!
//! Must not know: who asks, and what is made of the answers.

use crate::conversation::{Conversation, Said};
use crate::link::{Farewell, Link, Outlet, output};
use dragoman_engine::Message;
use dragoman_model::{
    Code, Control, Done, Fault, Outcome, QueueView, Request, RequestId, SessionId, State,
    SurfaceEvent,
};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::{Notify, mpsc, oneshot};

/// Values wait in a channel of their own; an empty chunk on the link says that some have come. One
/// ring that nobody has answered yet is enough for all of them.
const BELL: usize = 1;

/// Cheap to clone; when the last clone is dropped, the client is gone.
#[derive(Debug, Clone)]
pub struct Direct(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    said: mpsc::UnboundedSender<Said>,
    bell: mpsc::Sender<Vec<u8>>,
    shared: Arc<Mutex<Shared>>,
    outlet: Outlet,
}

/// Over all who are like us: several may work in one session.
static ASKED: AtomicU64 = AtomicU64::new(1);

#[derive(Debug, Default)]
struct Shared {
    waiting: HashMap<RequestId, Waiting>,
    listener: Option<mpsc::UnboundedSender<(SessionId, SurfaceEvent)>>,
}

#[derive(Debug)]
struct Waiting {
    answer: oneshot::Sender<Message>,
    /// Its place in the queue, once it has one.
    number: Option<u64>,
    /// A person has to approve it first.
    proposed: bool,
    /// Nobody wants it any more, and it has no number yet.
    given_up: bool,
    /// It has a number.
    accepted: Arc<Notify>,
}

/// What became of one request.
#[derive(Debug)]
pub struct Told {
    /// `None`: it was refused before it had a number.
    pub number: Option<u64>,
    pub outcome: Outcome,
    pub took_ms: u64,
}

impl Direct {
    /// The operator, and what the driver needs to let it in.
    pub fn new() -> (Link, Conversation, Self) {
        let (said, hears) = mpsc::unbounded_channel();
        let (bell, input) = mpsc::channel(BELL);
        let (output, outlet) = output();
        let shared = Arc::<Mutex<Shared>>::default();
        let ears = Ears(shared.clone());
        let conversation = Conversation::direct(hears, move |message| lock(&ears.0).hear(message));
        let direct = Self(Arc::new(Inner {
            said,
            bell,
            shared,
            outlet,
        }));
        (Link { input, output }, conversation, direct)
    }

    /// Ask for something; see what became of it with [`Asked::told`].
    pub fn ask(&self, session: Option<&SessionId>, mut request: Request) -> Asked {
        let (id, answer, accepted) = self.expect();
        request.id = Some(id.clone());
        let asked = Asked {
            of: self.clone(),
            session: session.cloned(),
            id,
            answer,
            accepted,
        };
        self.say(Said::Submit {
            session: session.cloned(),
            request,
        });
        asked
    }

    /// Do something to a queue; a list is answered with what it lists.
    pub async fn control(
        &self,
        session: Option<&SessionId>,
        control: Control,
    ) -> Result<Option<QueueView>, Fault> {
        let (id, answer, _) = self.expect();
        self.say(Said::Control {
            session: session.cloned(),
            id: Some(id),
            control,
        });
        match answer.await {
            Ok(Message::Queue { view, .. }) => Ok(Some(view)),
            Ok(Message::Refused { fault, .. }) => Err(fault),
            Ok(_) => Ok(None),
            Err(_) => Err(self.ended()),
        }
    }

    /// A session of its own, which ends with it; it is opened by the first request for it.
    pub fn own(&self, session: &SessionId) {
        self.say(Said::Own {
            session: session.clone(),
        });
    }

    /// End a session; what is open in it is closed. `home` is where it is at home from now on.
    pub fn close(&self, session: &SessionId, home: Option<&SessionId>) {
        self.say(Said::Close {
            session: session.clone(),
            home: home.cloned(),
        });
    }

    /// From now on events of its subscriptions go here; those that came before are gone.
    pub fn listen(&self) -> mpsc::UnboundedReceiver<(SessionId, SurfaceEvent)> {
        let (sender, events) = mpsc::unbounded_channel();
        lock(&self.0.shared).listener = Some(sender);
        events
    }

    /// Why nobody answers any more.
    fn ended(&self) -> Fault {
        match self.0.outlet.farewell() {
            Some(Farewell::Full | Farewell::NoSession) => {
                Fault::new(Code::QueueFull, "There is no room for another session")
                    .suggest("Try again when others have ended.")
            }
            Some(Farewell::Closed) => {
                Fault::new(Code::UnknownSession, "Somebody closed the session")
                    .suggest("Connect again for a new one.")
            }
            _ => Fault::new(Code::Interrupted, "The program is ending"),
        }
    }

    fn expect(&self) -> (RequestId, oneshot::Receiver<Message>, Arc<Notify>) {
        let (sender, answer) = oneshot::channel();
        let accepted = Arc::<Notify>::default();
        let id = RequestId::Inner(ASKED.fetch_add(1, Ordering::Relaxed));
        let waiting = Waiting {
            answer: sender,
            number: None,
            proposed: false,
            given_up: false,
            accepted: accepted.clone(),
        };
        lock(&self.0.shared).waiting.insert(id.clone(), waiting);
        (id, answer, accepted)
    }

    fn say(&self, said: Said) {
        let _ = self.0.said.send(said);
        // Full: a ring waits there already, and whoever answers it takes this too.
        let rang = self.0.bell.try_send(Vec::new());
        if let Err(mpsc::error::TrySendError::Closed(_)) = rang {
            // The driver is gone; nobody will answer any more.
            lock(&self.0.shared).waiting.clear();
        }
    }
}

impl Shared {
    /// A message from the driver; what is to be said about it comes back.
    fn hear(&mut self, message: Message) -> Option<Said> {
        match &message {
            Message::Accepted {
                session,
                id: Some(id),
                number,
                state,
            } => {
                let waiting = self.waiting.get_mut(id)?;
                waiting.number = Some(*number);
                waiting.proposed = *state == State::Proposed;
                waiting.accepted.notify_one();
                return waiting
                    .given_up
                    .then(|| cancel(Some(session.clone()), *number));
            }
            Message::Outcome { id: Some(id), .. }
            | Message::Refused { id: Some(id), .. }
            | Message::Queue { id: Some(id), .. }
            | Message::Controlled { id: Some(id), .. } => {
                if let Some(waiting) = self.waiting.remove(id) {
                    let _ = waiting.answer.send(message);
                }
            }
            _ => {
                if let (Message::Event { session, event, .. }, Some(listener)) =
                    (message, &self.listener)
                {
                    let _ = listener.send((session, event));
                }
            }
        }
        None
    }
}

/// What the driver keeps of us. When it lets go, nobody will answer any more.
struct Ears(Arc<Mutex<Shared>>);

impl Drop for Ears {
    fn drop(&mut self) {
        lock(&self.0).waiting.clear();
    }
}

/// A request under way. Dropped before it ended, it is cancelled: what waits is taken out of the
/// queue, what runs is stopped.
#[derive(Debug)]
pub struct Asked {
    of: Direct,
    session: Option<SessionId>,
    id: RequestId,
    answer: oneshot::Receiver<Message>,
    accepted: Arc<Notify>,
}

impl Asked {
    /// Wait for its end. May be dropped and called again, until it has answered.
    pub async fn told(&mut self) -> Told {
        match (&mut self.answer).await {
            Ok(Message::Outcome {
                number,
                outcome,
                took_ms,
                ..
            }) => Told {
                number: Some(number),
                outcome,
                took_ms,
            },
            Ok(Message::Refused { fault, .. }) => refused(fault),
            Ok(_) => refused(Fault::new(Code::Internal, "It got another's answer")),
            Err(_) => refused(self.of.ended()),
        }
    }

    /// Its number, if it waits for a person.
    pub fn proposed(&self) -> Option<u64> {
        proposed(&self.of, &self.id)
    }

    /// Ends when it turns out that a person has to approve it; never, if nobody has to.
    pub fn to_approve(&self) -> impl Future<Output = ()> + Send + use<> {
        let (of, id, accepted) = (self.of.clone(), self.id.clone(), self.accepted.clone());
        async move {
            loop {
                accepted.notified().await;
                if proposed(&of, &id).is_some() {
                    return;
                }
            }
        }
    }

    /// Do not wait, and do not cancel it either.
    pub fn leave(self) {
        lock(&self.of.0.shared).waiting.remove(&self.id);
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        let mut shared = lock(&self.of.0.shared);
        let Some(waiting) = shared.waiting.get_mut(&self.id) else {
            return;
        };
        let number = waiting.number;
        waiting.given_up = true;
        drop(shared);
        if let Some(number) = number {
            self.of.say(cancel(self.session.take(), number));
        }
    }
}

fn proposed(of: &Direct, id: &RequestId) -> Option<u64> {
    let shared = lock(&of.0.shared);
    let waiting = shared.waiting.get(id)?;
    waiting.number.filter(|_| waiting.proposed)
}

fn cancel(session: Option<SessionId>, number: u64) -> Said {
    Said::Control {
        session,
        id: None,
        control: Control::Cancel { number },
    }
}

fn refused(fault: Fault) -> Told {
    Told {
        number: None,
        outcome: Outcome::failed(fault),
        took_ms: 0,
    }
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Told {
    pub fn done(self) -> Result<Done, Fault> {
        match self.outcome {
            Outcome::Done(done) => Ok(done),
            Outcome::Failed { fault, .. } | Outcome::Interrupted { fault } => Err(fault),
            Outcome::Deleted { reason } => Err(Fault::new(Code::Cancelled, reason)),
        }
    }
}
