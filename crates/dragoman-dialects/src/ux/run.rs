//! One message on its way to its answer: what it wants next, until it is over.
//!
//! Must not know: how a look is taken, a command carried out, or an answer sent.

use super::act::{self, Move, Plan};
use super::condition;
use super::look::Look;
use super::picture::{self, Frame};
use super::trouble::{Kind, Trouble};
use super::waiting::Waiting;
use super::wire::{
    AgentWelcome, Ask, AssertResult, CapabilitiesResult, DomResult, ElementsResult,
    ScreenshotResult, StateResult, TreeResult,
};
use super::{assertion, capabilities, dom, elements, state, tree};
use dragoman_model::{Code, Command, Done, Fault, Receipt, Reply};
use serde_json::{Map, Value, json};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_millis(5_000);

/// What is known besides the message.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Context {
    pub now: Duration,
    /// Something happened since the last look was begun.
    pub stirred: bool,
    /// Whether the surface is a prompt, once that is known.
    pub is_prompt: Option<bool>,
    /// Assertions that fail tell the state.
    pub tell_state: bool,
}

/// How much a look must show. Later ones show all that earlier ones do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Scope {
    State,
    Elements,
}

#[derive(Debug)]
pub(super) enum Input<'a> {
    Begin,
    Looked(&'a Look),
    LookFailed(Fault),
    Performed(Result<Done, Fault>),
    /// Time has passed, or something has happened.
    Woken,
}

#[derive(Debug)]
pub(super) enum Next {
    Look(Scope),
    Do(Command),
    /// Until this moment, or until something happens.
    Pause(Duration),
    Over(Result<Answered, Trouble>),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Answered {
    State(Box<StateResult>),
    Elements(Vec<ElementsResult>),
    Tree(Box<TreeResult>),
    Dom(Box<DomResult>),
    Picture(Box<ScreenshotResult>),
    Assert(Box<AssertResult>),
    Capabilities(Box<CapabilitiesResult>),
    Welcome(Box<AgentWelcome>),
    Waited,
    Did {
        value: Option<Value>,
        receipt: Option<Map<String, Value>>,
    },
}

#[derive(Debug)]
pub(super) struct Run {
    pub ask: Ask,
    pub began: Duration,
    /// A command of it has been handed on.
    pub acted: bool,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    Begin,
    Reading,
    Aiming,
    Picturing(Frame),
    Waiting(Waiting),
    Planning,
    Moving(Moving),
}

#[derive(Debug)]
struct Moving {
    plan: Plan,
    receipt: Option<Map<String, Value>>,
    left: bool,
}

impl Run {
    pub fn new(ask: Ask, now: Duration) -> Self {
        Self {
            ask,
            began: now,
            acted: false,
            stage: Stage::Begin,
        }
    }

    /// Nothing is changed by it.
    pub fn reads(ask: &Ask) -> bool {
        matches!(
            ask,
            Ask::GetState(_)
                | Ask::GetElements(_)
                | Ask::GetAccessibilityTree(_)
                | Ask::GetVirtualDom(_)
                | Ask::Assert(_)
                | Ask::GetCapabilities(_)
        )
    }

    /// Something may be changed by it.
    pub fn changes(ask: &Ask) -> bool {
        !Self::reads(ask) && !matches!(ask, Ask::WaitFor(_) | Ask::CaptureScreenshot(_))
    }

    /// The page or the prompt it worked on is no longer there.
    pub fn left(&self) -> bool {
        matches!(&self.stage, Stage::Moving(moving) if moving.left)
    }

    /// `until`: when the batch it is in must end.
    pub fn step(&mut self, context: &Context, until: Option<Duration>, input: Input) -> Next {
        let next = match self.try_step(context, until, input) {
            Ok(next) => next,
            Err(trouble) => Next::Over(Err(trouble)),
        };
        self.acted |= matches!(next, Next::Do(_));
        next
    }

