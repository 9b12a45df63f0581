//! One conversation: what the assistant says becomes requests, and what comes of them becomes the
//! next user turn.
//!
//! One command is worked on at a time. When it is done, the tabs it changed are looked at, and all
//! there is to say is said in one message. A change that nobody asked for is told too, when nothing
//! else is going on. Must not know: the engine, a clock (time is an argument), how text travels.

mod doing;
mod ended;
mod looking;
mod said;

use super::action::Action;
use super::prompt::prompt;
use super::stream::Stream;
use super::{NO_CHANGE_AFTER, Options};
use crate::chat::asking::Asking;
use crate::chat::quoted::Quoted;
use crate::chat::words::sentence;
use crate::chat::{Act, Talk};
use crate::ids::Ids;
use dragoman_model::{
    Code, Control, EventKind, Fault, ListTabs, NetworkEntry, Outcome, RequestId, Snapshot,
    Subscribe, SurfaceEvent, TabId, TabInfo,
};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Duration;

/// Between two tellings of the same tab that nobody asked for.
const BREATH: Duration = Duration::from_secs(1);
/// So many of them in a row; then the assistant must say something first.
const UNASKED: u32 = 5;
/// Dialogs that are told of, until the assistant says something; the rest are counted.
const DIALOGS: u32 = 3;
/// Replies that wait for the one before.
const MOST_WAITING: usize = 100;
/// Requests of a tab that wait to be told.
const MOST_CALLS: usize = 200;
/// What is asked of a page at most.
const MOST_NODES: u32 = 5_000;

const TYPED: &str = "typed into";

#[derive(Debug)]
pub struct Conversation {
    options: Options,
    stream: Stream,
    mode: Mode,
    ids: Ids,
    quoted: Quoted<Action>,
    /// In the order they became targets.
    targets: Vec<TargetTab>,
    /// Calls of every tab, also before it is a target.
    calls: HashMap<TabId, VecDeque<u64>>,
    replies: VecDeque<String>,
    asking: Asking<Purpose>,
    work: Option<Work>,
    looks: BTreeMap<TabId, Look>,
    /// Waits for a person: the assistant repeated what a page says.
    held: Option<Action>,
    /// What is being carried out, by its number in the queue.
    number: Option<u64>,
    /// Waits for a person, in the queue.
    proposed: Option<u64>,
    /// A tab that is on its way to become a target.
    opening: Option<TabInfo>,
    /// An action that has shown no effect yet.
    no_effect: Option<Duration>,
    /// What will be said next.
    lines: Vec<String>,
    unasked: u32,
    /// Since the assistant said something.
    dialogs: u32,
    /// When the present action was begun.
    began: Duration,
    /// Nobody will say anything more.
    over: bool,
    now: Duration,
    acts: Vec<Act>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Acting,
    Observing,
    Stopped,
}

#[derive(Debug)]
struct TargetTab {
    tab: TabId,
    url: String,
    told: Option<String>,
    told_at: Duration,
    changed: bool,
}

/// What a request of ours is for.
#[derive(Debug, Clone, PartialEq)]
enum Purpose {
    Nothing,
    Act {
        id: u64,
        tab: TabId,
        verb: &'static str,
    },
    Open {
        url: String,
    },
    /// Finding out where the others are.
    Join,
    /// A dialog is being answered; what is said of it then.
    Dialog {
        line: String,
    },
    Look {
        tab: TabId,
    },
    Calls {
        tab: TabId,
    },
}

/// The command that is being carried out.
#[derive(Debug, PartialEq)]
enum Work {
    Running,
    /// It is done; the tabs are being looked at.
    Looking,
}

#[derive(Debug, Default)]
struct Look {
    /// Told even if it looks as before.
    always: bool,
    snapshot: Option<Snapshot>,
    calls: Vec<NetworkEntry>,
    /// Why there is no snapshot.
    failed: String,
    waiting: u32,
}

impl Conversation {
    pub fn new(options: Options) -> Self {
        Self {
            stream: Stream::new(&options.keyword, options.framed),
            asking: Asking::new(&options.nonce),
            mode: match options.observe {
                true => Mode::Observing,
                false => Mode::Acting,
            },
            options,
            ids: Ids::default(),
            quoted: Quoted::default(),
            targets: Vec::new(),
            calls: HashMap::new(),
            replies: VecDeque::new(),
            work: None,
            looks: BTreeMap::new(),
            held: None,
            number: None,
            proposed: None,
            opening: None,
            no_effect: None,
            lines: Vec::new(),
            unasked: 0,
            dialogs: 0,
            began: Duration::ZERO,
            over: false,
            now: Duration::ZERO,
            acts: Vec::new(),
        }
    }

    /// What waits for a person waits in vain; in the queue it may be found later.
    fn nobody_left(&mut self) {
        self.held = None;
        self.proposed = None;
        self.work = None;
        self.error("Nobody is left to approve the command; it was not executed.");
    }
}

