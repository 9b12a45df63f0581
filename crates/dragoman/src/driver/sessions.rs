//! Opening sessions: a lease first, then what the journal knows, then the engine.

use super::lane::Lane;
use super::{Driver, Event};
use crate::journal::{Journal, JournalError, Lease, Stored};
use crate::surface::Surface;
use dragoman_engine::{ClientId, Effect, Input, Message, Record};
use dragoman_model::{Code, Fault, Policy, SessionId};

impl<J: Journal + 'static, S: Surface> Driver<J, S> {
    /// Open a session, new or as it was left. A policy that is given now replaces the stored one.
    pub async fn open(
        &mut self,
        session: &SessionId,
        policy: Option<Policy>,
    ) -> Result<(), JournalError> {
        let lease = self.journal.claim(session)?;
        let stored = self.journal.load(session).await?;
        self.lanes.insert(session.clone(), Lane::new(lease));
        self.begin(session.clone(), stored, policy);
        Ok(())
    }

    /// The session is for now only: it is closed at the end, if nothing of it is left to do.
    pub fn close_at_end(&mut self, session: &SessionId) {
        self.passing.insert(session.clone());
    }

    fn begin(&mut self, session: SessionId, stored: Option<Stored>, policy: Option<Policy>) {
        let Some(stored) = stored else {
            let policy = policy.unwrap_or_else(|| self.policy.clone());
            return self.input(Input::OpenSession { session, policy });
        };
        let policy = policy.unwrap_or(stored.policy);
        if let Some(lane) = self.lanes.get_mut(&session) {
            lane.restore(&stored.items, stored.paused);
            lane.push(Effect::Record(Record::SessionOpened {
                session: session.clone(),
                policy: policy.clone(),
            }));
        }
        self.input(Input::Restore {
            session,
            policy,
            items: stored.items,
            used: stored.used,
            approved: stored.approved,
            next_number: stored.next_number,
            paused: stored.paused,
        });
    }

    /// Something a client said, for a session that may have to be opened first.
    pub(super) fn input_for(&mut self, session: &SessionId, client: ClientId, input: Input) {
        if self.lanes.contains_key(session) {
            if let Some(known) = self.clients.get_mut(&client)
                && known.attach(session)
            {
                let session = session.clone();
                self.input(Input::Attach { session, client });
            }
            return self.input(input);
        }
        if let Some(parked) = self.opening.get_mut(session) {
            return parked.push(input);
        }
        if !self.engine.rights(client).act {
            let fault = Fault::new(Code::UnknownSession, format!("{session} is not open"))
                .suggest("Watch one that is open.");
            return self.refuse(session, &input, fault);
        }
        if self.is_full() {
            let message = "Too many sessions are open already";
            return self.refuse(session, &input, Fault::new(Code::TooManySessions, message));
        }
        if let Err(error) = self.look_up(session, vec![input.clone()]) {
            self.refuse(session, &input, in_words(&error));
        }
    }

    /// Open a session: a lease first, then what the journal knows of it; meanwhile inputs wait.
    pub(super) fn look_up(
        &mut self,
        session: &SessionId,
        parked: Vec<Input>,
    ) -> Result<(), JournalError> {
        // Claimed before it is read: what another process still writes would be half the truth.
        let lease = self.journal.claim(session)?;
        self.opening.insert(session.clone(), parked);
        let load = self.journal.load(session);
        let events = self.events.clone();
        let session = session.clone();
        tokio::task::spawn_local(async move {
            let result = load.await.map(|stored| (lease, stored));
            let _ = events.send(Event::Loaded { session, result });
        });
        Ok(())
    }

    pub(super) fn loaded(
        &mut self,
        session: SessionId,
        result: Result<(Lease, Option<Stored>), JournalError>,
    ) {
        let parked = self.opening.remove(&session).unwrap_or_default();
        match result {
            Ok((lease, stored)) => {
                self.lanes.insert(session.clone(), Lane::new(lease));
                self.begin(session.clone(), stored, None);
                self.let_in(&session);
                for input in parked {
                    if let Some(client) = client_of(&input) {
                        self.input_for(&session, client, input);
                    }
                }
            }
            Err(error) => {
                self.turn_away(&session);
                for input in parked {
                    self.refuse(&session, &input, in_words(&error));
                }
            }
        }
    }

    fn refuse(&mut self, session: &SessionId, input: &Input, fault: Fault) {
        let id = match input {
            Input::Submit { request, .. } => request.id.clone(),
            Input::Control { id, .. } => id.clone(),
            _ => None,
        };
        let message = Message::Refused {
            session: session.clone(),
            id,
            fault,
        };
        let now = self.now();
        let client = client_of(input).and_then(|client| self.clients.get_mut(&client));
        if let Some(client) = client {
            client.tell(now, message);
        }
    }

    pub(super) fn is_opening(&self) -> bool {
        !self.opening.is_empty()
    }
}

fn in_words(error: &JournalError) -> Fault {
    let code = match error {
        JournalError::Taken { .. } => Code::UnknownSession,
        _ => Code::JournalFailed,
    };
    Fault::new(code, error.to_string()).suggest(error.advice())
}

fn client_of(input: &Input) -> Option<ClientId> {
    match input {
        Input::Submit { client, .. } | Input::Control { client, .. } => Some(*client),
        _ => None,
    }
}
