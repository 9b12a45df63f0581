//! One operator's share of the browser: its tabs, its refs, its rules. It outlives the browser: when
//! that dies the tabs go, the numbers go on. Must not know the queue.

use crate::cdp::protocol::BrowserContextId;
use crate::guard::Guard;
use crate::guise::Guise;
use crate::refs::Refs;
use crate::tab::Tab;
use crate::vault::Vault;
use dragoman_model::{
    Code, DownloadInfo, Fault, OriginRules, Policy, SessionId, SnapshotId, SurfaceEvent, TabId,
};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::net::IpAddr;
use std::rc::Rc;
use tokio::sync::{mpsc::UnboundedSender, watch};

pub(crate) struct Session {
    pub id: SessionId,
    pub refs: RefCell<Refs>,
    pub rules: RefCell<OriginRules>,
    guard: Rc<Guard>,
    pub vault: Rc<Vault>,
    pub max_tabs: Cell<u32>,
    pub guise: RefCell<Guise>,
    /// What was typed into password fields; no log may show it.
    pub secrets: RefCell<Vec<String>>,
    /// Somebody wants to hear of every change in its pages.
    pub tells_changes: Cell<bool>,
    /// Its place in the present browser; `None` until it needs one. The inner `None` is the
    /// browser's default context.
    pub context: RefCell<Option<Option<BrowserContextId>>>,
    tabs: RefCell<BTreeMap<TabId, Rc<Tab>>>,
    next_tab: Cell<u32>,
    /// What the page's revision was, per document, at each recent snapshot of a tab.
    looks: RefCell<VecDeque<Look>>,
    next_look: Cell<u64>,
    downloads: RefCell<VecDeque<(u64, DownloadInfo)>>,
    next_download: Cell<u64>,
    /// Why its last browser ended, until it has a new one.
    lost: RefCell<Option<String>>,
    /// It got a first tab once more, and nobody was told yet.
    news: RefCell<Option<News>>,
    /// The tab that was last brought to the front.
    front: Cell<Option<TabId>>,
    version: watch::Sender<u64>,
    events: UnboundedSender<(SessionId, SurfaceEvent)>,
}

/// A fresh start: after the browser's end, and why it ended, or after the last tab was closed.
#[derive(Debug)]
struct News {
    lost: Option<String>,
}

/// The script's revision numbers at one snapshot.
#[derive(Debug, Clone)]
pub(crate) struct Look {
    pub id: SnapshotId,
    pub tab: TabId,
    pub revs: HashMap<Rc<str>, u64>,
}

const LOOKS: usize = 64;
const DOWNLOADS: usize = 100;
const SECRETS: usize = 100;

impl Session {
    pub fn new(
        id: SessionId,
        guard: Rc<Guard>,
        vault: Rc<Vault>,
        events: UnboundedSender<(SessionId, SurfaceEvent)>,
    ) -> Rc<Self> {
        Rc::new(Self {
            id,
            refs: RefCell::default(),
            rules: RefCell::default(),
            guard,
            vault,
            max_tabs: Cell::new(Policy::default().max_tabs),
            guise: RefCell::default(),
            secrets: RefCell::default(),
            tells_changes: Cell::new(false),
            context: RefCell::new(None),
            tabs: RefCell::default(),
            next_tab: Cell::new(1),
            looks: RefCell::default(),
            next_look: Cell::new(0),
            downloads: RefCell::default(),
            next_download: Cell::new(0),
            lost: RefCell::default(),
            news: RefCell::default(),
            front: Cell::new(None),
            version: watch::Sender::new(0),
            events,
        })
    }

    pub fn announce(&self, event: SurfaceEvent) {
        if let Some(event) = self.vault.hide_in(event) {
            // Nobody listens any more only while the house is closing down.
            drop(self.events.send((self.id.clone(), event)));
        }
    }

    pub fn permits(&self, url: &str) -> bool {
        self.guard.permits(url) && self.rules.borrow().permits(url)
    }

    /// What holds for every page: its own rules, and what nobody may fetch.
    pub fn all_rules(&self) -> OriginRules {
        self.guard.and(&self.rules.borrow())
    }

