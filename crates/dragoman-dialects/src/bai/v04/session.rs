//! The sessions of one conversation: which key counts, whether the assistant confirmed it, and which number
//! comes next.
//!
//! Must not know: what an action does.

use std::collections::BTreeMap;

pub(super) const LAST_NUMBER: u32 = 999_999;

#[derive(Debug)]
pub(in crate::bai) struct Sessions {
    first: String,
    current: String,
    confirmed: bool,
    known: BTreeMap<String, Numbers>,
}

/// The actions of one session, each by its number.
#[derive(Debug, Default)]
struct Numbers {
    last: u32,
    /// As they were written.
    lines: BTreeMap<u32, String>,
}

/// What a number means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::bai) enum Numbered {
    Next,
    /// The same again: the chat was read once more.
    Echo,
    Wrong(String),
}

impl Sessions {
    pub fn new(key: &str) -> Self {
        Self {
            first: key.into(),
            current: key.into(),
            confirmed: false,
            known: BTreeMap::from([(key.to_owned(), Numbers::default())]),
        }
    }

    pub fn key(&self) -> &str {
        &self.current
    }

    pub fn is_confirmed(&self) -> bool {
        self.confirmed
    }

    /// A new key; the assistant has to confirm it.
    pub fn switch_to_new(&mut self) -> &str {
        let key = format!("{}-{}", self.first, self.known.len() + 1);
        self.known.insert(key.clone(), Numbers::default());
        self.current = key;
        self.confirmed = false;
        &self.current
    }

    /// The assistant names a session: whether it is one of ours, and whether that is news.
    pub fn confirm(&mut self, key: &str) -> Option<bool> {
        if !self.known.contains_key(key) {
            return None;
        }
        let news = !self.confirmed || self.current != key;
        self.current = key.into();
        self.confirmed = true;
        Some(news)
    }

    /// A key that somebody else gave.
    pub fn meet(&mut self, key: &str) {
        self.known.entry(key.to_owned()).or_default();
        self.confirm(key);
    }

    /// Whether an action with this number is the next one; then the number is used up.
    pub fn take(&mut self, number: u32, line: &str) -> Numbered {
        let numbers = self.known.entry(self.current.clone()).or_default();
        if let Some(known) = numbers.lines.get(&number) {
            return match known == line {
                true => Numbered::Echo,
                false => Numbered::Wrong(format!(
                    "{number:06} was used before for something else; the next number is {:06}.",
                    numbers.last + 1
                )),
            };
        }
        if numbers.last == LAST_NUMBER {
            return Numbered::Wrong("All numbers of this session are used up.".into());
        }
        let expected = numbers.last + 1;
        if number != expected {
            return Numbered::Wrong(format!(
                "{number:06} is not the next number; {expected:06} is."
            ));
        }
        numbers.last = number;
        numbers.lines.insert(number, line.to_owned());
        Numbered::Next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_run_in_each_session() {
        let mut sessions = Sessions::new("k");
        assert!(!sessions.is_confirmed());
        assert_eq!(sessions.confirm("other"), None);
        assert_eq!(sessions.confirm("k"), Some(true));
        assert_eq!(sessions.confirm("k"), Some(false));
        assert_eq!(sessions.take(1, "a"), Numbered::Next);
        assert_eq!(sessions.take(1, "a"), Numbered::Echo);
        assert!(matches!(sessions.take(1, "b"), Numbered::Wrong(_)));
        assert!(matches!(sessions.take(3, "c"), Numbered::Wrong(why) if why.contains("000002")));
        assert_eq!(sessions.switch_to_new(), "k-2");
        assert!(!sessions.is_confirmed());
        assert_eq!(sessions.confirm("k-2"), Some(true));
        assert_eq!(sessions.take(1, "a"), Numbered::Next);
        assert_eq!(sessions.confirm("k"), Some(true), "and back");
        assert_eq!(sessions.take(2, "c"), Numbered::Next);
    }
}
