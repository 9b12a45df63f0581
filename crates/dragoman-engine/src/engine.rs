//! The door: every input goes to its session, every effect comes back in one list.
//!
//! Must not know: what happens inside a session.

use crate::journal::tell_in_place_of;
use crate::session::{Restored, Session};
use crate::turn::{Counters, Turn};
use crate::{ClientId, Effect, Input, Message, Rights, Time};
use dragoman_model::{Code, Fault, RequestId, SessionId};
use std::collections::BTreeMap;

/// All sessions of this program.
///
/// The contract with the driver loop:
/// - `now` never runs backwards. `Tick` is due whenever `wake_at` has come; a late `Tick` only
///   makes deadlines late.
/// - Effects of one session are carried out in the order of the lists and within each list. A
///   `Record` is a barrier: what follows it waits until it is durable. If it cannot be made
///   durable, it and all that follows goes back in as `JournalFailed`. `Perform` and `Watch` are
///   *begun* in order, not awaited.
/// - For a command that writes, `Submitted` and `Started` stand before its first `Perform`. A
///   command that only reads may be performed before they are durable. In both cases `Ended`
///   stands before the outcome is told.
/// - One command of a session runs at a time. A batch is one command; each step has a run of its
///   own, and pausing does not stop a batch between steps.
/// - Every accepted command ends in exactly one outcome, at the latest at its deadline once it
///   has started. Inputs for runs that are over are ignored.
/// - Inputs that name an unknown session are refused where there is somebody to tell, else
///   ignored.
#[derive(Debug, Default)]
pub struct Engine {
    sessions: BTreeMap<SessionId, Session>,
    rights: BTreeMap<ClientId, Rights>,
    count: Counters,
}

impl Engine {
    pub fn new() -> Self {
        Self::default()
    }

    /// Events are counted from here: beyond all that an earlier life of the program told, so that
    /// nobody who comes back takes one for another.
    pub fn counting_from(place: u64) -> Self {
        let mut engine = Self::default();
        engine.count.news = place;
        engine
    }

    pub fn handle(&mut self, now: Time, input: Input) -> Vec<Effect> {
        let forbidden = self.forbidden(&input);
        let mut turn = Turn::new(now, &mut self.count);
        if let Some(fault) = forbidden {
            refuse(&mut turn, &input, fault);
            return turn.effects();
        }
        match input {
            Input::Admit { client, rights } => drop(self.rights.insert(client, rights)),
            Input::Detach { client } => drop(self.rights.remove(&client)),
            _ => {}
        }
        dispatch(&mut self.sessions, &mut turn, input);
        turn.effects()
    }

    /// What a client may do; without limits if none were set.
    pub fn rights(&self, client: ClientId) -> Rights {
        self.rights.get(&client).copied().unwrap_or(Rights::ALL)
    }

    fn forbidden(&self, input: &Input) -> Option<Fault> {
        if self.rights.is_empty() {
            return None;
        }
        let (session, who) = addressee(input)?;
        let (client, _) = who?;
        let session = self.sessions.get(session)?;
        self.rights(client).check(session, input).err()
    }

    /// When the next `Tick` is due.
    pub fn wake_at(&self) -> Option<Time> {
        self.sessions.values().filter_map(Session::due).min()
    }
}

fn dispatch(sessions: &mut BTreeMap<SessionId, Session>, turn: &mut Turn, input: Input) {
    match input {
        Input::OpenSession { session, policy } => {
            sessions
                .entry(session.clone())
                .or_insert_with(|| Session::open(turn, session, policy));
        }
        Input::Restore {
            session,
            policy,
            items,
            used,
            approved,
            next_number,
            paused,
        } => {
            let known = Restored {
                items,
                used,
                approved,
                next_number,
                paused,
            };
            sessions
                .entry(session.clone())
                .or_insert_with(|| Session::restore(turn, session, policy, known));
        }
        Input::CloseSession { session } => {
            if let Some(session) = sessions.remove(&session) {
                session.close(turn);
            }
        }
        Input::Detach { client } => {
            for session in sessions.values_mut() {
                session.detach(client);
                session.listen(turn);
            }
        }
        Input::Admit { .. } => {}
        Input::Rest => sessions.values_mut().for_each(|s| s.asleep = true),
        Input::Tick => {
            for session in sessions.values_mut() {
                session.tick(turn);
                session.advance(turn);
                session.listen(turn);
            }
        }
        Input::JournalFailed { lost } => journal_failed(sessions, turn, lost),
        for_one => to_session(sessions, turn, for_one),
    }
}

