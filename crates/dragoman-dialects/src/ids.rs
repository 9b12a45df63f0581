//! The numbers an operator knows elements by, where a dialect wants small ones: one for each node, from 1, unique over all tabs,
//! never given again.
//!
//! Must not know: what an element is.

use dragoman_model::{Ref, TabId};
use std::collections::HashMap;

const MANY: usize = 20_000;

#[derive(Debug, Default)]
pub(crate) struct Ids {
    last: u64,
    by_id: HashMap<u64, (TabId, Ref)>,
    by_ref: HashMap<Ref, u64>,
}

impl Ids {
    /// The number of a node that is about to be shown.
    pub fn of(&mut self, tab: TabId, r#ref: Ref) -> u64 {
        *self.by_ref.entry(r#ref).or_insert_with(|| {
            self.last += 1;
            self.by_id.insert(self.last, (tab, r#ref));
            self.last
        })
    }

    pub fn find(&self, id: u64) -> Option<(TabId, Ref)> {
        self.by_id.get(&id).copied()
    }

    /// A node keeps its number while it is out of sight, but not without bound.
    pub fn are_many(&self) -> bool {
        self.by_id.len() > MANY
    }

    /// Forget what is no longer shown in a tab.
    pub fn keep(&mut self, tab: TabId, shown: impl Fn(Ref) -> bool) {
        self.by_id
            .retain(|_, (its, r#ref)| *its != tab || shown(*r#ref));
        self.by_ref.retain(|_, id| self.by_id.contains_key(id));
    }

    pub fn forget_tab(&mut self, tab: TabId) {
        self.keep(tab, |_| false);
    }
}
