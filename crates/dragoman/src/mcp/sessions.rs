//! The sessions that one client may use: its own, and those it opened. Each has its own part of the
//! browser, so two clients, or two sessions of one, never share a tab.
//!
//! Must not know: what is done in a session.

use dragoman_dialects::mcp::SessionInfo;
use dragoman_model::{Code, Fault, SessionId};
use std::collections::BTreeSet;

/// More than a client could keep apart.
const MOST: usize = 32;

#[derive(Debug)]
pub struct Sessions {
    /// For calls that name none; `None`: each call has to name one.
    own: Option<SessionId>,
    opened: BTreeSet<SessionId>,
}

impl Sessions {
    pub fn new(own: Option<SessionId>) -> Self {
        Self {
            own,
            opened: BTreeSet::new(),
        }
    }

    /// The session that a call is for, if it may use it.
    pub fn of(&self, asked: Option<&SessionId>) -> Result<SessionId, Fault> {
        match asked {
            None => self.own.clone().ok_or_else(nameless),
            Some(asked) if self.has(asked) => Ok(asked.clone()),
            Some(asked) => Err(strange(asked)),
        }
    }

    pub fn open(&mut self, asked: Option<SessionId>) -> Result<SessionId, Fault> {
        if self.opened.len() >= MOST {
            let message = format!("{MOST} sessions are open");
            return Err(Fault::new(Code::QueueFull, message).suggest("Close one first."));
        }
        let session = match asked {
            Some(asked) => asked,
            None => new_session()?,
        };
        self.opened.insert(session.clone());
        Ok(session)
    }

    /// The one that is closed. A client's own is followed by another one.
    pub fn close(&mut self, asked: Option<&SessionId>) -> Result<SessionId, Fault> {
        let session = self.of(asked)?;
        if self.own.as_ref() == Some(&session) {
            self.own = Some(new_session()?);
        }
        self.opened.remove(&session);
        Ok(session)
    }

    pub fn own(&self) -> Option<&SessionId> {
        self.own.as_ref()
    }

    pub fn list(&self) -> Vec<SessionInfo> {
        let info = |session: &SessionId, own| SessionInfo {
            session: session.clone(),
            own,
        };
        let own = self.own.iter().map(|session| info(session, true));
        own.chain(self.opened.iter().map(|session| info(session, false)))
            .collect()
    }

    fn has(&self, session: &SessionId) -> bool {
        self.own.as_ref() == Some(session) || self.opened.contains(session)
    }
}

/// Short, since a model may have to write it again and again.
pub fn new_session() -> Result<SessionId, Fault> {
    let random = getrandom::u64().ok();
    random
        .and_then(|random| SessionId::new(format!("mcp-{:010x}", random >> 24)))
        .ok_or_else(|| Fault::new(Code::Internal, "The system has no random numbers to give"))
}

fn nameless() -> Fault {
    Fault::new(
        Code::UnknownSession,
        "This version of the protocol knows no sessions, so the call has to name one",
    )
    .suggest("Call session_open once, and give its id as `session` with every call.")
}

fn strange(asked: &SessionId) -> Fault {
    let message = format!("This client has not opened session {asked}");
    Fault::new(Code::UnknownSession, message)
        .suggest("Call session_list to see which there are, or session_open for a new one.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(name: &str) -> SessionId {
        SessionId::new(name).expect("a valid name")
    }

    #[test]
    fn only_what_was_opened_may_be_used() {
        let mut sessions = Sessions::new(Some(session("own")));
        assert_eq!(sessions.of(None), Ok(session("own")));
        let code = |result: Result<SessionId, Fault>| result.expect_err("refused").code;
        assert_eq!(
            code(sessions.of(Some(&session("other")))),
            Code::UnknownSession
        );
        let made = sessions.open(None).expect("opened");
        assert_eq!(sessions.of(Some(&made)), Ok(made.clone()));
        assert_eq!(sessions.close(Some(&made)), Ok(made.clone()));
        assert_eq!(code(sessions.of(Some(&made))), Code::UnknownSession);
    }

    #[test]
    fn a_closed_own_session_is_followed_by_another() {
        let mut sessions = Sessions::new(Some(session("own")));
        assert_eq!(sessions.close(None), Ok(session("own")));
        let next = sessions.of(None).expect("a new one");
        assert_ne!(next, session("own"));
        assert!(sessions.of(Some(&session("own"))).is_err());
    }

    #[test]
    fn without_one_of_its_own_a_client_has_to_name_one() {
        let mut sessions = Sessions::new(None);
        assert!(sessions.of(None).is_err());
        let made = sessions.open(Some(session("work"))).expect("opened");
        assert_eq!(sessions.of(Some(&made)), Ok(session("work")));
    }

    #[test]
    fn there_is_an_end_to_opening() {
        let mut sessions = Sessions::new(None);
        for _ in 0..MOST {
            sessions.open(None).expect("room");
        }
        assert!(sessions.open(None).is_err());
    }
}
