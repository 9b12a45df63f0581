//! The hands: every command of every session, on one browser that is started when it is first
//! needed and again when it has died. Must not know dialects, the queue, the journal.

use crate::act::{Press, Row};
use crate::browser::{Browser, Manner};
use crate::cdp::protocol::{page, runtime};
use crate::guard::Guard;
use crate::launch::{self, Ahead, LaunchOptions, Launched};
use crate::look::View;
use crate::session::Session;
use crate::tab::Tab;
use crate::vault::Vault;
use crate::{go, store};
use dragoman_model::{
    Code, Command, Done, Failure, Fault, Leaf, Meaning, Policy, Reply, SessionId, SurfaceEvent,
    TabId, Target,
};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::{Instant, timeout, timeout_at};

/// Cheap to clone; all clones are the same hands.
#[derive(Clone)]
pub struct Hands(Rc<Inner>);

struct Inner {
    options: LaunchOptions,
    guard: Rc<Guard>,
    vault: Rc<Vault>,
    events: UnboundedSender<(SessionId, SurfaceEvent)>,
    sessions: RefCell<HashMap<SessionId, Rc<Session>>>,
    live: Mutex<Option<Live>>,
}

struct Live {
    browser: Rc<Browser>,
    launched: Option<Launched>,
}

/// A page that does not answer this within the time is hung.
const PULSE: Duration = Duration::from_millis(300);

impl Hands {
    pub fn new(options: LaunchOptions, events: UnboundedSender<(SessionId, SurfaceEvent)>) -> Self {
        Self::with_secrets(options, events, Vault::default())
    }

    /// Hands that know secrets by name.
    pub fn with_secrets(
        options: LaunchOptions,
        events: UnboundedSender<(SessionId, SurfaceEvent)>,
        vault: Vault,
    ) -> Self {
        Self(Rc::new(Inner {
            vault: Rc::new(vault),
            guard: Rc::new(Guard::new(&options.forbidden)),
            options,
            events,
            sessions: RefCell::default(),
            live: Mutex::new(None),
        }))
    }

    /// Carry one command out. It ends before `time_left` is over, whatever the page does.
    pub async fn perform(
        &self,
        session: &SessionId,
        tab: Option<TabId>,
        command: &Command,
        time_left: Duration,
    ) -> Result<Done, Failure> {
        self.perform_in(session, tab, Row::single(command), time_left)
            .await
    }

    /// As `perform`: the first command of a row.
    pub(crate) async fn perform_in(
        &self,
        session: &SessionId,
        tab: Option<TabId>,
        row: Row<'_>,
        time_left: Duration,
    ) -> Result<Done, Failure> {
        let command = row.command;
        let deadline = Self::deadline(time_left);
        let session = self.session(session);
        let work = self.carry_out(&session, tab, row, deadline);
        let page_wanted = matches!(command, Command::Navigate(_) | Command::OpenTab(_));
        let result = match timeout_at(deadline, work).await {
            Ok(result) => with_news(result, session.take_news(page_wanted)),
            Err(_) => Err(self.overdue(&session, tab, command).await.into()),
        };
        self.hide(result)
    }

    /// Enough is kept back to find out, and say, why it took so long.
    pub(crate) fn deadline(time_left: Duration) -> Instant {
        Instant::now() + time_left - (time_left / 5).min(PULSE * 2)
    }

    /// No secret is in what is told.
    pub(crate) fn hide(&self, result: Result<Done, Failure>) -> Result<Done, Failure> {
        self.0.vault.hide(result)
    }

    /// Report the values of the leaves, first at once and then as they change. Runs until dropped;
    /// returns only when it cannot go on.
    pub async fn watch(
        &self,
        session: &SessionId,
        tab: Option<TabId>,
        leaves: Vec<Leaf>,
        report: impl FnMut(Vec<Option<bool>>),
    ) -> Fault {
        let session = self.session(session);
        let view = match self.view(&session, tab, far()).await {
            Ok(view) => view,
            Err(fault) => return fault,
        };
        view.watch(&leaves, report).await
    }

