//! One thing in progress: a command on the surface, a watched condition, or a stretch of time.
//! A batch is a row of these.
//!
//! Must not know: the queue, which command or batch it belongs to beyond its number.

use crate::condition::blame;
use crate::session::Session;
use crate::tabs::Change;
use crate::turn::Turn;
use crate::{ClientId, Effect, Time, policy};
use dragoman_model::{
    Code, Command, Condition, Done, Fault, Leaf, Outcome, Reply, Request, SessionId, TabId, Truth,
    Wait,
};

/// How long a command may still answer after its browser was reported gone.
const GRACE: Time = Time::from_secs(2);

#[derive(Debug)]
pub(crate) struct Step {
    pub run: u64,
    began: Time,
    deadline: Time,
    work: Work,
    gone: Option<Gone>,
}

#[derive(Debug)]
enum Work {
    Performing(Performing),
    Watching(Watching),
    Sleeping { until: Time },
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Performing {
    name: &'static str,
    /// What its success does to the tabs.
    pub change: Change,
    /// The tab it is for.
    pub tab: Option<TabId>,
    /// How many steps that come after it may be answered with it.
    pub then: usize,
}

#[derive(Debug)]
struct Watching {
    condition: Condition,
    values: Vec<Option<bool>>,
    purpose: Purpose,
}

#[derive(Debug)]
enum Purpose {
    Wait,
    Assert { message: Option<String> },
}

/// The browser ended under a step. Unless the step answers, or the surface shows life, it fails.
#[derive(Debug)]
struct Gone {
    since: Time,
    reason: String,
}

/// What is asked for in one step.
#[derive(Debug)]
pub(crate) struct Ask<'a> {
    pub number: u64,
    pub client: Option<ClientId>,
    pub tab: Option<TabId>,
    pub timeout_ms: Option<u64>,
    /// Where a batch ends.
    pub latest: Time,
    pub command: &'a Command,
    /// It is a step of a batch.
    pub in_batch: bool,
    /// What the batch asks for after it.
    pub then: &'a [Command],
    /// Nothing the whole command does needs to be recorded first.
    pub reads_only: bool,
    /// No person has let it through.
    pub up_to_policy: bool,
    pub own: bool,
    pub knows: usize,
}

#[derive(Debug)]
pub(crate) enum Begun {
    Going(Step),
    Over(Outcome),
}

/// How long a command may take. A time that it names itself counts where nobody else says.
pub(crate) fn allowed(command: &Command, timeout_ms: Option<u64>) -> Time {
    let ms = match (command, timeout_ms) {
        (
            Command::Wait(Wait {
                until: Some(_),
                ms: Some(own),
            }),
            timeout,
        ) => timeout.unwrap_or(Request::MAX_TIMEOUT_MS).min(*own),
        (
            Command::Wait(Wait {
                until: None,
                ms: Some(own),
            }),
            None,
        ) => *own,
        (command, timeout) => timeout.unwrap_or(command.row().deadline_ms),
    };
    Time::from_millis(ms.clamp(1, Request::MAX_TIMEOUT_MS))
}

impl Session {
    pub(crate) fn begin(&mut self, turn: &mut Turn, ask: &Ask) -> Begun {
        let tab = match policy::admit(&self.policy, &self.tabs, ask.tab, ask.command) {
            Ok(tab) => tab,
            Err(fault) => return Begun::Over(Outcome::failed(fault)),
        };
        if let Err(fault) = self.still_goes(ask) {
            return Begun::Over(Outcome::failed(fault));
        }
        match ask.command {
            Command::Wait(Wait {
                until: Some(until), ..
            }) => self.begin_watch(turn, ask, tab, until.clone(), Purpose::Wait),
            Command::Wait(wait) => begin_sleep(turn, ask, wait.ms.unwrap_or(0)),
            Command::Assert(assert) => {
                let message = assert.message.clone();
                let purpose = Purpose::Assert { message };
                self.begin_watch(turn, ask, tab, assert.that.clone(), purpose)
            }
            Command::Subscribe(c) => {
                let reply = self.subscriber(ask).and_then(|client| {
                    let session = &self.id;
                    self.subscriptions
                        .add(turn, session, client, &c.events, c.since)
                });
                Begun::Over(answered(reply))
            }
            Command::Unsubscribe(c) => {
                let reply = self.subscriber(ask).and_then(|client| {
                    self.subscriptions.remove(client, c.subscription)?;
                    Ok(Reply::Nothing)
                });
                Begun::Over(answered(reply))
            }
            command => self.begin_perform(turn, ask, tab, command),
        }
    }

