//! One running browser: which pages belong to which session, and how new ones come to be. Must not
//! know commands.

use crate::cdp::protocol::{BrowserContextId, DownloadId, TargetId, browser, target};
use crate::cdp::{CdpError, CdpEvent, Connection, Event, EventStream};
use crate::fence;
use crate::session::Session;
use crate::tab::{self, Fence, Scripts, Setup, Tab};
use dragoman_model::{Code, DownloadInfo, DownloadState, Fault, TabId};
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// How this browser is to be used; fixed when it starts.
#[derive(Debug, Clone)]
pub(crate) struct Manner {
    /// Somebody else's browser: touch only what we opened.
    pub guest: bool,
    pub headed: bool,
    pub viewport: (u32, u32),
    pub downloads: PathBuf,
}

pub(crate) struct Browser {
    pub connection: Connection,
    manner: Manner,
    scripts: Scripts,
    /// Sessions by their context; the default context has one owner.
    contexts: RefCell<HashMap<BrowserContextId, Rc<Session>>>,
    /// Contexts we made and gave up: what still comes from them is nobody's.
    released: RefCell<HashSet<BrowserContextId>>,
    default_owner: RefCell<Option<Rc<Session>>>,
    /// Given once: whoever comes after a session that is gone must not find its cookies.
    default_given: Cell<bool>,
    /// Some session has origin rules: workers that belong to no page are told of as well.
    fenced: Cell<bool>,
    downloads: RefCell<HashMap<DownloadId, Download>>,
    closing: Cell<bool>,
}

/// One that is under way, and whose it is.
struct Download {
    session: Rc<Session>,
    tab: TabId,
    /// Its place among the session's downloads.
    number: u64,
    info: DownloadInfo,
}

impl Browser {
    /// Take charge of a browser that has just answered.
    pub fn start(connection: Connection, manner: Manner, channel: &str) -> Rc<Self> {
        let events = connection.subscribe(None);
        let discover = target::SetDiscoverTargets {
            discover: true,
            filter: Some(target::TargetFilter::of(&["page"])),
        };
        drop(connection.send(None, &discover));
        if !manner.guest {
            attach_to(&connection, &["page"]);
        }
        let browser = Rc::new(Self {
            connection,
            manner,
            scripts: Scripts::new(channel),
            contexts: RefCell::default(),
            released: RefCell::default(),
            default_owner: RefCell::default(),
            default_given: Cell::new(false),
            fenced: Cell::new(false),
            downloads: RefCell::default(),
            closing: Cell::new(false),
        });
        tokio::task::spawn_local(follow(browser.clone(), events));
        browser
    }

    pub fn sessions(&self) -> Vec<Rc<Session>> {
        let mut all: Vec<_> = self.contexts.borrow().values().cloned().collect();
        all.extend(self.default_owner.borrow().iter().cloned());
        all
    }

    /// A new empty tab of the session.
    pub async fn new_tab(self: &Rc<Self>, session: &Rc<Session>) -> Result<Rc<Tab>, Fault> {
        self.settle_in(session).await?;
        if session.tabs().len() >= session.max_tabs.get() as usize {
            let most = session.max_tabs.get();
            return Err(Fault::new(
                Code::TooManyTabs,
                format!("{most} tabs are open already"),
            ));
        }
        let (width, height) = self.manner.viewport;
        let headless = !self.manner.headed;
        let create = target::CreateTarget {
            url: "about:blank".into(),
            width: headless.then_some(width),
            height: headless.then_some(height),
            browser_context_id: session.context.borrow().clone().flatten(),
            // A tab behind another swallows input for seconds; one in a window of its own does
            // not. A person's screen is not filled with windows, though.
            new_window: headless.then_some(true),
            background: (!headless).then_some(true),
            ..Default::default()
        };
        let created = self.connection.send(None, &create).await.map_err(gone)?;
        if self.manner.guest {
            return self.attach(session, created.target_id).await;
        }
        let arrived = session.until_tab(|tab| tab.target == created.target_id);
        tokio::select! {
            tab = arrived => Ok(tab),
            why = self.connection.closed() => Err(gone(CdpError::Closed(why))),
        }
    }

