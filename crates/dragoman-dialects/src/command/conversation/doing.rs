//! A command of the assistant's on its way to the browser.

use super::{Act, Conversation, Purpose, TYPED, TargetTab};
use crate::chat::Problem;
use crate::command::action::{Action, no_tool, not_found, not_opened};
use dragoman_model::{
    Clear, Click, CloseTab, Command, LoadState, OpenTab, Ref, Request, TabId, Target, Type,
};

impl Conversation {
    pub(super) fn perform(&mut self, action: &Action) {
        self.began = self.now;
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
                    hold_ms: None,
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
                    no_password: None,
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

    pub(super) fn element(&mut self, id: u64) -> Option<(TabId, Ref)> {
        let found = self.ids.find(id);
        if found.is_none() {
            self.give_up(not_found(&id.to_string()));
        }
        found
    }

    pub(super) fn give_up(&mut self, Problem(problem): Problem) {
        self.error(&problem);
        self.look_again();
    }

    pub(super) fn open_tab(&mut self, url: &str) {
        let url = url.trim().replace(' ', "%20");
        let url = url.as_str();
        let scheme = url
            .split_once(':')
            .map(|(scheme, _)| scheme.to_ascii_lowercase());
        let reason = match scheme.as_deref() {
            _ if url.contains(char::is_whitespace) => "It is not one address.",
            Some("http" | "https" | "data") => "",
            Some("about") if url.eq_ignore_ascii_case("about:blank") => "",
            Some(scheme) if scheme.bytes().all(|b| b.is_ascii_lowercase() || b == b'-') => {
                "Only http and https addresses can be opened."
            }
            _ => "It must be a full URL, including the protocol.",
        };
        if !reason.is_empty() {
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
    pub(super) fn make_room(&mut self, more: usize) {
        while !self.targets.is_empty() && self.targets.len() + more > self.options.max_tabs {
            let TargetTab { tab, url, .. } = self.targets.remove(0);
            self.forget(tab);
            let (limit, url) = (self.options.max_tabs, self.shown(&url));
            self.system(&format!("Tab limit ({limit}) reached. Released tab: {url}"));
            self.submit(Purpose::Nothing, None, CloseTab { close: Some(tab) });
        }
    }

    pub(super) fn forget(&mut self, tab: TabId) {
        self.targets.retain(|target| target.tab != tab);
        self.ids.forget_tab(tab);
        self.calls.remove(&tab);
        self.looks.remove(&tab);
    }

    pub(super) fn submit(
        &mut self,
        purpose: Purpose,
        tab: Option<TabId>,
        command: impl Into<Command>,
    ) {
        self.submit_for(purpose, tab, None, command);
    }

    pub(super) fn submit_for(
        &mut self,
        purpose: Purpose,
        tab: Option<TabId>,
        timeout_ms: Option<u64>,
        command: impl Into<Command>,
    ) {
        let own = matches!(
            purpose,
            Purpose::Nothing | Purpose::Look { .. } | Purpose::Calls { .. }
        );
        let request = Request {
            tab,
            timeout_ms,
            own,
            ..Request::new(command.into())
        };
        let request = self.asking.ask(purpose, request);
        self.acts.push(Act::Submit(request));
    }
}
