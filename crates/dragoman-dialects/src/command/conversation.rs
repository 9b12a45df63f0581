//! One conversation: what the assistant says becomes requests, and what comes of them becomes the
//! next user turn.
//!
//! One command is worked on at a time. When it is done, the tabs it changed are looked at, and all
//! there is to say is said in one message. A change that nobody asked for is told too, when nothing
//! else is going on. Must not know: the engine, a clock (time is an argument), how text travels.

use super::action::{Action, Problem, no_tool, not_found, not_opened};
use super::context::Writer;
use super::prompt::prompt;
use super::quoted::Quoted;
use super::reply;
use super::stream::{Heard, Person, Stream};
use super::words::{line, sentence};
use super::{NO_CHANGE_AFTER, Options};
use crate::ids::Ids;
use dragoman_model::{
    Clear, Click, CloseTab, Code, Command, Control, Dialog, DialogAnswer, DialogInfo, DialogKind,
    Done, Effect, EventKind, Fault, LoadState, NetworkEntry, OpenTab, Outcome, ReadNetwork, Ref,
    Reply, Request, RequestId, Snapshot, Subscribe, SurfaceEvent, TabId, TabInfo, TakeSnapshot,
    Target, Type,
};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Duration;

/// Between two tellings of the same tab that nobody asked for.
const BREATH: Duration = Duration::from_secs(1);
/// So many of them in a row; then the assistant must say something first.
const UNASKED: u32 = 5;
/// Replies that wait for the one before.
const MOST_WAITING: usize = 100;
/// Requests of a tab that wait to be told.
const MOST_CALLS: usize = 200;
/// What is asked of a page at most.
const MOST_NODES: u32 = 5_000;

const TYPED: &str = "typed into";

/// What is to be done now.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    Submit(Request),
    Control(Control),
    /// One whole message to the assistant.
    Say(String),
}

#[derive(Debug)]
pub struct Conversation {
    options: Options,
    stream: Stream,
    mode: Mode,
    ids: Ids,
    quoted: Quoted,
    /// In the order they became targets.
    targets: Vec<TargetTab>,
    /// Calls of every tab, also before it is a target.
    calls: HashMap<TabId, VecDeque<u64>>,
    replies: VecDeque<String>,
    asked: u64,
    open: HashMap<RequestId, Purpose>,
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
    waiting: u32,
}

impl Conversation {
    pub fn new(options: Options) -> Self {
        Self {
            stream: Stream::new(&options.keyword, options.framed),
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
            asked: 0,
            open: HashMap::new(),
            work: None,
            looks: BTreeMap::new(),
            held: None,
            number: None,
            proposed: None,
            opening: None,
            no_effect: None,
            lines: Vec::new(),
            unasked: 0,
            now: Duration::ZERO,
            acts: Vec::new(),
        }
    }

    /// The prompt, and the first tab on its way.
    pub fn start(&mut self, now: Duration) -> Vec<Act> {
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
        self.submit(Purpose::Nothing, None, Subscribe { events });
        if let Some(url) = self.options.url.clone() {
            self.work = Some(Work::Running);
            self.open_tab(&url);
        }
        self.go_on()
    }

    pub fn bytes(&mut self, now: Duration, bytes: &[u8]) -> Vec<Act> {
        self.now = now;
        for heard in self.stream.feed(now, bytes) {
            self.hear(heard);
        }
        self.go_on()
    }

    /// The assistant will say nothing more.
    pub fn end(&mut self, now: Duration) -> Vec<Act> {
        self.now = now;
        for heard in self.stream.end(now) {
            self.hear(heard);
        }
        self.go_on()
    }

