//! Who is told of what: each subscription with its own pace, numbered without gaps, bounded.
//!
//! Must not know: why something happened, what time it is.

use super::MAX_SUBSCRIPTIONS;
use super::trouble::{Kind, Trouble};
use super::wire::{EventName, Lost, Stream, StreamEvent, Subscribe};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Duration;

const INTERVAL: Duration = Duration::from_millis(50);
/// Events that wait for their turn.
const MOST_WAITING: usize = 100;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct News {
    pub event: EventName,
    pub data: Map<String, Value>,
}

#[derive(Debug, Default)]
pub(super) struct Streams {
    by_id: BTreeMap<String, Subscription>,
}

#[derive(Debug)]
struct Subscription {
    events: Vec<EventName>,
    interval: Duration,
    debounce: bool,
    include_data: bool,
    told: u64,
    lines: HashMap<EventName, Line>,
    lost: u64,
}

/// The events of one kind.
#[derive(Debug, Default)]
struct Line {
    free_at: Duration,
    waiting: VecDeque<Map<String, Value>>,
}

impl Streams {
    pub fn add(&mut self, id: &str, ask: &Subscribe) -> Result<(), Trouble> {
        if ask.events.is_empty() {
            return Err(Trouble::new(
                Kind::Invalid,
                "There is no event to be told of",
            ));
        }
        if self.by_id.len() >= MAX_SUBSCRIPTIONS && !self.by_id.contains_key(id) {
            let message = format!("There are {MAX_SUBSCRIPTIONS} subscriptions already");
            return Err(Trouble::new(Kind::TooManySubscriptions, message));
        }
        let interval = ask.filter.min_interval;
        let new = Subscription {
            events: ask.events.clone(),
            interval: interval.map_or(INTERVAL, |ms| Duration::from_millis(ms.get())),
            debounce: ask.filter.debounce,
            include_data: ask.filter.include_data,
            told: 0,
            lines: HashMap::new(),
            lost: 0,
        };
        self.by_id.insert(id.to_owned(), new);
        Ok(())
    }

    pub fn remove(&mut self, id: &str) -> Result<(), Trouble> {
        match self.by_id.remove(id) {
            Some(_) => Ok(()),
            None => {
                let id: String = id.chars().take(80).collect();
                let message = format!("There is no subscription {id:?}");
                Err(Trouble::new(Kind::UnknownSubscription, message))
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// Whether anybody wants one of these.
    pub fn want(&self, events: &[EventName]) -> bool {
        let wants = |s: &Subscription| events.iter().any(|event| s.events.contains(event));
        self.by_id.values().any(wants)
    }

    /// Something happened: tell those who want it, at once or when it is their turn.
    pub fn happened(&mut self, now: Duration, news: &News) -> Vec<Stream> {
        let mut told = Vec::new();
        for (id, subscription) in &mut self.by_id {
            if subscription.events.contains(&news.event) {
                subscription.take(news);
                told.extend(subscription.due(id, now));
            }
        }
        told
    }

    pub fn tick(&mut self, now: Duration) -> Vec<Stream> {
        let due = |(id, s): (&String, &mut Subscription)| s.due(id, now);
        self.by_id.iter_mut().flat_map(due).collect()
    }

    pub fn wake_at(&self) -> Option<Duration> {
        let lines = self.by_id.values().flat_map(|s| s.lines.values());
        lines
            .filter(|line| !line.waiting.is_empty())
            .map(|line| line.free_at)
            .min()
    }
}

impl Subscription {
    fn take(&mut self, news: &News) {
        let line = self.lines.entry(news.event).or_default();
        let mut data = news.data.clone();
        if self.debounce
            && let Some(earlier) = line.waiting.pop_back()
            && let Some(first) = earlier.get("previousValue")
        {
            // What is told spans all that is not.
            data.insert("previousValue".into(), first.clone());
        }
        line.waiting.push_back(data);
        if line.waiting.len() > MOST_WAITING {
            self.lost += line.waiting.len() as u64;
            line.waiting.clear();
        }
    }

    fn due(&mut self, id: &str, now: Duration) -> Vec<Stream> {
        let mut told = Vec::new();
        if std::mem::take(&mut self.lost) > 0 {
            let event = StreamEvent::Lost(Lost::Resync);
            told.push(self.message(id, event, None));
        }
        let mut events = self.events.clone();
        events.dedup();
        for event in events {
            let Some(line) = self.lines.get_mut(&event) else {
                continue;
            };
            if line.free_at > now {
                continue;
            }
            if let Some(data) = line.waiting.pop_front() {
                line.free_at = now + self.interval;
                told.push(self.message(id, StreamEvent::Event(event), Some(data)));
            }
        }
        told
    }

    fn message(
        &mut self,
        id: &str,
        event: StreamEvent,
        data: Option<Map<String, Value>>,
    ) -> Stream {
        self.told += 1;
        Stream {
            subscription_id: id.to_owned(),
            event,
            data: data.filter(|_| self.include_data),
            sequence: self.told,
        }
    }
}
