//! The rest of the catalog as actions: by a command's name, with its arguments in `value`.

use super::look::{Look, WINDOW};
use super::trouble::{Kind, Trouble};
use super::wire::Action;
use dragoman_model::{Arg, CATALOG, Command, Row, find_row, nearest};
use serde_json::{Map, Value};

/// Those that have a message of their own.
const OTHERWISE: &[&str] = &[
    "batch",
    "subscribe",
    "unsubscribe",
    "wait",
    "assert",
    "snapshot",
    "changes",
];
/// The document's actions, which `act` knows.
pub(super) const DOCUMENT: &[&str] = &[
    "select",
    "submit",
    "focus",
    "blur",
    "click",
    "setValue",
    "appendValue",
    "clearValue",
    "scrollTo",
    "expand",
    "collapse",
];

/// Every further action there is.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let further = |name: &&str| !OTHERWISE.contains(name) && !DOCUMENT.contains(name);
    CATALOG.iter().map(|row| row.name).filter(further)
}

fn row(action: &str) -> Result<&'static Row, Trouble> {
    let name = snake(action);
    let row = find_row(&name).filter(|row| !OTHERWISE.contains(&row.name));
    row.ok_or_else(|| {
        let shown: String = action.chars().take(60).collect();
        let trouble = Trouble::new(Kind::UnknownAction, format!("There is no action {shown:?}"));
        match nearest(&name, DOCUMENT.iter().copied().chain(names())) {
            Some(like) => trouble.suggest(format!("Did you mean {like:?}?")),
            None => trouble,
        }
    })
}

/// Whether elements have to be looked up.
pub(super) fn needs_look(ask: &Action) -> Result<bool, Trouble> {
    let row = row(&ask.action)?;
    let names_others = row
        .args
        .iter()
        .any(|arg| arg.kind == "Target" && arg.name != "target");
    Ok(ask.target != WINDOW || (names_others && ask.value.is_some()))
}

pub(super) fn command(ask: &Action, look: Option<&Look>) -> Result<Command, Trouble> {
    let row = row(&ask.action)?;
    let mut args = arguments(row, ask.value.as_ref())?;
    let has_target = row.args.iter().any(|arg| arg.name == "target");
    match ask.target.as_str() {
        WINDOW => {}
        _ if !has_target => {
            let message = format!("{} is about no element", row.name);
            return Err(Trouble::new(Kind::Invalid, message)
                .suggest(format!("Send it with the target {WINDOW}.")));
        }
        target => {
            args.insert("target".into(), Value::String(target.to_owned()));
        }
    }
    for arg in row.args.iter().filter(|arg| arg.kind == "Target") {
        if let Some(Value::String(id)) = args.get(arg.name) {
            let target = named(look, id)?;
            args.insert(arg.name.into(), target);
        }
    }
    match Command::parse(row.name, Value::Object(args)) {
        Some(Ok(command)) => Ok(command),
        Some(Err(error)) => Err(Trouble::new(
            Kind::Invalid,
            format!("{}: {error}", row.name),
        )),
        None => Err(Trouble::new(
            Kind::UnknownAction,
            format!("There is no action {}", row.name),
        )),
    }
}

/// An object names its arguments; anything else is the first one after the target.
fn arguments(row: &Row, value: Option<&Value>) -> Result<Map<String, Value>, Trouble> {
    let known = |arg: &&Arg| arg.name != "target";
    match value {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(given)) => Ok(given
            .iter()
            .map(|(key, value)| (snake(key), value.clone()))
            .collect()),
        Some(one) => match row.args.iter().find(known) {
            Some(arg) => Ok(Map::from_iter([(arg.name.to_owned(), one.clone())])),
            None => Err(Trouble::new(
                Kind::Invalid,
                format!("{} takes no value", row.name),
            )),
        },
    }
}

/// In the model's own words, which is what the command is read from.
fn named(look: Option<&Look>, id: &str) -> Result<Value, Trouble> {
    let look =
        look.ok_or_else(|| Trouble::new(Kind::NotFound, format!("{id} was not looked up")))?;
    let target = look.target(look.one(id)?)?;
    serde_json::to_value(target).map_err(|error| Trouble::new(Kind::Invalid, error.to_string()))
}

/// `scrollIntoView` is `scroll_into_view`.
fn snake(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for c in name.chars().take(100) {
        if c.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}
