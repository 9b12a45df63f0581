//! Going places: navigation, history, tabs. Waits end on the browser's own events.

use crate::browser::Browser;
use crate::cdp::protocol::{emulation, page};
use crate::look::View;
use crate::page::wire::{State, call};
use crate::session::{Session, blocked};
use crate::tab::{Tab, Trouble};
use dragoman_model::{
    Code, Done, Effect, Failure, Fault, LoadState, Navigated, OpenLink, OpenTab, Receipt, Reply,
    Resize, TabId,
};
use std::rc::Rc;
use std::time::Duration;
use tokio::time::timeout_at;

/// Kept back from the deadline, to be able to say that the page is still loading.
const RESERVE: Duration = Duration::from_millis(300);

/// How much longer a server may keep a page from being acted on that is still shown.
const SILENCE: Duration = Duration::from_secs(3);

impl View {
    pub async fn navigate(&self, url: &str, until: Option<LoadState>) -> Result<Done, Failure> {
        self.session.check_url(url)?;
        self.session.check_name(url).await?;
        self.until_empty().await;
        self.tab.blocked.borrow_mut().take();
        // A crashed page is revived by this very call, so it must not be refused because of it.
        self.tab.update(|state| state.crashed = false);
        let before = self.committed();
        let call = page::Navigate {
            url: url.into(),
            ..Default::default()
        };
        let answer = match self.tab.ask(&call).await {
            Ok(answer) => answer,
            Err(fault) if fault.code == Code::Internal => {
                return Err(Fault::new(Code::NavigationFailed, fault.message).into());
            }
            Err(fault) => return Err(fault.into()),
        };
        if let Some(error) = answer.error_text {
            // A download is answered as an aborted navigation.
            if answer.is_download == Some(true) {
                return Ok(self.told(Effect::Download, false, false));
            }
            return Err(self.failed(url, &error).into());
        }
        match answer.loader_id {
            Some(loader) => self.loaded(Some(loader.as_str()), before, until).await,
            None => Ok(self.told(Effect::Navigated, true, false)),
        }
    }

    pub async fn history(&self, step: i64, until: Option<LoadState>) -> Result<Done, Failure> {
        let history = self.tab.ask(&page::GetNavigationHistory::default()).await?;
        let wanted = history.current_index as i64 + step;
        let entry = usize::try_from(wanted)
            .ok()
            .and_then(|i| history.entries.get(i));
        let Some(entry) = entry else {
            let side = if step < 0 { "before" } else { "after" };
            let message = format!("there is no page {side} this one in the tab's history");
            return Err(Fault::new(Code::NavigationFailed, message).into());
        };
        if entry.url != "about:blank" {
            self.session.check_url(&entry.url)?;
        }
        self.tab.blocked.borrow_mut().take();
        let (before, moved) = (self.committed(), self.tab.state().moved);
        self.tab
            .ask(&page::NavigateToHistoryEntry { entry_id: entry.id })
            .await?;
        let begun = self
            .tab
            .until(|s| (s.committed > before || s.moved > moved).then_some(s.committed > before));
        let limit = self.limit();
        match timeout_at(limit, self.tab.or_trouble(begun)).await {
            Ok(Ok(true)) => self.loaded(None, before, until).await,
            Ok(Ok(false)) => Ok(self.told(Effect::Navigated, true, false)),
            Ok(Err(trouble)) => self.dialog_or(trouble),
            Err(_) => Err(Fault::new(Code::Timeout, "the page did not come back").into()),
        }
    }

    pub async fn reload(&self, until: Option<LoadState>) -> Result<Done, Failure> {
        self.tab.blocked.borrow_mut().take();
        let before = self.committed();
        self.tab.update(|state| state.crashed = false);
        self.tab.ask(&page::Reload::default()).await?;
        self.loaded(None, before, until).await
    }

