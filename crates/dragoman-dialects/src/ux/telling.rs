//! What is told without being asked for each time: subscriptions, and searches that take their time.

use super::conversation::{Act, Conversation, Purpose};
use super::page_news::SEEN_BY_LOOKING;
use super::search::{Found, Told};
use super::sight::take_snapshot;
use super::streams::News;
use super::trouble::{Kind, Trouble};
use super::wire::{Did, FileSearch, Subscribe, Subscribed};
use std::time::Duration;

/// Between two looks that nobody asked for.
const BREATH: Duration = Duration::from_millis(50);

impl Conversation {
    /// What a search that was asked for has come to so far.
    pub fn found(&mut self, now: Duration, number: u64, found: Found) -> Vec<Act> {
        self.clock.set(now);
        let told = self.searches.found(number, found, self.clock.now());
        match told {
            Some((id, Told::Progress(body))) => self.send("progress", Some(&id), &body),
            Some((id, Told::Result(body))) => self.send("fileSearchResult", Some(&id), &body),
            Some((id, Told::Failed(fault))) => self.error(Some(&id), fault.into()),
            None => {}
        }
        self.done()
    }

    pub(super) fn subscribe(&mut self, id: &str, ask: &Subscribe) {
        match self.streams.add(id, ask) {
            Ok(()) => {
                self.listen();
                let subscription_id = id.to_owned();
                self.send("subscribed", Some(id), &Subscribed { subscription_id });
                self.look_for_news();
            }
            Err(trouble) => self.error(Some(id), trouble),
        }
    }

    pub(super) fn unsubscribe(&mut self, id: Option<&str>, subscription: &str) {
        match self.streams.remove(subscription) {
            Ok(()) => {
                let subscription_id = subscription.to_owned();
                self.send("unsubscribed", id, &Subscribed { subscription_id });
            }
            Err(trouble) => self.error(id, trouble),
        }
    }

    pub(super) fn search(&mut self, id: &str, ask: &FileSearch) {
        if self.searches.are_many() {
            let message = "Several searches are under way";
            return self.error(Some(id), Trouble::new(Kind::Busy, message));
        }
        let search = self.searches.begin(id, ask, self.clock.now());
        self.acts.push(Act::Search(search));
    }

    pub(super) fn cancel(&mut self, id: Option<&str>, cancels: &str) {
        match self.searches.cancel(cancels, self.clock.now()) {
            Some((number, result)) => {
                self.acts.push(Act::StopSearch(number));
                self.send("fileSearchResult", Some(cancels), &result);
                let body = Did {
                    success: true,
                    ..Did::default()
                };
                self.send("cancelResult", id, &body);
            }
            None => {
                let cancels: String = cancels.chars().take(80).collect();
                let message = format!("Nothing called {cancels:?} is under way");
                self.error(id, Trouble::new(Kind::UnknownRequest, message));
            }
        }
    }

    pub(super) fn happened(&mut self, mut news: News) {
        if self.streams.is_empty() {
            return;
        }
        let stamp = self.clock.stamp(self.epoch_ms);
        news.data.insert("timestamp".into(), stamp.into());
        for stream in self.streams.happened(self.clock.now(), &news) {
            self.send("stream", None, &stream);
        }
    }

    pub(super) fn tell_due(&mut self) {
        for stream in self.streams.tick(self.clock.now()) {
            self.send("stream", None, &stream);
        }
    }

    /// A page says only that it changed; what changed is seen by looking, but not too often.
    pub(super) fn look_for_news(&mut self) {
        let wanted = self.streams.want(SEEN_BY_LOOKING) && self.is_prompt != Some(true);
        let looking = self.open.values().any(|purpose| *purpose == Purpose::News);
        let now = self.clock.world();
        match self.news_due {
            _ if !wanted => self.news_due = None,
            Some(at) if at > now => {}
            _ if looking => self.news_due = Some(now + BREATH),
            _ => {
                self.news_due = None;
                self.submit(Purpose::News, take_snapshot(None), None, true);
            }
        }
    }
}