    /// What a command would act on in a page as it is now. Nothing is scrolled, nothing started.
    pub async fn identify(
        &self,
        session: &SessionId,
        tab: TabId,
        command: &Command,
    ) -> Option<Meaning> {
        let session = self.known(session)?;
        let tab = match command.target() {
            Some(Target::Ref(r)) => session.refs.borrow().find(*r).ok()?.tab,
            _ => tab,
        };
        session.find(tab).ok()?;
        let view = self.view(&session, Some(tab), far()).await.ok()?;
        view.identify(command.target()).await
    }

    /// The session's rules, before its first command.
    pub fn configure(&self, session: &SessionId, policy: &Policy) {
        let session = self.session(session);
        *session.rules.borrow_mut() = policy.origins.clone();
        session.max_tabs.set(policy.max_tabs);
    }

    /// Tell of changes in the session's pages, or stop telling. Pages that come later are told so
    /// as they come.
    pub fn tell_changes(&self, session: &SessionId, on: bool) {
        let session = self.session(session);
        session.tells_changes.set(on);
        for tab in session.tabs() {
            let world = tab.state().main_world();
            if let Some(world) = world {
                tab.tell_changes(&world, on);
            }
        }
    }

    /// Close what belongs to the session.
    pub async fn release(&self, session: &SessionId) {
        let known = self.0.sessions.borrow_mut().remove(session);
        let live = self.0.live.lock().await;
        if let (Some(session), Some(live)) = (known, live.as_ref()) {
            live.browser.release(&session).await;
        }
    }

    /// End the browser, if there is one.
    pub async fn shutdown(&self) {
        let Some(live) = self.0.live.lock().await.take() else {
            return;
        };
        live.browser.close_is_wanted();
        if let Some(launched) = live.launched {
            launched.shutdown().await;
        }
    }

    /// The process of the browser we started, if one runs.
    pub async fn process_id(&self) -> Option<u32> {
        self.0
            .live
            .lock()
            .await
            .as_ref()?
            .launched
            .as_ref()?
            .process_id()
    }

    fn session(&self, id: &SessionId) -> Rc<Session> {
        let mut sessions = self.0.sessions.borrow_mut();
        let make = || {
            Session::new(
                id.clone(),
                self.0.guard.clone(),
                self.0.vault.clone(),
                self.0.events.clone(),
            )
        };
        sessions.entry(id.clone()).or_insert_with(make).clone()
    }

    /// Without making it anything that it is not yet.
    pub(crate) fn known(&self, id: &SessionId) -> Option<Rc<Session>> {
        self.0.sessions.borrow().get(id).cloned()
    }

    fn headless(&self) -> bool {
        !self.0.options.headed && self.0.options.cdp_url.is_none()
    }

    /// The browser; started if there is none.
    async fn browser(&self) -> Result<Rc<Browser>, Fault> {
        let mut live = self.0.live.lock().await;
        if let Some(running) = live.as_ref().filter(|l| !l.browser.connection.is_closed()) {
            return Ok(running.browser.clone());
        }
        if let Some(dead) = live.take() {
            forget(&dead.browser, "it ended");
            if let Some(launched) = dead.launched {
                launched.shutdown().await;
            }
        }
        let started = Box::pin(self.start()).await?;
        let browser = started.browser.clone();
        let (watched, gone) = (browser.clone(), browser.connection.closed());
        tokio::task::spawn_local(async move {
            let reason = gone.await;
            forget(&watched, &reason);
        });
        *live = Some(started);
        Ok(browser)
    }

    async fn start(&self) -> Result<Live, Fault> {
        let options = &self.0.options;
        let sessions = self
            .0
            .sessions
            .borrow()
            .values()
            .cloned()
            .collect::<Vec<_>>();
        let ruled = |session: &Rc<Session>| !session.rules.borrow().is_empty();
        let ahead = match sessions.iter().any(ruled) {
            true => Ahead::Never,
            false => Ahead::Load,
        };
        let launched = launch::launch_with(options, ahead).await?;
        let downloads = match (&options.downloads, launched.profile()) {
            (Some(folder), _) => folder.clone(),
            (None, Some(profile)) => profile.join("downloads"),
            (None, None) => std::env::temp_dir(),
        };
        let manner = Manner {
            guest: options.cdp_url.is_some(),
            headed: options.headed,
            viewport: options.viewport,
            downloads,
        };
        let browser = Browser::start(launched.connection.clone(), manner, &secret());
        Ok(Live {
            browser,
            launched: Some(launched),
        })
    }

