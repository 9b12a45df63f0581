//! One connection: numbers the calls, hands each answer to its caller and each event to the
//! listeners of its session, and fails everything at once when the transport is gone.
//!
//! Must not know: which transport carries the bytes.

use super::pending::{Answered as _, Waiting};
use super::protocol::target::DetachedFromTarget;
use super::{CdpError, CdpEvent as _, CdpSession, Event, EventStream, Method, Pending, wire};
use serde_json::value::RawValue;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::io;
use std::rc::{Rc, Weak};
use tokio::sync::{mpsc, watch};
use tokio::task::AbortHandle;

/// The way out of one transport. Writes at once or queues; never waits.
pub(super) trait Outlet {
    fn write(&self, message: Vec<u8>) -> io::Result<()>;
}

/// Cheap to clone; when the last clone is dropped the transport is closed, which ends a browser
/// we drive over its pipe.
#[derive(Clone)]
pub struct Connection(Rc<Owner>);

struct Owner {
    shared: Rc<Shared>,
    tasks: Vec<AbortHandle>,
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.shared.close("the connection was dropped");
        for task in &self.tasks {
            task.abort();
        }
    }
}

impl Connection {
    pub(super) fn new(shared: Rc<Shared>, tasks: Vec<AbortHandle>) -> Self {
        Self(Rc::new(Owner { shared, tasks }))
    }

    /// Writes a call now (calls travel in the order of `send`, so they can be pipelined) and gives
    /// the answer to come.
    pub fn send<M: Method>(&self, session: Option<&CdpSession>, params: &M) -> Pending<M> {
        self.0.shared.send(session, params)
    }

    /// All events of one CDP session (`None`: the browser's own) from now on.
    pub fn subscribe(&self, session: Option<&CdpSession>) -> EventStream {
        self.0.shared.subscribe(session)
    }

    /// Resolves with the reason once the transport is gone.
    pub fn closed(&self) -> impl Future<Output = String> + use<> {
        let mut closed = self.0.shared.closed.subscribe();
        async move {
            let reason = closed.wait_for(Option::is_some).await;
            match reason {
                Ok(reason) => reason.clone().unwrap_or_default(),
                Err(_) => "the connection was dropped".to_owned(),
            }
        }
    }

    pub fn is_closed(&self) -> bool {
        self.0.shared.closed.borrow().is_some()
    }

    /// Fails all waiting calls of a session now, because its target crashed or is gone; answers
    /// that still come for them are dropped.
    pub fn fail_session(&self, session: &CdpSession, error: CdpError) {
        self.0
            .shared
            .waiting
            .borrow_mut()
            .fail_session(&session.0, &error);
    }

    /// Calls that wait for an answer.
    pub fn in_flight(&self) -> usize {
        self.0.shared.waiting.borrow().len()
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection")
            .field("in_flight", &self.in_flight())
            .field("closed", &*self.0.shared.closed.borrow())
            .finish()
    }
}

/// What the callers and the transport's tasks share.
pub(super) struct Shared {
    outlet: Box<dyn Outlet>,
    last_id: Cell<u64>,
    waiting: RefCell<Waiting>,
    listeners: RefCell<Listeners>,
    closed: watch::Sender<Option<String>>,
    me: Weak<Shared>,
}

impl Shared {
    pub fn new(outlet: Box<dyn Outlet>) -> Rc<Self> {
        Rc::new_cyclic(|me| Self {
            outlet,
            last_id: Cell::new(0),
            waiting: RefCell::default(),
            listeners: RefCell::default(),
            closed: watch::Sender::new(None),
            me: me.clone(),
        })
    }

    fn send<M: Method>(&self, session: Option<&CdpSession>, params: &M) -> Pending<M> {
        let id = self.last_id.get() + 1;
        self.last_id.set(id);
        let (answer, pending) = Pending::<M>::new(id, self.me.clone());
        let closed = self.closed.borrow().clone();
        let message = match closed {
            Some(reason) => Err(CdpError::Closed(reason)),
            None => wire::encode(id, session, params),
        };
        match message {
            Ok(message) => {
                self.waiting.borrow_mut().add(id, session, Box::new(answer));
                if let Err(error) = self.outlet.write(message) {
                    self.close(&format!("writing to it failed: {error}"));
                }
            }
            Err(error) => Box::new(answer).fail(error),
        }
        pending
    }