    fn begin_perform(
        &self,
        turn: &mut Turn,
        ask: &Ask,
        tab: Option<TabId>,
        command: &Command,
    ) -> Begun {
        let then = self.in_the_same_go(ask, tab);
        let after = ask.then.get(then.len()).filter(|next| next.presses());
        let work = Work::Performing(Performing {
            name: command.name(),
            change: Change::of(command, tab),
            tab,
            then: then.len(),
        });
        let step = Step::new(turn, ask, work);
        let effect = Effect::Perform {
            session: self.id.clone(),
            number: ask.number,
            run: step.run,
            tab,
            command: command.clone(),
            then,
            after: after.cloned(),
            in_batch: ask.in_batch,
            deadline: step.deadline,
        };
        emit(turn, ask, effect);
        Begun::Going(step)
    }

    /// Fields that are filled in after one another. Each is judged as if it began now: where a page is left among them,
    /// the surface stops.
    fn in_the_same_go(&self, ask: &Ask, tab: Option<TabId>) -> Vec<Command> {
        if !ask.command.fills_in() {
            return Vec::new();
        }
        let goes = |command: &&Command| {
            let ask = Ask { command, ..*ask };
            command.fills_in()
                && policy::admit(&self.policy, &self.tabs, ask.tab, command).is_ok_and(|t| t == tab)
                && self.still_goes(&ask).is_ok()
        };
        ask.then.iter().take_while(goes).cloned().collect()
    }

    fn begin_watch(
        &self,
        turn: &mut Turn,
        ask: &Ask,
        tab: Option<TabId>,
        condition: Condition,
        purpose: Purpose,
    ) -> Begun {
        let leaves: Vec<Leaf> = condition.leaves();
        let mut watching = Watching {
            values: vec![None; leaves.len()],
            condition,
            purpose,
        };
        if leaves.is_empty()
            && let Some(result) = watching.report(&[], Time::ZERO)
        {
            return Begun::Over(result);
        }
        let step = Step::new(turn, ask, Work::Watching(watching));
        // With no leaf there is nothing to watch: such a condition never changes.
        if !leaves.is_empty() {
            let effect = Effect::Watch {
                session: self.id.clone(),
                number: ask.number,
                run: step.run,
                tab,
                leaves,
                deadline: step.deadline,
            };
            emit(turn, ask, effect);
        }
        Begun::Going(step)
    }

    fn subscriber(&self, ask: &Ask) -> Result<ClientId, Fault> {
        ask.client
            .ok_or_else(|| Fault::new(Code::Cancelled, "Whoever asked for this has gone"))
    }
}

fn begin_sleep(turn: &mut Turn, ask: &Ask, ms: u64) -> Begun {
    if ms == 0 {
        return Begun::Over(waited(Time::ZERO));
    }
    let until = turn.now.saturating_add(Time::from_millis(ms));
    Begun::Going(Step::new(turn, ask, Work::Sleeping { until }))
}

fn emit(turn: &mut Turn, ask: &Ask, effect: Effect) {
    if ask.reads_only {
        turn.act_at_once(effect);
    } else {
        turn.act(effect);
    }
}

impl Step {
    fn new(turn: &mut Turn, ask: &Ask, work: Work) -> Self {
        let own = turn
            .now
            .saturating_add(allowed(ask.command, ask.timeout_ms));
        Self {
            run: turn.new_run(),
            began: turn.now,
            deadline: own.min(ask.latest),
            work,
            gone: None,
        }
    }

