//! One client: its conversation in its dialect, what it said that is not yet handed on, what it
//! is to be told. Bytes become inputs here, and messages become bytes.

use super::{Driver, Ending, Event};
use crate::conversation::{Conversation, Said};
use crate::journal::Journal;
use crate::link::{Farewell, Link, Output};
use crate::search::{self, Searching};
use crate::surface::Surface;
use dragoman_dialects::ux::{Found, Search};
use dragoman_engine::{ClientId, Input, Message};
use dragoman_model::{Code, Fault, Request, SessionId};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::AbortHandle;

/// While a session has this many commands that have not ended, a client's further words wait. It
/// lets a long file be piped in without being refused for its length.
const ENOUGH: usize = 200;

#[derive(Debug)]
pub struct Client {
    session: SessionId,
    attached: BTreeSet<SessionId>,
    conversation: Conversation,
    said: VecDeque<Said>,
    ended: bool,
    /// Lets the pump bring the next bytes, once all that it brought is handed on.
    gate: Rc<Semaphore>,
    gate_closed: bool,
    output: Output,
    buffer: Vec<u8>,
    tasks: [AbortHandle; 2],
    /// They end with it.
    searches: HashMap<u64, Searching>,
    pub may_search: bool,
}

impl Drop for Client {
    fn drop(&mut self) {
        self.tasks.iter().for_each(AbortHandle::abort);
    }
}

impl Client {
    pub fn tell(&mut self, now: Duration, message: Message) {
        let said = self.conversation.tell(now, message);
        self.take_answers(said);
    }

    pub fn wake_at(&self) -> Option<Duration> {
        self.conversation.wake_at()
    }

    pub fn tick(&mut self, now: Duration) {
        if self.conversation.wake_at().is_some_and(|at| at <= now) {
            let said = self.conversation.tick(now);
            self.take_answers(said);
        }
    }

    pub fn wants(&self, message: &Message) -> bool {
        self.conversation.wants(message)
    }

    pub fn flush(&mut self) {
        if !self.buffer.is_empty() {
            self.output.send(std::mem::take(&mut self.buffer));
        }
    }

    /// Whether it must be attached to this session first.
    pub fn attach(&mut self, session: &SessionId) -> bool {
        self.attached.insert(session.clone())
    }

    pub fn is_done(&self) -> bool {
        self.ended && self.said.is_empty() && !self.conversation.is_busy()
    }

    pub fn dialect(&self) -> &'static str {
        self.conversation.dialect()
    }

    /// It came for this session, and has nothing else to do here.
    pub fn came_for(&self, session: &SessionId) -> bool {
        self.session == *session && !matches!(self.conversation, Conversation::Direct(_))
    }

    /// The session it came for, and all others it worked in.
    pub fn sessions(&self) -> impl Iterator<Item = &SessionId> {
        self.attached.iter()
    }

    pub fn takes_part_in(&self, session: &SessionId) -> bool {
        self.attached.contains(session)
    }

    pub fn say_farewell(&self, farewell: Farewell) {
        self.output.say_farewell(farewell);
    }

    /// Bytes that it has not read yet.
    pub fn backlog(&self) -> usize {
        self.output.backlog()
    }

    pub async fn heard_all(&self) {
        self.output.empty().await;
    }

    fn take_said(&mut self, said: Vec<Said>) {
        self.said.extend(said);
    }

    /// What is answered to a message of ours waits for nothing that the client said.
    fn take_answers(&mut self, said: Vec<Said>) {
        for said in said {
            match said {
                // Big answers are not moved about.
                Said::Answer(bytes) if self.buffer.is_empty() => self.buffer = bytes,
                Said::Answer(bytes) => self.buffer.extend(bytes),
                said => self.said.push_back(said),
            }
        }
    }
}

