//! A batch on its way: step by step, reads that follow each other with one look, and back again where that was asked for.
//!
//! Must not know: how a look is taken or a command carried out.

mod back;
mod result;

use super::look::Look;
use super::run::{Answered, Context, Input, Next, Run, Scope};
use super::trouble::{Kind, Trouble};
use super::undo;
use super::wire::{Ask, BatchOptions, BatchResult, StepResult};
use dragoman_model::{Command, Done, Fault};
use result::result;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_millis(5_000);

#[derive(Debug)]
pub(super) struct Batch {
    options: BatchOptions,
    steps: VecDeque<Ask>,
    began: Duration,
    until: Duration,
    /// Those that are under way together; one, unless they only read or wait.
    running: Vec<Slot>,
    fresh: Option<(Scope, Arc<Look>)>,
    results: Vec<StepResult>,
    phase: Phase,
    saved: Vec<Saved>,
    /// The step before which nothing could be seen.
    blind: Option<u64>,
    undone: Option<Result<(), String>>,
}

#[derive(Debug)]
enum Phase {
    Running,
    /// Looking at how things stand before a step changes them.
    Saving,
    Undoing(VecDeque<Command>),
}

#[derive(Debug)]
struct Slot {
    index: u64,
    name: &'static str,
    run: Run,
    want: Want,
}

#[derive(Debug)]
enum Want {
    Look(Scope),
    Do(Option<Command>),
    Pause(Duration),
    Nothing,
}

/// How things stood before a step, and why there is no way back to it, if so.
#[derive(Debug)]
struct Saved {
    index: u64,
    before: Arc<Look>,
    lasting: Option<String>,
}

#[derive(Debug)]
pub(super) enum BatchInput {
    Begin,
    Looked(Scope, Look),
    LookFailed(Fault),
    Performed(Result<Done, Fault>),
    Woken,
}

#[derive(Debug)]
pub(super) enum BatchNext {
    Look(Scope),
    Do(Command),
    Pause(Duration),
    Over(BatchResult),
}

impl Batch {
    pub fn new(steps: Vec<Ask>, options: BatchOptions, now: Duration) -> Self {
        let patience = options
            .timeout
            .map_or(PATIENCE, |ms| Duration::from_millis(ms.get()));
        Self {
            options,
            steps: steps.into(),
            began: now,
            until: now + patience,
            running: Vec::new(),
            fresh: None,
            results: Vec::new(),
            phase: Phase::Running,
            saved: Vec::new(),
            blind: None,
            undone: None,
        }
    }

    /// How long the next command may take. The way back has time of its own.
    pub fn time_left(&self, now: Duration) -> Duration {
        match self.phase {
            Phase::Undoing(_) => PATIENCE,
            _ => self.until.saturating_sub(now).max(Duration::from_millis(1)),
        }
    }

    pub fn step(&mut self, context: &Context, input: BatchInput) -> BatchNext {
        match (&self.phase, input) {
            (_, BatchInput::Begin) => {}
            (Phase::Running, BatchInput::LookFailed(fault)) => {
                self.feed(
                    context,
                    |want| matches!(want, Want::Look(_)),
                    || Input::LookFailed(fault.clone()),
                );
            }
            (Phase::Running, BatchInput::Performed(result)) => {
                self.feed(
                    context,
                    |want| matches!(want, Want::Do(_)),
                    || Input::Performed(result.clone()),
                );
            }
            (Phase::Running, BatchInput::Woken) => {
                self.feed(
                    context,
                    |want| matches!(want, Want::Pause(_)),
                    || Input::Woken,
                );
            }
            (Phase::Running, BatchInput::Looked(scope, look)) => {
                self.fresh = Some((scope, Arc::new(look)));
            }
            (Phase::Saving, BatchInput::Looked(scope, look)) => {
                self.fresh = Some((scope, Arc::new(look)));
                self.phase = Phase::Running;
            }
            // What cannot be seen cannot be put back either; the step itself will say why.
            (Phase::Saving, _) => {
                self.blind = Some(self.results.len() as u64);
                self.phase = Phase::Running;
            }
            (Phase::Undoing(_), input) => self.undo(input),
        }
        self.go_on(context)
    }

