//! Prompts as a surface: each session has a desk with at most one prompt on it. People at the terminal,
//! agents behind the driver and the script that asks all work on the same one, and the last one wins.
//!
//! Must not know: the queue, the journal, any dialect.

pub mod agent;
mod folder;
mod guardian;
pub mod hosted;
mod pty;
pub mod run;
mod screen;
pub mod script;
mod show;
pub mod supply;

use crate::surface::Surface;
use dragoman_model::{
    Code, Command, Done, Failure, Fault, Leaf, Policy, PromptEvent, PromptKind, Reply, SessionId,
    SnapshotId, SurfaceEvent, TabId, TabInfo,
};
use dragoman_prompt::{Look, Out, Prompt, Size, Spec};
use pty::Pty;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// Cheap to clone; all clones are the same prompts.
#[derive(Clone)]
pub struct Prompts(Rc<Inner>);

struct Inner {
    events: mpsc::UnboundedSender<(SessionId, SurfaceEvent)>,
    desks: RefCell<HashMap<SessionId, Rc<Desk>>>,
}

/// One session's prompt.
struct Desk {
    session: SessionId,
    state: RefCell<State>,
    /// Counts whatever somebody might want to see.
    changed: watch::Sender<u64>,
}

struct State {
    prompt: Prompt,
    size: Size,
    tab: TabId,
    looks: u64,
    tells_changes: bool,
    /// Told what comes of it.
    asker: Option<mpsc::UnboundedSender<Told>>,
    pty: Option<Pty>,
    /// The version that was told of last.
    told: u64,
    asked: bool,
}

/// What an asker is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// The last word. `None`: cancelled.
    Answer(Option<String>),
    /// Nothing fits, and nothing else will do.
    NoMatch,
    Action {
        action: String,
        value: Option<String>,
        input: String,
    },
}

impl Prompts {
    pub fn new(events: mpsc::UnboundedSender<(SessionId, SurfaceEvent)>) -> Self {
        Self(Rc::new(Inner {
            events,
            desks: RefCell::default(),
        }))
    }

    /// Ask this in place of what was asked before, which is cancelled.
    pub fn ask(&self, session: &SessionId, spec: Spec) -> mpsc::UnboundedReceiver<Told> {
        let (asker, told) = mpsc::unbounded_channel();
        let desk = self.desk(session);
        self.with(session, Prompt::cancel);
        let (kind, id) = (spec.kind, spec.id.clone());
        let runs = (kind == PromptKind::Term).then(|| spec.command.clone());
        {
            let mut state = desk.state.borrow_mut();
            let first_ref = state.prompt.next_ref();
            state.prompt = Prompt::new(spec, state.size, first_ref);
            state.asker = Some(asker);
            state.told = 0;
            let before = state.tab;
            if state.asked {
                state.tab = TabId(before.0 + 1);
                let opened = state.tab_info();
                drop(state);
                self.tell(session, SurfaceEvent::TabOpened { tab: opened });
                self.tell(session, SurfaceEvent::TabClosed { tab: before });
            } else {
                state.asked = true;
            }
        }
        self.tell_prompt(&desk, PromptEvent::PromptChanged { kind, id });
        if let Some(command) = runs {
            self.start(&desk, command.as_deref());
        }
        self.settle(&desk);
        told
    }

    /// Do something to the prompt; what comes of it is told to whom it may concern.
    pub fn with<T>(&self, session: &SessionId, what: impl FnOnce(&mut Prompt) -> T) -> T {
        let desk = self.desk(session);
        let result = what(&mut desk.state.borrow_mut().prompt);
        self.settle(&desk);
        result
    }

    /// Look at the prompt.
    pub fn see<T>(&self, session: &SessionId, what: impl FnOnce(&Prompt) -> T) -> T {
        what(&self.desk(session).state.borrow().prompt)
    }

    /// The screen it is on has this size; so has the next one.
    pub fn resize(&self, session: &SessionId, size: Size) {
        self.with(session, |prompt| prompt.resize(size));
    }