    fn try_step(
        &mut self,
        context: &Context,
        until: Option<Duration>,
        input: Input,
    ) -> Result<Next, Trouble> {
        match (&mut self.stage, input) {
            (Stage::Begin, Input::Begin) => self.begin(context, until),
            (Stage::Reading, Input::Looked(look)) => {
                let is_prompt = look.prompt().is_some();
                read(&self.ask, Some(look), is_prompt, context.tell_state)
            }
            (Stage::Reading, Input::LookFailed(_)) if is_about_us(&self.ask) => {
                read(&self.ask, None, false, false)
            }
            (Stage::Aiming, Input::Looked(look)) => {
                let (frame, command) = picture::aim(look);
                self.stage = Stage::Picturing(frame);
                Ok(Next::Do(command))
            }
            (Stage::Picturing(frame), Input::Performed(result)) => {
                let picture = picture::result(*frame, result?.reply)?;
                Ok(Next::Over(Ok(Answered::Picture(picture.into()))))
            }
            (Stage::Waiting(waiting), Input::Looked(look)) => Ok(waiting.looked(context, look)),
            // A dialog stops the page, not the wait.
            (Stage::Waiting(waiting), Input::LookFailed(fault))
                if fault.code == Code::DialogOpen =>
            {
                Ok(waiting.blocked(context))
            }
            (Stage::Waiting(waiting), Input::Woken) => waiting.woken(context),
            (Stage::Planning, Input::Looked(look)) => {
                let plan = act::plan(&self.ask, Some(look))?;
                self.go(plan)
            }
            (Stage::Moving(moving), Input::Looked(look)) => {
                let first = act::first(look)?;
                moving.plan.value = first.value.or(moving.plan.value.take());
                first
                    .moves
                    .into_iter()
                    .rev()
                    .for_each(|step| moving.plan.moves.push_front(step));
                Ok(moving.next())
            }
            (Stage::Moving(moving), Input::Performed(result)) => {
                moving.note(result?);
                Ok(moving.next())
            }
            (_, Input::LookFailed(fault) | Input::Performed(Err(fault))) => Err(fault.into()),
            // Woken without having asked for it.
            (_, _) => Ok(Next::Pause(context.now + PATIENCE)),
        }
    }

    fn begin(&mut self, context: &Context, until: Option<Duration>) -> Result<Next, Trouble> {
        if let Ask::WaitFor(ask) = &self.ask {
            let waiting = Waiting::new(ask, context.now, until)?;
            let scope = waiting.scope();
            self.stage = Stage::Waiting(waiting);
            return Ok(Next::Look(scope));
        }
        if is_about_us(&self.ask) {
            self.stage = Stage::Reading;
            return match context.is_prompt {
                Some(is_prompt) => read(&self.ask, None, is_prompt, false),
                None => Ok(Next::Look(Scope::State)),
            };
        }
        if Self::reads(&self.ask) {
            self.stage = Stage::Reading;
            return Ok(Next::Look(scope_of(&self.ask)));
        }
        if matches!(self.ask, Ask::CaptureScreenshot(_)) {
            self.stage = Stage::Aiming;
            return Ok(Next::Look(Scope::State));
        }
        if act::needs_look(&self.ask, context.is_prompt == Some(true))? {
            self.stage = Stage::Planning;
            return Ok(Next::Look(Scope::Elements));
        }
        let plan = act::plan(&self.ask, None)?;
        self.go(plan)
    }