    /// From a navigation's start to its end the browser lets nothing through to the page that is
    /// still shown. A read waits for the next page. What acts on the one that is shown waits a
    /// little longer, then breaks the navigation off, and that is to be told.
    pub async fn until_free(&self, reads: bool) -> Option<String> {
        self.until_empty().await;
        let url = self.tab.waits_for()?;
        let free = || {
            let over = self.tab.until(|s| s.leaving.is_none().then_some(()));
            self.tab.or_trouble(over)
        };
        if reads {
            drop(free().await);
            return None;
        }
        // Trouble is the command's to tell.
        if tokio::time::timeout(SILENCE, free()).await.is_ok() {
            return None;
        }
        self.tab.tell(&page::StopLoading {});
        drop(free().await);
        Some(format!(
            "{url} did not answer; waiting for it was broken off"
        ))
    }

    fn committed(&self) -> u64 {
        self.tab.state().committed
    }

    fn limit(&self) -> tokio::time::Instant {
        self.deadline.checked_sub(RESERVE).unwrap_or(self.deadline)
    }

    /// Wait until the new document is as far as wanted and has our script.
    async fn loaded(
        &self,
        loader: Option<&str>,
        before: u64,
        until: Option<LoadState>,
    ) -> Result<Done, Failure> {
        let wanted = until.unwrap_or(LoadState::Ready);
        let come = self.tab.until(|state| {
            if self.was_stopped() {
                return Some(());
            }
            let ours = loader.is_none_or(|l| state.load.loader == l) && state.committed > before;
            (ours && state.reached(wanted) && state.main_world().is_some()).then_some(())
        });
        match timeout_at(self.limit(), self.tab.or_trouble(come)).await {
            Ok(Ok(())) if self.was_stopped() => {
                self.until_empty().await;
                Err(self.failed("", "").into())
            }
            Ok(Ok(())) => {
                if wanted != LoadState::Ready || !self.tab.state().titled {
                    self.refresh_title().await;
                }
                Ok(self.told(Effect::Navigated, false, false))
            }
            Ok(Err(trouble)) => self.dialog_or(trouble),
            Err(_) if self.committed() > before => Ok(self.told(Effect::Navigated, false, true)),
            Err(_) => Err(Fault::new(Code::Timeout, "the server did not answer in time").into()),
        }
    }

    /// The browser tells of titles late; the page knows its own.
    pub async fn refresh_title(&self) {
        let Some(world) = self.world() else { return };
        let said = self
            .tab
            .call::<State>(&world, call::STATE, &serde_json::json!({}))
            .await;
        if let Ok(said) = said {
            self.tab.update(|state| state.title = said.title);
        }
    }

    /// A dialog is a result; any other trouble is a failure.
    fn dialog_or(&self, trouble: Trouble) -> Result<Done, Failure> {
        match trouble {
            Trouble::Dialog(dialog) => {
                let mut receipt = self.navigation_receipt(Effect::Dialog, false, true);
                receipt.dialog = Some(dialog);
                Ok(Done {
                    reply: Reply::Nothing,
                    receipt: Some(Box::new(receipt)),
                })
            }
            other => Err(Fault::from(other).into()),
        }
    }

    /// Nothing is read of a page that has strayed.
    async fn until_empty(&self) {
        let empty = self.tab.until(|s| s.strayed.is_none().then_some(()));
        drop(timeout_at(self.limit(), self.tab.or_trouble(empty)).await);
    }

    /// It led to where the page may not go.
    fn was_stopped(&self) -> bool {
        let blocked = self.tab.blocked.borrow();
        blocked.as_ref().is_some_and(|(_, main)| *main)
    }

    fn failed(&self, url: &str, error: &str) -> Fault {
        if let Some((stopped, true)) = self.tab.blocked.borrow_mut().take() {
            return blocked(&stopped);
        }
        let advice = match error {
            "net::ERR_NAME_NOT_RESOLVED" => "No such host: check the spelling and the network.",
            "net::ERR_CONNECTION_REFUSED" => {
                "Nothing listens there: check the port and that the server runs."
            }
            "net::ERR_ABORTED" => {
                "The page or the server broke it off; it may have been a download."
            }
            _ => Code::NavigationFailed.suggestion(),
        };
        Fault::new(Code::NavigationFailed, format!("{url}: {error}")).suggest(advice)
    }

