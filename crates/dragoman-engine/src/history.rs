//! The commands that ended most recently. The journal has all of them; this is what is at hand,
//! bounded in number and in size.
//!
//! Must not know: the queue, the journal.

use crate::weight::weigh;
use dragoman_model::{Fault, Outcome, QueueItem, RequestId};
use std::collections::VecDeque;

const MOST_ITEMS: usize = 500;
/// Rough bytes: a command may carry a megabyte of text, and five hundred of those are too many.
const MOST_WEIGHT: usize = 1 << 20;

#[derive(Debug, Default)]
pub(crate) struct History {
    items: VecDeque<(usize, QueueItem)>,
    weight: usize,
}

impl History {
    pub fn push(&mut self, item: QueueItem) {
        let weight = weigh(&item);
        self.weight += weight;
        self.items.push_back((weight, item));
        while self.items.len() > MOST_ITEMS || self.weight > MOST_WEIGHT {
            let Some((weight, _)) = self.items.pop_front() else {
                break;
            };
            self.weight -= weight;
        }
    }

    pub fn by_number(&self, number: u64) -> Option<&QueueItem> {
        self.iter().find(|item| item.number == number)
    }

    /// It turned out otherwise than was thought.
    pub fn correct(&mut self, number: u64, fault: Fault) {
        let mut items = self.items.iter_mut().map(|(_, item)| item);
        if let Some(item) = items.find(|item| item.number == number) {
            let outcome = Outcome::failed(fault);
            item.state = outcome.state();
            item.outcome = Some(outcome);
        }
    }

    pub fn by_id(&self, id: &RequestId) -> Option<&QueueItem> {
        self.iter().find(|item| item.id.as_ref() == Some(id))
    }

    /// The last `limit`, oldest first.
    pub fn recent(&self, limit: usize) -> impl Iterator<Item = &QueueItem> {
        self.iter().skip(self.items.len().saturating_sub(limit))
    }

    fn iter(&self) -> impl DoubleEndedIterator<Item = &QueueItem> {
        self.items.iter().map(|(_, item)| item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dragoman_model::{Command, InsertText, State};

    fn item(number: u64, text: usize) -> QueueItem {
        QueueItem {
            number,
            id: None,
            state: State::Done,
            command: Command::from(InsertText {
                text: "x".repeat(text),
                target: None,
                no_password: None,
            }),
            tab: None,
            timeout_ms: None,
            edits: 0,
            means: None,
            note: None,
            outcome: None,
        }
    }

    #[test]
    fn it_is_bounded_in_number_and_in_size() {
        let mut history = History::default();
        (0..600).for_each(|n| history.push(item(n, 1)));
        assert_eq!(history.items.len(), MOST_ITEMS);
        assert!(history.by_number(99).is_none() && history.by_number(100).is_some());
        (600..620).for_each(|n| history.push(item(n, 200_000)));
        assert!(history.weight <= MOST_WEIGHT);
        assert_eq!(
            history.recent(2).map(|i| i.number).collect::<Vec<_>>(),
            [618, 619]
        );
        history.push(item(620, 2 << 20));
        assert_eq!((history.items.len(), history.weight), (0, 0));
    }
}
