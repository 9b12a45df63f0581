//! One agent: its messages are done one after the other, in the order they came; what happens meanwhile is told to
//! whoever subscribed.
//!
//! Must not know: the engine, a clock, how messages travel.

use super::batch::millis;
use super::page_news::{self, Seen};
use super::read::{self, Incoming};
use super::run::Scope;
use super::search::{Search, Searches};
use super::streams::Streams;
use super::task::Task;
use super::testing::{Clock, Testing};
use super::trouble::{Kind, Trouble};
use super::wire::Version;
use dragoman_model::{
    Code, Command, Fault, Navigate, Outcome, QueueItem, Request, RequestId, SurfaceEvent,
};
use std::collections::{HashMap, VecDeque};
use std::time::Duration;

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