    fn go(&mut self, plan: Plan) -> Result<Next, Trouble> {
        let mut moving = Moving {
            plan,
            receipt: None,
            left: false,
        };
        let next = moving.next();
        self.stage = Stage::Moving(moving);
        Ok(next)
    }
}

/// What we can do depends on the surface, but not on how it stands.
fn is_about_us(ask: &Ask) -> bool {
    matches!(ask, Ask::AgentHello(_) | Ask::GetCapabilities(_))
}

fn scope_of(ask: &Ask) -> Scope {
    match ask {
        Ask::GetState(ask) if ask.format == super::wire::Format::Minimal => Scope::State,
        _ => Scope::Elements,
    }
}

fn read(ask: &Ask, look: Option<&Look>, is_prompt: bool, tell: bool) -> Result<Next, Trouble> {
    let answered = match (ask, look) {
        (Ask::GetCapabilities(_), _) => {
            Answered::Capabilities(capabilities::result(is_prompt).into())
        }
        (Ask::AgentHello(hello), _) => {
            Answered::Welcome(capabilities::welcome(hello, is_prompt)?.into())
        }
        (Ask::GetState(ask), Some(look)) => Answered::State(state::result(look, ask).into()),
        (Ask::GetElements(ask), Some(look)) => Answered::Elements(elements::results(look, ask)?),
        (Ask::GetAccessibilityTree(ask), Some(look)) => {
            Answered::Tree(tree::result(look, ask)?.into())
        }
        (Ask::GetVirtualDom(ask), Some(look)) => {
            Answered::Dom(dom::result(look, ask.format).into())
        }
        (Ask::Assert(ask), Some(look)) => {
            Answered::Assert(assertion::result(look, ask, tell).into())
        }
        _ => return Err(Fault::new(Code::Internal, "there was nothing to look at").into()),
    };
    Ok(Next::Over(Ok(answered)))
}

impl Moving {
    fn next(&mut self) -> Next {
        match self.plan.moves.pop_front() {
            Some(Move::Do(command)) => Next::Do(command),
            Some(Move::First) => Next::Look(Scope::Elements),
            None => Next::Over(Ok(Answered::Did {
                value: self.plan.value.take(),
                receipt: self.receipt.take(),
            })),
        }
    }

    fn note(&mut self, done: Done) {
        if let Some(value) = value(done.reply) {
            self.plan.value = Some(value);
        }
        if let Some(receipt) = done.receipt {
            let gone = |n: &dragoman_model::Navigated| !n.same_document;
            self.left |= receipt.navigated.as_ref().is_some_and(gone);
            self.receipt = Some(told(*receipt));
        }
    }
}

/// What was asked for, as an agent reads it.
fn value(reply: Reply) -> Option<Value> {
    let value = match reply {
        Reply::Nothing
        | Reply::Snapshot(_)
        | Reply::Changes(_)
        | Reply::Steps(_)
        | Reply::Waited { .. }
        | Reply::Subscribed { .. } => return None,
        Reply::Text(text) => Value::from(text.text),
        Reply::Value(data) => serde_json::to_value(data).ok()?,
        Reply::Pdf { data } => json!({ "mime": "application/pdf", "data": data }),
        Reply::Image(image) => json!({ "mime": image.mime, "data": image.data }),
        Reply::Tab(tab) => serde_json::to_value(tab).ok()?,
        Reply::Tabs(tabs) => serde_json::to_value(tabs).ok()?,
        Reply::Console(list) => serde_json::to_value(list).ok()?,
        Reply::Network(list) => serde_json::to_value(list).ok()?,
        Reply::Cookies(list) => serde_json::to_value(list).ok()?,
        Reply::Storage(items) => serde_json::to_value(items).ok()?,
        Reply::Routes(list) => serde_json::to_value(list).ok()?,
    };
    Some(value)
}

/// The receipt without the list of changes, which getElements tells better.
fn told(mut receipt: Receipt) -> Map<String, Value> {
    receipt.changes = None;
    receipt.hit = None;
    receipt.started = Default::default();
    match serde_json::to_value(receipt) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

/// What a wait that came to nothing was for.
pub(super) fn named(ask: &Ask, trouble: Trouble) -> Trouble {
    match ask {
        Ask::WaitFor(ask) if trouble.is_timeout() => {
            let name = condition::name(condition::kind(&ask.condition));
            Trouble::new(Kind::Timeout, format!("Timeout waiting for {name}"))
        }
        _ => trouble,
    }
}
