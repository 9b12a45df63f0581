//! One tab: its CDP session, what is known of it, and the way to call our script in it. Must not
//! know commands; those are in `act`, `look` and `go`.

pub(crate) mod log;
mod pump;
mod requests;
mod secrets;
pub(crate) mod state;

use crate::act::ahead::Ahead;
use crate::cdp::protocol::{BackendNodeId, TargetId, input::DragData, page, runtime};
use crate::cdp::{CdpError, CdpSession, Connection, Pending};
use crate::film::Film;
use crate::page::source;
use crate::page::wire::{Answer, Notice, Numbered, PageFault, call};
use crate::session::Session;
use dragoman_model::{Code, DialogInfo, Fault, TabId, TabInfo};
use serde::Serialize;
use serde::de::DeserializeOwned;
use state::{TabState, World};
use std::cell::{Cell, Ref, RefCell};
use std::collections::HashMap;
use std::rc::{Rc, Weak};
use std::time::Duration;
use tokio::sync::{mpsc, watch};

pub(crate) use pump::{Fence, Setup, run};

pub(crate) struct Tab {
    pub id: TabId,
    pub target: TargetId,
    pub cdp: CdpSession,
    pub connection: Connection,
    pub opener: Option<TabId>,
    /// Where the mouse was left.
    pub mouse: Cell<(f64, f64)>,
    /// The buttons that are held down, as the browser counts them.
    pub held: Cell<u8>,
    pub console: RefCell<log::Console>,
    pub network: RefCell<log::Network>,
    /// A drag the browser handed to us, a file chooser it did not open, a request the rules
    /// stopped (and whether it was for the page itself).
    pub dragging: RefCell<Option<DragData>>,
    pub chooser: Cell<Option<BackendNodeId>>,
    /// An aim at what is to be pressed next.
    pub ahead: RefCell<Option<Ahead>>,
    /// The document that was small when it was last looked at.
    pub small: RefCell<Option<Rc<str>>>,
    pub blocked: RefCell<Option<(String, bool)>>,
    pub film: RefCell<Option<Film>>,
    /// What the page was about to say of an action when a dialog stopped it.
    pub stopped: RefCell<Option<(World, Call)>>,
    /// Counts clicks and key strokes, so that the page can tell one gesture from the next.
    gestures: Cell<u64>,
    state: RefCell<TabState>,
    version: watch::Sender<u64>,
    watchers: RefCell<HashMap<u64, mpsc::UnboundedSender<Notice>>>,
    next_watch: Cell<u64>,
    owner: RefCell<Weak<Session>>,
}

/// A call of the script that is under way, and the numbers it may give to elements.
#[derive(Debug)]
pub(crate) struct Call {
    pending: Pending<runtime::Evaluate>,
    lease: Lease,
    /// It tells what became of an action: worth hearing also after a dialog.
    settles: bool,
}

/// Given back when the answer says what was used; dropped without one, all of it counts as used.
#[derive(Debug)]
struct Lease {
    session: Option<Rc<Session>>,
    tab: TabId,
    world: Rc<str>,
    start: u64,
}

impl Lease {
    fn take(tab: &Tab, world: &World) -> Self {
        let session = tab.owner();
        let start = session
            .as_ref()
            .map_or(1, |s| s.refs.borrow_mut().lease(&world.unique));
        Self {
            session,
            tab: tab.id,
            world: world.unique.clone(),
            start,
        }
    }

    /// `None`: the answer names no elements, so none was given a number.
    fn used_up_to(mut self, end: Option<u64>) {
        if let Some(session) = self.session.take() {
            let end = end.unwrap_or(self.start);
            let mut refs = session.refs.borrow_mut();
            refs.used(self.start, end, self.tab, &self.world);
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(session) = self.session.take() {
            let mut refs = session.refs.borrow_mut();
            refs.burn(self.start, self.tab, &self.world);
        }
    }
}

/// Somebody who hears what the script says under one number.
pub(crate) struct Listening {
    pub id: u64,
    tab: Rc<Tab>,
    notices: mpsc::UnboundedReceiver<Notice>,
}

impl Listening {
    pub async fn next(&mut self) -> Option<Notice> {
        self.notices.recv().await
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.tab.watchers.borrow_mut().remove(&self.id);
    }
}

/// How long after an error the end of the document may be told.
const FAREWELL: Duration = Duration::from_millis(500);

/// What keeps a page from answering.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Trouble {
    Dialog(DialogInfo),
    Crashed,
    Closed,
    Gone(String),
}