impl Talk for Conversation {
    fn start(&mut self, now: Duration) -> Vec<Act> {
        self.now = now;
        let prompt = prompt(&self.options);
        self.acts.push(Act::Say(prompt));
        let events = vec![
            EventKind::Tabs,
            EventKind::Navigation,
            EventKind::Dialogs,
            EventKind::Network,
            EventKind::Changes,
            EventKind::Trouble,
        ];
        self.submit(
            Purpose::Nothing,
            None,
            Subscribe {
                events,
                since: None,
            },
        );
        if let Some(url) = self.options.url.clone() {
            self.work = Some(Work::Running);
            self.open_tab(&url);
        } else if self.options.joins {
            self.submit(Purpose::Join, None, ListTabs {});
        }
        self.go_on()
    }

    fn bytes(&mut self, now: Duration, bytes: &[u8]) -> Vec<Act> {
        self.now = now;
        for heard in self.stream.feed(now, bytes) {
            self.hear(heard);
        }
        self.go_on()
    }

    fn end(&mut self, now: Duration) -> Vec<Act> {
        self.now = now;
        for heard in self.stream.end(now) {
            self.hear(heard);
        }
        self.over = true;
        if self.held.is_some() || self.proposed.is_some() {
            self.nobody_left();
        }
        self.go_on()
    }

    fn tick(&mut self, now: Duration) -> Vec<Act> {
        self.now = now;
        if let Some(heard) = self.stream.tick(now) {
            self.hear(heard);
        }
        if self.no_effect.is_some_and(|at| at <= now) {
            self.no_effect = None;
            let seconds = NO_CHANGE_AFTER.as_secs();
            self.system(&format!(
                "Action executed but no DOM change detected within {seconds} seconds."
            ));
        }
        self.go_on()
    }

    fn wake_at(&self) -> Option<Duration> {
        let due = |target: &TargetTab| {
            (target.changed && self.may_tell_unasked()).then(|| target.told_at + BREATH)
        };
        let changed = match self.is_free() {
            true => self.targets.iter().filter_map(due).min(),
            false => None,
        };
        [self.no_effect, self.stream.wake_at(), changed]
            .into_iter()
            .flatten()
            .min()
    }

    fn is_busy(&self) -> bool {
        self.work.is_some()
            || !self.looks.is_empty()
            || !self.replies.is_empty()
            || !self.lines.is_empty()
            || self.no_effect.is_some()
    }

    fn outcome(&mut self, now: Duration, id: &RequestId, outcome: Outcome) -> Vec<Act> {
        self.now = now;
        let Some(purpose) = self.asking.answered(id) else {
            return Vec::new();
        };
        let result = match outcome {
            Outcome::Done(done) => Ok(done),
            Outcome::Failed { fault, .. } | Outcome::Interrupted { fault } => Err(fault),
            Outcome::Deleted { .. } => Err(Fault::new(
                Code::Cancelled,
                "The person took the command out of the queue",
            )),
        };
        self.ended(purpose, result);
        self.go_on()
    }

    fn refused(&mut self, now: Duration, id: Option<&RequestId>, fault: Fault) -> Vec<Act> {
        self.now = now;
        match id.and_then(|id| self.asking.answered(id)) {
            Some(purpose) => self.ended(purpose, Err(fault)),
            None => self.error(&sentence(&fault.message)),
        }
        self.go_on()
    }

    fn accepted(&mut self, now: Duration, id: &RequestId, number: u64, waits: bool) -> Vec<Act> {
        self.now = now;
        if matches!(
            self.asking.purpose(id),
            Some(Purpose::Act { .. } | Purpose::Open { .. })
        ) {
            self.number = Some(number);
            if waits && self.over {
                self.nobody_left();
            } else if waits {
                self.proposed = Some(number);
                let waits = "System: The command waits for the person's approval.";
                self.acts.push(Act::Say(waits.into()));
            }
        }
        // What we do by ourselves (answering a dialog, closing a tab) is nobody's to approve.
        if waits
            && matches!(
                self.asking.purpose(id),
                Some(Purpose::Nothing | Purpose::Join | Purpose::Dialog { .. })
            )
        {
            self.acts.push(Act::Control(Control::Approve { number }));
        }
        self.go_on()
    }

    fn event(&mut self, now: Duration, event: SurfaceEvent) -> Vec<Act> {
        self.now = now;
        match event {
            SurfaceEvent::TabOpened { tab } => self.tab_opened(&tab),
            SurfaceEvent::TabClosed { tab } => self.tab_closed(tab),
            SurfaceEvent::Navigated { tab, url, .. } | SurfaceEvent::Loaded { tab, url } => {
                if let Some(target) = self.target(tab) {
                    target.url = url;
                    target.changed = true;
                }
            }
            SurfaceEvent::Changed { tab, .. } => {
                if let Some(target) = self.target(tab) {
                    target.changed = true;
                }
            }
            SurfaceEvent::Request { tab, entry } => self.called(tab, &entry),
            SurfaceEvent::DialogOpened { tab, dialog } => self.dialog(tab, &dialog),
            SurfaceEvent::Crashed { tab } => {
                if let Some(url) = self.target(tab).map(|target| target.url.clone()) {
                    let url = self.shown(&url);
                    self.error(&format!("The page crashed: {url}"));
                }
            }
            SurfaceEvent::BrowserGone { .. } => {
                let tabs: Vec<TabId> = self.targets.iter().map(|target| target.tab).collect();
                tabs.into_iter().for_each(|tab| self.forget(tab));
                self.error("The browser ended and its tabs are gone. Open a tab to go on.");
            }
            _ => {}
        }
        self.go_on()
    }
}
