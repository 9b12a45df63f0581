//! Assertions: what should be, and what is.

use super::condition::{at, json};
use super::expression::{contains, same};
use super::look::Look;
use super::wire::{Assert, AssertResult, Asserted, Assertion, AssertionKind};
use super::{short, state};
use serde_json::{Value, json};

pub(super) fn result(look: &Look, ask: &Assert, tell_state: bool) -> AssertResult {
    let state = json(look);
    let results: Vec<Asserted> = ask
        .assertions
        .iter()
        .map(|assertion| check(look, &state, assertion))
        .collect();
    let passed = results.iter().all(|result| result.passed);
    AssertResult {
        passed,
        results,
        state: (!passed && tell_state).then(|| state::whole(look)),
    }
}

fn check(look: &Look, state: &Value, assertion: &Assertion) -> Asserted {
    let wanted = assertion.value.clone().unwrap_or_default();
    let target = assertion.target.as_deref();
    let (passed, expected, actual) = match assertion.kind {
        AssertionKind::ElementExists => exists(look, target, true),
        AssertionKind::ElementNotExists => exists(look, target, false),
        AssertionKind::StateEquals => equals(field(state, assertion), wanted),
        AssertionKind::StateContains => {
            let actual = field(state, assertion);
            (contains(&actual, &wanted), wanted, actual)
        }
        AssertionKind::InputValue => equals(input(look, state, target), wanted),
        AssertionKind::SelectedValue => equals(state["selectedValue"].clone(), wanted),
        AssertionKind::ChoiceCount => equals(state["choiceCount"].clone(), wanted),
        AssertionKind::WindowVisible => {
            let wanted = assertion.value.clone().unwrap_or(true.into());
            equals(state["windowVisible"].clone(), wanted)
        }
    };
    let name = serde_json::to_value(assertion.kind).unwrap_or_default();
    let message = assertion.message.clone();
    Asserted {
        assertion: name.as_str().unwrap_or_default().to_owned(),
        passed,
        message: message.filter(|_| !passed),
        expected: (!passed).then_some(expected),
        actual: (!passed).then_some(actual),
    }
}

fn equals(actual: Value, wanted: Value) -> (bool, Value, Value) {
    (same(&actual, &wanted), wanted, actual)
}

fn field(state: &Value, assertion: &Assertion) -> Value {
    let path = assertion.path.as_deref().unwrap_or_default();
    at(state, path).clone()
}

fn exists(look: &Look, target: Option<&str>, wanted: bool) -> (bool, Value, Value) {
    let target = target.unwrap_or_default();
    let words = |there: bool| match there {
        true => json!(format!("{} is there", short(target))),
        false => json!(format!("{} is not there", short(target))),
    };
    let there = look.has(target);
    (there == wanted, words(wanted), words(there))
}

/// Of the element that is named, or of the input.
fn input(look: &Look, state: &Value, target: Option<&str>) -> Value {
    match target {
        Some(target) => match look.one(target) {
            Ok(node) => node.value.as_deref().unwrap_or_default().into(),
            Err(_) => Value::Null,
        },
        None => state["inputValue"].clone(),
    }
}