/// Why a call of the script did not answer.
#[derive(Debug)]
pub(crate) enum CallError {
    /// The script answered with a fault.
    Page(PageFault),
    /// The document it was asked of is gone.
    Lost,
    Trouble(Trouble),
    Cdp(CdpError),
}

impl Tab {
    pub fn new(
        id: TabId,
        target: TargetId,
        cdp: CdpSession,
        connection: Connection,
        opener: Option<TabId>,
    ) -> Rc<Self> {
        Rc::new(Self {
            id,
            state: RefCell::new(TabState::new(target.as_str())),
            target,
            cdp,
            connection,
            opener,
            mouse: Cell::new((0.0, 0.0)),
            held: Cell::new(0),
            console: RefCell::default(),
            network: RefCell::default(),
            dragging: RefCell::default(),
            chooser: Cell::new(None),
            ahead: RefCell::default(),
            small: RefCell::default(),
            blocked: RefCell::default(),
            film: RefCell::default(),
            stopped: RefCell::default(),
            gestures: Cell::new(0),
            version: watch::Sender::new(0),
            watchers: RefCell::default(),
            next_watch: Cell::new(0),
            owner: RefCell::default(),
        })
    }

    pub fn belongs_to(&self, session: &Rc<Session>) {
        *self.owner.borrow_mut() = Rc::downgrade(session);
    }

    pub fn owner(&self) -> Option<Rc<Session>> {
        self.owner.borrow().upgrade()
    }

