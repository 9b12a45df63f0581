//! A wait on its way: looked at when something happened, until it holds or its time is over.
//!
//! Must not know: how a look is taken.

use super::condition::{self, Condition};
use super::look::Look;
use super::run::{Answered, Context, Next, Scope};
use super::trouble::{Kind, Trouble};
use super::wire::WaitFor;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_millis(5_000);
const BREATH: Duration = Duration::from_millis(50);

#[derive(Debug)]
pub(super) struct Waiting {
    condition: Condition,
    until: Duration,
    breath: Duration,
    looked: Duration,
}

impl Waiting {
    pub fn new(ask: &WaitFor, now: Duration, until: Option<Duration>) -> Result<Self, Trouble> {
        let own = ask
            .timeout
            .map_or(PATIENCE, |ms| Duration::from_millis(ms.get()));
        let breath = ask.poll_interval.map(|ms| Duration::from_millis(ms.get()));
        let own = now + own;
        Ok(Self {
            condition: condition::read(&ask.condition)?,
            until: until.map_or(own, |until| until.min(own)),
            breath: breath.unwrap_or(BREATH),
            looked: now,
        })
    }

    pub fn scope(&self) -> Scope {
        match self.condition.needs_elements() {
            true => Scope::Elements,
            false => Scope::State,
        }
    }

    pub fn looked(&mut self, context: &Context, look: &Look) -> Next {
        self.looked = context.now;
        if self.condition.holds(look) {
            return Next::Over(Ok(Answered::Waited));
        }
        self.pause(context)
    }

    /// Nothing can be seen for now.
    pub fn blocked(&mut self, context: &Context) -> Next {
        self.looked = context.now;
        Next::Pause(self.until)
    }

    pub fn woken(&mut self, context: &Context) -> Result<Next, Trouble> {
        let rested = context.now >= self.looked + self.breath || context.now >= self.until;
        if context.stirred && rested {
            return Ok(Next::Look(self.scope()));
        }
        Ok(self.pause(context))
    }

    /// Not oftener than was asked for, even if much happens.
    fn pause(&self, context: &Context) -> Next {
        if context.now >= self.until {
            let message = "It did not hold in time";
            return Next::Over(Err(Trouble::new(Kind::Timeout, message)));
        }
        match context.stirred {
            true => Next::Pause((self.looked + self.breath).min(self.until)),
            false => Next::Pause(self.until),
        }
    }
}