    async fn attach(
        self: &Rc<Self>,
        session: &Rc<Session>,
        id: TargetId,
    ) -> Result<Rc<Tab>, Fault> {
        if let Some(tab) = session.tabs().into_iter().find(|tab| tab.target == id) {
            return Ok(tab);
        }
        let call = target::AttachToTarget {
            target_id: id.clone(),
            flatten: true,
        };
        let attached = self.connection.send(None, &call).await.map_err(gone)?;
        if let Some(tab) = session.tabs().into_iter().find(|tab| tab.target == id) {
            return Ok(tab);
        }
        let tab = Tab::new(
            session.take_tab_id(),
            id,
            attached.session_id,
            self.connection.clone(),
            None,
        );
        self.begin(session, &tab, false);
        Ok(tab)
    }

    pub async fn close_tab(&self, tab: &Tab) -> Result<(), Fault> {
        let call = target::CloseTarget {
            target_id: tab.target.clone(),
        };
        self.connection.send(None, &call).await.map_err(gone)?;
        let closed = tab.until(|state| state.closed.then_some(()));
        tokio::select! {
            () = closed => Ok(()),
            why = self.connection.closed() => Err(gone(CdpError::Closed(why))),
        }
    }

    /// Give the session's place up: its context with everything in it, or its tabs.
    pub async fn release(&self, session: &Rc<Session>) {
        let place = session.context.borrow_mut().take();
        match place {
            Some(Some(id)) => {
                self.contexts.borrow_mut().remove(&id);
                self.released.borrow_mut().insert(id.clone());
                let call = target::DisposeBrowserContext {
                    browser_context_id: id,
                };
                drop(self.connection.send(None, &call).await);
            }
            Some(None) => {
                self.default_owner.borrow_mut().take();
                for tab in session.tabs() {
                    let call = target::CloseTarget {
                        target_id: tab.target.clone(),
                    };
                    drop(self.connection.send(None, &call).await);
                }
            }
            None => {}
        }
    }

    pub fn close_is_wanted(&self) {
        self.closing.set(true);
    }

    pub fn is_closing(&self) -> bool {
        self.closing.get()
    }

    /// The first session gets the browser's own context (a profile's cookies live there), every
    /// further one a context of its own.
    async fn settle_in(&self, session: &Rc<Session>) -> Result<(), Fault> {
        if session.context.borrow().is_some() {
            return Ok(());
        }
        let ruled = !session.rules.borrow().is_empty() && !self.manner.guest;
        if ruled && !self.fenced.replace(true) {
            attach_to(
                &self.connection,
                &["page", "shared_worker", "service_worker"],
            );
        }
        let first = !self.default_given.replace(true);
        let context = if first {
            self.default_owner.borrow_mut().replace(session.clone());
            None
        } else {
            let call = target::CreateBrowserContext {
                dispose_on_detach: true,
                proxy_server: None,
            };
            let made = self
                .connection
                .send(None, &call)
                .await
                .map_err(gone)?
                .browser_context_id;
            self.contexts
                .borrow_mut()
                .insert(made.clone(), session.clone());
            Some(made)
        };
        let save = browser::SetDownloadBehavior {
            behavior: browser::DownloadBehavior::AllowAndName,
            browser_context_id: context.clone(),
            download_path: Some(self.manner.downloads.display().to_string()),
            events_enabled: Some(true),
        };
        if !(self.manner.guest && first) {
            drop(self.connection.send(None, &save));
        }
        session.context.borrow_mut().replace(context);
        Ok(())
    }

    fn adopt(self: &Rc<Self>, session: &Rc<Session>, page: target::AttachedToTarget) -> Rc<Tab> {
        let info = page.target_info;
        let opened_by = |tab: &Rc<Tab>| info.opener_id.as_ref() == Some(&tab.target);
        let opener = session.tabs().into_iter().find(opened_by).map(|tab| tab.id);
        let id = session.take_tab_id();
        let connection = self.connection.clone();
        let tab = Tab::new(id, info.target_id, page.session_id, connection, opener);
        self.begin(session, &tab, page.waiting_for_debugger);
        tab
    }