    /// Hand it to those who wait for it, and take up what they want next.
    fn feed<'a>(
        &mut self,
        context: &Context,
        whom: impl Fn(&Want) -> bool,
        input: impl Fn() -> Input<'a>,
    ) {
        let until = Some(self.until);
        let mut over = Vec::new();
        for slot in self.running.iter_mut().filter(|slot| whom(&slot.want)) {
            let next = slot.run.step(context, until, input());
            over.extend(slot.take(next).map(|answer| (slot.index, answer)));
        }
        self.end(context, over);
    }

    fn go_on(&mut self, context: &Context) -> BatchNext {
        loop {
            if let Phase::Undoing(commands) = &mut self.phase {
                match (self.undone.is_some(), commands.pop_front()) {
                    (true, _) => return BatchNext::Over(self.finish(context)),
                    (false, Some(command)) => return BatchNext::Do(command),
                    (false, None) => return BatchNext::Look(Scope::Elements),
                }
            }
            self.show_fresh(context);
            if self.running.is_empty() {
                if let Some(next) = self.begin_next(context) {
                    return next;
                }
                continue;
            }
            if let Some(next) = self.wanted() {
                return next;
            }
        }
    }

    fn wanted(&mut self) -> Option<BatchNext> {
        let command = |slot: &mut Slot| match &mut slot.want {
            Want::Do(command) => command.take(),
            _ => None,
        };
        if let Some(command) = self.running.iter_mut().find_map(command) {
            self.fresh = None;
            return Some(BatchNext::Do(command));
        }
        let look = |slot: &Slot| match slot.want {
            Want::Look(scope) => Some(scope),
            _ => None,
        };
        if let Some(scope) = self.running.iter().filter_map(look).max() {
            return Some(BatchNext::Look(scope));
        }
        let pause = |slot: &Slot| match slot.want {
            Want::Pause(until) => Some(until),
            _ => None,
        };
        let until = self.running.iter().filter_map(pause).min();
        self.fresh = None;
        until.map(BatchNext::Pause)
    }

    /// A look that was just taken serves all who can do with it.
    fn show_fresh(&mut self, context: &Context) {
        while let Some((scope, look)) = self.fresh.clone() {
            let served = |slot: &&mut Slot| matches!(slot.want, Want::Look(want) if want <= scope);
            let until = Some(self.until);
            let (mut any, mut over) = (false, Vec::new());
            for slot in self.running.iter_mut().filter(served) {
                any = true;
                let next = slot.run.step(context, until, Input::Looked(&look));
                over.extend(slot.take(next).map(|answer| (slot.index, answer)));
            }
            self.end(context, over);
            if !any {
                return;
            }
        }
    }

    /// Take up the next step and those that go along with it; `None`: some are under way now.
    fn begin_next(&mut self, context: &Context) -> Option<BatchNext> {
        let failed = self.results.iter().any(|result| !result.success);
        let stops = failed && self.options.stop_on_error;
        if self.steps.is_empty() || stops {
            return match failed && self.options.rollback_on_error {
                true => {
                    self.phase = Phase::Undoing(VecDeque::new());
                    self.begin_undo();
                    None
                }
                false => Some(BatchNext::Over(self.finish(context))),
            };
        }
        let index = self.results.len() as u64;
        if self.options.rollback_on_error && Run::changes(&self.steps[0]) {
            let unsaved = self.saved.last().is_none_or(|saved| saved.index != index);
            match &self.fresh {
                Some((Scope::Elements, look)) if unsaved => self.saved.push(Saved {
                    index,
                    before: look.clone(),
                    lasting: None,
                }),
                _ if unsaved && self.blind != Some(index) => {
                    self.phase = Phase::Saving;
                    return Some(BatchNext::Look(Scope::Elements));
                }
                _ => {}
            }
        }
        self.begin_group(context, index);
        None
    }

    /// Reads side by side; waits, too, if they need not be in order.
    fn begin_group(&mut self, context: &Context, first: u64) {
        let in_order = self.options.sequential;
        let goes_along =
            |ask: &Ask| Run::reads(ask) || (!in_order && matches!(ask, Ask::WaitFor(_)));
        let until = Some(self.until);
        let mut over = Vec::new();
        for index in first.. {
            let Some(ask) = self.steps.pop_front() else {
                break;
            };
            let alone = !goes_along(&ask);
            let late = context.now >= self.until;
            let mut slot = Slot {
                index,
                name: ask.name(),
                run: Run::new(ask, context.now),
                want: Want::Nothing,
            };
            let next = match late {
                true => Next::Over(Err(Trouble::new(
                    Kind::Timeout,
                    "The time for the batch is over",
                ))),
                false => slot.run.step(context, until, Input::Begin),
            };
            over.extend(slot.take(next).map(|answer| (index, answer)));
            self.running.push(slot);
            if alone || self.steps.front().is_none_or(|next| !goes_along(next)) {
                break;
            }
        }
        self.end(context, over);
    }

    fn end(&mut self, context: &Context, over: Vec<(u64, Result<Answered, Trouble>)>) {
        for (index, answer) in over {
            let Some(at) = self.running.iter().position(|slot| slot.index == index) else {
                continue;
            };
            let slot = self.running.remove(at);
            if let Some(saved) = self.saved.iter_mut().find(|saved| saved.index == index) {
                let lasting = undo::lasting(&slot.run.ask, slot.run.left());
                saved.lasting = lasting.filter(|_| slot.run.acted);
            }
            let result = result(context, &slot, answer);
            self.results.push(result);
        }
        self.results.sort_by_key(|result| result.index);
        if self.running.is_empty() && self.options.stop_on_error {
            let failed = self.results.iter().position(|result| !result.success);
            self.results
                .truncate(failed.map_or(self.results.len(), |at| at + 1));
        }
    }

    fn finish(&mut self, context: &Context) -> BatchResult {
        let results = std::mem::take(&mut self.results);
        let failed = results.iter().find(|result| !result.success);
        let undone = self.undone.take();
        BatchResult {
            success: failed.is_none(),
            failed_at: failed.map(|result| result.index),
            results,
            rolled_back: undone.as_ref().map(Result::is_ok),
            rollback_error: undone.and_then(Result::err),
            total_elapsed: millis(context.now.saturating_sub(self.began)),
        }
    }
}

impl Slot {
    fn take(&mut self, next: Next) -> Option<Result<Answered, Trouble>> {
        let (want, over) = match next {
            Next::Look(scope) => (Want::Look(scope), None),
            Next::Do(command) => (Want::Do(Some(command)), None),
            Next::Pause(until) => (Want::Pause(until), None),
            Next::Over(answer) => (Want::Nothing, Some(answer)),
        };
        self.want = want;
        over
    }
}

pub(super) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
