//! What an agent's action comes to: commands, in order, once it is known what is there.
//!
//! Must not know: how a command is carried out, what it answers.

use super::look::{CHOICES, Choices, FILTER, Item, Look, WINDOW};
use super::trouble::{Kind, Trouble};
use super::wire::{Ask, Direction, Navigate, SelectByText};
use super::{catalog, targeted};
use dragoman_model::{Choice, Click, Command, Node, Press, ReplaceText, Select, Submit, Target};
use serde_json::Value;
use std::collections::VecDeque;

/// One thing after the other.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Move {
    Do(Command),
    /// Look again, and have the first of the choices selected.
    First,
}

#[derive(Debug, Default)]
pub(super) struct Plan {
    pub moves: VecDeque<Move>,
    /// What was chosen, where it is known beforehand.
    pub value: Option<Value>,
}

impl Plan {
    pub fn one(command: impl Into<Command>) -> Self {
        Self {
            moves: VecDeque::from([Move::Do(command.into())]),
            value: None,
        }
    }

    pub fn then(mut self, command: impl Into<Command>) -> Self {
        self.moves.push_back(Move::Do(command.into()));
        self
    }

    fn then_submit(self, wanted: bool) -> Self {
        match wanted {
            true => self.then(submit(None)),
            false => self,
        }
    }

    pub fn valued(mut self, value: &str) -> Self {
        self.value = Some(value.into());
        self
    }
}

/// Whether it has to be known first what is there.
pub(super) fn needs_look(ask: &Ask, is_prompt: bool) -> Result<bool, Trouble> {
    Ok(match ask {
        Ask::Navigate(_) | Ask::Submit(_) => false,
        Ask::SetFilter(_) | Ask::SetInput(_) | Ask::TypeAndSubmit(_) | Ask::FilterAndSelect(_) => {
            !is_prompt
        }
        Ask::SelectByValue(_) | Ask::SelectByIndex(_) => !is_prompt,
        Ask::Action(action) if !catalog::DOCUMENT.contains(&action.action.as_str()) => {
            catalog::needs_look(action)?
        }
        Ask::Action(action) => action.target != WINDOW,
        _ => true,
    })
}

/// Without a look it is a prompt, and its input and list have names of their own.
pub(super) fn plan(ask: &Ask, look: Option<&Look>) -> Result<Plan, Trouble> {
    match ask {
        Ask::SetFilter(ask) | Ask::SetInput(ask) => type_into_input(look, &ask.text),
        Ask::TypeAndSubmit(ask) => Ok(type_into_input(look, &ask.text)?.then(submit(None))),
        Ask::FilterAndSelect(ask) => {
            let mut plan = type_into_input(look, &ask.filter)?;
            if ask.select_first {
                plan.moves.push_back(Move::First);
            }
            Ok(plan.then_submit(ask.submit))
        }
        Ask::Navigate(ask) => Ok(Plan::one(press(ask))),
        Ask::Submit(ask) => Ok(Plan::one(submit(ask.value.clone()))),
        Ask::SelectByValue(ask) => {
            let fits = |item: &Item| item.value == ask.value;
            let plan = match pages(look) {
                None => choose(Choice::Value(ask.value.clone())),
                Some(look) => pick(look, fits, &ask.value)?,
            };
            Ok(plan.valued(&ask.value).then_submit(ask.submit))
        }
        Ask::SelectByIndex(ask) => {
            let index = ask.index.get();
            let plan = match pages(look) {
                None => choose(Choice::Index(index as u32)),
                Some(look) => pick_at(look, index)?,
            };
            Ok(plan.then_submit(ask.submit))
        }
        Ask::SelectByText(ask) => Ok(by_text(look, ask)?.then_submit(ask.submit)),
        Ask::Action(ask) => targeted::plan(ask, look),
        _ => Ok(Plan::default()),
    }
}

fn pages(look: Option<&Look>) -> Option<&Look> {
    look.filter(|look| look.prompt().is_none())
}

pub(super) fn submit(value: Option<String>) -> Submit {
    Submit {
        target: None,
        value,
    }
}

fn type_into_input(look: Option<&Look>, text: &str) -> Result<Plan, Trouble> {
    let target = match look {
        None => Target::Semantic(FILTER.into()),
        Some(look) => look.target(look.input()?)?,
    };
    let text = text.to_owned();
    Ok(Plan::one(ReplaceText {
        target,
        text,
        no_password: None,
    }))
}

fn press(ask: &Navigate) -> Press {
    let keys = match ask.direction {
        Direction::Up => "ArrowUp",
        Direction::Down => "ArrowDown",
        Direction::Left => "ArrowLeft",
        Direction::Right => "ArrowRight",
        Direction::PageUp => "PageUp",
        Direction::PageDown => "PageDown",
        Direction::Home => "Home",
        Direction::End => "End",
        Direction::Next => "Tab",
        Direction::Previous => "Shift+Tab",
    };
    Press {
        keys: keys.into(),
        target: None,
        count: ask.count.map(|count| count.get() as u16),
        no_password: None,
    }
}

