//! One agent: its messages are done one after the other, in the order they came; what happens meanwhile is told to
//! whoever subscribed.
//!
//! Must not know: the engine, a clock, how messages travel.

use super::batch::millis;
use super::look::Look;
use super::page_news::{self, SEEN_BY_LOOKING, Seen};
use super::read::{self, Incoming};
use super::run::{Context, Scope};
use super::search::{Search, Searches};
use super::streams::Streams;
use super::task::{Signal, Step, Task};
use super::testing::{Clock, Testing};
use super::trouble::{Kind, Trouble};
use super::wire::{Ask, RecordingResult, Version};
use crate::json::Object;
use dragoman_model::{
    Code, Command, Done, EventKind, Fault, Navigate, Outcome, QueueItem, Reply, Request, RequestId,
    Subscribe, SurfaceEvent, TakeSnapshot,
};
use std::collections::{HashMap, VecDeque};
use std::time::Duration;

/// Messages that wait for their turn.
const MOST_WAITING: usize = 1_000;

#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    Submit(Request),
    /// One message to the agent.
    Send(String),
    Search(Search),
    StopSearch(u64),
    /// For the log.
    Note(String),
}

#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Makes the ids of our requests differ from those of other conversations.
    pub nonce: String,
    /// Go there first.
    pub url: Option<String>,
}

#[derive(Debug)]
pub struct Conversation {
    pub(super) options: Options,
    pub(super) epoch_ms: u64,
    pub(super) version: Version,
    pub(super) clock: Clock,
    pub(super) testing: Testing,
    pub(super) streams: Streams,
    pub(super) searches: Searches,
    pub(super) seen: Seen,
    pub(super) is_prompt: Option<bool>,
    /// Of a page, when it was looked at last.
    pub(super) url: Option<String>,
    pub(super) asked: u64,
    pub(super) open: HashMap<RequestId, Purpose>,
    pub(super) waiting: VecDeque<Task>,
    pub(super) current: Option<Task>,
    /// The current one waits for this moment, or for something to happen.
    pub(super) pausing: Option<Duration>,
    pub(super) listening: bool,
    pub(super) stirred: bool,
    /// A page is to be looked at for those who subscribed.
    pub(super) news_due: Option<Duration>,
    pub(super) acts: Vec<Act>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Nothing,
    Look(Scope),
    Do,
    News,
}

impl Conversation {
    pub fn new(options: Options) -> Self {
        Self {
            options,
            epoch_ms: 0,
            version: Version::V2_0,
            clock: Clock::default(),
            testing: Testing::default(),
            streams: Streams::default(),
            searches: Searches::default(),
            seen: Seen::default(),
            is_prompt: None,
            url: None,
            asked: 0,
            open: HashMap::new(),
            waiting: VecDeque::new(),
            current: None,
            pausing: None,
            listening: false,
            stirred: false,
            news_due: None,
            acts: Vec::new(),
        }
    }

    /// `epoch_ms`: from 1970 to the moment that times are counted from.
    pub fn start(&mut self, now: Duration, epoch_ms: u64) -> Vec<Act> {
        self.clock.set(now);
        self.epoch_ms = epoch_ms;
        if let Some(url) = self.options.url.take() {
            self.submit(Purpose::Nothing, Navigate { url, until: None }, None, false);
        }
        self.done()
    }

    pub fn message(&mut self, now: Duration, text: &str) -> Vec<Act> {
        self.clock.set(now);
        match read::read(text, self.version) {
            Incoming::Ask { id, ask, object } => self.asked(id, *ask, &object),
            Incoming::Bad { id, trouble } => self.error(id.as_deref(), trouble),
            Incoming::Unknown { name } => {
                let note = format!("a message of the unknown type {name:?} was ignored");
                self.acts.push(Act::Note(note));
            }
        }
        self.done()
    }

    /// A message that could not even be read as text.
    pub fn unreadable(&mut self, why: &str) -> Vec<Act> {
        self.error(None, Trouble::new(Kind::Invalid, why));
        self.done()
    }

    pub fn outcome(&mut self, now: Duration, id: &RequestId, outcome: Outcome) -> Vec<Act> {
        let result = match outcome {
            Outcome::Done(done) => Ok(done),
            Outcome::Failed { fault, .. } | Outcome::Interrupted { fault } => Err(fault),
            Outcome::Deleted { reason } => Err(Fault::new(Code::Cancelled, reason)),
        };
        self.ended(now, id, result)
    }

    pub fn refused(&mut self, now: Duration, id: &RequestId, fault: Fault) -> Vec<Act> {
        self.ended(now, id, Err(fault))
    }