    pub fn state(&self) -> Ref<'_, TabState> {
        self.state.borrow()
    }

    /// Change what is known, and wake whoever waits for a change.
    pub fn update<T>(&self, change: impl FnOnce(&mut TabState) -> T) -> T {
        let result = change(&mut self.state.borrow_mut());
        self.version.send_modify(|v| *v += 1);
        result
    }

    pub fn info(&self, current: bool) -> TabInfo {
        let state = self.state();
        TabInfo {
            tab: self.id,
            url: state.url.clone(),
            title: state.title.clone(),
            opener: self.opener,
            current,
            navigating: state.leaving.is_some(),
        }
    }

    pub fn next_gesture(&self) -> u64 {
        self.gestures.set(self.gestures.get() + 1);
        self.gestures.get()
    }

    /// Wait until something holds. Only events wake it.
    pub async fn until<T>(&self, mut holds: impl FnMut(&TabState) -> Option<T>) -> T {
        let mut version = self.version.subscribe();
        loop {
            if let Some(found) = holds(&self.state()) {
                return found;
            }
            if version.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Resolves when the page cannot answer any more.
    pub async fn trouble(&self) -> Trouble {
        let gone = self.connection.closed();
        tokio::select! {
            biased;
            trouble = self.until(Self::trouble_in) => trouble,
            reason = gone => Trouble::Gone(reason),
        }
    }

    pub fn is_in_trouble(&self) -> bool {
        Self::trouble_in(&self.state()).is_some()
    }

    fn trouble_in(state: &TabState) -> Option<Trouble> {
        if state.closed {
            Some(Trouble::Closed)
        } else if state.crashed {
            Some(Trouble::Crashed)
        } else {
            state.dialog.clone().map(Trouble::Dialog)
        }
    }

    /// The result, unless trouble comes first.
    pub async fn or_trouble<F: Future>(&self, work: F) -> Result<F::Output, Trouble> {
        tokio::select! {
            biased;
            result = work => Ok(result),
            trouble = self.trouble() => Err(trouble),
        }
    }

    /// Where the tab waits to go: a server has been asked and has not answered.
    pub fn waits_for(&self) -> Option<String> {
        self.state().leaving.as_ref().map(|l| l.url.clone())
    }

    /// A CDP call on this tab.
    pub async fn ask<M: crate::cdp::Method>(&self, call: &M) -> Result<M::Answer, Fault> {
        let pending = self.connection.send(Some(&self.cdp), call);
        match self.or_trouble(pending).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(self.explain(error)),
            Err(trouble) => Err(trouble.into()),
        }
    }

    /// Write a call behind those already written, and do not wait for its answer.
    pub fn tell<M: crate::cdp::Method>(&self, call: &M) {
        drop(self.connection.send(Some(&self.cdp), call));
    }

    pub fn explain(&self, error: CdpError) -> Fault {
        match error {
            CdpError::Closed(reason) => Trouble::Gone(reason).into(),
            CdpError::Crashed => Trouble::Crashed.into(),
            CdpError::Detached => Trouble::Closed.into(),
            CdpError::Remote { message, .. } => Fault::new(Code::Internal, message),
            CdpError::Decode(message) => Fault::new(Code::Internal, message),
        }
    }

    /// Our script in the main frame, once the document is far enough to have it.
    pub async fn main_world(&self) -> Result<World, Fault> {
        if let Some(world) = self.state().main_world() {
            return Ok(world);
        }
        Ok(self.or_trouble(self.until(TabState::main_world)).await?)
    }

    /// Call the script now; the answer comes later. Calls arrive in the order they were written.
    pub fn call_now(&self, world: &World, function: &str, argument: &impl Serialize) -> Call {
        let lease = Lease::take(self, world);
        let mut argument = serde_json::to_value(argument).unwrap_or_default();
        if let Some(fields) = argument.as_object_mut() {
            fields.insert("next".into(), lease.start.into());
        }
        let pending = self.evaluate(world, function, &argument.to_string());
        let settles = function == call::SETTLE;
        Call {
            pending,
            lease,
            settles,
        }
    }

    /// Say something to the script that needs no answer and gives no refs.
    pub fn mention(&self, world: &World, function: &str, argument: &serde_json::Value) {
        drop(self.evaluate(world, function, &argument.to_string()));
    }

    fn evaluate(
        &self,
        world: &World,
        function: &str,
        argument: &str,
    ) -> Pending<runtime::Evaluate> {
        let call = runtime::Evaluate {
            expression: format!("__dragoman.{function}({argument})").into(),
            unique_context_id: Some(world.unique.to_string()),
            return_by_value: Some(true),
            // Only these answer with a promise; waiting for what is none costs a turn.
            await_promise: Some(matches!(function, call::SETTLE | call::ROW)),
            silent: Some(true),
            ..Default::default()
        };
        self.connection.send(Some(&world.cdp), &call)
    }

    pub async fn call<T: DeserializeOwned + Numbered>(
        &self,
        world: &World,
        function: &str,
        argument: &impl Serialize,
    ) -> Result<T, CallError> {
        self.stands().map_err(CallError::Trouble)?;
        let call = self.call_now(world, function, argument);
        self.answer(world, call).await
    }

    /// The world of a page that is a single document and not about to leave.
    pub fn still_world(&self) -> Option<World> {
        let world = {
            let state = self.state();
            let still = state.frames.len() == 1 && state.leaving.is_none() && state.prepared;
            state.main_world().filter(|_| still)
        };
        world.filter(|_| !self.is_in_trouble())
    }

    /// What is asked of a page that stands still would be done later, when nobody expects it.
    pub fn stands(&self) -> Result<(), Trouble> {
        Self::trouble_in(&self.state()).map_or(Ok(()), Err)
    }

    /// The script's answer, read.
    pub async fn answer<T: DeserializeOwned + Numbered>(
        &self,
        world: &World,
        mut call: Call,
    ) -> Result<T, CallError> {
        let evaluated = match self.or_trouble(&mut call.pending).await {
            Err(trouble @ Trouble::Dialog(_)) => {
                if call.settles {
                    self.stopped.borrow_mut().replace((world.clone(), call));
                }
                return Err(CallError::Trouble(trouble));
            }
            Err(trouble) => return Err(CallError::Trouble(trouble)),
            Ok(Err(CdpError::Crashed)) => return Err(CallError::Trouble(Trouble::Crashed)),
            Ok(Err(CdpError::Closed(why))) => return Err(CallError::Trouble(Trouble::Gone(why))),
            Ok(Err(error)) => return Err(self.lost_or(world, error).await),
            Ok(Ok(evaluated)) => evaluated,
        };
        let text = match evaluated.into_result() {
            Ok(value) => value.into_text(),
            Err(thrown) => {
                let error = CdpError::Decode(thrown.describe().into());
                return Err(self.lost_or(world, error).await);
            }
        };
        let text = text.unwrap_or_default();
        match Answer::<T>::read(&text) {
            Ok(Answer::Ok(answer)) => {
                call.lease.used_up_to(T::next(&answer));
                Ok(answer)
            }
            Ok(Answer::Fault { fault, next }) => {
                call.lease.used_up_to(next);
                if let Some(stack) = &fault.stack {
                    tracing::debug!(%stack, "the script in the page failed");
                }
                Err(CallError::Page(fault))
            }
            Err(error) => Err(CallError::Cdp(CdpError::Decode(error.to_string()))),
        }
    }

    /// Whatever the words of an error: when the document is gone, that is why. The news of its end
    /// may come a little later than the error.
    async fn lost_or(&self, world: &World, error: CdpError) -> CallError {
        let gone = self.until(|state| (!state.has_world(&world.unique)).then_some(()));
        match tokio::time::timeout(FAREWELL, self.or_trouble(gone)).await {
            Ok(Ok(())) => CallError::Lost,
            Ok(Err(trouble)) => CallError::Trouble(trouble),
            Err(_) => CallError::Cdp(error),
        }
    }

    /// Hear what the script says under a number of its own.
    pub fn listen(self: &Rc<Self>) -> Listening {
        let id = self.next_watch.get() + 1;
        self.next_watch.set(id);
        let (sender, notices) = mpsc::unbounded_channel();
        self.watchers.borrow_mut().insert(id, sender);
        let tab = self.clone();
        Listening { id, tab, notices }
    }

    /// Have a page tell of every change, or of none.
    pub fn tell_changes(&self, world: &World, on: bool) {
        self.mention(world, call::SUBSCRIBE, &serde_json::json!({ "on": on }));
    }

    fn notice(&self, notice: Notice) {
        if let Some(id) = notice.watch
            && let Some(watcher) = self.watchers.borrow().get(&id)
        {
            // A listener that just left is no loss.
            drop(watcher.send(notice));
        }
    }

    pub async fn bring_to_front(&self) -> Result<(), Fault> {
        self.ask(&page::BringToFront::default()).await.map(drop)
    }
}

