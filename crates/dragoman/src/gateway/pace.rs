//! How fast one socket may speak. Who is faster is read no faster: what it sends waits on its own
//! side, and nothing is lost.

use std::time::Duration;
use tokio::time::Instant;

/// Messages a second, pings too, and as many at once after a pause.
pub const MESSAGES_A_SECOND: u32 = 4_000;
const COST: Duration = Duration::from_nanos(1_000_000_000 / MESSAGES_A_SECOND as u64);
const AT_ONCE: Duration = Duration::from_secs(1);

/// When all that was said will have been paid for.
#[derive(Debug)]
pub struct Pace(Instant);

impl Pace {
    pub fn new(now: Instant) -> Self {
        Self(now)
    }

    pub fn spend(&mut self, now: Instant) {
        self.0 = self.0.max(now) + COST;
    }

    /// When the next message may be read; `None`: now.
    pub fn free_at(&self, now: Instant) -> Option<Instant> {
        (self.0 > now + AT_ONCE).then(|| self.0 - AT_ONCE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_free_and_then_the_rate_holds() {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        let mut now = start;
        let mut read = 0;
        while now < start + Duration::from_secs(10) {
            match pace.free_at(now) {
                Some(at) => now = at,
                None => {
                    pace.spend(now);
                    read += 1;
                }
            }
        }
        let most = 11 * MESSAGES_A_SECOND;
        assert!((most - 2..=most + 2).contains(&read), "{read}");
        // A pause gives back one burst, and no more.
        now += Duration::from_secs(3_600);
        for _ in 0..MESSAGES_A_SECOND {
            assert_eq!(pace.free_at(now), None);
            pace.spend(now);
        }
        pace.spend(now);
        assert!(pace.free_at(now).is_some());
    }
}