    pub fn event(&mut self, now: Duration, event: &SurfaceEvent) -> Vec<Act> {
        self.clock.set(now);
        let shows = !matches!(
            event,
            SurfaceEvent::Console { .. }
                | SurfaceEvent::Request { .. }
                | SurfaceEvent::Response { .. }
                | SurfaceEvent::Download { .. }
        );
        self.stirred |= shows;
        if matches!(
            event,
            SurfaceEvent::Navigated {
                same_document: false,
                ..
            }
        ) {
            self.seen.forget();
        }
        if let SurfaceEvent::Navigated { url, .. } = event {
            self.url = Some(url.clone());
        }
        for news in page_news::of_event(event) {
            self.happened(news);
        }
        if matches!(event, SurfaceEvent::Changed { .. }) && self.is_prompt != Some(true) {
            self.look_for_news();
        }
        self.wake();
        self.done()
    }

    /// Others work here, too: what they did may have changed something that no event tells of.
    pub fn queue_changed(&mut self, now: Duration, item: &QueueItem) -> Vec<Act> {
        self.clock.set(now);
        let ours = item.id.as_ref().is_some_and(|id| self.is_ours(id));
        if item.state.is_end() && !ours && !item.command.reads_only() {
            self.stirred = true;
            self.look_for_news();
            self.wake();
        }
        self.done()
    }

    fn is_ours(&self, id: &RequestId) -> bool {
        let nonce = &self.options.nonce;
        matches!(id, RequestId::Text(text) if text.strip_prefix(nonce).is_some_and(|n| n.starts_with('-')))
    }

    pub fn wake_at(&self) -> Option<Duration> {
        let own = [self.pausing, self.streams.wake_at()];
        let own = own
            .into_iter()
            .flatten()
            .filter_map(|at| self.clock.real(at));
        own.chain(self.news_due).min()
    }

    pub fn tick(&mut self, now: Duration) -> Vec<Act> {
        self.clock.set(now);
        if self.current.is_none()
            && let Some(at) = self.streams.wake_at()
            && self.clock.real(at).is_some_and(|at| at <= now)
        {
            self.clock.jump_to(at);
        }
        self.tell_due();
        if self.news_due.is_some_and(|at| at <= now) {
            self.look_for_news();
        }
        if self.pausing.is_some_and(|at| at <= self.clock.now()) {
            self.wake();
        }
        self.done()
    }

    /// Something is asked for and not yet answered.
    pub fn is_busy(&self) -> bool {
        self.current.is_some()
            || !self.waiting.is_empty()
            || !self.open.is_empty()
            || !self.searches.is_empty()
    }

    fn asked(&mut self, id: Option<String>, ask: Ask, object: &Object) {
        self.testing.record(&ask, object);
        let name = ask.name();
        let task = match ask {
            Ask::Subscribe(ask) => return self.subscribe(&id.unwrap_or_default(), &ask),
            Ask::Unsubscribe(ask) => return self.unsubscribe(id.as_deref(), &ask.subscription_id),
            Ask::FileSearch(ask) => return self.search(&id.unwrap_or_default(), &ask),
            Ask::Cancel(ask) => return self.cancel(id.as_deref(), &ask.cancels),
            Ask::GetRecording(_) => {
                let recording = self.testing.recorded();
                return self.send(
                    "recordingResult",
                    id.as_deref(),
                    &RecordingResult { recording },
                );
            }
            Ask::Batch(batch) => match read::steps(&batch) {
                Ok(steps) => Task::many(id, steps, batch.options),
                Err(trouble) => return self.error(id.as_deref(), trouble),
            },
            ask => Task::one(id, name, ask),
        };
        if self.waiting.len() >= MOST_WAITING {
            let message = format!("{MOST_WAITING} messages wait for their turn");
            return self.error(task.id.as_deref(), Trouble::new(Kind::Busy, message));
        }
        self.waiting.push_back(task);
        if self.current.is_none() {
            self.begin_next();
        }
    }

    fn begin_next(&mut self) {
        while self.current.is_none() {
            let Some(mut task) = self.waiting.pop_front() else {
                return;
            };
            task.begin(self.clock.now());
            if task.waits() {
                self.listen();
            }
            self.current = Some(task);
            self.advance(Signal::Begin);
        }
    }

    fn context(&self) -> Context {
        Context {
            now: self.clock.now(),
            stirred: self.stirred,
            is_prompt: self.is_prompt,
            tell_state: self.testing.tells_state(),
        }
    }

    /// Let the current one go on until it wants something that takes time.
    fn advance(&mut self, mut signal: Signal) {
        self.pausing = None;
        loop {
            let context = self.context();
            let Some(task) = &mut self.current else {
                return;
            };
            let own = !task.asks_to_see();
            match task.step(&context, signal) {
                Step::Look(scope) => return self.look(scope, own),
                Step::Do(command) => {
                    let left = task.time_left(context.now);
                    return self.submit(Purpose::Do, command, left, false);
                }
                Step::Pause(until) if self.clock.jumps() => {
                    self.clock.jump_to(until);
                    self.tell_due();
                    signal = Signal::Woken;
                }
                Step::Pause(until) => {
                    self.pausing = Some(until);
                    return;
                }
                Step::Settle(ask) => {
                    let id = self.current.take().and_then(|task| task.id);
                    return self.settle(id.as_deref(), &ask);
                }
                Step::Answer(answer) => {
                    if let Some(task) = self.current.take() {
                        self.answer(&task, answer);
                    }
                    return;
                }
                Step::Result(result) => {
                    if let Some(task) = self.current.take() {
                        self.batch_result(&task, &result);
                    }
                    return;
                }
            }
        }
    }

