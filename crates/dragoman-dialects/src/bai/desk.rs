//! What both versions keep while they talk: where the browser is, what was asked of it, what is still to be
//! said, and when.
//!
//! Must not know: how anything is written.

use super::Options;
use super::jobs::Jobs;
use crate::chat::asking::Asking;
use crate::chat::{Act, dialogs};
use crate::redact;
use dragoman_model::{
    Code, Command, Control, Done, EventKind, Fault, ListTabs, OpenTab, Outcome, Request, RequestId,
    Subscribe, SurfaceEvent, TabId, TabInfo,
};
use std::collections::BTreeMap;
use std::time::Duration;

/// Between two tellings that nobody asked for.
const BREATH: Duration = Duration::from_secs(1);
/// So many of them in a row; then the assistant must say something first.
const UNASKED: u32 = 5;
/// Dialogs that are told of between two replies.
const DIALOGS: u32 = 3;

/// What a request of ours is for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Purpose {
    Nothing,
    /// The first page.
    Start,
    /// Where the browser is.
    Tabs,
    /// What is said when the dialog is answered.
    Dialog(String),
    /// An action, by its key among the jobs.
    Job(u64),
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tab {
    pub url: String,
    pub title: String,
    pub loading: bool,
    /// It is on its way to another page, of which nothing has come yet.
    pub leaving: bool,
    /// It went somewhere the assistant was not told of.
    pub moved: bool,
}

impl Tab {
    pub fn nav(&self) -> &'static str {
        match (self.leaving, self.loading) {
            (true, _) => "navigating",
            (false, true) => "loading",
            (false, false) => "idle",
        }
    }
}

#[derive(Debug)]
pub(super) struct Desk<A> {
    pub options: Options,
    asking: Asking<Purpose>,
    pub jobs: Jobs<A>,
    pub tabs: BTreeMap<TabId, Tab>,
    pub current: Option<TabId>,
    pub now: Duration,
    began: Duration,
    /// Counts what was said: what the assistant writes between two messages of ours belongs together.
    pub turn: u64,
    /// Something happened that nobody asked for; it is told at this time.
    due: Option<Duration>,
    told_at: Option<Duration>,
    unasked: u32,
    dialogs: u32,
    /// Nobody will say anything more.
    pub over: bool,
    pub acts: Vec<Act>,
}

/// How a request ended.
#[derive(Debug)]
pub(super) enum Ended {
    Job(u64, Result<Done, Fault>),
    Deleted(u64),
    Tabs,
    Said(String),
    Failed(Fault),
    Nothing,
}

impl<A> Desk<A> {
    pub fn new(options: Options) -> Self {
        Self {
            asking: Asking::new(&options.nonce),
            options,
            jobs: Jobs::default(),
            tabs: BTreeMap::new(),
            current: None,
            now: Duration::ZERO,
            began: Duration::ZERO,
            turn: 0,
            due: None,
            told_at: None,
            unasked: 0,
            dialogs: 0,
            over: false,
            acts: Vec::new(),
        }
    }

    pub fn start(&mut self) {
        self.began = self.now;
        let events = vec![
            EventKind::Tabs,
            EventKind::Navigation,
            EventKind::Dialogs,
            EventKind::Trouble,
            EventKind::Queue,
        ];
        let since = None;
        self.ask(Purpose::Nothing, Subscribe { events, since });
        match self.options.url.clone() {
            Some(url) => {
                let open = OpenTab {
                    url: Some(crate::with_scheme(url.trim())),
                    background: None,
                    until: None,
                };
                self.ask(Purpose::Start, open);
            }
            None if self.options.joins => self.ask(Purpose::Tabs, ListTabs {}),
            None => {}
        }
    }

    pub fn say(&mut self, text: String) {
        self.turn += 1;
        self.due = None;
        self.told_at = Some(self.now);
        self.acts.push(Act::Say(text));
    }

    /// Milliseconds since 1970.
    pub fn date(&self) -> u64 {
        let since = self.now.saturating_sub(self.began);
        self.options.epoch_ms + since.as_millis() as u64
    }

    pub fn log(&mut self, text: impl Into<String>) {
        self.acts.push(Act::Log(text.into()));
    }

    /// The assistant said something: what happens from now on is told again.
    pub fn heard(&mut self) {
        self.unasked = 0;
        self.dialogs = 0;
    }

    /// For ourselves: nobody has to approve it.
    pub fn ask(&mut self, purpose: Purpose, command: impl Into<Command>) {
        let request = Request {
            own: true,
            ..Request::new(command.into())
        };
        self.submit(purpose, request);
    }

    pub fn submit(&mut self, purpose: Purpose, request: Request) {
        let request = self.asking.ask(purpose, request);
        self.acts.push(Act::Submit(request));
    }

    /// One is under way already.
    pub fn asks_for_tabs(&self) -> bool {
        self.asking.any(|purpose| *purpose == Purpose::Tabs)
    }

    pub fn starts(&self) -> bool {
        self.asking.any(|purpose| *purpose == Purpose::Start)
    }

    pub fn outcome(&mut self, id: &RequestId, outcome: Outcome) -> Ended {
        let Some(purpose) = self.asking.answered(id) else {
            return Ended::Nothing;
        };
        let result = match outcome {
            Outcome::Done(done) => Ok(done),
            Outcome::Failed { fault, .. } | Outcome::Interrupted { fault } => Err(fault),
            Outcome::Deleted { .. } => match purpose {
                Purpose::Job(key) => return Ended::Deleted(key),
                _ => Err(Fault::new(Code::Cancelled, "It was taken out of the queue")),
            },
        };
        self.ended(purpose, result)
    }