impl<J: Journal + 'static, S: Surface> Driver<J, S> {
    /// Take part in a session that is open. The dialect's greeting is sent at once.
    pub fn join(
        &mut self,
        link: Link,
        mut conversation: Conversation,
        session: &SessionId,
    ) -> ClientId {
        self.last_client += 1;
        let id = ClientId(self.last_client);
        let greeting = conversation.greet(self.now());
        let gate = Rc::new(Semaphore::new(1));
        let output = link.output.clone();
        let pump = pump(
            id,
            link.input,
            output.clone(),
            gate.clone(),
            self.events.clone(),
        );
        let events = self.events.clone();
        let listener = output.clone();
        let deaf = async move {
            listener.closed().await;
            let _ = events.send(Event::ClientDeaf { client: id });
        };
        let tasks = [
            tokio::task::spawn_local(pump).abort_handle(),
            tokio::task::spawn_local(deaf).abort_handle(),
        ];
        let mut client = Client {
            session: session.clone(),
            attached: BTreeSet::from([session.clone()]),
            conversation,
            said: VecDeque::new(),
            ended: false,
            gate,
            gate_closed: false,
            output,
            buffer: Vec::new(),
            tasks,
            searches: HashMap::new(),
            may_search: true,
        };
        client.take_answers(greeting);
        self.clients.insert(id, client);
        self.input(Input::Attach {
            session: session.clone(),
            client: id,
        });
        id
    }

    /// Ask for something on a client's behalf, before anything it says itself.
    pub fn submit(&mut self, session: &SessionId, client: ClientId, request: Request) {
        self.input(Input::Submit {
            session: session.clone(),
            client,
            request,
        });
    }

    pub(super) fn receive(&mut self, client: ClientId, bytes: &[u8]) {
        let now = self.now();
        if let Some(client) = self.clients.get_mut(&client) {
            let said = client.conversation.feed(now, bytes);
            client.take_said(said);
            client.gate_closed = true;
        }
    }

    pub(super) fn client_ended(&mut self, client: ClientId) {
        let now = self.now();
        if let Some(client) = self.clients.get_mut(&client) {
            let said = client.conversation.end(now);
            client.take_said(said);
            client.ended = true;
        }
    }

    /// With one client that is the end of it all; with several it is the end of one.
    pub(super) fn client_deaf(&mut self, client: ClientId) {
        if self.clients.len() == 1 && !self.has_door() {
            return self.close(Ending::Deaf);
        }
        self.leave(client);
    }

    /// Hand on what clients said, as far as there is room for it.
    pub(super) fn feed_clients(&mut self) {
        let ids: Vec<ClientId> = self.clients.keys().copied().collect();
        for id in ids {
            while let Some((session, said)) = self.next_said(id) {
                self.hand_on(id, &session, said);
            }
            if let Some(client) = self.clients.get_mut(&id)
                && client.said.is_empty()
                && std::mem::take(&mut client.gate_closed)
            {
                client.gate.add_permits(1);
            }
        }
    }

    fn next_said(&mut self, id: ClientId) -> Option<(SessionId, Said)> {
        if self.draining.is_some() {
            return None;
        }
        let client = self.clients.get_mut(&id)?;
        let session = client
            .said
            .front()?
            .session()
            .unwrap_or(&client.session)
            .clone();
        let full = self
            .lanes
            .get(&session)
            .is_some_and(|lane| lane.is_busy() && lane.open_count() >= ENOUGH);
        if full {
            return None;
        }
        client.said.pop_front().map(|said| (session, said))
    }

    fn hand_on(&mut self, id: ClientId, session: &SessionId, said: Said) {
        let input = match said {
            Said::Submit { request, .. } => Input::Submit {
                session: session.clone(),
                client: id,
                request,
            },
            Said::Control {
                id: request,
                control,
                ..
            } => Input::Control {
                session: session.clone(),
                client: id,
                id: request,
                control,
            },
            Said::Own { session } => {
                self.passing.insert(session);
                return;
            }
            Said::Close { session, home } => {
                if let (Some(home), Some(client)) = (home, self.clients.get_mut(&id)) {
                    self.passing.insert(home.clone());
                    client.session = home;
                }
                return self.close_session(session);
            }
            Said::Search(search) => return self.search(id, search),
            Said::StopSearch(number) => {
                if let Some(client) = self.clients.get_mut(&id) {
                    client.searches.remove(&number);
                }
                return;
            }
            Said::Answer(bytes) => {
                if let Some(client) = self.clients.get_mut(&id) {
                    client.buffer.extend_from_slice(&bytes);
                }
                return;
            }
        };
        self.input_for(session, id, input);
    }

    fn search(&mut self, id: ClientId, search: Search) {
        let Some(client) = self.clients.get_mut(&id) else {
            return;
        };
        let number = search.number;
        if !client.may_search {
            let fault = Fault::new(Code::NotAllowed, "Who only watches searches no files");
            let over = Some(Err(fault));
            let found = Found {
                over,
                ..Found::default()
            };
            return self.found(id, number, found);
        }
        let events = self.events.clone();
        let tell = move |found| {
            let client = id;
            let _ = events.send(Event::Found {
                client,
                number,
                found,
            });
        };
        let searching = search::begin(search, self.search_roots.clone(), tell);
        client.searches.insert(number, searching);
    }

    pub(super) fn found(&mut self, id: ClientId, number: u64, found: Found) {
        let now = self.now();
        if let Some(client) = self.clients.get_mut(&id) {
            if found.over.is_some() {
                client.searches.remove(&number);
            }
            let said = client.conversation.found(now, number, found);
            client.take_answers(said);
        }
    }
}

/// Brings one chunk at a time, and none while the client does not read our answers.
async fn pump(
    client: ClientId,
    mut input: mpsc::Receiver<Vec<u8>>,
    output: Output,
    gate: Rc<Semaphore>,
    events: mpsc::UnboundedSender<Event>,
) {
    while let Ok(permit) = gate.acquire().await {
        permit.forget();
        output.not_too_much().await;
        let event = match input.recv().await {
            Some(bytes) => Event::Bytes { client, bytes },
            None => Event::ClientEnded { client },
        };
        let last = matches!(event, Event::ClientEnded { .. });
        if events.send(event).is_err() || last {
            return;
        }
    }
}