    /// Changes whenever somebody might want to look again.
    pub fn changes(&self, session: &SessionId) -> watch::Receiver<u64> {
        self.desk(session).changed.subscribe()
    }

    fn desk(&self, session: &SessionId) -> Rc<Desk> {
        let known = self.0.desks.borrow().get(session).cloned();
        if let Some(desk) = known {
            return desk;
        }
        let size = Size::default();
        let desk = Rc::new(Desk {
            session: session.clone(),
            state: RefCell::new(State {
                prompt: Prompt::none(size, 1),
                size,
                tab: TabId(1),
                looks: 0,
                tells_changes: false,
                asker: None,
                pty: None,
                told: 0,
                asked: false,
            }),
            changed: watch::Sender::new(0),
        });
        let mut desks = self.0.desks.borrow_mut();
        desks.insert(session.clone(), desk.clone());
        let tab = desk.state.borrow().tab_info();
        self.tell(session, SurfaceEvent::TabOpened { tab });
        desk
    }

    /// Carry out what came of it.
    fn settle(&self, desk: &Rc<Desk>) {
        let out = desk.state.borrow_mut().prompt.take_out();
        for out in out {
            match out {
                Out::Event(event) => self.tell_prompt(desk, event),
                Out::Answer(value) => self.answered(desk, value),
                Out::NoMatch => desk.tell_asker(Told::NoMatch),
                Out::Action {
                    action,
                    value,
                    input,
                } => desk.tell_asker(Told::Action {
                    action,
                    value,
                    input,
                }),
                Out::Folder(folder) => self.list(desk, folder),
                Out::Keys(bytes) => {
                    if let Some(pty) = &desk.state.borrow().pty {
                        pty.write(bytes);
                    }
                }
            }
        }
        let mut state = desk.state.borrow_mut();
        state.follow_size();
        if state.prompt.version() != state.told {
            state.told = state.prompt.version();
            let (tab, since) = (state.tab, state.prompt.looked());
            let tells = state.tells_changes;
            drop(state);
            if tells {
                let since = since.unwrap_or(SnapshotId(0));
                self.tell(&desk.session, SurfaceEvent::Changed { tab, since });
            }
            desk.changed.send_modify(|count| *count += 1);
        }
    }

    /// Its asker is told, and nothing is asked any more.
    fn answered(&self, desk: &Desk, value: Option<String>) {
        {
            let mut state = desk.state.borrow_mut();
            let first_ref = state.prompt.next_ref();
            state.prompt = Prompt::none(state.size, first_ref);
            state.pty = None;
            state.told = 0;
        }
        let event = PromptEvent::PromptChanged {
            kind: PromptKind::None,
            id: String::new(),
        };
        self.tell_prompt(desk, event);
        desk.tell_asker(Told::Answer(value));
        desk.state.borrow_mut().asker = None;
    }

    fn list(&self, desk: &Rc<Desk>, folder: String) {
        let (prompts, session) = (self.clone(), desk.session.clone());
        tokio::task::spawn_local(async move {
            let entries = folder::entries(folder.clone()).await;
            prompts.with(&session, |prompt| prompt.listed(&folder, entries));
        });
    }

    /// A program in the prompt's terminal.
    fn start(&self, desk: &Rc<Desk>, command: Option<&str>) {
        let size = desk.state.borrow().prompt.screen_size();
        let (prompts, session) = (self.clone(), desk.session.clone());
        match Pty::start(command, size) {
            Err(error) => {
                let why = format!("it cannot be run: {error:#}");
                self.with(&session, |prompt| prompt.say(&why));
            }
            Ok((pty, mut output)) => {
                desk.state.borrow_mut().pty = Some(pty);
                let tab = desk.state.borrow().tab;
                tokio::task::spawn_local(async move {
                    while let Some(bytes) = output.recv().await {
                        if prompts.desk(&session).state.borrow().tab != tab {
                            return;
                        }
                        prompts.with(&session, |prompt| prompt.wrote(&bytes));
                    }
                    prompts.with(&session, Prompt::ended);
                });
            }
        }
    }