    pub fn refused(&mut self, id: Option<&RequestId>, fault: Fault) -> Ended {
        match id.and_then(|id| self.asking.answered(id)) {
            Some(purpose) => self.ended(purpose, Err(fault)),
            None => Ended::Failed(fault),
        }
    }

    fn ended(&mut self, purpose: Purpose, result: Result<Done, Fault>) -> Ended {
        match (purpose, result) {
            (Purpose::Job(key), result) => Ended::Job(key, result),
            (Purpose::Tabs, Ok(done)) => {
                if let dragoman_model::Reply::Tabs(tabs) = done.reply {
                    self.list(&tabs);
                }
                Ended::Tabs
            }
            (Purpose::Tabs, Err(_)) => Ended::Tabs,
            (Purpose::Dialog(line), Ok(_)) => {
                self.dialogs += 1;
                match self.dialogs <= DIALOGS {
                    true => Ended::Said(line),
                    false => Ended::Nothing,
                }
            }
            (Purpose::Start, Err(fault)) => Ended::Failed(fault),
            (Purpose::Start, Ok(_)) => {
                self.soon();
                Ended::Nothing
            }
            (Purpose::Nothing | Purpose::Dialog(_), _) => Ended::Nothing,
        }
    }

    /// A request of ours has its number in the queue; a job is told whether it waits for a person.
    pub fn accepted(&mut self, id: &RequestId, number: u64, waits: bool) -> Option<u64> {
        match self.asking.purpose(id) {
            Some(Purpose::Job(key)) => {
                let key = *key;
                let job = self.jobs.get(key)?;
                job.number = Some(number);
                job.waits = waits;
                waits.then_some(key)
            }
            // What we do by ourselves (the first page, answering a dialog) is nobody's to approve.
            Some(_) if waits => {
                self.acts.push(Act::Control(Control::Approve { number }));
                None
            }
            _ => None,
        }
    }

    /// The job that a request in the queue belongs to.
    pub fn job_of(&self, id: Option<&RequestId>) -> Option<u64> {
        match self.asking.purpose(id?) {
            Some(Purpose::Job(key)) => Some(*key),
            _ => None,
        }
    }

    fn list(&mut self, tabs: &[TabInfo]) {
        self.tabs
            .retain(|tab, _| tabs.iter().any(|info| info.tab == *tab));
        for info in tabs {
            let tab = self.tabs.entry(info.tab).or_default();
            tab.url.clone_from(&info.url);
            tab.title.clone_from(&info.title);
            tab.leaving = info.navigating;
            if info.current {
                self.current = Some(info.tab);
            }
        }
    }

    /// Whether it is worth telling.
    pub fn event(&mut self, event: &SurfaceEvent) {
        match event {
            SurfaceEvent::TabOpened { tab: info } => {
                let tab = self.tabs.entry(info.tab).or_default();
                tab.url.clone_from(&info.url);
                tab.title.clone_from(&info.title);
                if info.current || self.current.is_none() {
                    self.current = Some(info.tab);
                    self.soon();
                }
            }
            SurfaceEvent::TabClosed { tab } => {
                self.tabs.remove(tab);
                if self.current == Some(*tab) {
                    self.current = None;
                    self.soon();
                }
            }
            SurfaceEvent::TabActivated { tab } if self.current != Some(*tab) => {
                self.current = Some(*tab);
                self.soon();
            }
            SurfaceEvent::Navigated {
                tab,
                url,
                title,
                same_document,
            } => {
                let known = self.tabs.entry(*tab).or_default();
                known.url.clone_from(url);
                known.title.clone_from(title);
                known.loading = !same_document;
                known.moved = true;
                self.soon_if_current(*tab);
            }
            SurfaceEvent::Loaded { tab, url } => {
                let known = self.tabs.entry(*tab).or_default();
                known.url.clone_from(url);
                known.loading = false;
                self.soon_if_current(*tab);
            }
            SurfaceEvent::DialogOpened { tab: on, dialog } => {
                let (answer, line) = dialogs::answer(dialog, &self.shown(&dialog.message));
                let request = Request {
                    tab: Some(*on),
                    own: true,
                    ..Request::new(answer.into())
                };
                self.submit(Purpose::Dialog(line), request);
            }
            SurfaceEvent::BrowserGone { .. } => {
                self.tabs.clear();
                self.current = None;
            }
            _ => {}
        }
    }

    fn soon_if_current(&mut self, tab: TabId) {
        if self.current.is_none_or(|current| current == tab) {
            self.soon();
        }
    }

    /// Tell it by itself, but not at every turn.
    pub fn soon(&mut self) {
        if self.due.is_some() || self.unasked >= UNASKED {
            return;
        }
        self.unasked += 1;
        self.due = Some(
            self.told_at
                .map_or(self.now, |at| (at + BREATH).max(self.now)),
        );
    }

    pub fn is_due(&self) -> bool {
        self.due.is_some_and(|at| at <= self.now)
    }

    pub fn wake_at(&self) -> Option<Duration> {
        self.due.filter(|_| self.jobs.are_quiet())
    }

    /// Text from a page.
    pub fn shown(&self, text: &str) -> String {
        match self.options.redact {
            true => redact::redact(text).into_owned(),
            false => text.to_owned(),
        }
    }
}