    /// When something must happen even if nobody says anything.
    pub fn due(&self) -> Time {
        let asleep = match self.work {
            Work::Sleeping { until } => until.min(self.deadline),
            _ => self.deadline,
        };
        match &self.gone {
            Some(gone) => asleep.min(gone.since.saturating_add(GRACE)),
            None => asleep,
        }
    }

    /// Its time has come: what it ends in.
    pub fn expired(&self) -> Outcome {
        if let Work::Sleeping { until } = self.work
            && until <= self.deadline
        {
            return waited(until.saturating_sub(self.began));
        }
        if let Some(gone) = &self.gone {
            let message = format!("The browser ended: {}", gone.reason);
            return Outcome::failed(Fault::new(Code::BrowserGone, message));
        }
        let ms = self.deadline.saturating_sub(self.began).as_millis();
        let message = match &self.work {
            Work::Performing(p) => format!("{} did not end within {ms} ms", p.name),
            Work::Watching(w) => format!("{} after {ms} ms", blame(&w.condition, &w.values)),
            Work::Sleeping { .. } => format!("The wait was longer than the {ms} ms it may take"),
        };
        Outcome::failed(Fault::new(Code::Timeout, message))
    }

    /// What the surface must be told when the step ends other than by the surface's own answer.
    pub fn stop(&self, session: SessionId, number: u64) -> Option<Effect> {
        let run = self.run;
        match &self.work {
            Work::Performing(_) => Some(Effect::Abort {
                session,
                number,
                run,
            }),
            Work::Watching(w) if w.values.is_empty() => None,
            Work::Watching(_) => Some(Effect::Unwatch {
                session,
                number,
                run,
            }),
            Work::Sleeping { .. } => None,
        }
    }

    /// If it is performed by the surface.
    pub fn performing(&self) -> Option<Performing> {
        match self.work {
            Work::Performing(performing) => Some(performing),
            _ => None,
        }
    }

    pub fn is_watching(&self) -> bool {
        matches!(self.work, Work::Watching(_))
    }

    /// The leaves' values, and what they decide.
    pub fn report(&mut self, values: &[Option<bool>], now: Time) -> Option<Outcome> {
        match &mut self.work {
            Work::Watching(watching) => watching.report(values, now.saturating_sub(self.began)),
            _ => None,
        }
    }

    pub fn browser_gone(&mut self, now: Time, reason: &str) {
        if !matches!(self.work, Work::Sleeping { .. }) && self.gone.is_none() {
            self.gone = Some(Gone {
                since: now,
                reason: reason.into(),
            });
        }
    }

    pub fn browser_back(&mut self) {
        self.gone = None;
    }
}

impl Watching {
    fn report(&mut self, values: &[Option<bool>], after: Time) -> Option<Outcome> {
        for (at, known) in self.values.iter_mut().enumerate() {
            *known = values.get(at).copied().flatten();
        }
        let truth = self.condition.eval(&self.values);
        match &self.purpose {
            Purpose::Wait => (truth == Truth::Yes).then(|| waited(after)),
            Purpose::Assert { .. } if self.values.contains(&None) => None,
            Purpose::Assert { .. } if truth == Truth::Yes => Some(answered(Ok(Reply::Nothing))),
            Purpose::Assert { message } => {
                let why = blame(&self.condition, &self.values);
                let message = message
                    .as_ref()
                    .map_or(why.clone(), |m| format!("{m} ({why})"));
                Some(Outcome::failed(Fault::new(Code::AssertFailed, message)))
            }
        }
    }
}

fn waited(time: Time) -> Outcome {
    let ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    answered(Ok(Reply::Waited { ms }))
}

fn answered(reply: Result<Reply, Fault>) -> Outcome {
    match reply {
        Ok(reply) => Outcome::Done(Done::from(reply)),
        Err(fault) => Outcome::failed(fault),
    }
}
