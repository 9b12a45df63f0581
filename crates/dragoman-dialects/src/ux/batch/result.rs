//! What became of one step, as it is told.

use super::{Slot, millis};
use crate::ux::run::{Answered, Context, named};
use crate::ux::trouble::{Kind, Trouble};
use crate::ux::wire::{Ask, StepResult};
use serde_json::Value;

pub(super) fn result(
    context: &Context,
    slot: &Slot,
    answer: Result<Answered, Trouble>,
) -> StepResult {
    let waits = matches!(slot.run.ask, Ask::WaitFor(_));
    let took = millis(context.now.saturating_sub(slot.run.began));
    let json = |value: Result<Value, serde_json::Error>| value.ok();
    let failed = |trouble: Trouble| Some(named(&slot.run.ask, trouble).wrong());
    let (value, wrong) = match answer {
        Err(trouble) => (None, failed(trouble)),
        Ok(Answered::Assert(result)) if !result.passed => {
            let wrong = result.results.iter().filter(|one| !one.passed).count();
            let message = format!("{wrong} of {} assertions failed", result.results.len());
            let trouble = Trouble::new(Kind::AssertionFailed, message);
            (json(serde_json::to_value(result)), failed(trouble))
        }
        Ok(Answered::Did { value, .. }) => (value, None),
        Ok(Answered::Waited) => (None, None),
        Ok(Answered::State(result)) => (json(serde_json::to_value(result.state)), None),
        Ok(Answered::Elements(mut results)) => {
            let first = results.drain(..).next();
            (json(serde_json::to_value(first)), None)
        }
        Ok(Answered::Tree(result)) => (json(serde_json::to_value(result)), None),
        Ok(Answered::Picture(result)) => (json(serde_json::to_value(result)), None),
        Ok(Answered::Dom(result)) => (json(serde_json::to_value(result)), None),
        Ok(Answered::Assert(result)) => (json(serde_json::to_value(result)), None),
        Ok(Answered::Capabilities(result)) => (json(serde_json::to_value(result)), None),
        Ok(Answered::Welcome(result)) => (json(serde_json::to_value(result)), None),
    };
    StepResult {
        index: slot.index,
        success: wrong.is_none(),
        command: slot.name.into(),
        elapsed: waits.then_some(took),
        value,
        wrong,
        rolled_back: None,
    }
}
