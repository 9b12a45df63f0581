//! What became of a request, and what the tabs did meanwhile.

use super::{Conversation, DIALOGS, MOST_CALLS, Purpose, TYPED, TargetTab, Work};
use crate::chat::dialogs;
use crate::chat::words::sentence;
use crate::command::NO_CHANGE_AFTER;
use crate::command::action::{Action, not_found, not_opened};
use dragoman_model::{
    CloseTab, Code, DialogInfo, Done, Effect, Fault, NetworkEntry, Reply, TabId, TabInfo,
};
use std::time::Duration;

impl Conversation {
    pub(super) fn ended(&mut self, purpose: Purpose, result: Result<Done, Fault>) {
        if matches!(purpose, Purpose::Act { .. } | Purpose::Open { .. }) {
            self.number = None;
            self.proposed = None;
        }
        match (purpose, result) {
            (Purpose::Nothing, _) | (Purpose::Dialog { .. } | Purpose::Join, Err(_)) => {}
            (Purpose::Join, Ok(done)) => {
                if let Reply::Tabs(tabs) = done.reply {
                    tabs.iter().for_each(|tab| self.join(tab));
                }
            }
            (Purpose::Dialog { line }, Ok(_)) => {
                self.dialogs += 1;
                if self.dialogs <= DIALOGS {
                    self.system(&line);
                }
            }
            (Purpose::Act { tab, verb, .. }, Ok(done)) => {
                let effect = done.receipt.map_or(Effect::None, |receipt| receipt.effect);
                // A field shows what was typed, or hides it: either way it is another field now.
                let typed = verb == TYPED;
                let visible = typed || !matches!(effect, Effect::None | Effect::Scrolled);
                let changed = self.target(tab).is_none_or(|target| target.changed);
                if visible || changed {
                    self.work = Some(Work::Looking);
                    self.look(tab, true);
                    self.look_at_changed();
                } else {
                    self.work = None;
                    self.no_effect = Some((self.began + NO_CHANGE_AFTER).max(self.now));
                }
            }
            (Purpose::Act { id, tab, verb }, Err(fault)) => {
                match fault.code {
                    Code::UnknownRef | Code::StaleRef | Code::NotFound | Code::TabClosed => {
                        self.error(&not_found(&id.to_string()).0);
                    }
                    Code::Interrupted => {
                        let reason = sentence(&fault.message);
                        self.error(&format!("Element ID {id} may have been {verb}. {reason}"));
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
            (Purpose::Look { tab }, Err(fault)) => {
                if let Some(look) = self.looks.get_mut(&tab) {
                    look.failed = fault.message;
                }
                self.looked(tab);
            }
            (Purpose::Calls { tab }, Err(_)) => self.looked(tab),
        }
    }

    pub(super) fn opened(&mut self, info: &TabInfo) {
        self.work = Some(Work::Looking);
        self.add_target(info);
        self.look(info.tab, true);
        self.look_at_changed();
    }

    pub(super) fn add_target(&mut self, info: &TabInfo) {
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

    pub(super) fn target(&mut self, tab: TabId) -> Option<&mut TargetTab> {
        self.targets.iter_mut().find(|target| target.tab == tab)
    }

    /// Where the others are is where an assistant without a tab begins.
    fn join(&mut self, info: &TabInfo) {
        if self.options.joins && info.current && self.targets.is_empty() {
            self.add_target(info);
        }
    }

    /// A page that a target opened is what the assistant asked for, whoever made the tab.
    pub(super) fn tab_opened(&mut self, info: &TabInfo) {
        let is_open = |purpose: &Purpose| matches!(purpose, Purpose::Open { .. });
        if info.opener.is_none() && self.asking.any(is_open) {
            self.opening = Some(info.clone());
        }
        let by_target = info
            .opener
            .is_some_and(|opener| self.target(opener).is_some());
        if by_target && self.target(info.tab).is_none() {
            self.make_room(1);
            self.add_target(info);
        }
        self.join(info);
    }

    pub(super) fn tab_closed(&mut self, tab: TabId) {
        if let Some(url) = self.target(tab).map(|target| target.url.clone()) {
            self.forget(tab);
            let url = self.shown(&url);
            self.system(&format!("Tab closed: {url}"));
        }
        self.calls.remove(&tab);
        self.opening.take_if(|info| info.tab == tab);
    }

    pub(super) fn called(&mut self, tab: TabId, entry: &NetworkEntry) {
        if !matches!(entry.kind.as_str(), "xhr" | "fetch") {
            return;
        }
        let calls = self.calls.entry(tab).or_default();
        if calls.len() == MOST_CALLS {
            calls.pop_front();
        }
        calls.push_back(entry.index);
    }

    pub(super) fn dialog(&mut self, tab: TabId, dialog: &DialogInfo) {
        let opening = self.opening.as_ref().is_some_and(|info| info.tab == tab);
        if self.target(tab).is_none() && !opening {
            return;
        }
        self.quoted.note("a dialog", &dialog.message, Action::named);
        let (dialog, line) = dialogs::answer(dialog, &self.shown(&dialog.message));
        self.submit(Purpose::Dialog { line }, Some(tab), dialog);
        if let Some(target) = self.target(tab) {
            target.changed = true;
        }
    }
}