    fn navigation_receipt(
        &self,
        effect: Effect,
        same_document: bool,
        still_loading: bool,
    ) -> Receipt {
        let state = self.tab.state();
        let navigated = Navigated {
            url: state.url.clone(),
            title: state.title.clone(),
            status: state.status.filter(|_| !same_document),
            same_document,
            still_loading,
        };
        Receipt {
            effect,
            navigated: Some(navigated),
            ..Receipt::default()
        }
    }

    fn told(&self, effect: Effect, same_document: bool, still_loading: bool) -> Done {
        let receipt = self.navigation_receipt(effect, same_document, still_loading);
        Done {
            reply: Reply::Nothing,
            receipt: Some(Box::new(receipt)),
        }
    }

    pub async fn open_link(&self, browser: &Rc<Browser>, ask: &OpenLink) -> Result<Done, Failure> {
        let found = self.find(&ask.target, "read", None, None).await?;
        let Some(url) = found.aimed.href.clone() else {
            let what = format!("{} {:?}", found.aimed.role, found.aimed.name);
            return Err(Fault::new(Code::Unsupported, format!("{what} is no link")).into());
        };
        self.session.check_url(&url)?;
        self.open_at(browser, Some(&url), ask.until).await
    }

    pub async fn open_at(
        &self,
        browser: &Rc<Browser>,
        url: Option<&str>,
        until: Option<LoadState>,
    ) -> Result<Done, Failure> {
        let tab = browser.new_tab(&self.session).await?;
        tab.or_trouble(tab.until(|state| state.prepared.then_some(())))
            .await
            .map_err(Fault::from)?;
        let view = View {
            tab: tab.clone(),
            ..self.clone()
        };
        open_in(&view, url, until).await
    }

    pub async fn resize(&self, ask: &Resize) -> Result<Done, Failure> {
        if !(50..=10_000).contains(&ask.width) || !(50..=10_000).contains(&ask.height) {
            return Err(Fault::new(Code::BadArgument, "a side is 50 to 10000 pixels long").into());
        }
        let (width, height) = (ask.width, ask.height);
        let (device_scale_factor, mobile) = (0.0, false);
        let call = emulation::SetDeviceMetricsOverride {
            width,
            height,
            device_scale_factor,
            mobile,
        };
        self.tab.ask(&call).await?;
        Ok(Reply::Nothing.into())
    }
}

/// Go to the first address of a tab that has just been opened.
async fn open_in(
    view: &View,
    url: Option<&str>,
    until: Option<LoadState>,
) -> Result<Done, Failure> {
    let mut done = match url.filter(|u| *u != "about:blank") {
        Some(url) => view.navigate(url, until).await?,
        None => Done {
            reply: Reply::Nothing,
            receipt: None,
        },
    };
    done.reply = Reply::Tab(view.tab.info(false));
    Ok(done)
}

/// Open a tab where there may be none yet.
pub(crate) async fn open_tab(
    browser: &Rc<Browser>,
    session: &Rc<Session>,
    ask: &OpenTab,
    deadline: tokio::time::Instant,
    headless: bool,
) -> Result<Done, Failure> {
    if let Some(url) = &ask.url {
        session.check_url(url)?;
    }
    let tab = browser.new_tab(session).await?;
    tab.or_trouble(tab.until(|state| state.prepared.then_some(())))
        .await
        .map_err(Fault::from)?;
    let view = View {
        session: session.clone(),
        tab,
        deadline,
        headless,
        after: None,
        batch: None,
    };
    open_in(&view, ask.url.as_deref(), ask.until).await
}

pub(crate) async fn close_tab(browser: &Rc<Browser>, tab: &Rc<Tab>) -> Result<Done, Failure> {
    browser.close_tab(tab).await?;
    Ok(Reply::Nothing.into())
}

pub(crate) fn list_tabs(session: &Session, current: Option<TabId>) -> Done {
    let tabs = session
        .tabs()
        .iter()
        .map(|tab| tab.info(Some(tab.id) == current))
        .collect();
    Reply::Tabs(tabs).into()
}
