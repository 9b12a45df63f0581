//! The answer of a call that was sent: a future that is either awaited or dropped.
//!
//! Must not know: how the answer travels.

use super::connection::Shared;
use super::{CdpError, CdpSession, Method};
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::rc::Weak;
use std::task::{Context, Poll};
use tokio::sync::oneshot;

/// The answer to come. Dropping it forgets the answer, which then is not even decoded.
#[must_use = "a dropped answer also drops its error"]
pub struct Pending<M: Method> {
    answer: oneshot::Receiver<Result<M::Answer, CdpError>>,
    id: u64,
    shared: Weak<Shared>,
}

impl<M: Method> Pending<M> {
    pub(super) fn new(id: u64, shared: Weak<Shared>) -> (Caller<M>, Self) {
        let (sender, answer) = oneshot::channel();
        (Caller(sender), Self { answer, id, shared })
    }
}

/// Who waits for it.
pub(super) struct Caller<M: Method>(oneshot::Sender<Result<M::Answer, CdpError>>);

impl<M: Method> Future for Pending<M> {
    type Output = Result<M::Answer, CdpError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.answer).poll(context).map(|received| {
            received
                .unwrap_or_else(|_| Err(CdpError::Closed("the connection was dropped".to_owned())))
        })
    }
}

impl<M: Method> Drop for Pending<M> {
    fn drop(&mut self) {
        if let Some(shared) = self.shared.upgrade() {
            shared.forget(self.id);
        }
    }
}

impl<M: Method> std::fmt::Debug for Pending<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pending({} #{})", M::NAME, self.id)
    }
}

/// Calls that wait for their answers, by id.
#[derive(Default)]
pub(super) struct Waiting(HashMap<u64, Entry>);

struct Entry {
    session: Option<CdpSession>,
    answer: Box<dyn Answered>,
}

/// A waiting call with its answer's type forgotten.
pub(super) trait Answered {
    fn decode(self: Box<Self>, message: &[u8]);
    fn fail(self: Box<Self>, error: CdpError);
}

impl<M: Method> Answered for Caller<M> {
    fn decode(self: Box<Self>, message: &[u8]) {
        // A send fails only when nobody waits any more.
        let _ = self.0.send(M::read(message));
    }

    fn fail(self: Box<Self>, error: CdpError) {
        let _ = self.0.send(Err(error));
    }
}

impl Waiting {
    pub fn add(&mut self, id: u64, session: Option<&CdpSession>, answer: Box<dyn Answered>) {
        let session = session.cloned();
        self.0.insert(id, Entry { session, answer });
    }

    /// Takes the call out of the list; what is left to do is decode its answer.
    pub fn take(&mut self, id: u64) -> Option<impl FnOnce(&[u8]) + use<>> {
        let entry = self.0.remove(&id)?;
        Some(move |message: &[u8]| entry.answer.decode(message))
    }

    pub fn forget(&mut self, id: u64) {
        self.0.remove(&id);
    }

    pub fn fail_session(&mut self, session: &str, error: &CdpError) {
        let of_session =
            |_: &u64, entry: &mut Entry| entry.session.as_ref().is_some_and(|s| &*s.0 == session);
        for (_, entry) in self.0.extract_if(of_session) {
            entry.answer.fail(error.clone());
        }
    }

    pub fn fail_all(&mut self, error: &CdpError) {
        for (_, entry) in self.0.drain() {
            entry.answer.fail(error.clone());
        }
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }
}
