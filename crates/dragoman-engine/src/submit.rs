//! How a command enters the queue, or is refused.
//!
//! Must not know: how it will run.

use crate::queue::{Item, Queue};
use crate::session::Session;
use crate::turn::Turn;
use crate::{ClientId, Message, Record, policy};
use dragoman_model::{Code, Fault, Request, RequestId, State};

impl Session {
    pub(crate) fn submit(&mut self, turn: &mut Turn, client: ClientId, request: Request) {
        self.attach(client);
        if let Err(fault) = self.acceptable(&request) {
            return self.refuse(turn, client, request.id, fault);
        }
        request.id.iter().for_each(|id| self.seen.insert(id));
        let mut item = Item::new(self.next_number, request, State::Proposed);
        item.knows = self.read.len();
        item.client = Some(client);
        if item.is_up_to_policy() {
            self.decide(&mut item);
        }
        self.next_number += 1;
        let record = Record::Submitted {
            session: self.id.clone(),
            number: item.number,
            request: item.request.clone(),
            state: item.state,
        };
        self.record(turn, record);
        self.tell_accepted(turn, &item);
        self.announce(turn, &item);
        self.queue.push(item);
    }

    /// To whoever submitted it, while that one is there.
    pub(crate) fn tell_accepted(&self, turn: &mut Turn, item: &Item) {
        let Some(client) = item.client else {
            return;
        };
        let message = Message::Accepted {
            session: self.id.clone(),
            id: item.request.id.clone(),
            number: item.number,
            state: item.state,
        };
        turn.tell(client, message);
    }

    fn acceptable(&self, request: &Request) -> Result<(), Fault> {
        self.not_halted()?;
        if let Some(id) = request.id.as_ref().filter(|id| self.seen.contains(id)) {
            return Err(self.duplicate(id));
        }
        policy::check(&request.command)?;
        let unended = self.queue.len() + usize::from(self.running.is_some());
        if unended >= Queue::MOST {
            let message = format!("{unended} commands have not ended yet");
            return Err(Fault::new(Code::QueueFull, message));
        }
        Ok(())
    }

    fn duplicate(&self, id: &RequestId) -> Fault {
        let shown: String = id.to_string().chars().take(80).collect();
        let message = match self.first_with(id) {
            Some((number, state)) => {
                format!(
                    "Request {shown} is command {number}, which {}",
                    in_words(state)
                )
            }
            None => format!("Request {shown} was used before, and its command ended"),
        };
        Fault::new(Code::Duplicate, message)
    }

    fn first_with(&self, id: &RequestId) -> Option<(u64, State)> {
        let running = self.running.as_ref().map(|running| running.item());
        running
            .filter(|item| item.request.id.as_ref() == Some(id))
            .or_else(|| self.queue.by_id(id))
            .map(|item| (item.number, item.state))
            .or_else(|| self.history.by_id(id).map(|item| (item.number, item.state)))
    }
}

/// A state as the end of a sentence about a command.
pub(crate) fn in_words(state: State) -> &'static str {
    match state {
        State::Proposed => "waits for a person",
        State::Approved => "waits for its turn",
        State::Running => "is running",
        State::Done => "is done",
        State::Failed => "failed",
        State::Deleted => "was deleted",
        State::Interrupted => "was interrupted",
    }
}