fn to_session(sessions: &mut BTreeMap<SessionId, Session>, turn: &mut Turn, input: Input) {
    let Some((name, _)) = addressee(&input) else {
        return;
    };
    let Some(session) = sessions.get_mut(name) else {
        let message = format!("There is no session {name}");
        return refuse(turn, &input, Fault::new(Code::UnknownSession, message));
    };
    match input {
        Input::Attach { client, .. } => session.attach(client),
        Input::Submit {
            client, request, ..
        } => session.submit(turn, client, request),
        Input::Control {
            client,
            id,
            control,
            ..
        } => session.control(turn, client, id, control),
        Input::Finished {
            number,
            run,
            result,
            then,
            ..
        } => session.finished(turn, number, run, result, then),
        Input::Leaves {
            number,
            run,
            values,
            ..
        } => session.leaves(turn, number, run, &values),
        Input::WatchFailed {
            number, run, fault, ..
        } => session.watch_failed(turn, number, run, fault),
        Input::Identified {
            number, run, means, ..
        } => session.identified(turn, number, run, means),
        Input::Surface { event, .. } => session.surface_event(turn, &event),
        Input::OpenSession { .. }
        | Input::Restore { .. }
        | Input::CloseSession { .. }
        | Input::Admit { .. }
        | Input::Detach { .. }
        | Input::JournalFailed { .. }
        | Input::Rest
        | Input::Tick => {}
    }
    session.advance(turn);
    session.listen(turn);
}

type Asker = (ClientId, Option<RequestId>);

/// The session an input is for, and who is to be told when there is none.
fn addressee(input: &Input) -> Option<(&SessionId, Option<Asker>)> {
    match input {
        Input::Attach { session, client } => Some((session, Some((*client, None)))),
        Input::Submit {
            session,
            client,
            request,
        } => Some((session, Some((*client, request.id.clone())))),
        Input::Control {
            session,
            client,
            id,
            ..
        } => Some((session, Some((*client, id.clone())))),
        Input::Finished { session, .. }
        | Input::Leaves { session, .. }
        | Input::WatchFailed { session, .. }
        | Input::Identified { session, .. }
        | Input::Surface { session, .. } => Some((session, None)),
        Input::OpenSession { .. }
        | Input::Restore { .. }
        | Input::CloseSession { .. }
        | Input::Admit { .. }
        | Input::Detach { .. }
        | Input::JournalFailed { .. }
        | Input::Rest
        | Input::Tick => None,
    }
}

/// Where there is somebody to tell.
fn refuse(turn: &mut Turn, input: &Input, fault: Fault) {
    if let Some((session, Some((client, id)))) = addressee(input) {
        let session = session.clone();
        turn.tell(client, Message::Refused { session, id, fault });
    }
}

fn journal_failed(sessions: &mut BTreeMap<SessionId, Session>, turn: &mut Turn, lost: Vec<Effect>) {
    let mut by_session: BTreeMap<SessionId, Vec<Effect>> = BTreeMap::new();
    for effect in lost {
        let session = effect.session().clone();
        by_session.entry(session).or_default().push(effect);
    }
    for (name, lost) in by_session {
        match sessions.get_mut(&name) {
            Some(session) => {
                session.halt(turn, lost);
                session.listen(turn);
            }
            None => carry_on_without(turn, lost),
        }
    }
}

/// The session is closed; what is left is to tell and to release.
fn carry_on_without(turn: &mut Turn, lost: Vec<Effect>) {
    for effect in lost {
        match effect {
            Effect::Record(_) | Effect::Perform { .. } | Effect::Watch { .. } => {}
            Effect::Tell { client, message } => tell_in_place_of(turn, client, message),
            needs_no_record => turn.act(needs_no_record),
        }
    }
}
