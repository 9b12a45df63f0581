//! Looking at the tabs, and saying all there is to say.

use super::{
    Act, BREATH, Conversation, DIALOGS, Look, MOST_NODES, Purpose, TargetTab, UNASKED, Work,
};
use crate::chat::words::{line, sentence};
use crate::command::context::Writer;
use crate::redact;
use dragoman_model::{NetworkEntry, ReadNetwork, Snapshot, TabId, TakeSnapshot};

impl Conversation {
    /// Before something is said about a failure: what has changed belongs to it.
    pub(super) fn look_again(&mut self) {
        self.work = Some(Work::Looking);
        self.look_at_changed();
    }

    pub(super) fn look_at_changed(&mut self) {
        let changed = self.targets.iter().filter(|target| target.changed);
        let tabs: Vec<TabId> = changed.map(|target| target.tab).collect();
        for tab in tabs {
            self.look(tab, false);
        }
    }

    pub(super) fn look(&mut self, tab: TabId, always: bool) {
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

    pub(super) fn looked(&mut self, tab: TabId) {
        if let Some(look) = self.looks.get_mut(&tab) {
            look.waiting -= 1;
        }
    }

    /// Say all there is to say, once every look is over.
    pub(super) fn tell(&mut self) {
        let before = self.lines.len();
        for (tab, look) in std::mem::take(&mut self.looks) {
            let Some(snapshot) = look.snapshot else {
                self.not_seen(tab, &look);
                continue;
            };
            self.context(tab, &snapshot, look.always, &look.calls);
        }
        let unasked = self.work.is_none() && self.no_effect.is_none();
        if unasked && self.lines.len() > before {
            self.unasked += 1;
        }
        self.work = None;
        if self.lines.is_empty() {
            return;
        }
        let more = self.dialogs.saturating_sub(DIALOGS);
        if more > 0 {
            self.dialogs = DIALOGS;
            self.system(&format!(
                "{more} more dialogs were answered in the same way."
            ));
        }
        let message = std::mem::take(&mut self.lines).join("\n");
        self.acts.push(Act::Say(message));
    }

    /// What was asked for cannot be shown now.
    pub(super) fn not_seen(&mut self, tab: TabId, look: &Look) {
        let Some(target) = self.target(tab) else {
            return;
        };
        // It will be told when it can be seen: something will have changed by then.
        target.told = None;
        let url = target.url.clone();
        if look.always {
            let (url, reason) = (self.shown(&url), sentence(&look.failed));
            self.error(&format!("The page {url} cannot be read now. {reason}"));
        }
    }

    pub(super) fn context(
        &mut self,
        tab: TabId,
        snapshot: &Snapshot,
        always: bool,
        calls: &[NetworkEntry],
    ) {
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

    /// Text from a page or an address, inside a line of ours.
    pub(super) fn shown(&self, text: &str) -> String {
        match self.options.redact {
            true => line(&redact::redact(text), 300),
            false => line(text, 300),
        }
    }

    pub(super) fn system(&mut self, text: &str) {
        self.lines.push(format!("System: {text}"));
    }

    /// Without waiting for what is going on.
    pub(super) fn say_now(&mut self, text: &str) {
        self.acts.push(Act::Say(format!("System: {text}")));
    }

    pub(super) fn error(&mut self, text: &str) {
        self.lines.push(format!("System Error: {text}"));
    }

    /// Nothing is under way and nobody is speaking.
    pub(super) fn is_free(&self) -> bool {
        self.work.is_none() && self.looks.is_empty() && !self.stream.is_open()
    }

    pub(super) fn may_tell_unasked(&self) -> bool {
        self.no_effect.is_some() || self.unasked < UNASKED
    }

    /// Whatever can be begun now.
    pub(super) fn go_on(&mut self) -> Vec<Act> {
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
    pub(super) fn look_unasked(&mut self) -> bool {
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