    fn begin(&self, session: &Rc<Session>, tab: &Rc<Tab>, waiting: bool) {
        let setup = Setup {
            scripts: self.scripts.clone(),
            viewport: (!self.manner.headed && !self.manner.guest).then_some(self.manner.viewport),
            fence: match (session.rules.borrow().is_empty(), self.manner.guest) {
                (true, _) => None,
                (false, false) => Some(Fence::Own),
                (false, true) => Some(Fence::Guest),
            },
            guarded: self.manner.headed || self.manner.guest,
        };
        tab.update(|state| state.url = "about:blank".into());
        session.add(tab.clone());
        tab::run(tab, &tab.cdp, &setup, waiting);
    }

    /// A page has appeared: ours to drive, ours to close, or somebody else's.
    fn arrived(self: &Rc<Self>, page: target::AttachedToTarget) {
        if self.manner.guest {
            return;
        }
        let owner = self.owner(page.target_info.browser_context_id.as_ref());
        if page.target_info.r#type != "page" {
            let ruled = |session: &Rc<Session>| !session.rules.borrow().is_empty();
            return match owner.filter(ruled) {
                Some(session) => fence::worker(&self.connection, &session, None, &page),
                None => fence::let_go(&self.connection, &page),
            };
        }
        match owner {
            Some(session) if session.tabs().len() < session.max_tabs.get() as usize => {
                drop(self.adopt(&session, page));
            }
            // One too many, or nobody's.
            _ => {
                let call = target::CloseTarget {
                    target_id: page.target_info.target_id,
                };
                drop(self.connection.send(None, &call));
            }
        }
    }

    fn owner(&self, context: Option<&BrowserContextId>) -> Option<Rc<Session>> {
        let known = context.and_then(|c| self.contexts.borrow().get(c).cloned());
        let ended = context.is_some_and(|c| self.released.borrow().contains(c));
        match known {
            None if !ended => self.default_owner.borrow().clone(),
            known => known,
        }
    }

    fn info_changed(&self, info: &target::TargetInfo) {
        let tabs = self
            .sessions()
            .into_iter()
            .flat_map(|session| session.tabs());
        for tab in tabs.filter(|tab| tab.target == info.target_id) {
            // Told late, it may be of the page before, or from before the page told its own.
            let late = tab.state().url != info.url || is_address(&info.title, &info.url);
            if !late && tab.state().title != info.title {
                tab.update(|state| state.title.clone_from(&info.title));
            }
        }
    }

    /// In a guest's browser nothing is attached by itself: follow what our own pages open.
    fn opened(self: &Rc<Self>, info: target::TargetInfo) {
        let Some(opener) = info.opener_id.clone().filter(|_| self.manner.guest) else {
            return;
        };
        let ours = |s: &Rc<Session>| s.tabs().iter().any(|tab| tab.target == opener);
        let Some(session) = self.sessions().into_iter().find(ours) else {
            return;
        };
        let browser = self.clone();
        tokio::task::spawn_local(async move {
            if let Err(fault) = browser.attach(&session, info.target_id).await {
                tracing::warn!(%fault, "a page that was opened could not be followed");
            }
        });
    }

    fn download_begins(&self, e: browser::DownloadWillBegin) {
        let frame = e.frame_id.as_str();
        let owns = |tab: &Rc<Tab>| tab.state().frames.contains_key(frame);
        for session in self.sessions() {
            let Some(tab) = session.tabs().into_iter().find(owns) else {
                continue;
            };
            let info = DownloadInfo {
                url: e.url.clone(),
                file: e.suggested_filename.clone(),
                state: DownloadState::Started,
                path: None,
                bytes: None,
            };
            let number = session.download_begins(tab.id, info.clone());
            tab.update(|_| ());
            let download = Download {
                session,
                tab: tab.id,
                number,
                info,
            };
            self.downloads.borrow_mut().insert(e.guid, download);
            return;
        }
    }

    fn download_moves(&self, e: &browser::DownloadProgress) {
        let state = match e.state {
            browser::DownloadProgressState::InProgress => return,
            browser::DownloadProgressState::Completed => DownloadState::Finished,
            browser::DownloadProgressState::Canceled => DownloadState::Cancelled,
        };
        let known = self.downloads.borrow_mut().remove(&e.guid);
        let Some(Download {
            session,
            tab,
            number,
            mut info,
        }) = known
        else {
            return;
        };
        info.state = state;
        if state == DownloadState::Finished {
            info.bytes = Some(e.received_bytes.max(0.0) as u64);
            let saved = self.manner.downloads.join(e.guid.as_str());
            info.path = Some(named(&saved, &info.file).display().to_string());
        }
        session.download_ends(number, tab, info);
    }

    fn handle(self: &Rc<Self>, event: &Event) {
        match &*event.method {
            target::AttachedToTarget::NAME => event.get().into_iter().for_each(|e| self.arrived(e)),
            target::TargetInfoChanged::NAME => {
                if let Some(e) = event.get::<target::TargetInfoChanged>() {
                    self.info_changed(&e.target_info);
                }
            }
            target::TargetCreated::NAME => {
                if let Some(e) = event.get::<target::TargetCreated>() {
                    self.opened(e.target_info);
                }
            }
            browser::DownloadWillBegin::NAME => {
                event
                    .get()
                    .into_iter()
                    .for_each(|e| self.download_begins(e));
            }
            browser::DownloadProgress::NAME => {
                if let Some(e) = event.get::<browser::DownloadProgress>() {
                    self.download_moves(&e);
                }
            }
            _ => {}
        }
    }
}

