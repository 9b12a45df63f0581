//! What the driver counts. Plain numbers: only it counts, and only when asked are they put together.

use super::Driver;
use super::lane::{Ended, Lane};
use crate::journal::Journal;
use crate::status::{self, BUCKETS, Latency, Page, Ring, Status};
use crate::surface::Surface;
use dragoman_model::{Done, SessionId, State, SurfaceEvent};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The last so many commands tell how it goes.
const LAST: usize = 512;

#[derive(Debug, Default)]
pub struct Tally {
    ended: BTreeMap<(&'static str, &'static str), u64>,
    took: Took,
    pub slow_readers: u64,
    pub journal_writes: u64,
    pub journal_failures: u64,
    browser_up: bool,
}

#[derive(Debug, Default)]
struct Took {
    count: u64,
    sum: Duration,
    buckets: [u64; BUCKETS.len()],
    last: Ring<LAST>,
}

impl Tally {
    pub fn ended(&mut self, ended: &Ended) {
        let outcome = in_a_word(ended.state);
        *self.ended.entry((ended.name, outcome)).or_default() += 1;
        if let Some(took) = ended.took {
            self.took.note(took);
        }
    }

    pub fn surface(&mut self, event: &SurfaceEvent) {
        match event {
            SurfaceEvent::TabOpened { .. } => self.browser_up = true,
            SurfaceEvent::BrowserGone { .. } => self.browser_up = false,
            _ => {}
        }
    }
}

impl Took {
    fn note(&mut self, took: Duration) {
        self.count += 1;
        self.sum += took;
        let seconds = took.as_secs_f64();
        let place = BUCKETS.iter().position(|most| seconds <= *most);
        if let Some(bucket) = place.and_then(|place| self.buckets.get_mut(place)) {
            *bucket += 1;
        }
        self.last.note(took);
    }

    fn latency(&self) -> Latency {
        let mut so_far = 0;
        let up_to = |bucket: &u64| {
            so_far += bucket;
            so_far
        };
        Latency {
            count: self.count,
            sum_us: u64::try_from(self.sum.as_micros()).unwrap_or(u64::MAX),
            buckets: self.buckets.iter().map(up_to).collect(),
            recent: self.last.recent(),
        }
    }
}

impl<J: Journal + 'static, S: Surface> Driver<J, S> {
    pub(super) fn status(&self) -> Status {
        let tally = &self.tally;
        let ended = |((command, outcome), count): (&(&str, &str), &u64)| status::Ended {
            command: (*command).into(),
            outcome: (*outcome).into(),
            count: *count,
        };
        let sessions = self.lanes.iter();
        Status {
            up_s: self.began.elapsed().as_secs(),
            sessions: sessions
                .map(|(name, lane)| self.at_a_glance(name, lane))
                .collect(),
            ended: tally.ended.iter().map(ended).collect(),
            latency: tally.took.latency(),
            slow_readers: tally.slow_readers,
            journal_writes: tally.journal_writes,
            journal_failures: tally.journal_failures,
            browser_up: tally.browser_up,
        }
    }

    fn at_a_glance(&self, name: &SessionId, lane: &Lane) -> status::Session {
        let here = || self.clients.values().filter(|c| c.takes_part_in(name));
        let dialects: BTreeSet<&str> = here().map(|client| client.dialect()).collect();
        status::Session {
            name: name.to_string(),
            dialects: dialects.into_iter().map(str::to_owned).collect(),
            clients: here().count(),
            ..lane.at_a_glance()
        }
    }

    /// Where a session was last seen.
    pub(super) fn note_page(&mut self, session: &SessionId, event: &SurfaceEvent) {
        self.tally.surface(event);
        let page = match event {
            SurfaceEvent::TabOpened { tab } if tab.current => Page::trimmed(&tab.title, &tab.url),
            SurfaceEvent::Navigated { title, url, .. } => Page::trimmed(title, url),
            _ => return,
        };
        if let Some(lane) = self.lanes.get_mut(session) {
            lane.page = Some(page);
        }
    }

    /// What a command says of the page it went to: by then it has a title.
    pub(super) fn note_arrival(&mut self, session: &SessionId, done: &Done) {
        let went = done.receipt.as_ref().and_then(|r| r.navigated.as_ref());
        if let (Some(went), Some(lane)) = (went, self.lanes.get_mut(session)) {
            lane.page = Some(Page::trimmed(&went.title, &went.url));
        }
    }
}

fn in_a_word(state: State) -> &'static str {
    match state {
        State::Proposed => "proposed",
        State::Approved => "approved",
        State::Running => "running",
        State::Done => "done",
        State::Failed => "failed",
        State::Deleted => "deleted",
        State::Interrupted => "interrupted",
    }
}
