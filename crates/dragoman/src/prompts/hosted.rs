//! Prompts on a gateway: which sessions have them for a surface, and what is asked there. Whoever opens a session
//! says so; what is asked comes with them, for there is no script beside them.
//!
//! Must not know: sockets, the queue, the journal, any dialect.

use super::{Prompts, Told};
use dragoman_model::{PromptKind, SessionId, SurfaceEvent};
use dragoman_prompt::Spec;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

/// Whose sessions are. Cheap to clone, and may be handed to any task.
#[derive(Debug, Clone, Default)]
pub struct Bookings(Arc<Mutex<HashMap<SessionId, Known>>>);

#[derive(Debug)]
enum Known {
    /// It is to be opened.
    Booked(mpsc::UnboundedSender<Spec>, mpsc::UnboundedReceiver<Spec>),
    /// It is open, and this is asked next.
    Open(mpsc::UnboundedSender<Spec>),
    /// It is open and has another surface.
    Elsewhere,
}

/// Why it cannot be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("the session works on something else")]
    Elsewhere,
    #[error("a gateway asks for no path and runs no terminal: those are of its own machine")]
    OfThisMachine,
}

/// Forgotten with this, if the session was not opened.
#[derive(Debug)]
pub struct Booking {
    all: Bookings,
    session: SessionId,
}

impl Bookings {
    /// This session is to have prompts, if it is not open yet; and this is asked in it, after what is asked already.
    pub fn book(&self, session: &SessionId, ask: Vec<Spec>) -> Result<Booking, Refused> {
        let is_local = |spec: &Spec| matches!(spec.kind, PromptKind::Term | PromptKind::Path);
        if ask.iter().any(is_local) {
            return Err(Refused::OfThisMachine);
        }
        let mut table = self.table();
        let known = table.entry(session.clone()).or_insert_with(|| {
            let (sender, receiver) = mpsc::unbounded_channel();
            Known::Booked(sender, receiver)
        });
        match known {
            Known::Elsewhere => return Err(Refused::Elsewhere),
            Known::Booked(sender, _) | Known::Open(sender) => {
                ask.into_iter().for_each(|spec| drop(sender.send(spec)));
            }
        }
        Ok(Booking {
            all: self.clone(),
            session: session.clone(),
        })
    }

    fn is_open(&self, session: &SessionId) -> bool {
        matches!(self.table().get(session), Some(Known::Open(_)))
    }

    /// It is open now. What is to be asked in it, if it has prompts and is new.
    fn open(&self, session: &SessionId) -> Option<mpsc::UnboundedReceiver<Spec>> {
        let mut table = self.table();
        match table.remove(session) {
            Some(Known::Booked(sender, receiver)) => {
                table.insert(session.clone(), Known::Open(sender));
                Some(receiver)
            }
            known => {
                let known = known.unwrap_or(Known::Elsewhere);
                table.insert(session.clone(), known);
                None
            }
        }
    }

    fn table(&self) -> MutexGuard<'_, HashMap<SessionId, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Booking {
    fn drop(&mut self) {
        let mut table = self.all.table();
        if matches!(table.get(&self.session), Some(Known::Booked(..))) {
            table.remove(&self.session);
        }
    }
}

/// The prompts of all sessions that have some.
#[derive(Debug, Clone)]
pub struct Hosted {
    prompts: Prompts,
    bookings: Bookings,
    /// Who asks, in each of them.
    askers: Rc<RefCell<HashMap<SessionId, AbortHandle>>>,
}

impl Hosted {
    pub fn new(
        events: mpsc::UnboundedSender<(SessionId, SurfaceEvent)>,
        bookings: Bookings,
    ) -> Self {
        Self {
            prompts: Prompts::new(events),
            bookings,
            askers: Rc::default(),
        }
    }

    /// If the session has them for a surface.
    pub fn of(&self, session: &SessionId) -> Option<&Prompts> {
        self.bookings.is_open(session).then_some(&self.prompts)
    }

    /// The session is open.
    pub fn open(&self, session: &SessionId) {
        if let Some(specs) = self.bookings.open(session) {
            let asking = ask_all(self.prompts.clone(), session.clone(), specs);
            let asker = tokio::task::spawn_local(asking).abort_handle();
            self.askers.borrow_mut().insert(session.clone(), asker);
        }
    }

    /// The session is over, and nothing is asked in it any more.
    pub fn close(&self, session: &SessionId) -> Option<&Prompts> {
        let asker = self.askers.borrow_mut().remove(session);
        asker.as_ref().map(AbortHandle::abort);
        self.bookings.table().remove(session);
        asker.map(|_| &self.prompts)
    }

    /// All of them are over.
    pub fn close_all(&self) -> &Prompts {
        let askers = std::mem::take(&mut *self.askers.borrow_mut());
        askers.values().for_each(AbortHandle::abort);
        &self.prompts
    }
}

/// One after the other, whatever is answered, for as long as the session is open.
pub async fn ask_all(
    prompts: Prompts,
    session: SessionId,
    mut specs: mpsc::UnboundedReceiver<Spec>,
) {
    while let Some(spec) = specs.recv().await {
        let mut told = prompts.ask(&session, spec);
        while !matches!(told.recv().await, None | Some(Told::Answer(_))) {}
    }
}

/// One question, or a list of them.
pub fn read(text: &str) -> Result<Vec<Spec>, serde_json::Error> {
    match text.trim_start().starts_with('[') {
        true => serde_json::from_str(text),
        false => serde_json::from_str(text).map(|spec| vec![spec]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session() -> SessionId {
        SessionId::new("s").unwrap()
    }

    #[test]
    fn a_session_keeps_its_surface() {
        let all = Bookings::default();
        let ask = read(r#"{"type":"arg"}"#).unwrap();
        // Not opened: forgotten.
        drop(all.book(&session(), ask.clone()).unwrap());
        assert!(all.open(&session()).is_none() && !all.is_open(&session()));
        let refused = all.book(&session(), ask.clone()).unwrap_err();
        assert_eq!(refused, Refused::Elsewhere);
        all.table().clear();
        let booked = all.book(&session(), ask.clone()).unwrap();
        let mut asked = all.open(&session()).unwrap();
        assert!(all.is_open(&session()) && all.open(&session()).is_none());
        all.book(&session(), ask).unwrap();
        drop(booked);
        assert!(all.is_open(&session()));
        assert!(asked.try_recv().is_ok() && asked.try_recv().is_ok() && asked.try_recv().is_err());
    }

    #[test]
    fn nothing_of_the_machine_itself() {
        for kind in ["term", "path"] {
            let ask = read(&format!(r#"[{{"type":"arg"}},{{"type":"{kind}"}}]"#)).unwrap();
            let refused = Bookings::default().book(&session(), ask).unwrap_err();
            assert_eq!(refused, Refused::OfThisMachine, "{kind}");
        }
    }
}
