//! The command that runs: started, taken from step to step, ended by an answer, by its deadline or
//! by a person. A command that is no batch is a row of one step.
//!
//! Must not know: how the queue is ordered.

use crate::queue::Item;
use crate::session::Session;
use crate::step::{Ask, Begun, Performing, Step, allowed};
use crate::turn::Turn;
use crate::{ClientId, Record, Time};
use dragoman_model::{
    Batch, Code, Command, Done, Failure, Fault, Outcome, Reply, State, StepOutcome,
};
use std::collections::BTreeSet;

#[derive(Debug)]
pub(crate) struct Running {
    item: Item,
    /// Where it stood in the queue.
    place: usize,
    began: Time,
    deadline: Time,
    reads_only: bool,
    step: Option<Step>,
    ended: Vec<StepOutcome>,
}

impl Session {
    /// Start whatever may start. Called after every input.
    pub(crate) fn advance(&mut self, turn: &mut Turn) {
        let may = |s: &Self| s.running.is_none() && !s.paused && !s.asleep && s.halted.is_none();
        while may(self) && self.start_next(turn) {}
        self.look_for_person(turn);
    }

    /// Start the first approved command, if there is one.
    pub(crate) fn start_next(&mut self, turn: &mut Turn) -> bool {
        if self.is_checking() {
            return false;
        }
        self.judge_waiting(turn);
        if self.check_first(turn) {
            return false;
        }
        let Some((place, mut item)) = self.queue.take_next() else {
            return false;
        };
        item.state = State::Running;
        let record = Record::Started {
            session: self.id.clone(),
            number: item.number,
        };
        self.record(turn, record);
        self.announce(turn, &item);
        let request = &item.request;
        let running = Running {
            began: turn.now,
            deadline: turn
                .now
                .saturating_add(allowed(&request.command, request.timeout_ms)),
            reads_only: request.command.reads_only(),
            step: None,
            ended: Vec::new(),
            place,
            item,
        };
        self.go_on(turn, running);
        true
    }

    pub(crate) fn finished(
        &mut self,
        turn: &mut Turn,
        number: u64,
        run: u64,
        result: Result<Done, Failure>,
        then: Vec<Result<Done, Failure>>,
    ) {
        let step = self.step_of(number, run);
        let Some(Performing {
            change,
            tab,
            then: most,
            ..
        }) = step.and_then(|step| step.performing())
        else {
            return;
        };
        if let Ok(done) = &result {
            self.tabs.finished(change, done);
        }
        let more = if result.is_ok() { most } else { 0 };
        let results = std::iter::once(result).chain(then.into_iter().take(more));
        let mut outcomes = Vec::new();
        for result in results {
            self.has_answered(tab, &result);
            outcomes.push(Outcome::from(result));
        }
        self.end_steps(turn, outcomes);
    }

    pub(crate) fn leaves(
        &mut self,
        turn: &mut Turn,
        number: u64,
        run: u64,
        values: &[Option<bool>],
    ) {
        let now = turn.now;
        let decided = self
            .step_of(number, run)
            .and_then(|step| step.report(values, now));
        if let Some(outcome) = decided {
            self.stop_step(turn);
            self.end_step(turn, outcome);
        }
    }

    pub(crate) fn watch_failed(&mut self, turn: &mut Turn, number: u64, run: u64, fault: Fault) {
        if self
            .step_of(number, run)
            .is_some_and(|step| step.is_watching())
        {
            self.end_step(turn, Outcome::failed(fault));
        }
    }

    pub(crate) fn due(&self) -> Option<Time> {
        let step = self.running.as_ref().and_then(|r| r.step.as_ref());
        let ends = step.map(Step::due);
        ends.into_iter().chain(self.asking_until()).min()
    }

    pub(crate) fn tick(&mut self, turn: &mut Turn) {
        self.give_up_asking(turn);
        let over = |step: &&mut Step| step.due() <= turn.now;
        let expired = self.step_mut().filter(over).map(|step| step.expired());
        if let Some(outcome) = expired {
            self.stop_step(turn);
            self.end_step(turn, outcome);
        }
    }

    pub(crate) fn browser_gone(&mut self, now: Time, reason: &str) {
        if let Some(step) = self.step_mut() {
            step.browser_gone(now, reason);
        }
    }

    pub(crate) fn browser_back(&mut self) {
        if let Some(step) = self.step_mut() {
            step.browser_back();
        }
    }

    /// Whatever runs, all its steps, ends here and now.
    pub(crate) fn stop_running(&mut self, turn: &mut Turn, fault: Fault) {
        self.stop_step(turn);
        if let Some(running) = self.running.take() {
            let fault = running.how_far(fault);
            self.end(
                turn,
                running.item,
                Some(running.began),
                Outcome::failed(fault),
            );
        }
    }

    /// It was to start, and nothing of that came about: it waits again.
    pub(crate) fn unstart(&mut self, turn: &mut Turn) {
        if let Some(Running {
            mut item, place, ..
        }) = self.running.take()
        {
            item.state = State::Approved;
            item.bound = None;
            self.announce(turn, &item);
            self.queue.put_back(place, item);
        }
    }

    fn stop_step(&mut self, turn: &mut Turn) {
        let session = self.id.clone();
        let Some(running) = &self.running else {
            return;
        };
        let number = running.item.number;
        let effect = running
            .step
            .as_ref()
            .and_then(|step| step.stop(session, number));
        effect.into_iter().for_each(|effect| turn.act(effect));
    }

