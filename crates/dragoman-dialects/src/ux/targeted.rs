//! What an action on one element comes to.
//!
//! Must not know: how a command is carried out, what it answers.

use super::act::{Plan, click, select_node, submit};
use super::catalog;
use super::look::{Look, takes_text};
use super::trouble::{Kind, Trouble};
use super::wire::Action;
use dragoman_model::{
    Blur, Check, Choice, Clear, Collapse, Expand, Focus, InsertText, Node, Press, ReplaceText,
    ScrollIntoView, ScrollTo, Select, Submit, Target, Uncheck,
};
use serde_json::Value;

pub(super) fn plan(ask: &Action, look: Option<&Look>) -> Result<Plan, Trouble> {
    let named = ask.action.as_str();
    // A click may have its arguments, which only the catalog knows.
    let plain = ask.value.as_ref().is_none_or(Value::is_null);
    if !catalog::DOCUMENT.contains(&named) || (named == "click" && !plain) {
        return catalog::command(ask, look).map(Plan::one);
    }
    let Some(look) = look else {
        return with_window(ask);
    };
    let node = look.one(&ask.target)?;
    let target = look.target(node)?;
    let text = || text_of(ask);
    Ok(match named {
        "select" => return select(look, node, target, ask),
        "submit" => return submit_at(look, node, target, ask),
        "focus" => Plan::one(Focus { target }),
        "blur" => Plan::one(Blur {
            target: Some(target),
        }),
        "click" => Plan::one(click(target)),
        "setValue" => return set_value(node, target, ask),
        "appendValue" => append(node, target, &text()?),
        "clearValue" => Plan::one(Clear { target }),
        "scrollTo" => match point(ask)? {
            Some((x, y)) => Plan::one(ScrollTo {
                x,
                y,
                target: Some(target),
            }),
            None => Plan::one(ScrollIntoView { target }),
        },
        "expand" => Plan::one(Expand { target }),
        _ => Plan::one(Collapse { target }),
    })
}

/// What can be done with the window as a whole.
fn with_window(ask: &Action) -> Result<Plan, Trouble> {
    match (ask.action.as_str(), point(ask)?) {
        ("scrollTo", Some((x, y))) => Ok(Plan::one(ScrollTo { x, y, target: None })),
        ("submit", _) => Ok(Plan::one(submit(value_text(ask)))),
        ("blur", _) => Ok(Plan::one(Blur { target: None })),
        (action, _) => {
            let message = format!("{action} needs an element");
            Err(Trouble::new(Kind::Invalid, message).suggest("Name one by its semantic id."))
        }
    }
}

fn value_text(ask: &Action) -> Option<String> {
    match ask.value.as_ref()? {
        Value::String(text) => Some(text.clone()),
        Value::Null => None,
        other => Some(other.to_string()),
    }
}

fn text_of(ask: &Action) -> Result<String, Trouble> {
    value_text(ask).ok_or_else(|| {
        let message = format!("{} needs a value", ask.action);
        Trouble::new(Kind::Invalid, message)
    })
}

fn point(ask: &Action) -> Result<Option<(f64, f64)>, Trouble> {
    if ask.action != "scrollTo" {
        return Ok(None);
    }
    let Some(value) = ask.value.as_ref().filter(|value| !value.is_null()) else {
        return Ok(None);
    };
    let number = |name: &str| value.get(name).map_or(Some(0.0), Value::as_f64);
    match (value.is_object(), number("x"), number("y")) {
        (true, Some(x), Some(y)) => Ok(Some((x, y))),
        _ => Err(Trouble::new(
            Kind::Invalid,
            "The value of scrollTo is {\"x\": …, \"y\": …}",
        )),
    }
}

fn select(look: &Look, node: &Node, target: Target, ask: &Action) -> Result<Plan, Trouble> {
    let has_options = !node.options.is_empty() || node.role == "listbox";
    if has_options && ask.value.is_some() {
        return options(node, target, ask);
    }
    Ok(match node.role.as_str() {
        "option" => select_node(look, node)?,
        "radio" | "checkbox" | "switch" => Plan::one(Check { target }),
        _ if has_options => {
            let message = format!("{} has several choices", ask.target);
            return Err(Trouble::new(Kind::Invalid, message).suggest("Say which in `value`."));
        }
        _ => Plan::one(click(target)),
    })
}

/// One option or several, each by its label or its value.
fn options(node: &Node, target: Target, ask: &Action) -> Result<Plan, Trouble> {
    let named = |text: &str| {
        let by_label = node.options.iter().any(|option| option.label == text);
        let by_value = node.options.iter().any(|option| option.value == text);
        match by_label || !by_value {
            true => Choice::Label(text.into()),
            false => Choice::Value(text.into()),
        }
    };
    let choice = |value: &Value| match value {
        Value::String(text) => Some(named(text)),
        Value::Number(index) => Some(Choice::Index(u32::try_from(index.as_u64()?).ok()?)),
        _ => None,
    };
    let choices = match ask.value.as_ref() {
        Some(Value::Array(list)) => list.iter().map(choice).collect(),
        Some(one) => choice(one).map(|one| vec![one]),
        None => None,
    };
    let options = choices.ok_or_else(|| {
        let message = "The value of select is a text, a number, or a list of them";
        Trouble::new(Kind::Invalid, message)
    })?;
    Ok(Plan::one(Select { target, options }))
}

/// A choice is selected first; a field is filled first where there is a value.
fn submit_at(look: &Look, node: &Node, target: Target, ask: &Action) -> Result<Plan, Trouble> {
    if node.role == "option" {
        return Ok(select_node(look, node)?.then(submit(None)));
    }
    let at = |target| Submit {
        target: Some(target),
        value: None,
    };
    Ok(match value_text(ask) {
        Some(text) if takes_text(node) => Plan::one(ReplaceText {
            no_password: None,
            target: target.clone(),
            text,
        })
        .then(at(target)),
        value => Plan::one(Submit {
            target: Some(target),
            value,
        }),
    })
}

fn set_value(node: &Node, target: Target, ask: &Action) -> Result<Plan, Trouble> {
    if !node.options.is_empty() {
        return options(node, target, ask);
    }
    let on = match (node.role.as_str(), ask.value.as_ref()) {
        ("checkbox" | "switch" | "radio", Some(Value::Bool(on))) => Some(*on),
        ("checkbox" | "switch" | "radio", Some(Value::String(text))) => match text.as_str() {
            "true" | "on" => Some(true),
            "false" | "off" => Some(false),
            _ => None,
        },
        _ => None,
    };
    Ok(match on {
        Some(true) => Plan::one(Check { target }),
        Some(false) => Plan::one(Uncheck { target }),
        None => Plan::one(ReplaceText {
            no_password: None,
            target,
            text: text_of(ask)?,
        }),
    })
}

/// A value that nobody may read is added to at its end.
fn append(node: &Node, target: Target, text: &str) -> Plan {
    match &node.value {
        Some(value) if !node.password && !node.opaque => Plan::one(ReplaceText {
            no_password: None,
            target,
            text: format!("{value}{text}"),
        }),
        _ => Plan::one(Press {
            keys: "End".into(),
            target: Some(target.clone()),
            count: None,
            no_password: None,
        })
        .then(InsertText {
            no_password: None,
            text: text.into(),
            target: None,
        }),
    }
}
