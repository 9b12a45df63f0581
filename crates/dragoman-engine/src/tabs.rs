//! A session's tabs: which are open, which one is current, which have a dialog open.
//!
//! The current tab is where the operator works, so only the operator moves it: `switch_tab`,
//! `open_tab` and `open_link` do, a tab that the surface reports as current does, and a closed
//! tab hands back to the one before it. A page that comes to the front by itself does not.
//!
//! Must not know: the queue, what a browser is.

use dragoman_model::{Code, Command, DialogInfo, Done, Fault, Reply, SurfaceEvent, TabId, TabInfo};

#[derive(Debug, Default)]
pub(crate) struct Tabs {
    /// The one most recently current stands last.
    open: Vec<Tab>,
    highest: u32,
}

#[derive(Debug)]
struct Tab {
    id: TabId,
    /// Where it was last said to be.
    url: String,
    dialog: Option<DialogInfo>,
}

/// What a command does to the tabs when it succeeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    Nothing,
    Switch(TabId),
    Close(Option<TabId>),
    Open { current: bool },
}

impl Change {
    pub fn of(command: &Command, tab: Option<TabId>) -> Self {
        match command {
            Command::SwitchTab(c) => Self::Switch(c.to),
            Command::CloseTab(c) => Self::Close(c.close.or(tab)),
            Command::OpenTab(c) => Self::Open {
                current: c.background != Some(true),
            },
            Command::OpenLink(c) => Self::Open {
                current: c.background != Some(true),
            },
            _ => Self::Nothing,
        }
    }
}

impl Tabs {
    pub fn count(&self) -> usize {
        self.open.len()
    }

    pub fn current(&self) -> Option<TabId> {
        self.open.last().map(|tab| tab.id)
    }

    /// The tab a command is for: the one it names, else the current one, else none yet.
    pub fn resolve(&self, asked: Option<TabId>) -> Result<Option<TabId>, Fault> {
        match asked {
            Some(tab) => self.known(tab).map(Some),
            None => Ok(self.current()),
        }
    }

    pub fn known(&self, tab: TabId) -> Result<TabId, Fault> {
        if self.find(tab).is_some() {
            Ok(tab)
        } else if tab.0 <= self.highest {
            Err(Fault::new(Code::TabClosed, format!("Tab {tab} was closed")))
        } else {
            Err(Fault::new(
                Code::UnknownTab,
                format!("There is no tab {tab}"),
            ))
        }
    }

    pub fn dialog_on(&self, tab: TabId) -> Option<&DialogInfo> {
        self.find(tab).and_then(|at| self.open[at].dialog.as_ref())
    }

    /// The address of a tab's page; without a tab, there is none yet.
    pub fn url_of(&self, tab: Option<TabId>) -> Option<&str> {
        let at = self.find(tab?)?;
        Some(self.open[at].url.as_str()).filter(|url| !url.is_empty())
    }

    pub fn went_to(&mut self, tab: TabId, url: &str) {
        if let Some(at) = self.find(tab) {
            url.clone_into(&mut self.open[at].url);
        }
    }

    pub fn observe(&mut self, event: &SurfaceEvent) {
        match event {
            SurfaceEvent::TabOpened { tab } => self.opened(tab, tab.current),
            SurfaceEvent::TabClosed { tab } => self.closed(*tab),
            SurfaceEvent::Navigated { tab, url, .. } | SurfaceEvent::Loaded { tab, url } => {
                self.went_to(*tab, url);
            }
            SurfaceEvent::DialogOpened { tab, dialog } => {
                self.set_dialog(*tab, Some(dialog.clone()));
            }
            SurfaceEvent::DialogClosed { tab, .. } | SurfaceEvent::Crashed { tab } => {
                self.set_dialog(*tab, None);
            }
            SurfaceEvent::BrowserGone { .. } => self.open.clear(),
            _ => {}
        }
    }

    /// A command succeeded. Its answer may come before or after the surface's own events.
    pub fn finished(&mut self, change: Change, done: &Done) {
        match change {
            Change::Nothing => {}
            Change::Switch(tab) => self.make_current(tab),
            Change::Close(tab) => tab.into_iter().for_each(|tab| self.closed(tab)),
            Change::Open { current } => {
                let in_receipt = || done.receipt.as_ref().and_then(|r| r.opened.last());
                let opened = match &done.reply {
                    Reply::Tab(info) => Some(info),
                    _ => in_receipt(),
                };
                if let Some(info) = opened {
                    self.opened_by_command(info, current);
                }
            }
        }
    }

    fn opened_by_command(&mut self, info: &TabInfo, current: bool) {
        if info.tab.0 > self.highest {
            self.opened(info, current);
        } else if current {
            self.make_current(info.tab);
        }
    }

    fn opened(&mut self, info: &TabInfo, current: bool) {
        self.highest = self.highest.max(info.tab.0);
        if self.find(info.tab).is_none() {
            let tab = Tab {
                id: info.tab,
                url: info.url.clone(),
                dialog: None,
            };
            self.open.insert(0, tab);
        }
        if current {
            self.make_current(info.tab);
        }
    }

    fn closed(&mut self, tab: TabId) {
        self.open.retain(|open| open.id != tab);
    }

    fn make_current(&mut self, tab: TabId) {
        if let Some(at) = self.find(tab) {
            let tab = self.open.remove(at);
            self.open.push(tab);
        }
    }

    fn set_dialog(&mut self, tab: TabId, dialog: Option<DialogInfo>) {
        if let Some(at) = self.find(tab) {
            self.open[at].dialog = dialog;
        }
    }

    fn find(&self, tab: TabId) -> Option<usize> {
        self.open.iter().position(|open| open.id == tab)
    }
}