    /// A request the rules stopped. What no tab asked for is told of with the first.
    pub fn stopped(&self, tab: Option<TabId>, url: String) {
        let first = || self.tabs.borrow().keys().next().copied();
        if let Some(tab) = tab.or_else(first) {
            self.announce(SurfaceEvent::Blocked { tab, url });
        }
    }

    pub fn check_url(&self, url: &str) -> Result<(), Fault> {
        check_address(url)?;
        if !self.guard.permits(url) {
            return Err(out_of_bounds(url));
        }
        if !self.permits(url) {
            return Err(blocked(url));
        }
        Ok(())
    }

    /// The same for what the name in it leads to.
    pub async fn check_name(&self, url: &str) -> Result<(), Fault> {
        match self.guard.permits_name(url).await {
            true => Ok(()),
            false => Err(out_of_bounds(url)),
        }
    }

    /// An answer came from an address that none may come from, by a name that we did not know; now
    /// we do.
    pub fn strayed(&self, url: &str, ip: IpAddr, port: u16) -> bool {
        let strayed = !self.guard.permits_address(ip, port);
        if strayed {
            self.guard.found_out(url);
        }
        strayed
    }

    pub fn keep_secret(&self, text: &str) {
        let mut secrets = self.secrets.borrow_mut();
        if text.is_empty() || secrets.iter().any(|known| known == text) {
            return;
        }
        if secrets.len() == SECRETS {
            secrets.remove(0);
        }
        secrets.push(text.into());
    }

    pub fn take_tab_id(&self) -> TabId {
        let id = self.next_tab.get();
        self.next_tab.set(id + 1);
        TabId(id)
    }

    pub fn add(self: &Rc<Self>, tab: Rc<Tab>) {
        tab.belongs_to(self);
        let info = tab.info(false);
        self.tabs.borrow_mut().insert(tab.id, tab);
        self.version.send_modify(|v| *v += 1);
        self.announce(SurfaceEvent::TabOpened { tab: info });
    }

    /// Whether another tab of the session may hide this one; from now on none does.
    pub fn comes_to_front(&self, tab: TabId) -> bool {
        self.front.replace(Some(tab)) != Some(tab) && self.tabs.borrow().len() > 1
    }

    pub fn tab_gone(&self, id: TabId) {
        if self.tabs.borrow_mut().remove(&id).is_some() {
            self.version.send_modify(|v| *v += 1);
            self.refs.borrow_mut().forget(|run| run.tab != id);
            self.announce(SurfaceEvent::TabClosed { tab: id });
        }
    }

    /// The browser died: its tabs are no more, and closing them one by one says too much.
    pub fn browser_gone(&self, reason: &str) {
        self.tabs.borrow_mut().clear();
        self.context.borrow_mut().take();
        self.refs.borrow_mut().forget(|_| false);
        self.lost.borrow_mut().replace(reason.into());
        self.version.send_modify(|v| *v += 1);
        self.announce(SurfaceEvent::BrowserGone {
            reason: reason.into(),
        });
    }

    /// A tab was made because there was none.
    pub fn started_anew(&self) {
        let had_one = self.next_tab.get() > 2;
        let lost = self.lost.borrow_mut().take();
        if had_one {
            self.news.borrow_mut().replace(News { lost });
        }
    }

    /// What an answer has to say besides: whoever had a tab before must not take the empty page of
    /// a new one for the one it knew. `page_wanted`: a new page is what was asked for.
    pub fn take_news(&self, page_wanted: bool) -> Option<String> {
        match self.news.borrow_mut().take()?.lost {
            Some(why) => Some(format!("the browser had ended ({why}): this is a new one")),
            None if page_wanted => None,
            None => Some("every tab was closed: this is a new, empty one".into()),
        }
    }

    pub fn tabs(&self) -> Vec<Rc<Tab>> {
        self.tabs.borrow().values().cloned().collect()
    }