fn choose(choice: Choice) -> Plan {
    Plan::one(Select {
        target: Target::Semantic(CHOICES.into()),
        options: vec![choice],
    })
}

pub(super) fn click(target: Target) -> Click {
    Click {
        target,
        hold_ms: None,
        button: None,
        count: None,
        modifiers: None,
        position: None,
    }
}

/// The one choice of a page that fits; without a list, the one element.
fn pick(look: &Look, fits: impl Fn(&Item) -> bool, asked: &str) -> Result<Plan, Trouble> {
    let Some(choices) = look.choices() else {
        let says = |node: &&Node| node.interactive && node.name == asked;
        let found: Vec<&Node> = look.nodes().iter().filter(says).collect();
        return match found.as_slice() {
            [one] => Ok(Plan::one(click(look.target(one)?)).valued(&one.name)),
            [] => Err(no_choice(asked)),
            many => Err(several(look, asked, many)),
        };
    };
    let found: Vec<usize> = (0..choices.items.len())
        .filter(|at| fits(&choices.items[*at]))
        .collect();
    match found.as_slice() {
        [at] => take(look, &choices, *at),
        [] => Err(no_choice(asked)),
        many => {
            let nodes: Vec<&Node> = many
                .iter()
                .filter_map(|at| choices.items[*at].node)
                .collect();
            Err(several(look, asked, &nodes))
        }
    }
}

fn pick_at(look: &Look, index: u64) -> Result<Plan, Trouble> {
    let asked = format!("number {index}");
    let choices = look.choices().ok_or_else(|| no_choice(&asked))?;
    match choices.items.get(index as usize) {
        Some(_) => take(look, &choices, index as usize),
        None => Err(no_choice(&asked)),
    }
}

fn take(look: &Look, choices: &Choices, at: usize) -> Result<Plan, Trouble> {
    let item = &choices.items[at];
    let plan = match item.node {
        Some(node) => Plan::one(click(look.target(node)?)),
        None => Plan::one(Select {
            target: look.target(choices.list)?,
            options: vec![Choice::Index(at as u32)],
        }),
    };
    Ok(plan.valued(item.value))
}

fn no_choice(asked: &str) -> Trouble {
    let asked: String = asked.chars().take(100).collect();
    Trouble::new(Kind::NoChoice, format!("There is no choice {asked:?}"))
}

fn several(look: &Look, asked: &str, nodes: &[&Node]) -> Trouble {
    let asked: String = asked.chars().take(100).collect();
    let message = format!("Several choices fit {asked:?}");
    Trouble::new(Kind::Ambiguous, message).among(look, nodes.iter().copied())
}

/// The whole text if any choice says just that, else the one choice that has it in it, in letters of any case.
fn by_text(look: Option<&Look>, ask: &SelectByText) -> Result<Plan, Trouble> {
    let look = look.ok_or_else(|| no_choice(&ask.text))?;
    let wanted = ask.text.to_lowercase();
    let exact = |label: &str| label == ask.text;
    let part = |label: &str| !ask.exact && label.to_lowercase().contains(&wanted);
    if look.prompt().is_none() {
        let any = look
            .choices()
            .is_some_and(|c| c.items.iter().any(|i| exact(i.label)));
        let fits = |item: &Item| exact(item.label) || (!any && part(item.label));
        return pick(look, fits, &ask.text);
    }
    let options: Vec<&Node> = look.nodes().iter().filter(|n| n.role == "option").collect();
    let mut found: Vec<&Node> = options.iter().copied().filter(|n| exact(&n.name)).collect();
    if found.is_empty() {
        found = options.into_iter().filter(|n| part(&n.name)).collect();
    }
    match found.as_slice() {
        [one] => Ok(select_node(look, one)?),
        [] => Err(no_choice(&ask.text)),
        many => Err(several(look, &ask.text, many)),
    }
}

/// A choice of a prompt is selected in its list, by its place among those shown.
pub(super) fn select_node(look: &Look, node: &Node) -> Result<Plan, Trouble> {
    if look.prompt().is_none() {
        return Ok(Plan::one(click(look.target(node)?)).valued(&node.name));
    }
    let mut options = look.nodes().iter().filter(|n| n.role == "option");
    let place = options.position(|option| std::ptr::eq(option, node));
    let place = place.ok_or_else(|| no_choice(&node.name))?;
    let value = node.value.as_deref().unwrap_or(&node.name);
    Ok(choose(Choice::Index(place as u32)).valued(value))
}

/// The first choice, once the filter has been typed.
pub(super) fn first(look: &Look) -> Result<Plan, Trouble> {
    let none = || Trouble::new(Kind::NoChoice, "No choice is left");
    match look.prompt() {
        Some(prompt) => match (prompt.shown, &prompt.value) {
            (0, _) => Err(none()),
            // A new filter selects the first by itself.
            (_, Some(value)) if prompt.selected == Some(0) => Ok(Plan::default().valued(value)),
            _ => Ok(choose(Choice::Index(0))),
        },
        None => match look.choices() {
            Some(choices) if !choices.items.is_empty() => take(look, &choices, 0),
            _ => Err(none()),
        },
    }
}