    fn subscribe(&self, session: Option<&CdpSession>) -> EventStream {
        let (sender, receiver) = mpsc::unbounded_channel();
        if self.closed.borrow().is_none() {
            self.listeners.borrow_mut().add(session, sender);
        }
        EventStream(receiver)
    }

    pub fn forget(&self, id: u64) {
        self.waiting.borrow_mut().forget(id);
    }

    /// One whole message from the browser.
    pub fn receive(&self, message: &[u8]) {
        if let Some(id) = wire::leading_id(message) {
            return self.answer(id, message);
        }
        match wire::Envelope::read(message) {
            Ok(wire::Envelope { id: Some(id), .. }) => self.answer(id, message),
            Ok(envelope) => self.event(&envelope),
            Err(error) => {
                tracing::warn!(%error, bytes = message.len(), "message skipped: not CDP");
            }
        }
    }

    fn answer(&self, id: u64, message: &[u8]) {
        // The list is free again before the answer is decoded.
        let taken = self.waiting.borrow_mut().take(id);
        if let Some(decode) = taken {
            decode(message);
        }
    }

    fn event(&self, envelope: &wire::Envelope<'_>) {
        let Some(method) = envelope.method.as_deref() else {
            return;
        };
        let session = envelope.session.as_deref();
        let params = envelope.params.unwrap_or(RawValue::NULL);
        self.listeners.borrow_mut().tell(session, method, params);
        if method == DetachedFromTarget::NAME
            && let Ok(gone) = serde_json::from_str::<DetachedFromTarget>(params.get())
        {
            let session = &gone.session_id.0;
            self.waiting
                .borrow_mut()
                .fail_session(session, &CdpError::Detached);
            self.listeners.borrow_mut().end(session);
        }
    }

    /// Ends everything, once; the first reason stays.
    pub fn close(&self, reason: &str) {
        let first = self.closed.send_if_modified(|closed| {
            let first = closed.is_none();
            if first {
                *closed = Some(reason.to_owned());
            }
            first
        });
        if first {
            let error = CdpError::Closed(reason.to_owned());
            self.waiting.borrow_mut().fail_all(&error);
            self.listeners.borrow_mut().end_all();
        }
    }
}

/// Who hears which session's events.
#[derive(Default)]
struct Listeners {
    browser: Vec<mpsc::UnboundedSender<Event>>,
    sessions: HashMap<CdpSession, Vec<mpsc::UnboundedSender<Event>>>,
    /// Event names seen so far: each is allocated once.
    names: HashSet<Rc<str>>,
}

impl Listeners {
    fn add(&mut self, session: Option<&CdpSession>, sender: mpsc::UnboundedSender<Event>) {
        match session {
            Some(session) => self
                .sessions
                .entry(session.clone())
                .or_default()
                .push(sender),
            None => self.browser.push(sender),
        }
    }

    fn tell(&mut self, session: Option<&str>, method: &str, params: &RawValue) {
        let listeners = match session {
            Some(session) => match self.sessions.get_mut(session) {
                Some(listeners) => listeners,
                None => return,
            },
            None => &mut self.browser,
        };
        let name = match self.names.get(method) {
            Some(name) => name.clone(),
            None => {
                let name: Rc<str> = method.into();
                self.names.insert(name.clone());
                name
            }
        };
        listeners.retain(|listener| {
            if listener.is_closed() {
                return false;
            }
            let event = Event {
                method: name.clone(),
                params: params.to_owned(),
            };
            listener.send(event).is_ok()
        });
    }

    fn end(&mut self, session: &str) {
        self.sessions.remove(session);
    }