    fn end_step(&mut self, turn: &mut Turn, outcome: Outcome) {
        self.end_steps(turn, vec![outcome]);
    }

    fn end_steps(&mut self, turn: &mut Turn, outcomes: Vec<Outcome>) {
        if let Some(mut running) = self.running.take() {
            outcomes.into_iter().for_each(|o| running.note(o));
            self.go_on(turn, running);
        }
    }

    /// Begin the next step; when there is none, the command ends.
    fn go_on(&mut self, turn: &mut Turn, mut running: Running) {
        while let Some(ask) = running.next_ask(turn.now) {
            match self.begin(turn, &ask) {
                Begun::Going(step) => {
                    running.step = Some(step);
                    self.running = Some(running);
                    return;
                }
                Begun::Over(outcome) => running.note(outcome),
            }
        }
        running.note_lack_of_time(turn.now);
        let (item, began, outcome) = running.into_outcome();
        self.end(turn, item, Some(began), outcome);
    }

    fn step_of(&mut self, number: u64, run: u64) -> Option<&mut Step> {
        let running = self.running.as_mut()?;
        let step = running.step.as_mut()?;
        (running.item.number == number && step.run == run).then_some(step)
    }

    fn step_mut(&mut self) -> Option<&mut Step> {
        self.running.as_mut()?.step.as_mut()
    }
}

impl Running {
    pub fn item(&self) -> &Item {
        &self.item
    }

    pub fn detach(&mut self, client: ClientId) {
        if self.item.client == Some(client) {
            self.item.client = None;
        }
    }

    /// Forget the step if its effect was never carried out; then there is nothing to stop.
    /// Whether nothing at all of the command was done.
    pub fn forget_step(&mut self, never_begun: &BTreeSet<u64>) -> bool {
        let lost = |step: &mut Step| never_begun.contains(&step.run);
        self.step.take_if(lost).is_some() && self.ended.is_empty()
    }

    fn note(&mut self, outcome: Outcome) {
        self.step = None;
        let index = self.ended.len() + 1;
        self.ended.push(StepOutcome { index, outcome });
    }

    /// The next step's command, unless the row is at its end, a failure stops it, or time is up.
    fn next_ask(&self, now: Time) -> Option<Ask<'_>> {
        let done = self.ended.len();
        let request = &self.item.request;
        let (command, then, timeout_ms) = match self.item.command() {
            Command::Batch(batch) => {
                if self.stopped_by_failure(batch) || now >= self.deadline {
                    return None;
                }
                let (next, later) = batch.steps.get(done..)?.split_first()?;
                (next, later, None)
            }
            _ if done > 0 => return None,
            single => (single, [].as_slice(), request.timeout_ms),
        };
        Some(Ask {
            number: self.item.number,
            client: self.item.client,
            tab: request.tab,
            timeout_ms,
            latest: self.deadline,
            command,
            in_batch: matches!(self.item.command(), Command::Batch(_)),
            then,
            reads_only: self.reads_only,
            up_to_policy: self.item.is_up_to_policy(),
            own: request.own,
            knows: self.item.knows,
        })
    }

    /// A batch whose time was up between two steps says so, or it would seem complete.
    fn note_lack_of_time(&mut self, now: Time) {
        let Command::Batch(batch) = &self.item.request.command else {
            return;
        };
        let steps_left = self.ended.len() < batch.steps.len();
        if steps_left && now >= self.deadline && !self.stopped_by_failure(batch) {
            let message = "The batch's time was up before this step";
            self.note(Outcome::failed(Fault::new(Code::Timeout, message)));
        }
    }

    fn stopped_by_failure(&self, batch: &Batch) -> bool {
        let failed = |step: &StepOutcome| step.outcome.fault().is_some();
        batch.stop_on_error.unwrap_or(true) && self.ended.last().is_some_and(failed)
    }

    fn into_outcome(mut self) -> (Item, Time, Outcome) {
        let outcome = match &self.item.request.command {
            Command::Batch(batch) => batch_outcome(batch, self.ended),
            _ => match self.ended.pop() {
                Some(step) => step.outcome,
                None => Outcome::failed(Fault::new(Code::Internal, "It ended without an outcome")),
            },
        };
        (self.item, self.began, outcome)
    }

    fn how_far(&self, fault: Fault) -> Fault {
        let Command::Batch(batch) = &self.item.request.command else {
            return fault;
        };
        let (done, all) = (self.ended.len(), batch.steps.len());
        Fault {
            message: format!("{}, after {done} of {all} steps", fault.message),
            ..fault
        }
    }
}

/// A batch that should stop at a failure fails with it; one told to go on is done, and its steps
/// say what became of each.
fn batch_outcome(batch: &Batch, steps: Vec<StepOutcome>) -> Outcome {
    let stops = batch.stop_on_error.unwrap_or(true);
    let failed = steps
        .last()
        .filter(|_| stops)
        .and_then(|step| step.outcome.fault());
    let Some(fault) = failed.cloned() else {
        return Outcome::Done(Done::from(Reply::Steps(steps)));
    };
    let (at, all) = (steps.len(), batch.steps.len());
    Outcome::Failed {
        fault: Fault {
            message: format!("step {at} of {all}: {}", fault.message),
            ..fault
        },
        receipt: None,
        steps,
    }
}