    fn wake(&mut self) {
        if self.pausing.is_some() {
            self.advance(Signal::Woken);
            self.begin_next();
        }
    }

    fn settle(&mut self, id: Option<&str>, ask: &Ask) {
        let is_prompt = self.is_prompt == Some(true);
        match ask {
            Ask::TestMode(ask) => {
                let body = self.testing.test_mode(ask, is_prompt);
                if let (false, Some(url)) = (is_prompt, &self.url) {
                    self.testing.record_address(url);
                }
                self.send("testModeResult", id, &body);
            }
            Ask::ConfigureHeadless(ask) => {
                let body = self.testing.configure(ask, is_prompt);
                self.send("configureHeadlessResult", id, &body);
            }
            _ => {}
        }
        self.clock.pace(self.testing.pace());
    }

    fn ended(&mut self, now: Duration, id: &RequestId, result: Result<Done, Fault>) -> Vec<Act> {
        self.clock.set(now);
        match self.open.remove(id) {
            None | Some(Purpose::Nothing) => {}
            Some(Purpose::Do) => {
                // What an action changed is in its receipt, and no event tells of it again.
                self.look_for_news();
                self.advance(Signal::Performed(result));
            }
            Some(Purpose::News) => {
                if let Ok(look) = looked(result) {
                    self.saw(&look);
                }
            }
            Some(Purpose::Look(scope)) => match looked(result) {
                Ok(look) => self.looked(scope, look),
                Err(fault) => self.advance(Signal::LookFailed(fault)),
            },
        }
        self.begin_next();
        self.done()
    }

    fn looked(&mut self, scope: Scope, look: Look) {
        let was_prompt = self.is_prompt == Some(true);
        self.saw(&look);
        // It was looked at as one looks at a prompt, and is none.
        if scope == Scope::State && was_prompt && look.prompt().is_none() {
            let own = self
                .current
                .as_ref()
                .is_some_and(|task| !task.asks_to_see());
            return self.look(scope, own);
        }
        let all = look.prompt().is_none() || scope == Scope::Elements || !was_prompt;
        let scope = match all {
            true => Scope::Elements,
            false => scope,
        };
        self.advance(Signal::Looked(scope, look));
    }

    fn saw(&mut self, look: &Look) {
        self.is_prompt = Some(look.prompt().is_some());
        self.url = look.prompt().is_none().then(|| look.0.url.clone());
        if self.streams.want(SEEN_BY_LOOKING) {
            for news in self.seen.compare(look) {
                self.happened(news);
            }
        }
    }

    /// From now on, be told of what happens.
    pub(super) fn listen(&mut self) {
        if !std::mem::replace(&mut self.listening, true) {
            let events = vec![
                EventKind::Tabs,
                EventKind::Navigation,
                EventKind::Dialogs,
                EventKind::Changes,
                EventKind::Trouble,
                EventKind::Prompt,
                EventKind::Queue,
            ];
            let since = None;
            self.submit(Purpose::Nothing, Subscribe { events, since }, None, true);
        }
    }

    fn look(&mut self, scope: Scope, own: bool) {
        self.stirred = false;
        // Of a prompt, the state needs no elements.
        let limit = match (scope, self.is_prompt) {
            (Scope::State, Some(true)) => Some(1),
            _ => None,
        };
        let left = self
            .current
            .as_ref()
            .and_then(|task| task.time_left(self.clock.now()));
        self.submit(Purpose::Look(scope), take_snapshot(limit), left, own);
    }

    pub(super) fn submit(
        &mut self,
        purpose: Purpose,
        command: impl Into<Command>,
        time_left: Option<Duration>,
        own: bool,
    ) {
        self.asked += 1;
        let id = RequestId::Text(format!("{}-{}", self.options.nonce, self.asked));
        let mut request = Request::new(command.into());
        request.id = Some(id.clone());
        request.own = own;
        request.timeout_ms = time_left.map(millis);
        self.open.insert(id, purpose);
        self.acts.push(Act::Submit(request));
    }

    pub(super) fn done(&mut self) -> Vec<Act> {
        std::mem::take(&mut self.acts)
    }
}

fn looked(result: Result<Done, Fault>) -> Result<Look, Fault> {
    match result?.reply {
        Reply::Snapshot(snapshot) => Ok(Look(snapshot)),
        _ => Err(Fault::new(
            Code::Internal,
            "a snapshot answered with something else",
        )),
    }
}

pub(super) fn take_snapshot(limit: Option<u32>) -> TakeSnapshot {
    TakeSnapshot {
        in_view: None,
        interactive: None,
        root: None,
        all_refs: None,
        limit,
    }
}
