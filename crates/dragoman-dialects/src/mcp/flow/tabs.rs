//! Tabs by their place in a list.

use crate::mcp::call::{Call, Step};
use crate::mcp::conversation::Conversation;
use crate::mcp::plan::{TabsThen, Then};
use crate::mcp::say;
use dragoman_model::{CloseTab, Code, Fault, ListTabs, Reply, SwitchTab, TabId, TabInfo};

impl Conversation {
    pub(super) fn tabs(&mut self, call: &mut Call, then: TabsThen, reply: Reply) -> Step {
        let listed = match reply {
            Reply::Tabs(tabs) => tabs,
            _ => Vec::new(),
        };
        match then {
            TabsThen::List => {
                self.place(call).tabs = listed.iter().map(|tab| tab.tab).collect();
                self.answer(call, |paper| say::tabs(paper, &listed))
            }
            TabsThen::Select { index } => match tab_at(&self.place(call).tabs, index, &listed) {
                Ok(tab) => self.next(
                    call,
                    SwitchTab { to: tab }.into(),
                    Then::Tabs(TabsThen::Did),
                ),
                Err(fault) => Step::Answer(say::refusal(&fault)),
            },
            TabsThen::Close { index } => match tab_at(&self.place(call).tabs, index, &listed) {
                Ok(tab) => self.next(
                    call,
                    CloseTab { close: Some(tab) }.into(),
                    Then::Tabs(TabsThen::Did),
                ),
                Err(fault) => Step::Answer(say::refusal(&fault)),
            },
            // The places may be others now: tell them again.
            TabsThen::Did => {
                self.place(call).mouse = None;
                self.next(call, ListTabs {}.into(), Then::Tabs(TabsThen::List))
            }
        }
    }
}

/// By the list that the client has, else by the one there is now.
fn tab_at(told: &[TabId], index: usize, listed: &[TabInfo]) -> Result<TabId, Fault> {
    let still = |tab: &TabId| listed.iter().any(|there| there.tab == *tab);
    let known = told.get(index).copied().filter(still);
    let now = || listed.get(index).filter(|_| told.is_empty());
    known.or_else(|| now().map(|tab| tab.tab)).ok_or_else(|| {
        Fault::new(Code::UnknownTab, format!("There is no tab {index}"))
            .suggest("List the tabs and use one of their numbers.")
    })
}