    pub fn find(&self, id: TabId) -> Result<Rc<Tab>, Fault> {
        if let Some(tab) = self.tabs.borrow().get(&id) {
            return Ok(tab.clone());
        }
        Err(match id.0 < self.next_tab.get() && id.0 > 0 {
            true => Fault::new(Code::TabClosed, format!("tab {id} is closed")),
            false => Fault::new(Code::UnknownTab, format!("there is no tab {id}")),
        })
    }

    /// Wait until a tab fits. Only events wake it.
    pub async fn until_tab(&self, fits: impl Fn(&Tab) -> bool) -> Rc<Tab> {
        let mut version = self.version.subscribe();
        loop {
            if let Some(tab) = self.tabs.borrow().values().find(|tab| fits(tab)) {
                return tab.clone();
            }
            if version.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// The tab shows another document: what was in the old one is not found any more.
    pub fn forget_refs(&self, tab: &Tab) {
        let state = tab.state();
        let lives = |world: &str| state.has_world(world);
        let mut refs = self.refs.borrow_mut();
        refs.forget(|run| run.tab != tab.id || lives(&run.world));
    }

    pub fn last_snapshot(&self) -> u64 {
        self.next_look.get()
    }

    pub fn remember(&self, tab: TabId, revs: HashMap<Rc<str>, u64>) -> SnapshotId {
        self.next_look.set(self.next_look.get() + 1);
        let id = SnapshotId(self.next_look.get());
        let mut looks = self.looks.borrow_mut();
        if looks.len() == LOOKS {
            looks.pop_front();
        }
        looks.push_back(Look { id, tab, revs });
        id
    }

    /// A look by its number, or the last one at that tab.
    pub fn look(&self, tab: TabId, id: Option<SnapshotId>) -> Option<Look> {
        let looks = self.looks.borrow();
        let fits = |look: &&Look| look.tab == tab && id.is_none_or(|id| look.id == id);
        looks.iter().rev().find(fits).cloned()
    }

    /// How many have begun so far.
    pub fn last_download(&self) -> u64 {
        self.next_download.get()
    }

    pub fn downloads_after(&self, number: u64) -> Vec<DownloadInfo> {
        let all = self.downloads.borrow();
        let after = all.iter().filter(|(n, _)| *n > number);
        after.map(|(_, download)| download.clone()).collect()
    }

    /// Also of one that was downloaded before: each time is a download of its own.
    pub fn download_begins(&self, tab: TabId, download: DownloadInfo) -> u64 {
        let number = self.next_download.get() + 1;
        self.next_download.set(number);
        let mut all = self.downloads.borrow_mut();
        if all.len() == DOWNLOADS {
            all.pop_front();
        }
        all.push_back((number, download.clone()));
        drop(all);
        self.tell_download(tab, download);
        number
    }

    pub fn download_ends(&self, number: u64, tab: TabId, download: DownloadInfo) {
        let mut all = self.downloads.borrow_mut();
        if let Some((_, known)) = all.iter_mut().find(|(n, _)| *n == number) {
            *known = download.clone();
        }
        drop(all);
        self.tell_download(tab, download);
    }

    fn tell_download(&self, tab: TabId, download: DownloadInfo) {
        self.version.send_modify(|v| *v += 1);
        self.announce(SurfaceEvent::Download { tab, download });
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Session({})", self.id)
    }
}

/// Whether it is an address that any surface may be sent to.
pub fn check_address(url: &str) -> Result<(), Fault> {
    let scheme = url.split(':').next().unwrap_or("").to_ascii_lowercase();
    if matches!(scheme.as_str(), "http" | "https" | "data") || url == "about:blank" {
        return Ok(());
    }
    Err(
        Fault::new(Code::BadArgument, format!("cannot go to {url:?}"))
            .suggest("Use an address that begins with http:// or https://."),
    )
}

/// Nobody's rules allow it.
pub(crate) fn out_of_bounds(url: &str) -> Fault {
    blocked(url).suggest("No page is fetched from there, whatever the rules.")
}

pub(crate) fn blocked(url: &str) -> Fault {
    Fault::new(Code::Blocked, format!("the session may not go to {url:?}"))
}
