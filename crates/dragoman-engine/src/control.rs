//! What a person does to the queue. A control is carried out at once, as a whole or not at all.
//!
//! Must not know: how a command runs.

use crate::queue::Item;
use crate::session::Session;
use crate::submit::in_words;
use crate::turn::Turn;
use crate::{ClientId, Message, Record, policy};
use dragoman_model::{Code, Command, Control, Fault, QueueItem, QueueView, RequestId, State};

/// So many ended commands are listed when `limit` does not say.
const RECENT: usize = 20;

impl Session {
    pub(crate) fn control(
        &mut self,
        turn: &mut Turn,
        client: ClientId,
        id: Option<RequestId>,
        control: Control,
    ) {
        self.attach(client);
        let session = self.id.clone();
        let result = match control {
            Control::List { limit } => {
                let view = self.view(limit.unwrap_or(RECENT));
                return turn.tell(client, Message::Queue { session, id, view });
            }
            Control::Resume => {
                self.resume(turn);
                Ok(())
            }
            other => self.not_halted().and_then(|()| self.change(turn, other)),
        };
        match result {
            Ok(()) => turn.tell(client, Message::Controlled { session, id }),
            Err(fault) => self.refuse(turn, client, id, fault),
        }
    }

    fn change(&mut self, turn: &mut Turn, control: Control) -> Result<(), Fault> {
        match control {
            Control::Approve { number } => self.approve(turn, number),
            Control::Replace { number, command } => self.replace(turn, number, *command),
            Control::Cancel { number } => self.cancel(turn, number),
            Control::Move { number, before } => self.move_before(turn, number, before),
            Control::Step => self.step(turn),
            Control::Pause => {
                self.pause(turn, true);
                Ok(())
            }
            Control::Clear => {
                self.delete_waiting(turn, "the queue was cleared");
                Ok(())
            }
            Control::Allow { origin } => {
                self.allow(turn, origin);
                Ok(())
            }
            Control::Ask => {
                self.allow_nothing(turn);
                Ok(())
            }
            // Carried out by the caller, in a halted session too.
            Control::List { .. } | Control::Resume => Ok(()),
        }
    }

    fn view(&self, limit: usize) -> QueueView {
        let ended = self.history.recent(limit).cloned();
        let running = self.running.iter().map(|running| running.item().view());
        let waiting = self.queue.iter().map(Item::view);
        QueueView {
            paused: self.paused || self.halted.is_some(),
            auto: self.policy.auto,
            auto_origins: self.policy.auto_origins.clone(),
            looking: self.asking.is_some(),
            items: ended
                .chain(running)
                .chain(waiting)
                .collect::<Vec<QueueItem>>(),
        }
    }

    fn approve(&mut self, turn: &mut Turn, number: u64) -> Result<(), Fault> {
        let item = self.waiting(number)?;
        if item.state != State::Proposed {
            let message = format!("Command {number} {} already", in_words(item.state));
            return Err(Fault::new(Code::WrongState, message));
        }
        item.state = State::Approved;
        item.approved = true;
        item.approved_for = item.means.clone();
        item.note = None;
        let item = item.clone();
        let session = self.id.clone();
        self.record(turn, Record::Approved { session, number });
        self.announce(turn, &item);
        Ok(())
    }

    /// What was approved was approved as it read then: under a policy that asks, an edited
    /// command asks again.
    fn replace(&mut self, turn: &mut Turn, number: u64, command: Command) -> Result<(), Fault> {
        policy::check(&command)?;
        let mut item = self.waiting(number)?.clone();
        item.edits += 1;
        item.forget_approval();
        item.request.command = command;
        // Whoever edits knows what was read by now.
        item.knows = self.read.len();
        let before = item.state;
        match item.is_up_to_policy() {
            true => self.decide(&mut item),
            false => item.state = State::Proposed,
        }
        // An edit lets nothing through that waited.
        if before == State::Proposed {
            item.state = before;
        }
        if let Some(place) = self.queue.get_mut(number) {
            place.clone_from(&item);
        }
        let record = Record::Replaced {
            session: self.id.clone(),
            number,
            command: item.request.command.clone(),
            state: item.state,
        };
        self.record(turn, record);
        self.announce(turn, &item);
        Ok(())
    }

    fn cancel(&mut self, turn: &mut Turn, number: u64) -> Result<(), Fault> {
        if self
            .running
            .as_ref()
            .is_some_and(|r| r.item().number == number)
        {
            let fault = Fault::new(Code::Cancelled, "It was stopped while it ran")
                .suggest("Look at the page before you repeat it: it may have taken effect.");
            self.stop_running(turn, fault);
            return Ok(());
        }
        let Some(item) = self.queue.remove(number) else {
            return Err(self.not_waiting(number));
        };
        self.delete(turn, item, "it was cancelled");
        Ok(())
    }

    fn move_before(
        &mut self,
        turn: &mut Turn,
        number: u64,
        before: Option<u64>,
    ) -> Result<(), Fault> {
        self.waiting(number)?;
        before.map(|n| self.waiting(n).map(|_| ())).transpose()?;
        if before == Some(number) {
            return Ok(());
        }
        self.queue.move_before(number, before);
        let record = Record::Moved {
            session: self.id.clone(),
            number,
            before,
        };
        self.record(turn, record);
        if let Some(item) = self.queue.get(number).cloned() {
            self.announce(turn, &item);
        }
        Ok(())
    }

    /// Runs one now or refuses; permission is never saved up.
    fn step(&mut self, turn: &mut Turn) -> Result<(), Fault> {
        let refusal = if !self.paused {
            "The queue is not paused"
        } else if self.running.is_some() {
            "A command is running"
        } else if !self.any_may_start(turn) {
            "No approved command waits"
        } else {
            self.start_next(turn);
            return Ok(());
        };
        Err(Fault::new(Code::WrongState, refusal))
    }

    fn resume(&mut self, turn: &mut Turn) {
        self.write_lost_records(turn);
        self.pause(turn, false);
    }

    fn pause(&mut self, turn: &mut Turn, paused: bool) {
        if self.paused != paused {
            self.paused = paused;
            let session = self.id.clone();
            self.record(turn, Record::Paused { session, paused });
        }
    }

    fn waiting(&mut self, number: u64) -> Result<&mut Item, Fault> {
        let fault = self.not_waiting(number);
        self.queue.get_mut(number).ok_or(fault)
    }

    fn not_waiting(&self, number: u64) -> Fault {
        let running = self.running.as_ref().map(|r| r.item().number);
        let state = if running == Some(number) {
            in_words(State::Running)
        } else if let Some(item) = self.history.by_number(number) {
            in_words(item.state)
        } else if (1..self.next_number).contains(&number) {
            "ended a while ago"
        } else {
            let message = format!("There is no command {number}");
            return Fault::new(Code::UnknownNumber, message);
        };
        Fault::new(Code::WrongState, format!("Command {number} {state}"))
    }
}