    async fn view(
        &self,
        session: &Rc<Session>,
        tab: Option<TabId>,
        deadline: Instant,
    ) -> Result<View, Fault> {
        let browser = self.browser().await?;
        let tab = match tab {
            Some(id) => session.find(id)?,
            None => self.any_tab(&browser, session).await?,
        };
        if !tab.state().prepared {
            tab.or_trouble(tab.until(|state| state.prepared.then_some(())))
                .await?;
        }
        if let Some(why) = &tab.state().unfenced {
            let message = format!("this browser cannot keep the session's origin rules: {why}");
            return Err(Fault::new(Code::Unsupported, message)
                .suggest("Use a newer Chromium: dragoman install-browser gets one."));
        }
        Ok(self.view_of(session, tab, deadline))
    }

    pub(crate) fn view_of(&self, session: &Rc<Session>, tab: Rc<Tab>, deadline: Instant) -> View {
        View {
            session: session.clone(),
            tab,
            deadline,
            headless: self.headless(),
            after: None,
            batch: None,
        }
    }

    async fn any_tab(
        &self,
        browser: &Rc<Browser>,
        session: &Rc<Session>,
    ) -> Result<Rc<Tab>, Fault> {
        match session.tabs().into_iter().next() {
            Some(tab) => Ok(tab),
            None => {
                let tab = browser.new_tab(session).await?;
                session.started_anew();
                Ok(tab)
            }
        }
    }

    async fn carry_out(
        &self,
        session: &Rc<Session>,
        tab: Option<TabId>,
        row: Row<'_>,
        deadline: Instant,
    ) -> Result<Done, Failure> {
        let command = row.command;
        if is_for_no_page(command) {
            return Box::pin(self.without_page(session, tab, command, deadline)).await;
        }
        // A ref knows its tab better than whatever is current.
        let tab = match command.target() {
            Some(Target::Ref(r)) => Some(session.refs.borrow().find(*r)?.tab),
            _ => tab,
        };
        let mut view = self.view(session, tab, deadline).await?;
        view.after = row.after.and_then(Press::of);
        view.batch = row.batch;
        if !command.reads_only() {
            view.come_to_front();
        }
        let broken_off = match goes_anyway(command) {
            true => None,
            false => view.until_free(command.reads_only()).await,
        };
        with_news(view.carry_out(command).await, broken_off)
    }

    /// What concerns the session or the browser, not a page.
    async fn without_page(
        &self,
        session: &Rc<Session>,
        tab: Option<TabId>,
        command: &Command,
        deadline: Instant,
    ) -> Result<Done, Failure> {
        Ok(match command {
            Command::ListTabs(_) => go::list_tabs(session, tab),
            Command::OpenTab(ask) => {
                let browser = self.browser().await?;
                let first = session.tabs().is_empty();
                let done = go::open_tab(&browser, session, ask, deadline, self.headless()).await?;
                if first {
                    session.started_anew();
                }
                done
            }
            Command::OpenLink(ask) => {
                let browser = self.browser().await?;
                let tab = match &ask.target {
                    Target::Ref(r) => Some(session.refs.borrow().find(*r)?.tab),
                    _ => tab,
                };
                self.view(session, tab, deadline)
                    .await?
                    .open_link(&browser, ask)
                    .await?
            }
            Command::SwitchTab(ask) => {
                let tab = session.find(ask.to)?;
                if self.headless() {
                    tab.bring_to_front().await?;
                }
                Reply::Tab(tab.info(true)).into()
            }
            Command::CloseTab(ask) => {
                let browser = self.browser().await?;
                let Some(id) = ask.close.or(tab) else {
                    return Err(Fault::new(Code::UnknownTab, "there is no tab to close").into());
                };
                go::close_tab(&browser, &session.find(id)?).await?
            }
            Command::GetCookies(ask) => {
                let view = self.view(session, tab, deadline).await?;
                store::get_cookies(&self.browser().await?, &view.session, ask).await?
            }
            Command::SetCookies(ask) => {
                let view = self.view(session, tab, deadline).await?;
                let url = view.tab.state().url.clone();
                store::set_cookies(&self.browser().await?, session, &url, ask).await?
            }
            Command::ClearCookies(ask) => {
                let view = self.view(session, tab, deadline).await?;
                store::clear_cookies(&self.browser().await?, &view.session, ask).await?
            }
            _ => return Err(unsupported(command)),
        })
    }