impl std::fmt::Debug for Browser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Browser")
            .field("connection", &self.connection)
            .finish()
    }
}

fn attach_to(connection: &Connection, types: &[&'static str]) {
    let attach = target::SetAutoAttach {
        auto_attach: true,
        wait_for_debugger_on_start: true,
        flatten: true,
        filter: Some(target::TargetFilter::of(types)),
    };
    drop(connection.send(None, &attach));
}

async fn follow(browser: Rc<Browser>, mut events: EventStream) {
    while let Some(event) = events.next().await {
        browser.handle(&event);
    }
}

/// The file is saved under a name of our own; give it a decent one if that is safe and free.
fn named(saved: &Path, wanted: &str) -> PathBuf {
    let plain: String = wanted
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ' ') {
                c
            } else {
                '_'
            }
        })
        .take(120)
        .collect();
    let plain = plain.trim_start_matches(['.', ' ']);
    if plain.is_empty() {
        return saved.to_owned();
    }
    let better = saved.with_file_name(plain);
    if better.exists() || std::fs::rename(saved, &better).is_err() {
        return saved.to_owned();
    }
    better
}

/// A page without a title is called by its address; that is no title.
fn is_address(title: &str, url: &str) -> bool {
    let bare = |text: &str| text.trim_end_matches('/').to_owned();
    let named = bare(url.split_once("://").map_or(url, |(_, rest)| rest));
    title == url || bare(title) == named
}

fn gone(error: CdpError) -> Fault {
    match error {
        CdpError::Closed(why) => Fault::new(Code::BrowserGone, format!("the browser ended: {why}")),
        other => Fault::new(Code::Internal, other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::is_address;

    #[test]
    fn an_address_is_no_title() {
        for (title, url) in [
            ("127.0.0.1:4200", "http://127.0.0.1:4200/"),
            ("a.org/b?c=1", "https://a.org/b?c=1"),
            ("about:blank", "about:blank"),
            ("a.org/b/", "https://a.org/b/"),
        ] {
            assert!(is_address(title, url), "{title}");
        }
        for (title, url) in [("Form", "http://a.org/"), ("a.org", "https://a.org/b")] {
            assert!(!is_address(title, url), "{title}");
        }
    }
}
