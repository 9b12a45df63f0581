//! A gateway that is told to end: nobody comes in and nothing new begins, but what runs may end and
//! be told of. Who waits for nothing is seen off at once. Then, or when patience is over, or when it
//! is told again, it closes as everybody else does.

use super::{Driver, Ending, Signal};
use crate::journal::Journal;
use crate::link::Farewell;
use crate::surface::Surface;
use dragoman_engine::Input;
use dragoman_model::SessionId;
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::time::Instant;

/// How long what runs may take to its end.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub struct Draining {
    signal: Signal,
    until: Instant,
}

impl Draining {
    pub fn patience_ends(&self) -> Instant {
        self.until
    }
}

impl<J: Journal + 'static, S: Surface> Driver<J, S> {
    /// With a door, the first time is a request and the second an order.
    pub(super) fn told_to_end(&mut self, signal: Signal) {
        if !self.has_door() || self.draining.is_some() {
            return self.close(Ending::Signal(signal));
        }
        tracing::info!("ending: what runs may end, nothing new begins");
        self.draining = Some(Draining {
            signal,
            until: Instant::now() + PATIENCE,
        });
        self.close_door();
        self.input(Input::Rest);
    }

    pub(super) fn see_off(&mut self) {
        let Some(draining) = &self.draining else {
            return;
        };
        if self.closing.is_some() {
            return;
        }
        if draining.until <= Instant::now() {
            return self.close(Ending::Signal(draining.signal));
        }
        for session in self.passing.clone() {
            if self.is_quiet(&session) {
                self.close_passing(&session);
            }
        }
        let sessions = self.lanes.keys().cloned();
        let busy: BTreeSet<SessionId> = sessions.filter(|s| !self.is_quiet(s)).collect();
        self.send_away(Farewell::GoingAway, |client| {
            client.sessions().all(|session| !busy.contains(session))
        });
        if self.clients.is_empty() && busy.is_empty() {
            self.close(Ending::Done);
        }
    }

    /// Nothing of it runs, and all that was to be written and told is.
    fn is_quiet(&self, session: &SessionId) -> bool {
        let lane = self.lanes.get(session);
        lane.is_none_or(|lane| lane.is_empty() && lane.running().is_empty())
    }
}
