//! What happened lately, kept for those who lost their connection and come back. Only what
//! somebody asked for is kept, bounded in number and in size.
//!
//! Must not know: who is told, how a command got into its state.

use crate::weight::weigh;
use dragoman_model::{EventKind, QueueItem, SurfaceEvent};
use std::collections::{BTreeMap, VecDeque};

const MOST_ITEMS: usize = 1_000;
const MOST_WEIGHT: usize = 512 << 10;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Happened {
    Event(SurfaceEvent),
    Item(QueueItem),
}

impl Happened {
    pub fn kind(&self) -> EventKind {
        match self {
            Self::Event(event) => event.kind(),
            Self::Item(_) => EventKind::Queue,
        }
    }
}

#[derive(Debug)]
struct Entry {
    at: u64,
    weight: usize,
    happened: Happened,
}

#[derive(Debug, Default)]
pub(crate) struct News {
    /// Since which place each kind has been kept without a gap.
    kinds: BTreeMap<EventKind, u64>,
    entries: VecDeque<Entry>,
    weight: usize,
    /// The place of the last one that had to go.
    forgotten: u64,
}

impl News {
    pub fn keeps(&self, kind: EventKind) -> bool {
        self.kinds.contains_key(&kind)
    }

    /// Keep these kinds, too, from the present place on.
    pub fn keep(&mut self, kinds: &[EventKind], place: u64) {
        for kind in kinds {
            self.kinds.entry(*kind).or_insert(place);
        }
    }

    /// No longer keep what nobody would ask for.
    pub fn keep_only(&mut self, wanted: impl Fn(EventKind) -> bool) {
        self.kinds.retain(|kind, _| wanted(*kind));
    }

    /// Whether something had to be forgotten for it.
    pub fn add(&mut self, at: u64, happened: Happened) -> bool {
        let weight = weigh(&happened);
        self.weight += weight;
        self.entries.push_back(Entry {
            at,
            weight,
            happened,
        });
        let before = self.forgotten;
        while self.entries.len() > MOST_ITEMS || self.weight > MOST_WEIGHT {
            let Some(oldest) = self.entries.pop_front() else {
                break;
            };
            self.weight -= oldest.weight;
            self.forgotten = oldest.at;
        }
        before != self.forgotten
    }

    /// All of these kinds that happened after a place, up to the present one; `None` if not all of
    /// it is known.
    pub fn after<'a>(
        &'a self,
        place: u64,
        present: u64,
        kinds: &'a [EventKind],
    ) -> Option<impl Iterator<Item = (u64, &'a Happened)>> {
        let known = (self.forgotten..=present).contains(&place)
            && kinds
                .iter()
                .all(|kind| self.kinds.get(kind).is_some_and(|since| *since <= place));
        known.then(|| {
            self.entries
                .iter()
                .filter(move |e| e.at > place && kinds.contains(&e.happened.kind()))
                .map(|e| (e.at, &e.happened))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dragoman_model::TabId;

    fn crash(tab: u32) -> Happened {
        Happened::Event(SurfaceEvent::Crashed { tab: TabId(tab) })
    }

    fn after(news: &News, place: u64, present: u64, kinds: &[EventKind]) -> Option<Vec<u64>> {
        news.after(place, present, kinds)
            .map(|missed| missed.map(|(at, _)| at).collect())
    }

    #[test]
    fn what_was_missed_is_known_or_said_not_to_be() {
        let mut news = News::default();
        let trouble = [EventKind::Trouble];
        assert_eq!(after(&news, 10, 10, &trouble), None, "never kept");
        news.keep(&trouble, 10);
        assert!(news.keeps(EventKind::Trouble) && !news.keeps(EventKind::Tabs));
        (11..=13).for_each(|at| assert!(!news.add(at, crash(1))));
        assert_eq!(after(&news, 10, 13, &trouble), Some(vec![11, 12, 13]));
        assert_eq!(after(&news, 12, 13, &trouble), Some(vec![13]));
        assert_eq!(after(&news, 13, 13, &trouble), Some(vec![]));
        assert_eq!(after(&news, 9, 13, &trouble), None, "from before");
        assert_eq!(after(&news, 14, 13, &trouble), None, "from the future");
        news.keep(&[EventKind::Tabs], 13);
        let both = [EventKind::Trouble, EventKind::Tabs];
        assert_eq!(after(&news, 12, 13, &both), None, "one of them is new");
        news.keep_only(|kind| kind == EventKind::Tabs);
        assert_eq!(after(&news, 12, 13, &trouble), None);
    }

    #[test]
    fn it_is_bounded_in_number_and_in_size() {
        let mut news = News::default();
        news.keep(&[EventKind::Trouble], 0);
        let forgot = (1..=1_500).filter(|at| news.add(*at, crash(1))).count();
        assert_eq!((forgot, news.entries.len()), (500, MOST_ITEMS));
        assert_eq!(after(&news, 499, 1_500, &[EventKind::Trouble]), None);
        let known = after(&news, 500, 1_500, &[EventKind::Trouble]);
        assert_eq!(known.map(|k| k.len()), Some(1_000));
        let long = SurfaceEvent::Blocked {
            tab: TabId(1),
            url: "x".repeat(100_000),
        };
        for at in 1_501..1_600 {
            news.add(at, Happened::Event(long.clone()));
        }
        assert!(news.weight <= MOST_WEIGHT && news.entries.len() < 6);
    }
}
