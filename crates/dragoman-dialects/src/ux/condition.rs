//! What an agent waits for: read once, then looked at with every look.

use super::expression::{self, Expression, same};
use super::look::Look;
use super::state;
use super::trouble::{Kind, Trouble};
use super::wire::{self, ConditionKind, FullCondition};
use serde_json::{Map, Value};

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Condition {
    ChoicesRendered,
    InputEmpty,
    WindowVisible,
    WindowFocused,
    Exists(String),
    Visible(String),
    Focused(String),
    State(Map<String, Value>),
    Custom(Expression),
}

pub(super) fn read(condition: &wire::Condition) -> Result<Condition, Trouble> {
    let (kind, full) = match condition {
        wire::Condition::Name(kind) => (*kind, None),
        wire::Condition::Full(full) => (full.kind, Some(full)),
    };
    let missing = |field: &str| {
        let message = format!("The condition {} needs {field}", name(kind));
        Trouble::new(Kind::Invalid, message)
    };
    let id = |full: Option<&FullCondition>| {
        let id = full.and_then(|full| full.semantic_id.clone());
        id.ok_or_else(|| missing("a semanticId"))
    };
    Ok(match kind {
        ConditionKind::ChoicesRendered => Condition::ChoicesRendered,
        ConditionKind::InputEmpty => Condition::InputEmpty,
        ConditionKind::WindowVisible => Condition::WindowVisible,
        ConditionKind::WindowFocused => Condition::WindowFocused,
        ConditionKind::ElementExists => Condition::Exists(id(full)?),
        ConditionKind::ElementVisible => Condition::Visible(id(full)?),
        ConditionKind::ElementFocused => Condition::Focused(id(full)?),
        ConditionKind::StateMatch => {
            let state = full.and_then(|full| full.state.clone());
            Condition::State(state.ok_or_else(|| missing("a state"))?)
        }
        ConditionKind::Custom => {
            let text = full.and_then(|full| full.expression.as_deref());
            Condition::Custom(expression::read(
                text.ok_or_else(|| missing("an expression"))?,
            )?)
        }
    })
}

/// The word of the document for it.
pub(super) fn name(kind: ConditionKind) -> String {
    let value = serde_json::to_value(kind).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

pub(super) fn kind(condition: &wire::Condition) -> ConditionKind {
    match condition {
        wire::Condition::Name(kind) => *kind,
        wire::Condition::Full(full) => full.kind,
    }
}

impl Condition {
    /// Whether a look at the state alone is enough.
    pub fn needs_elements(&self) -> bool {
        matches!(self, Self::Exists(_) | Self::Visible(_) | Self::Focused(_))
    }

    pub fn holds(&self, look: &Look) -> bool {
        let state = || state::whole(look);
        match self {
            Self::ChoicesRendered => state().visible_choice_count.is_some_and(|count| count > 0),
            Self::InputEmpty => state().input_value.is_none_or(|text| text.is_empty()),
            Self::WindowVisible => state().window_visible == Some(true),
            Self::WindowFocused => state().is_focused == Some(true),
            Self::Exists(id) => look.has(id),
            Self::Visible(id) => look.find(id).any(|node| node.in_view),
            Self::Focused(id) => look.find(id).any(|node| node.focused),
            Self::State(wanted) => {
                let state = json(look);
                wanted
                    .iter()
                    .all(|(path, value)| same(at(&state, path), value))
            }
            Self::Custom(expression) => expression.holds(&json(look)),
        }
    }
}

pub(super) fn json(look: &Look) -> Value {
    serde_json::to_value(state::whole(look)).unwrap_or_default()
}

/// The field a path leads to; null where there is none.
pub(super) fn at<'a>(state: &'a Value, path: &str) -> &'a Value {
    let path = path.strip_prefix("state.").unwrap_or(path);
    let step = |at: &'a Value, name: &str| match at {
        Value::Array(list) => name.parse::<usize>().ok().and_then(|at| list.get(at)),
        _ => at.get(name),
    };
    path.split('.')
        .try_fold(state, step)
        .unwrap_or(&Value::Null)
}
