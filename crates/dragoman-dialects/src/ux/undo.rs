//! The way back: what has to be done so that the surface stands as it stood before.
//!
//! Must not know: why anybody wants to go back.

use super::look::{CHOICES, Look, takes_text};
use super::wire::Ask;
use dragoman_model::{
    Blur, Check, Checked, Choice, Collapse, Command, Expand, Focus, Node, ReplaceText, ScrollTo,
    Select, Target, Uncheck,
};

/// Catalog commands and actions after which all can be put back.
const LIGHT: &[&str] = &[
    "select",
    "focus",
    "blur",
    "setValue",
    "appendValue",
    "clearValue",
    "scrollTo",
    "expand",
    "collapse",
    "type",
    "insertText",
    "insert_text",
    "replaceText",
    "replace_text",
    "clear",
    "check",
    "uncheck",
    "hover",
    "scrollBy",
    "scroll_by",
    "scroll_to",
    "scrollIntoView",
    "scroll_into_view",
];

/// Why a message cannot be undone once it is done, if so.
pub(super) fn lasting(ask: &Ask, left: bool) -> Option<String> {
    let submits = match ask {
        Ask::Submit(_) | Ask::TypeAndSubmit(_) => true,
        Ask::SelectByValue(ask) => ask.submit,
        Ask::SelectByIndex(ask) => ask.submit,
        Ask::SelectByText(ask) => ask.submit,
        Ask::FilterAndSelect(ask) => ask.submit,
        Ask::Action(ask) => ask.action == "submit",
        _ => false,
    };
    match ask {
        _ if submits => Some("a submit cannot be undone".into()),
        _ if left => Some("the page was left".into()),
        Ask::Action(ask) if !LIGHT.contains(&ask.action.as_str()) => {
            let action: String = ask.action.chars().take(60).collect();
            Some(format!("{action} cannot be undone"))
        }
        _ => None,
    }
}

/// From how it stands now to how it stood; an error says why there is no way.
pub(super) fn way_back(before: &Look, now: &Look) -> Result<Vec<Command>, String> {
    if before.prompt().map(|prompt| &prompt.id) != now.prompt().map(|prompt| &prompt.id) {
        return Err("another prompt has taken its place".into());
    }
    if before.prompt().is_none() && (before.0.url != now.0.url || before.0.tab != now.0.tab) {
        return Err("the page was left".into());
    }
    let mut commands = Vec::new();
    for node in now.nodes() {
        if let Some(was) = twin(before, node) {
            put_back(now, was, node, &mut commands)?;
        }
    }
    let selected = |look: &Look| look.prompt().and_then(|prompt| prompt.selected);
    // Typing moves the selection, too.
    let retyped = !commands.is_empty();
    if let Some(index) = selected(before).filter(|_| retyped || selected(now) != selected(before)) {
        commands.push(
            Select {
                target: Target::Semantic(CHOICES.into()),
                options: vec![Choice::Index(index as u32)],
            }
            .into(),
        );
    }
    let (was, is) = (before.0.viewport, now.0.viewport);
    if (was.scroll_x, was.scroll_y) != (is.scroll_x, is.scroll_y) {
        let (x, y) = (was.scroll_x, was.scroll_y);
        commands.push(ScrollTo { x, y, target: None }.into());
    }
    focus_back(before, now, &mut commands);
    Ok(commands)
}

/// The same element, earlier.
fn twin<'a>(before: &'a Look, node: &Node) -> Option<&'a Node> {
    before
        .nodes()
        .iter()
        .find(|was| match (was.r#ref, node.r#ref) {
            (Some(was), Some(is)) => was == is,
            _ => was.id.is_some() && was.id == node.id,
        })
}

fn put_back(now: &Look, was: &Node, is: &Node, into: &mut Vec<Command>) -> Result<(), String> {
    let Ok(target) = now.target(is) else {
        return Ok(());
    };
    let name = || now.id(is).unwrap_or_default();
    if takes_text(is) && was.value != is.value {
        if is.password || is.opaque {
            return Err(format!("nobody may read what stood in {}", name()));
        }
        let text = was.value.as_deref().unwrap_or_default().to_owned();
        into.push(
            ReplaceText {
                no_password: None,
                target: target.clone(),
                text,
            }
            .into(),
        );
    }
    if was.checked != is.checked {
        into.push(match was.checked {
            Some(Checked::Yes) => Check {
                target: target.clone(),
            }
            .into(),
            Some(Checked::No) if is.role != "radio" => Uncheck {
                target: target.clone(),
            }
            .into(),
            // The radio button that was on takes the mark back.
            Some(Checked::No) | None => return Ok(()),
            Some(Checked::Mixed) => return Err(format!("{} was neither on nor off", name())),
        });
    }
    let chosen = |node: &Node| -> Vec<Choice> {
        let all = node.options.iter().enumerate();
        all.filter(|(_, option)| option.selected)
            .map(|(at, _)| Choice::Index(at as u32))
            .collect()
    };
    if chosen(was) != chosen(is) {
        let options = chosen(was);
        into.push(
            Select {
                target: target.clone(),
                options,
            }
            .into(),
        );
    }
    match (was.expanded, is.expanded) {
        (Some(true), Some(false)) => into.push(Expand { target }.into()),
        (Some(false), Some(true)) => into.push(Collapse { target }.into()),
        _ => {}
    }
    Ok(())
}

fn focus_back(before: &Look, now: &Look, into: &mut Vec<Command>) {
    let id = |look: &Look| look.focused().and_then(|node| look.id(node));
    if id(before) == id(now) && into.is_empty() {
        return;
    }
    let was = before.focused().and_then(|was| {
        let same = |node: &&Node| twin(before, node).is_some_and(|twin| std::ptr::eq(twin, was));
        now.nodes().iter().find(same)
    });
    match (before.focused(), was.and_then(|node| now.target(node).ok())) {
        (Some(_), Some(target)) => into.push(Focus { target }.into()),
        (None, _) if before.prompt().is_none() => into.push(Blur { target: None }.into()),
        _ => {}
    }
}
