//! The commands that wait, in order.
//!
//! Approved commands run in queue order; a proposed one holds nobody up but those of its own chain.
//! Must not know: what runs, what is recorded, who is told.

use crate::ClientId;
use dragoman_model::{Command, Meaning, Outcome, QueueItem, Request, RequestId, State};

/// One accepted command, from its submission to its end.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub number: u64,
    pub request: Request,
    pub state: State,
    pub edits: u32,
    /// What it would act on, when that was last looked up, and in which moment of the session.
    pub means: Option<Meaning>,
    pub looked: Option<u64>,
    /// A person has let it through; otherwise the policy decides, until it starts.
    pub approved: bool,
    /// How much of what its session has read was read when it was given.
    pub knows: usize,
    /// What a person has approved it for, and, when that is found to be so still, the element.
    pub approved_for: Option<Meaning>,
    pub bound: Option<Command>,
    pub note: Option<String>,
    /// Who submitted it, while that client is there.
    pub client: Option<ClientId>,
}

impl Item {
    pub fn view(&self) -> QueueItem {
        QueueItem {
            number: self.number,
            id: self.request.id.clone(),
            state: self.state,
            command: self.request.command.clone(),
            tab: self.request.tab,
            timeout_ms: self.request.timeout_ms,
            edits: self.edits,
            means: self.means.clone().map(Box::new),
            note: self.note.clone(),
            outcome: None,
        }
    }

    /// As it was submitted, or aimed at the element that was approved.
    pub fn command(&self) -> &Command {
        self.bound.as_ref().unwrap_or(&self.request.command)
    }

    /// What was approved for an element is done to that element only.
    pub fn must_be_checked(&self) -> bool {
        let known = |meaning: &Meaning| meaning.element.is_some();
        self.bound.is_none() && self.approved_for.as_ref().is_some_and(known)
    }

    /// It is another command from now on, or to be decided on anew.
    pub fn forget_approval(&mut self) {
        self.means = None;
        self.looked = None;
        self.approved = false;
        self.approved_for = None;
        self.bound = None;
        self.note = None;
    }

    /// Whether the policy alone says if it goes or waits.
    pub fn is_up_to_policy(&self) -> bool {
        !self.approved && self.request.asks.is_none()
    }

    pub fn into_ended(self, outcome: Outcome) -> QueueItem {
        QueueItem {
            number: self.number,
            id: self.request.id,
            state: outcome.state(),
            command: self.request.command,
            tab: self.request.tab,
            timeout_ms: self.request.timeout_ms,
            edits: self.edits,
            means: self.means.map(Box::new),
            note: None,
            outcome: Some(outcome),
        }
    }

    pub fn new(number: u64, request: Request, state: State) -> Self {
        Self {
            number,
            note: request.asks.clone(),
            request,
            state,
            edits: 0,
            means: None,
            looked: None,
            approved: false,
            knows: 0,
            approved_for: None,
            bound: None,
            client: None,
        }
    }

    pub fn restored(item: QueueItem) -> Self {
        let request = Request {
            id: item.id,
            tab: item.tab,
            timeout_ms: item.timeout_ms,
            ..Request::new(item.command)
        };
        Self {
            edits: item.edits,
            ..Self::new(item.number, request, item.state)
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Queue {
    items: Vec<Item>,
}

impl Queue {
    /// Waiting and running commands of one session, together.
    pub const MOST: usize = 1_000;

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Item> {
        self.items.iter()
    }

    pub fn push(&mut self, item: Item) {
        self.items.push(item);
    }

    pub fn get(&self, number: u64) -> Option<&Item> {
        self.items.iter().find(|item| item.number == number)
    }

    pub fn get_mut(&mut self, number: u64) -> Option<&mut Item> {
        self.items.iter_mut().find(|item| item.number == number)
    }

    pub fn by_id(&self, id: &RequestId) -> Option<&Item> {
        let mut items = self.items.iter();
        items.find(|item| item.request.id.as_ref() == Some(id))
    }

    pub fn remove(&mut self, number: u64) -> Option<Item> {
        let at = self.position(number)?;
        Some(self.items.remove(at))
    }

    pub fn take_all(&mut self) -> Vec<Item> {
        std::mem::take(&mut self.items)
    }

    pub fn has_approved(&self) -> bool {
        self.next_place().is_some()
    }

    /// The first that may run.
    pub fn next(&self) -> Option<&Item> {
        self.items.get(self.next_place()?)
    }

    /// The first of the foremost that wait for a person and were not looked up in this moment; from now on it was.
    pub fn look_at_next(&mut self, moment: u64, foremost: usize) -> Option<u64> {
        let proposed = |item: &&mut Item| item.state == State::Proposed;
        let mut items = self.items.iter_mut().filter(proposed).take(foremost);
        let item = items.find(|item| item.looked != Some(moment))?;
        item.looked = Some(moment);
        Some(item.number)
    }

    /// Those whose turn it could be: no other of their chain waits before them.
    pub fn free(&self) -> impl Iterator<Item = &Item> {
        let mut chains = Vec::new();
        self.items.iter().filter(move |item| {
            let chain = item.request.chain.map(|chain| (item.client, chain));
            let free = chain.is_none_or(|chain| !chains.contains(&chain));
            chains.extend(chain);
            free
        })
    }

    /// Take out the first that may run, and say where it stood.
    pub fn take_next(&mut self) -> Option<(usize, Item)> {
        let at = self.next_place()?;
        Some((at, self.items.remove(at)))
    }

    pub fn put_back(&mut self, place: usize, item: Item) {
        self.items.insert(place.min(self.items.len()), item);
    }

    /// Both must wait here, and differ.
    pub fn move_before(&mut self, number: u64, before: Option<u64>) {
        let Some(item) = self.remove(number) else {
            return;
        };
        let end = self.items.len();
        let place = before.and_then(|n| self.position(n)).unwrap_or(end);
        self.items.insert(place, item);
    }

    /// Take out what stands behind a command of this chain that failed, except what only reads.
    pub fn take_chain(&mut self, client: Option<ClientId>, chain: u64) -> Vec<Item> {
        let ends = |item: &mut Item| {
            item.client == client
                && item.request.chain == Some(chain)
                && !item.request.command.reads_only()
        };
        self.items.extract_if(.., ends).collect()
    }

    pub fn detach(&mut self, client: ClientId) {
        let own = |item: &&mut Item| item.client == Some(client);
        self.items
            .iter_mut()
            .filter(own)
            .for_each(|i| i.client = None);
    }

    fn next_place(&self) -> Option<usize> {
        let mut held = Vec::new();
        self.items.iter().position(|item| {
            let chain = item.request.chain.map(|chain| (item.client, chain));
            let free = chain.is_none_or(|chain| !held.contains(&chain));
            if item.state != State::Approved {
                held.extend(chain);
            }
            free && item.state == State::Approved
        })
    }

    fn position(&self, number: u64) -> Option<usize> {
        self.items.iter().position(|item| item.number == number)
    }
}