    /// The time is over: find out whether the page hangs, and free it if so.
    pub(crate) async fn overdue(
        &self,
        session: &Rc<Session>,
        tab: Option<TabId>,
        command: &Command,
    ) -> Fault {
        let what = command.name();
        let tab = tab.and_then(|id| session.find(id).ok());
        let tab = tab.or_else(|| session.tabs().into_iter().next());
        let Some(tab) = tab.filter(|t| t.state().dialog.is_none()) else {
            return Fault::new(Code::Timeout, format!("{what} took too long"));
        };
        let alive = runtime::Evaluate {
            expression: "0".into(),
            ..Default::default()
        };
        let pulse = tab.connection.send(Some(&tab.cdp), &alive);
        if timeout(PULSE, pulse).await.is_ok() {
            return Fault::new(Code::Timeout, format!("{what} took too long"));
        }
        // No script runs on: the browser itself lets nothing through until the server answers.
        if let Some(url) = tab.waits_for() {
            let message = format!("{what}: the page is waiting for {url}");
            return Fault::new(Code::Timeout, message);
        }
        tab.tell(&runtime::TerminateExecution::default());
        let message = format!("{what}: the page's script runs on and on; it was stopped");
        Fault::new(Code::Hung, message)
    }
}

impl View {
    /// A tab behind another is slow to see input. A person's screen is left alone, though.
    pub(crate) fn come_to_front(&self) {
        if self.headless && self.session.comes_to_front(self.tab.id) {
            self.tab.tell(&page::BringToFront::default());
        }
    }

    async fn carry_out(&self, command: &Command) -> Result<Done, Failure> {
        if self.tab.state().crashed && !revives(command) {
            return Err(Fault::new(Code::Crashed, "the page's process crashed").into());
        }
        match command {
            Command::TakeSnapshot(ask) => Ok(self.snapshot(ask).await?),
            // What acts remembers much on its way; a look need not make room for it.
            _ => Box::pin(self.act(command)).await,
        }
    }

    /// One match over the catalog: what a page can do.
    async fn act(&self, command: &Command) -> Result<Done, Failure> {
        match command {
            Command::Click(ask) => self.click(ask).await,
            Command::Hover(ask) => self.hover(ask).await,
            Command::Move(ask) => self.move_to(ask).await,
            Command::MouseDown(ask) => self.mouse_down(ask.button).await,
            Command::MouseUp(ask) => self.mouse_up(ask.button).await,
            Command::Drop(ask) => self.drop_on(ask).await,
            Command::Drag(ask) => self.drag(ask).await,
            Command::Type(ask) => self.type_keys(ask).await,
            Command::InsertText(ask) => self.insert_text(ask).await,
            Command::ReplaceText(ask) => self.replace_text(ask).await,
            Command::Clear(ask) => self.clear(ask).await,
            Command::Press(ask) => self.press_keys(ask).await,
            Command::ScrollBy(ask) => self.scroll_by(ask).await,
            Command::ScrollTo(ask) => self.scroll_to(ask).await,
            Command::ScrollIntoView(ask) => self.scroll_into_view(ask).await,
            Command::Select(ask) => self.select(ask).await,
            Command::Check(ask) => self.set_checked(&ask.target, true).await,
            Command::Uncheck(ask) => self.set_checked(&ask.target, false).await,
            Command::Focus(ask) => self.focus(ask).await,
            Command::Blur(ask) => self.blur(ask).await,
            Command::Expand(ask) => self.set_open(&ask.target, true).await,
            Command::Collapse(ask) => self.set_open(&ask.target, false).await,
            Command::Submit(ask) => self.submit(ask).await,
            Command::Upload(ask) => self.upload(ask).await,
            Command::Highlight(ask) => self.highlight(ask).await,
            Command::Navigate(ask) => self.navigate(&ask.url, ask.until).await,
            Command::Back(ask) => self.history(-1, ask.until).await,
            Command::Forward(ask) => self.history(1, ask.until).await,
            Command::Reload(ask) => self.reload(ask.until).await,
            Command::Resize(ask) => self.resize(ask).await,
            Command::Emulate(ask) => self.emulate(ask).await,
            Command::SetOffline(ask) => self.set_offline(ask.offline).await,
            Command::AddRoute(ask) => self.add_route(ask).await,
            Command::RemoveRoutes(ask) => self.remove_routes(ask.pattern.as_deref()).await,
            Command::ListRoutes(_) => Ok(self.list_routes()),
            Command::TakeSnapshot(ask) => Ok(self.snapshot(ask).await?),
            Command::TakeChanges(ask) => Ok(self.changes(ask).await?),
            Command::ReadText(ask) => Ok(self.text(ask).await?),
            Command::Selection(_) => Ok(self.selection().await?),
            Command::Query(ask) => Ok(self.query(ask).await?),
            Command::Screenshot(ask) => self.screenshot(ask).await,
            Command::Film(ask) => self.film(ask.on).await,
            Command::Pdf(ask) => self.pdf(ask).await,
            Command::Evaluate(ask) => self.evaluate(ask).await,
            Command::ReadConsole(ask) => Ok(self.console(ask).await),
            Command::ReadNetwork(ask) => self.network(ask).await,
            Command::Dialog(ask) => self.answer_dialog(ask).await,
            Command::GetStorage(ask) => self.get_storage(ask).await,
            Command::SetStorage(ask) => self.set_storage(ask).await,
            Command::ClearStorage(ask) => self.clear_storage(ask).await,
            Command::OpenTab(_)
            | Command::OpenLink(_)
            | Command::SwitchTab(_)
            | Command::CloseTab(_)
            | Command::ListTabs(_)
            | Command::GetCookies(_)
            | Command::SetCookies(_)
            | Command::ClearCookies(_)
            | Command::Wait(_)
            | Command::Assert(_)
            | Command::Batch(_)
            | Command::Subscribe(_)
            | Command::Unsubscribe(_) => Err(unsupported(command)),
        }
    }
}