    pub fn tick(&mut self, now: Duration) -> Vec<Act> {
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

    /// When `tick` wants to be called.
    pub fn wake_at(&self) -> Option<Duration> {
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

    /// There is something to do or to say without anybody saying more.
    pub fn is_busy(&self) -> bool {
        self.work.is_some()
            || !self.looks.is_empty()
            || !self.replies.is_empty()
            || !self.lines.is_empty()
            || self.no_effect.is_some()
    }

    pub fn outcome(&mut self, now: Duration, id: &RequestId, outcome: Outcome) -> Vec<Act> {
        self.now = now;
        let Some(purpose) = self.open.remove(id) else {
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

    pub fn refused(&mut self, now: Duration, id: Option<&RequestId>, fault: Fault) -> Vec<Act> {
        self.now = now;
        match id.and_then(|id| self.open.remove(id)) {
            Some(purpose) => self.ended(purpose, Err(fault)),
            None => self.error(&sentence(&fault.message)),
        }
        self.go_on()
    }

    /// A request of ours has its number in the queue; it may wait there for a person.
    pub fn accepted(
        &mut self,
        now: Duration,
        id: &RequestId,
        number: u64,
        waits: bool,
    ) -> Vec<Act> {
        self.now = now;
        if matches!(
            self.open.get(id),
            Some(Purpose::Act { .. } | Purpose::Open { .. })
        ) {
            self.number = Some(number);
            if waits {
                self.proposed = Some(number);
                let waits = "System: The command waits for the person's approval.";
                self.acts.push(Act::Say(waits.into()));
            }
        }
        self.go_on()
    }

    pub fn event(&mut self, now: Duration, event: SurfaceEvent) -> Vec<Act> {
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
                    self.error(&format!("The page crashed: {}", line(&url, 300)));
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

    // --- what the assistant and the person say ------------------------------------------------

    fn hear(&mut self, heard: Heard) {
        match heard {
            Heard::Reply(_) if self.replies.len() >= MOST_WAITING => {
                self.error("Too many replies wait; this one was not read.");
            }
            Heard::Reply(text) => self.replies.push_back(text),
            Heard::Unfinished => {
                let keyword = self.options.keyword.clone();
                self.system(&format!(
                    "The reply did not end with the keyword {keyword}, so nothing in it was executed. \
                     Send it again, whole, and end it with the keyword."
                ));
            }
            Heard::Bad(Problem(problem)) => {
                self.error(&format!("{problem} Nothing was executed."));
            }
            Heard::Person(person) => self.person(person),
        }
    }

    fn person(&mut self, person: Person) {
        match person {
            Person::Says(text) => {
                self.unasked = 0;
                self.acts.push(Act::Say(text));
            }
            Person::Stop => {
                self.mode = Mode::Stopped;
                self.replies.clear();
                self.held = None;
                self.no_effect = None;
                self.cancel_all();
                self.system("The person stopped the session. No command is executed until the person goes on.");
            }
            Person::Observe => {
                self.mode = Mode::Observing;
                self.system(
                    "Observation mode: you are shown the tabs, and no command is executed.",
                );
            }
            Person::Act => {
                self.mode = Mode::Acting;
                self.system("The person goes on. Commands are executed.");
            }
            Person::Approve => match (self.held.take(), self.proposed.take()) {
                (Some(action), _) => {
                    self.work = Some(Work::Running);
                    self.perform(&action);
                }
                (None, Some(number)) => self.acts.push(Act::Control(Control::Approve { number })),
                (None, None) => {}
            },
            Person::Reject => match (self.held.take(), self.proposed.take()) {
                (Some(action), _) => self.error(&format!(
                    "The person rejected the command {}.",
                    action.in_words()
                )),
                (None, Some(number)) => self.acts.push(Act::Control(Control::Cancel { number })),
                (None, None) => {}
            },
        }
    }

    /// Stop what runs and drop what waits.
    fn cancel_all(&mut self) {
        self.proposed = None;
        if let Some(number) = self.number.take() {
            self.acts.push(Act::Control(Control::Cancel { number }));
        }
    }

    fn reply(&mut self, text: &str) {
        self.unasked = 0;
        let mut found = reply::commands(text).into_iter();
        let Some(first) = found.next() else {
            return;
        };
        self.no_effect = None;
        for other in found {
            match other.action {
                // Said twice, meant once.
                action if action == first.action => {}
                Ok(action) => self.error(&format!(
                    "One command per response. The second command was not executed: {}.",
                    action.in_words()
                )),
                Err(Problem(problem)) => self.error(&format!(
                    "One command per response. The second command was not executed. {problem}"
                )),
            }
        }
        match (first.action, self.mode) {
            (Err(Problem(problem)), _) => self.error(&problem),
            (Ok(action), Mode::Acting) if self.quoted.contains(&action) => {
                self.system(&format!(
                    "The command {} stands word for word in the content of a page, so it waits for the \
                     person's approval.",
                    action.in_words()
                ));
                self.held = Some(action);
            }
            (Ok(action), Mode::Acting) => {
                self.held = None;
                self.work = Some(Work::Running);
                self.perform(&action);
            }
            (Ok(action), Mode::Observing) => self.system(&format!(
                "Observation mode: the command {} was not executed.",
                action.in_words()
            )),
            (Ok(action), Mode::Stopped) => self.system(&format!(
                "The person stopped the session: the command {} was not executed.",
                action.in_words()
            )),
        }
    }

    // --- doing --------------------------------------------------------------------------------

    fn perform(&mut self, action: &Action) {
        match action {
            Action::Click { id } => {
                let Some((tab, target)) = self.element(*id) else {
                    return;
                };
                let verb = "clicked";
                let click = Click {
                    target: Target::Ref(target),
                    button: None,
                    count: None,
                    modifiers: None,
                    position: None,
                };
                self.submit(Purpose::Act { id: *id, tab, verb }, Some(tab), click);
            }
            Action::Type { id, value } => {
                let Some((tab, target)) = self.element(*id) else {
                    return;
                };
                let verb = TYPED;
                let purpose = Purpose::Act { id: *id, tab, verb };
                let target = Target::Ref(target);
                if value.is_empty() {
                    return self.submit(purpose, Some(tab), Clear { target });
                }
                // Key by key takes its time.
                let ms = 15_000 + 20 * value.chars().count() as u64;
                let typing = Type {
                    text: value.clone(),
                    target: Some(target),
                    delay_ms: None,
                };
                self.submit_for(purpose, Some(tab), Some(ms), typing);
            }
            Action::OpenTab { url } => self.open_tab(url),
            Action::OpenTool { name } => {
                let is_it = |known: &str| known.trim().to_lowercase() == name.trim().to_lowercase();
                let tool = self.options.tools.iter().find(|tool| is_it(&tool.name));
                match tool.map(|tool| tool.url.clone()) {
                    Some(url) => self.open_tab(&url),
                    None => self.give_up(no_tool(name, &self.options.tools)),
                }
            }
        }
    }

    fn element(&mut self, id: u64) -> Option<(TabId, Ref)> {
        let found = self.ids.find(id);
        if found.is_none() {
            self.give_up(not_found(&id.to_string()));
        }
        found
    }

    fn give_up(&mut self, Problem(problem): Problem) {
        self.error(&problem);
        self.look_again();
    }

    fn open_tab(&mut self, url: &str) {
        let scheme = url.split_once(':').map(|(scheme, _)| scheme);
        let plain = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_alphanumeric());
        if !scheme.is_some_and(plain) || url.chars().any(char::is_whitespace) {
            let reason = "It must be a full URL, including the protocol.";
            return self.give_up(not_opened(url, reason));
        }
        self.make_room(1);
        let open = OpenTab {
            url: Some(url.to_owned()),
            background: Some(true),
            until: Some(LoadState::Complete),
        };
        self.submit(Purpose::Open { url: url.into() }, None, open);
    }

    /// Let go of the oldest targets until so many more fit.
    fn make_room(&mut self, more: usize) {
        while !self.targets.is_empty() && self.targets.len() + more > self.options.max_tabs {
            let TargetTab { tab, url, .. } = self.targets.remove(0);
            self.forget(tab);
            let limit = self.options.max_tabs;
            self.system(&format!(
                "Tab limit ({limit}) reached. Released tab: {}",
                line(&url, 300)
            ));
            self.submit(Purpose::Nothing, None, CloseTab { close: Some(tab) });
        }
    }

    fn forget(&mut self, tab: TabId) {
        self.targets.retain(|target| target.tab != tab);
        self.ids.forget_tab(tab);
        self.calls.remove(&tab);
        self.looks.remove(&tab);
    }

    fn submit(&mut self, purpose: Purpose, tab: Option<TabId>, command: impl Into<Command>) {
        self.submit_for(purpose, tab, None, command);
    }

    fn submit_for(
        &mut self,
        purpose: Purpose,
        tab: Option<TabId>,
        timeout_ms: Option<u64>,
        command: impl Into<Command>,
    ) {
        self.asked += 1;
        let id = RequestId::Text(format!("{}-{}", self.options.nonce, self.asked));
        self.open.insert(id.clone(), purpose);
        self.acts.push(Act::Submit(Request {
            id: Some(id),
            tab,
            timeout_ms,
            command: command.into(),
        }));
    }

    // --- what became of it --------------------------------------------------------------------

    fn ended(&mut self, purpose: Purpose, result: Result<Done, Fault>) {
        if matches!(purpose, Purpose::Act { .. } | Purpose::Open { .. }) {
            self.number = None;
            self.proposed = None;
        }
        match (purpose, result) {
            (Purpose::Nothing, _) => {}
            (Purpose::Act { tab, verb, .. }, Ok(done)) => {
                let effect = done.receipt.map_or(Effect::None, |receipt| receipt.effect);
                // A field shows what was typed, or hides it: either way it is another field now.
                let typed = verb == TYPED;
                let visible = typed || !matches!(effect, Effect::None | Effect::Scrolled);
                let changed = self.target(tab).is_some_and(|target| target.changed);
                if visible || changed {
                    self.work = Some(Work::Looking);
                    self.look(tab, true);
                    self.look_at_changed();
                } else {
                    self.work = None;
                    self.no_effect = Some(self.now + NO_CHANGE_AFTER);
                }
            }
            (Purpose::Act { id, tab, verb }, Err(fault)) => {
                match fault.code {
                    Code::UnknownRef | Code::StaleRef | Code::NotFound | Code::TabClosed => {
                        self.error(&not_found(&id.to_string()).0);
                    }
                    _ => {
                        let reason = sentence(&fault.message);
                        self.error(&format!("Element ID {id} was not {verb}. {reason}"));
                    }
                }
                if let Some(target) = self.target(tab) {
                    target.changed = true;
                }
                self.look_again();
            }
            (Purpose::Open { .. }, Ok(done)) => {
                let opening = self.opening.take();
                match done.reply {
                    Reply::Tab(info) => self.opened(&info),
                    _ => opening.iter().for_each(|info| self.opened(info)),
                }
            }
            (Purpose::Open { url }, Err(fault)) => match (self.opening.take(), fault.code) {
                // It is there and can be worked with, though it never stops loading.
                (Some(info), Code::Timeout) => self.opened(&info),
                (opening, _) => {
                    let reason = fault.message.strip_prefix(url.as_str());
                    let reason =
                        reason.map_or(fault.message.as_str(), |r| r.trim_start_matches([':', ' ']));
                    self.error(&not_opened(&url, &sentence(reason)).0);
                    if let Some(TabInfo { tab, .. }) = opening {
                        self.calls.remove(&tab);
                        self.submit(Purpose::Nothing, None, CloseTab { close: Some(tab) });
                    }
                    self.look_again();
                }
            },
            (Purpose::Look { tab }, Ok(done)) => {
                if let (Reply::Snapshot(snapshot), Some(look)) =
                    (done.reply, self.looks.get_mut(&tab))
                {
                    look.snapshot = Some(*snapshot);
                }
                self.looked(tab);
            }
            (Purpose::Calls { tab }, Ok(done)) => {
                if let (Reply::Network(entries), Some(look)) =
                    (done.reply, self.looks.get_mut(&tab))
                {
                    look.calls = entries;
                }
                self.looked(tab);
            }
            // It will be told when it can be seen: something will have changed by then.
            (Purpose::Look { tab } | Purpose::Calls { tab }, Err(_)) => self.looked(tab),
        }
    }

    fn opened(&mut self, info: &TabInfo) {
        self.work = Some(Work::Looking);
        self.add_target(info);
        self.look(info.tab, true);
        self.look_at_changed();
    }

    fn add_target(&mut self, info: &TabInfo) {
        if self.target(info.tab).is_some() {
            return;
        }
        self.targets.push(TargetTab {
            tab: info.tab,
            url: info.url.clone(),
            told: None,
            told_at: Duration::ZERO,
            changed: true,
        });
    }

    fn target(&mut self, tab: TabId) -> Option<&mut TargetTab> {
        self.targets.iter_mut().find(|target| target.tab == tab)
    }

    /// A page that a target opened is what the assistant asked for, whoever made the tab.
    fn tab_opened(&mut self, info: &TabInfo) {
        let is_open = |purpose: &Purpose| matches!(purpose, Purpose::Open { .. });
        if info.opener.is_none() && self.open.values().any(is_open) {
            self.opening = Some(info.clone());
        }
        let by_target = info
            .opener
            .is_some_and(|opener| self.target(opener).is_some());
        if by_target && self.target(info.tab).is_none() {
            self.make_room(1);
            self.add_target(info);
        }
    }

    fn tab_closed(&mut self, tab: TabId) {
        if let Some(url) = self.target(tab).map(|target| target.url.clone()) {
            self.forget(tab);
            self.system(&format!("Tab closed: {}", line(&url, 300)));
        }
        self.calls.remove(&tab);
        self.opening.take_if(|info| info.tab == tab);
    }

    fn called(&mut self, tab: TabId, entry: &NetworkEntry) {
        if !matches!(entry.kind.as_str(), "xhr" | "fetch") {
            return;
        }
        let calls = self.calls.entry(tab).or_default();
        if calls.len() == MOST_CALLS {
            calls.pop_front();
        }
        calls.push_back(entry.index);
    }

    /// There is no command for dialogs: what asks nothing is closed, what asks is declined.
    fn dialog(&mut self, tab: TabId, dialog: &DialogInfo) {
        if self.target(tab).is_none() {
            return;
        }
        let (what, answer, did) = match dialog.kind {
            DialogKind::Alert => ("an alert", DialogAnswer::Accept, "closed"),
            DialogKind::Confirm => ("a confirm dialog", DialogAnswer::Dismiss, "dismissed"),
            DialogKind::Prompt => ("a prompt dialog", DialogAnswer::Dismiss, "dismissed"),
            DialogKind::BeforeUnload => ("a leave-page dialog", DialogAnswer::Accept, "accepted"),
        };
        self.quoted.note(&dialog.message);
        let text = line(&dialog.message, 300).replace('"', "'");
        self.system(&format!(
            "The page showed {what}: \"{text}\". It was {did}."
        ));
        let dialog = Dialog { answer, text: None };
        self.submit(Purpose::Nothing, Some(tab), dialog);
        if let Some(target) = self.target(tab) {
            target.changed = true;
        }
    }

    // --- looking and telling ------------------------------------------------------------------

    /// Before something is said about a failure: what has changed belongs to it.
    fn look_again(&mut self) {
        self.work = Some(Work::Looking);
        self.look_at_changed();
    }

    fn look_at_changed(&mut self) {
        let changed = self.targets.iter().filter(|target| target.changed);
        let tabs: Vec<TabId> = changed.map(|target| target.tab).collect();
        for tab in tabs {
            self.look(tab, false);
        }
    }

    fn look(&mut self, tab: TabId, always: bool) {
        let Some(target) = self.target(tab) else {
            return;
        };
        target.changed = false;
        if let Some(look) = self.looks.get_mut(&tab) {
            look.always |= always;
            return;
        }
        let look = TakeSnapshot {
            in_view: None,
            interactive: Some(true),
            root: None,
            all_refs: None,
            limit: Some(MOST_NODES),
        };
        self.submit(Purpose::Look { tab }, Some(tab), look);
        let mut waiting = 1;
        if self.calls.get(&tab).is_some_and(|calls| !calls.is_empty()) {
            let read = ReadNetwork {
                filter: None,
                index: None,
                limit: Some(500),
                clear: None,
            };
            self.submit(Purpose::Calls { tab }, Some(tab), read);
            waiting += 1;
        }
        let look = Look {
            always,
            waiting,
            ..Look::default()
        };
        self.looks.insert(tab, look);
    }

    fn looked(&mut self, tab: TabId) {
        if let Some(look) = self.looks.get_mut(&tab) {
            look.waiting -= 1;
        }
    }

    /// Say all there is to say, once every look is over.
    fn tell(&mut self) {
        let before = self.lines.len();
        for (tab, look) in std::mem::take(&mut self.looks) {
            let Some(snapshot) = look.snapshot else {
                continue;
            };
            self.context(tab, &snapshot, look.always, &look.calls);
        }
        let unasked = self.work.is_none() && self.no_effect.is_none();
        if unasked && self.lines.len() > before {
            self.unasked += 1;
        }
        self.work = None;
        if !self.lines.is_empty() {
            let message = std::mem::take(&mut self.lines).join("\n");
            self.acts.push(Act::Say(message));
        }
    }

    fn context(&mut self, tab: TabId, snapshot: &Snapshot, always: bool, calls: &[NetworkEntry]) {
        let mut writer = Writer {
            ids: &mut self.ids,
            quoted: &mut self.quoted,
            redact: self.options.redact,
        };
        let text = writer.context(snapshot);
        let now = self.now;
        let Some(target) = self.targets.iter_mut().find(|target| target.tab == tab) else {
            return;
        };
        target.url.clone_from(&snapshot.url);
        if !always && target.told.as_deref() == Some(text.as_str()) {
            return;
        }
        target.told = Some(text.clone());
        target.told_at = now;
        self.no_effect = None;
        let waiting = self
            .calls
            .get_mut(&tab)
            .map(std::mem::take)
            .unwrap_or_default();
        let told: Vec<NetworkEntry> = calls
            .iter()
            .filter(|call| waiting.contains(&call.index))
            .cloned()
            .collect();
        let activity = (!told.is_empty()).then(|| writer.activity(&snapshot.url, &told));
        // What was called after we asked waits for the next time.
        let newest = calls.iter().map(|call| call.index).max().unwrap_or(0);
        let later = waiting
            .into_iter()
            .filter(|index| *index > newest)
            .collect();
        self.calls.insert(tab, later);
        self.lines.push(text);
        self.lines.extend(activity);
    }

    fn system(&mut self, text: &str) {
        self.lines.push(format!("System: {text}"));
    }

    fn error(&mut self, text: &str) {
        self.lines.push(format!("System Error: {text}"));
    }

    /// Nothing is under way and nobody is speaking.
    fn is_free(&self) -> bool {
        self.work.is_none() && self.looks.is_empty() && !self.stream.is_open()
    }

    fn may_tell_unasked(&self) -> bool {
        self.no_effect.is_some() || self.unasked < UNASKED
    }

    /// Whatever can be begun now.
    fn go_on(&mut self) -> Vec<Act> {
        loop {
            if self.looks.values().any(|look| look.waiting > 0) || self.work == Some(Work::Running)
            {
                break;
            }
            if !self.looks.is_empty() || self.work.is_some() || !self.lines.is_empty() {
                self.tell();
                continue;
            }
            if let Some(text) = self.replies.pop_front() {
                self.reply(&text);
                continue;
            }
            if !self.look_unasked() {
                break;
            }
        }
        std::mem::take(&mut self.acts)
    }

    /// Look at tabs that changed by themselves, or after an action that seemed to do nothing.
    fn look_unasked(&mut self) -> bool {
        if !self.is_free() || !self.may_tell_unasked() {
            return false;
        }
        let (now, acted) = (self.now, self.no_effect.is_some());
        let due = |target: &&TargetTab| target.changed && (acted || target.told_at + BREATH <= now);
        let tabs: Vec<TabId> = self
            .targets
            .iter()
            .filter(due)
            .map(|target| target.tab)
            .collect();
        for tab in &tabs {
            self.look(*tab, acted);
        }
        !tabs.is_empty()
    }
}
