//! Which request ids a session has accepted. A session may live for a million commands, so what
//! is kept is small: runs of numbers as ranges, texts as hashes.
//!
//! Must not know: what became of the requests.

use dragoman_model::RequestId;
use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

#[derive(Debug, Default)]
pub(crate) struct SeenIds {
    /// First to last number of each run.
    runs: BTreeMap<u64, u64>,
    texts: HashSet<u64>,
}

impl SeenIds {
    pub fn contains(&self, id: &RequestId) -> bool {
        match id {
            RequestId::Number(n) => self.run_with(*n).is_some(),
            RequestId::Text(text) => self.texts.contains(&hash(text)),
            RequestId::Inner(_) => false,
        }
    }

    pub fn insert(&mut self, id: &RequestId) {
        match id {
            RequestId::Number(n) => self.insert_number(*n),
            RequestId::Text(text) => drop(self.texts.insert(hash(text))),
            RequestId::Inner(_) => {}
        }
    }

    fn insert_number(&mut self, n: u64) {
        if self.run_with(n).is_some() {
            return;
        }
        let before = n.checked_sub(1).and_then(|left| self.run_with(left));
        let after = n.checked_add(1).and_then(|right| self.runs.remove(&right));
        self.runs.insert(before.unwrap_or(n), after.unwrap_or(n));
    }

    /// The first number of the run that holds `n`.
    fn run_with(&self, n: u64) -> Option<u64> {
        let (first, last) = self.runs.range(..=n).next_back()?;
        (n <= *last).then_some(*first)
    }
}

/// Two texts with one hash would make us refuse the second: one chance in 10^7 after a million.
fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_kept_as_runs() {
        let mut seen = SeenIds::default();
        for n in [5, 1, 2, 4, 3, 3, u64::MAX, 0, u64::MAX - 1] {
            seen.insert(&RequestId::Number(n));
            assert!(seen.contains(&RequestId::Number(n)), "{n}");
        }
        assert!(!seen.contains(&RequestId::Number(6)));
        assert_eq!(
            seen.runs,
            BTreeMap::from([(0, 5), (u64::MAX - 1, u64::MAX)])
        );
        seen.insert(&RequestId::Text("5".into()));
        assert!(seen.contains(&RequestId::Text("5".into())));
        assert!(!seen.contains(&RequestId::Text("6".into())));
    }
}
