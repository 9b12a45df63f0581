//! How a gateway is doing, as numbers and names: what the driver counts, what the gateway adds, and
//! what `/status`, `/metrics` and `dragoman top` show. Nothing of a page but its title and its
//! address without what follows a `?`.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// All of it, as `/status` says it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Report {
    pub version: String,
    /// Memory of the program itself, without the browser; absent where the system does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_kib: Option<u64>,
    /// Open sockets by dialect.
    pub sockets: BTreeMap<String, usize>,
    pub connections: Connections,
    /// Who was not let in, by reason.
    pub refused: BTreeMap<String, u64>,
    #[serde(flatten)]
    pub driver: Status,
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Connections {
    pub open: usize,
    /// Those that have shown no token yet.
    pub strangers: usize,
    pub turned_away: u64,
    pub bytes_received: u64,
    pub bytes_sent: u64,
}

/// What the driver knows.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Status {
    pub up_s: u64,
    pub sessions: Vec<Session>,
    /// Commands that ended since the start.
    pub ended: Vec<Ended>,
    pub latency: Latency,
    pub slow_readers: u64,
    pub journal_writes: u64,
    pub journal_failures: u64,
    pub browser_up: bool,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Session {
    pub name: String,
    /// Of those who take part, each once.
    pub dialects: Vec<String>,
    pub clients: usize,
    pub proposed: usize,
    pub approved: usize,
    pub running: usize,
    pub paused: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<Current>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<Page>,
    /// Commands that ended since the start.
    pub ended: u64,
    pub recent: Recent,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Current {
    pub command: String,
    pub for_ms: u64,
}

/// The page a session was last seen on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    pub title: String,
    pub url: String,
}

impl Page {
    /// Trimmed: what follows a `?` or `#` is often secret, and names in front of an `@` are.
    pub fn trimmed(title: &str, url: &str) -> Self {
        const MOST: usize = 200;
        let short = |text: &str| text.chars().take(MOST).collect::<String>();
        let address = url.split(['?', '#']).next().unwrap_or_default();
        let scheme = address.split(':').next().unwrap_or_default();
        let url = match address.split_once("://") {
            Some((scheme, rest)) => {
                let host_ends = rest.find('/').unwrap_or(rest.len());
                let host = rest
                    .get(..host_ends)
                    .and_then(|host| host.rsplit('@').next());
                let path = rest.get(host_ends..).unwrap_or_default();
                short(&format!("{scheme}://{}{path}", host.unwrap_or_default()))
            }
            // What a `data:` address holds is the page itself.
            None if scheme == "about" => short(address),
            None => short(&format!("{scheme}:…")),
        };
        Self {
            title: short(title),
            url,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    pub command: String,
    pub outcome: String,
    pub count: u64,
}

/// How long commands took from their start to their end.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Latency {
    pub count: u64,
    pub sum_us: u64,
    /// How many took at most as long as each of [`BUCKETS`]; those that took longer are only in
    /// `count`.
    pub buckets: Vec<u64>,
    /// The last few.
    pub recent: Recent,
}

/// In seconds.
pub const BUCKETS: [f64; 13] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0,
];

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recent {
    pub p50_us: u64,
    pub p95_us: u64,
}

/// The last `N` times, of which the middle and the slow ones are asked for now and then.
#[derive(Debug)]
pub struct Ring<const N: usize> {
    times: [u32; N],
    count: usize,
}

impl<const N: usize> Default for Ring<N> {
    fn default() -> Self {
        Self {
            times: [0; N],
            count: 0,
        }
    }
}

impl<const N: usize> Ring<N> {
    pub fn note(&mut self, took: Duration) {
        let us = u32::try_from(took.as_micros()).unwrap_or(u32::MAX);
        if let Some(place) = self.times.get_mut(self.count % N) {
            *place = us;
        }
        self.count += 1;
    }

    pub fn recent(&self) -> Recent {
        let mut times: Vec<u32> = self.times.iter().take(self.count).copied().collect();
        times.sort_unstable();
        let at = |percent: usize| {
            let rank = (times.len() * percent).div_ceil(100).max(1);
            times.get(rank - 1).copied().map_or(0, u64::from)
        };
        Recent {
            p50_us: at(50),
            p95_us: at(95),
        }
    }
}

/// Memory of this process, as the system counts it.
pub fn memory_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lose_what_may_be_secret() {
        for (url, shown) in [
            ("https://a.example/x/y?token=1#k", "https://a.example/x/y"),
            ("https://user:pass@a.example/x@y", "https://a.example/x@y"),
            ("https://a.example", "https://a.example"),
            ("about:blank", "about:blank"),
            ("data:text/html,<b>hi</b>", "data:…"),
            ("", ":…"),
        ] {
            assert_eq!(Page::trimmed("", url).url, shown, "{url}");
        }
        assert_eq!(
            Page::trimmed(&"é".repeat(300), "").title.chars().count(),
            200
        );
    }

    #[test]
    fn the_middle_and_the_slow_ones() {
        let mut ring = Ring::<100>::default();
        assert_eq!(ring.recent(), Recent::default());
        ring.note(Duration::from_micros(7));
        assert_eq!((ring.recent().p50_us, ring.recent().p95_us), (7, 7));
        for us in 1..=200 {
            ring.note(Duration::from_micros(us));
        }
        // Only the last hundred count.
        assert_eq!((ring.recent().p50_us, ring.recent().p95_us), (150, 195));
    }
}