    fn tell_prompt(&self, desk: &Desk, what: PromptEvent) {
        let tab = desk.state.borrow().tab;
        self.tell(&desk.session, SurfaceEvent::Prompt { tab, what });
    }

    fn tell(&self, session: &SessionId, event: SurfaceEvent) {
        // Nobody listens where there is no agent.
        let _ = self.0.events.send((session.clone(), event));
    }
}

impl Desk {
    fn tell_asker(&self, told: Told) {
        if let Some(asker) = &self.state.borrow().asker {
            let _ = asker.send(told);
        }
    }
}

impl State {
    fn tab_info(&self) -> TabInfo {
        TabInfo {
            tab: self.tab,
            url: self.prompt.url(),
            title: self.prompt.spec().placeholder.clone(),
            opener: None,
            current: true,
            navigating: false,
        }
    }

    /// The program in the terminal is told, and the next prompt has the same size.
    fn follow_size(&mut self) {
        if self.size == self.prompt.size() {
            return;
        }
        self.size = self.prompt.size();
        if let Some(pty) = &self.pty {
            pty.resize(self.prompt.screen_size());
        }
    }

    fn check_tab(&self, tab: Option<TabId>) -> Result<(), Fault> {
        match tab {
            Some(tab) if tab != self.tab => {
                Err(Fault::new(Code::TabClosed, format!("Prompt {tab} is over")))
            }
            _ => Ok(()),
        }
    }
}

impl std::fmt::Debug for Prompts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prompts")
            .field("desks", &self.0.desks.borrow().len())
            .finish()
    }
}

impl Surface for Prompts {
    async fn perform(
        &self,
        session: &SessionId,
        tab: Option<TabId>,
        command: &Command,
        _time_left: Duration,
    ) -> Result<Done, Failure> {
        let desk = self.desk(session);
        let look = {
            let mut state = desk.state.borrow_mut();
            state.check_tab(tab)?;
            match command {
                Command::ListTabs(_) => return Ok(Reply::Tabs(vec![state.tab_info()]).into()),
                Command::SwitchTab(_) => return Ok(Reply::Tab(state.tab_info()).into()),
                _ => {}
            }
            state.looks += 1;
            Look {
                tab: state.tab,
                id: SnapshotId(state.looks),
            }
        };
        if let Command::CloseTab(_) = command {
            self.with(session, Prompt::cancel);
            return Ok(Reply::Nothing.into());
        }
        self.with(session, |prompt| prompt.perform(command, look))
    }

    /// Whatever is asked: a wait may well be for the next prompt.
    async fn watch(
        &self,
        session: &SessionId,
        _tab: Option<TabId>,
        leaves: Vec<Leaf>,
        mut report: impl FnMut(Vec<Option<bool>>) + 'static,
    ) -> Fault {
        let mut changed = self.changes(session);
        let mut last = None;
        loop {
            changed.mark_unchanged();
            let holds = |leaf: &Leaf| self.see(session, |prompt| prompt.holds(leaf).map(Some));
            let values: Vec<Option<bool>> = match leaves.iter().map(holds).collect() {
                Ok(values) => values,
                Err(fault) => return fault,
            };
            if last.as_ref() != Some(&values) {
                report(values.clone());
                last = Some(values);
            }
            if changed.changed().await.is_err() {
                return Fault::new(Code::BrowserGone, "The prompts are closed");
            }
        }
    }

    fn configure(&self, _session: &SessionId, _policy: &Policy) {}

    fn listen(&self, session: &SessionId, to_changes: bool) {
        self.desk(session).state.borrow_mut().tells_changes = to_changes;
    }

    async fn release(&self, session: &SessionId) {
        if self.0.desks.borrow().contains_key(session) {
            self.with(session, Prompt::cancel);
            self.0.desks.borrow_mut().remove(session);
        }
    }

    async fn shutdown(&self) {
        let sessions: Vec<SessionId> = self.0.desks.borrow().keys().cloned().collect();
        for session in sessions {
            self.release(&session).await;
        }
    }
}