impl std::fmt::Debug for Tab {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tab({} {})", self.id, self.target)
    }
}

impl From<Trouble> for Fault {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Dialog(dialog) => dialog.fault(),
            Trouble::Crashed => Fault::new(Code::Crashed, "the page's process crashed"),
            Trouble::Closed => Fault::new(Code::TabClosed, "the tab was closed"),
            Trouble::Gone(why) => {
                Fault::new(Code::BrowserGone, format!("the browser ended: {why}"))
            }
        }
    }
}

impl CallError {
    pub fn into_fault(self, what: &str) -> Fault {
        match self {
            Self::Page(fault) => fault.into_fault(what),
            Self::Lost => Fault::new(Code::StaleRef, "the page navigated away meanwhile"),
            Self::Trouble(trouble) => trouble.into(),
            Self::Cdp(error) => Fault::new(Code::Internal, error.to_string()),
        }
    }
}

impl From<CallError> for Fault {
    fn from(error: CallError) -> Self {
        error.into_fault("")
    }
}

/// The secret that the two halves of the script share; new with every browser.
#[derive(Debug, Clone)]
pub(crate) struct Scripts {
    pub isolated: Rc<str>,
    pub shim: Rc<str>,
}

impl Scripts {
    pub fn new(channel: &str) -> Self {
        Self {
            isolated: source::isolated(channel).into(),
            shim: source::shim(channel).into(),
        }
    }
}
