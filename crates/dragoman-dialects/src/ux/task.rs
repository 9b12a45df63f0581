//! One message that waits for its turn or has it: alone, a batch, or a setting that depends on the surface.

use super::batch::{Batch, BatchInput, BatchNext};
use super::look::Look;
use super::run::{Answered, Context, Input, Next, Run, Scope};
use super::trouble::Trouble;
use super::wire::{Ask, BatchOptions, BatchResult};
use dragoman_model::{Command, Done, Fault};
use std::time::Duration;

#[derive(Debug)]
pub(super) struct Task {
    pub id: Option<String>,
    pub name: &'static str,
    body: Body,
}

#[derive(Debug)]
enum Body {
    One(Run),
    Many(Batch, Seeing),
    Setting(Ask),
    /// Not yet begun.
    Steps(Vec<Ask>, BatchOptions),
}

/// What a batch does besides acting.
#[derive(Debug, Clone, Copy)]
struct Seeing {
    reads: bool,
    waits: bool,
}

#[derive(Debug)]
pub(super) enum Signal {
    Begin,
    Looked(Scope, Look),
    LookFailed(Fault),
    Performed(Result<Done, Fault>),
    Woken,
}

#[derive(Debug)]
pub(super) enum Step {
    Look(Scope),
    Do(Command),
    Pause(Duration),
    /// The surface is known now.
    Settle(Ask),
    Answer(Result<Answered, Trouble>),
    Result(BatchResult),
}

impl Task {
    pub fn one(id: Option<String>, name: &'static str, ask: Ask) -> Self {
        let body = match ask {
            Ask::TestMode(_) | Ask::ConfigureHeadless(_) => Body::Setting(ask),
            ask => Body::One(Run::new(ask, Duration::ZERO)),
        };
        Self { id, name, body }
    }

    pub fn many(id: Option<String>, steps: Vec<Ask>, options: BatchOptions) -> Self {
        let body = Body::Steps(steps, options);
        let name = "batch";
        Self { id, name, body }
    }

    /// Its time begins when its turn comes.
    pub fn begin(&mut self, now: Duration) {
        match &mut self.body {
            Body::One(run) => run.began = now,
            Body::Steps(steps, options) => {
                let (steps, options) = (std::mem::take(steps), options.clone());
                let seeing = Seeing {
                    reads: steps.iter().any(Run::reads),
                    waits: steps.iter().any(|ask| matches!(ask, Ask::WaitFor(_))),
                };
                self.body = Body::Many(Batch::new(steps, options, now), seeing);
            }
            Body::Many(..) | Body::Setting(_) => {}
        }
    }

    pub fn run(&self) -> Option<&Run> {
        match &self.body {
            Body::One(run) => Some(run),
            _ => None,
        }
    }

    /// What it looks at is what was asked for, and not just needed on the way.
    pub fn asks_to_see(&self) -> bool {
        match &self.body {
            Body::One(run) => {
                let also = matches!(run.ask, Ask::AgentHello(_) | Ask::CaptureScreenshot(_));
                also || Run::reads(&run.ask)
            }
            Body::Many(_, seeing) => seeing.reads,
            Body::Setting(_) | Body::Steps(..) => false,
        }
    }

    pub fn waits(&self) -> bool {
        match &self.body {
            Body::One(run) => matches!(run.ask, Ask::WaitFor(_)),
            Body::Many(_, seeing) => seeing.waits,
            Body::Setting(_) | Body::Steps(..) => false,
        }
    }

    /// How long its next command may take, where it is not as the catalog says.
    pub fn time_left(&self, now: Duration) -> Option<Duration> {
        match &self.body {
            Body::Many(batch, _) => Some(batch.time_left(now)),
            _ => None,
        }
    }

    pub fn step(&mut self, context: &Context, signal: Signal) -> Step {
        match &mut self.body {
            Body::Setting(ask) => match (context.is_prompt, signal) {
                (None, Signal::Begin) => Step::Look(Scope::State),
                _ => Step::Settle(ask.clone()),
            },
            Body::One(run) => {
                let looked;
                let input = match signal {
                    Signal::Begin => Input::Begin,
                    Signal::Looked(_, look) => {
                        looked = look;
                        Input::Looked(&looked)
                    }
                    Signal::LookFailed(fault) => Input::LookFailed(fault),
                    Signal::Performed(result) => Input::Performed(result),
                    Signal::Woken => Input::Woken,
                };
                match run.step(context, None, input) {
                    Next::Look(scope) => Step::Look(scope),
                    Next::Do(command) => Step::Do(command),
                    Next::Pause(until) => Step::Pause(until),
                    Next::Over(answer) => Step::Answer(answer),
                }
            }
            Body::Many(batch, _) => {
                let input = match signal {
                    Signal::Begin => BatchInput::Begin,
                    Signal::Looked(scope, look) => BatchInput::Looked(scope, look),
                    Signal::LookFailed(fault) => BatchInput::LookFailed(fault),
                    Signal::Performed(result) => BatchInput::Performed(result),
                    Signal::Woken => BatchInput::Woken,
                };
                match batch.step(context, input) {
                    BatchNext::Look(scope) => Step::Look(scope),
                    BatchNext::Do(command) => Step::Do(command),
                    BatchNext::Pause(until) => Step::Pause(until),
                    BatchNext::Over(result) => Step::Result(result),
                }
            }
            Body::Steps(..) => Step::Pause(context.now),
        }
    }
}
