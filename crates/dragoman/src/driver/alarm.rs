//! When the clock wakes the driver. Every command has a deadline, and to move a timer forward costs a word to the
//! system: so it stays where it is while it rings no later than wanted, and now and then rings for nothing.

use std::pin::Pin;
use tokio::time::{Instant, Sleep, sleep_until};

#[derive(Debug, Default)]
pub struct Alarm(Option<Pin<Box<Sleep>>>);

impl Alarm {
    /// Until then, or less.
    pub async fn ring_by(&mut self, at: Option<Instant>) {
        let Some(at) = at else {
            return std::future::pending().await;
        };
        let sleep = self.0.get_or_insert_with(|| Box::pin(sleep_until(at)));
        if at < sleep.deadline() || sleep.is_elapsed() {
            sleep.as_mut().reset(at);
        }
        sleep.as_mut().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::time::timeout;

    #[tokio::test(start_paused = true)]
    async fn it_rings_in_time_whatever_was_wanted_before() {
        let began = Instant::now();
        let at = |seconds| Some(began + Duration::from_secs(seconds));
        let mut alarm = Alarm::default();
        let short = Duration::from_secs(1);
        assert!(timeout(short, alarm.ring_by(at(30))).await.is_err());
        // Later than before: it may ring for nothing, and then at the time.
        alarm.ring_by(at(40)).await;
        assert_eq!(began.elapsed().as_secs(), 30);
        alarm.ring_by(at(40)).await;
        assert_eq!(began.elapsed().as_secs(), 40);
        // Sooner than before.
        assert!(timeout(short, alarm.ring_by(at(90))).await.is_err());
        alarm.ring_by(at(50)).await;
        assert_eq!(began.elapsed().as_secs(), 50);
        // What is past rings at once; nothing wanted, nothing rings.
        alarm.ring_by(at(45)).await;
        assert_eq!(began.elapsed().as_secs(), 50);
        let long = Duration::from_secs(1000);
        assert!(timeout(long, alarm.ring_by(None)).await.is_err());
    }
}