    fn end_all(&mut self) {
        self.sessions.clear();
        self.browser.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cdp::protocol::{browser, runtime};

    /// A transport that keeps what was written.
    #[derive(Clone, Default)]
    struct Kept(Rc<RefCell<Vec<String>>>);

    impl Outlet for Kept {
        fn write(&self, message: Vec<u8>) -> io::Result<()> {
            self.0
                .borrow_mut()
                .push(String::from_utf8(message).unwrap());
            Ok(())
        }
    }

    fn connection() -> (Kept, Rc<Shared>, Connection) {
        let kept = Kept::default();
        let shared = Shared::new(Box::new(kept.clone()));
        (kept, shared.clone(), Connection::new(shared, Vec::new()))
    }

    const EVALUATED: &str = r#""result":{"result":{"type":"number","value":1}}}"#;

    #[test]
    fn a_call_is_written_at_once_and_in_full() {
        let (kept, _, connection) = connection();
        let session = CdpSession("S\"1".into());
        let call = runtime::Evaluate {
            expression: "1".into(),
            ..Default::default()
        };
        drop(connection.send(Some(&session), &call));
        drop(connection.send(None, &browser::GetVersion {}));
        assert_eq!(
            *kept.0.borrow(),
            [
                r#"{"id":1,"method":"Runtime.evaluate","params":{"expression":"1"},"sessionId":"S\"1"}"#,
                r#"{"id":2,"method":"Browser.getVersion","params":{}}"#,
            ]
        );
        assert_eq!(connection.in_flight(), 0);
    }

    #[tokio::test(flavor = "current_thread")]
    async fn answers_find_their_callers_in_any_order() {
        let (_, shared, connection) = connection();
        let call = runtime::Evaluate::default();
        let (one, two) = (connection.send(None, &call), connection.send(None, &call));
        shared.receive(format!("{{\"id\":99,{EVALUATED}").as_bytes());
        shared.receive(b"not json");
        shared.receive(format!("{{\"sessionId\":\"S\",\"id\":2,{EVALUATED}").as_bytes());
        shared.receive(br#"{"id":1,"result":{"result":7}}"#);
        assert_eq!(two.await.unwrap().result.value, Some(1.into()));
        assert!(matches!(one.await, Err(CdpError::Decode(_))));
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_detached_session_ends_alone() {
        let (_, shared, connection) = connection();
        let (gone, kept) = (CdpSession("A".into()), CdpSession("B".into()));
        let call = runtime::Evaluate::default();
        let of_gone = connection.send(Some(&gone), &call);
        let of_kept = connection.send(Some(&kept), &call);
        let mut events = connection.subscribe(Some(&gone));
        let mut parent = connection.subscribe(None);
        shared.receive(
            br#"{"method":"Page.loadEventFired","params":{"timestamp":1},"sessionId":"A"}"#,
        );
        shared.receive(br#"{"method":"Target.detachedFromTarget","params":{"sessionId":"A"}}"#);
        assert_eq!(of_gone.await.map(|_| ()), Err(CdpError::Detached));
        assert_eq!(&*events.next().await.unwrap().method, "Page.loadEventFired");
        assert!(events.next().await.is_none());
        assert!(parent.wait::<DetachedFromTarget>().await.is_some());
        shared.receive(format!("{{\"id\":2,{EVALUATED}").as_bytes());
        assert!(of_kept.await.is_ok());
    }

    #[tokio::test(flavor = "current_thread")]
    async fn the_end_is_told_to_everybody_once() {
        let (_, shared, connection) = connection();
        let pending = connection.send(None, &browser::GetVersion {});
        let mut events = connection.subscribe(None);
        shared.close("first");
        shared.close("second");
        let closed = CdpError::Closed("first".into());
        assert_eq!(pending.await.map(|_| ()), Err(closed.clone()));
        assert!(events.next().await.is_none());
        assert!(connection.subscribe(None).next().await.is_none());
        assert_eq!(connection.closed().await, "first");
        let later = connection.send(None, &browser::GetVersion {}).await;
        assert_eq!(later.map(|_| ()), Err(closed));
    }
}
