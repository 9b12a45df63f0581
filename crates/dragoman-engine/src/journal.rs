//! What happens when the journal fails; the rule stands at `Input::JournalFailed`.
//!
//! Must not know: what a journal is made of.

use crate::session::Session;
use crate::turn::Turn;
use crate::{ClientId, Effect, Message, Record};
use dragoman_model::{Code, Done, Fault, Outcome, Reply};
use std::collections::BTreeSet;

impl Session {
    pub(crate) fn not_halted(&self) -> Result<(), Fault> {
        match self.halted {
            None => Ok(()),
            Some(_) => Err(halted_fault()),
        }
    }

    pub(crate) fn halt(&mut self, turn: &mut Turn, lost: Vec<Effect>) {
        let first_time = self.halted.is_none();
        let mut never_begun = BTreeSet::new();
        let mut not_accepted = Vec::new();
        let mut told_late = Vec::new();
        let records = self.halted.get_or_insert_default();
        for effect in lost {
            match effect {
                Effect::Record(record) => {
                    match record {
                        Record::Submitted { number, .. } => not_accepted.push(number),
                        Record::Ended { number, .. } => self.history.correct(number, may_be_done()),
                        _ => {}
                    }
                    records.push(unrecorded(record));
                }
                Effect::Perform { run, .. } | Effect::Watch { run, .. } => {
                    never_begun.insert(run);
                }
                Effect::Tell { client, message } => told_late.push((client, message)),
                needs_no_record => turn.act(needs_no_record),
            }
        }
        for (client, message) in told_late {
            self.tell_late(turn, client, message);
        }
        self.stop_at_journal(turn, &never_begun, &not_accepted);
        for number in not_accepted {
            if let Some(item) = self.queue.remove(number) {
                self.end(turn, item, None, Outcome::failed(not_done()));
            }
        }
        if first_time {
            for client in &self.clients {
                self.refuse(turn, *client, None, halted_fault());
            }
        }
    }

    /// The journal is asked once more; the session goes on as if it worked.
    pub(crate) fn write_lost_records(&mut self, turn: &mut Turn) {
        for record in self.halted.take().into_iter().flatten() {
            turn.record(record);
        }
    }

    fn stop_at_journal(
        &mut self,
        turn: &mut Turn,
        never_begun: &BTreeSet<u64>,
        not_accepted: &[u64],
    ) {
        let Some(running) = &mut self.running else {
            return;
        };
        let number = running.item().number;
        if !running.forget_step(never_begun) {
            self.stop_running(turn, may_be_done());
        } else if not_accepted.contains(&number) {
            self.stop_running(turn, not_done());
        } else {
            let starts_it =
                |r: &Record| matches!(r, Record::Started { number: n, .. } if *n == number);
            self.halted
                .iter_mut()
                .for_each(|lost| lost.retain(|r| !starts_it(r)));
            self.unstart(turn);
        }
    }

    fn tell_late(&mut self, turn: &mut Turn, client: ClientId, message: Message) {
        if let Message::Outcome {
            outcome: Outcome::Done(Done { reply, .. }),
            ..
        } = &message
            && let Reply::Subscribed { subscription, .. } = reply
        {
            self.subscriptions.forget(*subscription);
        }
        tell_in_place_of(turn, client, message);
    }
}

/// A message that was to follow a record which is lost.
pub(crate) fn tell_in_place_of(turn: &mut Turn, client: ClientId, message: Message) {
    let message = match message {
        // Its command fails, and that is told.
        Message::Accepted { .. } => return,
        Message::Outcome {
            session,
            id,
            number,
            command,
            took_ms,
            ..
        } => Message::Outcome {
            session,
            id,
            number,
            command,
            outcome: Outcome::failed(may_be_done()),
            took_ms,
        },
        Message::Controlled { session, id } => Message::Refused {
            session,
            id,
            fault: may_be_done(),
        },
        says_nothing_recorded => says_nothing_recorded,
    };
    turn.tell(client, message);
}

/// The journal shall say what the operator was told.
fn unrecorded(mut record: Record) -> Record {
    if let Record::Ended { outcome, .. } = &mut record
        && outcome.fault().map(|fault| fault.code) != Some(Code::JournalFailed)
    {
        *outcome = Outcome::failed(may_be_done());
    }
    record
}

fn halted_fault() -> Fault {
    Fault::new(
        Code::JournalFailed,
        "The journal cannot be written; the session stands still",
    )
    .suggest("Check the journal's disk, then resume the queue.")
}

fn not_done() -> Fault {
    Fault::new(
        Code::JournalFailed,
        "It could not be recorded and was not done",
    )
}

fn may_be_done() -> Fault {
    Fault::new(Code::JournalFailed, "What became of it could not be recorded")
        .suggest("Check the journal's disk. Look at the page before you repeat it: it may have taken effect.")
}