/// What concerns the session or the browser.
fn is_for_no_page(command: &Command) -> bool {
    matches!(
        command,
        Command::ListTabs(_)
            | Command::OpenTab(_)
            | Command::OpenLink(_)
            | Command::SwitchTab(_)
            | Command::CloseTab(_)
            | Command::GetCookies(_)
            | Command::SetCookies(_)
            | Command::ClearCookies(_)
    )
}

fn unsupported(command: &Command) -> Failure {
    let message = format!("{} is not for a page to do", command.name());
    Fault::new(Code::Unsupported, message).into()
}

impl std::fmt::Debug for Hands {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hands")
            .field("sessions", &self.0.sessions.borrow().len())
            .finish()
    }
}

/// Told with whatever the command ends in.
fn with_news(mut result: Result<Done, Failure>, news: Option<String>) -> Result<Done, Failure> {
    if let Some(news) = news {
        let receipt = match &mut result {
            Ok(done) => &mut done.receipt,
            Err(failure) => &mut failure.receipt,
        };
        receipt.get_or_insert_default().notes.push(news);
    }
    result
}

fn forget(browser: &Browser, reason: &str) {
    if browser.is_closing() {
        return;
    }
    browser.close_is_wanted();
    for session in browser.sessions() {
        session.browser_gone(reason);
    }
}

/// What asks nothing of the page that is shown.
fn goes_anyway(command: &Command) -> bool {
    matches!(
        command,
        Command::Navigate(_)
            | Command::Back(_)
            | Command::Forward(_)
            | Command::Reload(_)
            | Command::Dialog(_)
            | Command::ReadConsole(_)
            | Command::ReadNetwork(_)
    )
}

/// What brings a crashed page back.
fn revives(command: &Command) -> bool {
    matches!(
        command,
        Command::Navigate(_)
            | Command::Reload(_)
            | Command::ReadConsole(_)
            | Command::ReadNetwork(_)
    )
}

fn far() -> Instant {
    Instant::now() + Duration::from_secs(86_400)
}

/// Not guessable by a page: the hasher's keys come from the system's randomness.
fn secret() -> String {
    use std::hash::{BuildHasher, RandomState};
    let part = || RandomState::new().hash_one(std::process::id());
    format!("d{:016x}{:016x}", part(), part())
}
