//! The arguments of one call: checked against the tool's declaration, those that every tool takes
//! set apart, small mistakes of models forgiven (`"5"` for 5, `ref` for `target`).
//!
//! Must not know: any particular tool.

use super::target;
use super::tool::{Arg, Caps, Kind, Row};
use dragoman_model::{Code, Fault, SessionId, TabId, Target, nearest};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What every tool takes.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Common {
    pub session: Option<SessionId>,
    pub tab: Option<TabId>,
    pub timeout_ms: Option<u64>,
    pub budget: Option<usize>,
    /// Answer an action with the page, too.
    pub snapshot: bool,
}

/// A call's arguments, each of the kind it was declared with.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Args {
    pub tool: &'static str,
    pub common: Common,
    /// The groups whose tools may be named in an argument.
    pub caps: Caps,
    given: Map<String, Value>,
}

const COMMON: &[&str] = &["session", "tab", "timeout", "output_budget", "snapshot"];
/// What people and older clients write, and what is meant.
const ALIASES: &[(&str, &str)] = &[
    ("ref", "target"),
    ("selector", "target"),
    ("startRef", "startTarget"),
    ("endRef", "endTarget"),
    ("outputBudget", "output_budget"),
];
/// For people who read along.
const IGNORED: &[&str] = &["element", "startElement", "endElement", "intent"];

const MOST_BUDGET: u64 = 200_000;

impl Args {
    pub fn read(row: &Row, given: Map<String, Value>, caps: &Caps) -> Result<Self, Fault> {
        let mut args = Self {
            tool: row.name,
            common: Common::default(),
            caps: caps.clone(),
            given: Map::new(),
        };
        for (name, value) in given {
            if !value.is_null() {
                args.take(row.args, name, value)?;
            }
        }
        for arg in row.args.iter().filter(|arg| arg.need) {
            if !args.given.contains_key(arg.name) {
                return Err(missing(row.name, row.args, arg));
            }
        }
        Ok(args)
    }

    fn take(&mut self, known: &[Arg], name: String, value: Value) -> Result<(), Fault> {
        let declared = |name: &str| known.iter().find(|arg| arg.name == name);
        let meant = ALIASES
            .iter()
            .find(|(alias, _)| *alias == name && declared(alias).is_none());
        let name = meant.map_or(name.as_str(), |(_, meant)| meant);
        // What every tool takes is read alike, also where a tool declares it; but the session that is
        // to be opened or closed is not the one to do it in.
        if COMMON.contains(&name) && !(name == "session" && declared(name).is_some()) {
            return self.take_common(name, value);
        }
        if let Some(arg) = declared(name) {
            let value = fit(self.tool, arg, value)?;
            self.given.insert(name.into(), value);
            return Ok(());
        }
        match name {
            name if IGNORED.contains(&name) => Ok(()),
            name => Err(unknown(self.tool, known, name)),
        }
    }

    fn take_common(&mut self, name: &str, value: Value) -> Result<(), Fault> {
        let number = || whole(&value).ok_or_else(|| wrong(self.tool, name, "a whole number"));
        match name {
            "session" => {
                let session = value.as_str().and_then(SessionId::new);
                let why = "a session's id: 1 to 64 letters, digits, '-', '_' or '.'";
                self.common.session = Some(session.ok_or_else(|| wrong(self.tool, name, why))?);
            }
            "tab" => {
                let tab = u32::try_from(number()?).ok();
                let tab =
                    tab.ok_or_else(|| Fault::new(Code::UnknownTab, "There is no such tab"))?;
                self.common.tab = Some(TabId(tab));
            }
            "timeout" => self.common.timeout_ms = Some(number()?),
            "output_budget" => self.common.budget = Some(number()?.min(MOST_BUDGET) as usize),
            _ => {
                self.common.snapshot =
                    truth(&value).ok_or_else(|| wrong(self.tool, name, "true or false"))?
            }
        }
        Ok(())
    }

    pub fn value(&mut self, name: &str) -> Option<Value> {
        self.given.remove(name)
    }

    pub fn text(&mut self, name: &str) -> Option<String> {
        match self.given.remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    /// Of an argument that was declared as needed, so that it is there.
    pub fn needed(&mut self, name: &str) -> String {
        self.text(name).unwrap_or_default()
    }

    pub fn flag(&self, name: &str) -> Option<bool> {
        self.given.get(name).and_then(Value::as_bool)
    }

    pub fn number(&self, name: &str) -> Option<f64> {
        self.given.get(name).and_then(Value::as_f64)
    }

    pub fn whole(&self, name: &str) -> Result<Option<u64>, Fault> {
        match self.given.get(name) {
            None => Ok(None),
            Some(value) => whole(value)
                .map(Some)
                .ok_or_else(|| wrong(self.tool, name, "a whole number")),
        }
    }

    pub fn texts(&mut self, name: &str) -> Vec<String> {
        let Some(Value::Array(list)) = self.given.remove(name) else {
            return Vec::new();
        };
        list.into_iter()
            .filter_map(|item| item.as_str().map(str::to_owned))
            .collect()
    }

    /// An object of texts; an error: something in it is no text.
    pub fn map(&mut self, name: &str) -> Result<BTreeMap<String, String>, ()> {
        let Some(Value::Object(object)) = self.given.remove(name) else {
            return Ok(BTreeMap::new());
        };
        let text = |(key, value): (String, Value)| match value {
            Value::String(text) => Ok((key, text)),
            _ => Err(()),
        };
        object.into_iter().map(text).collect()
    }

    /// The objects of a list, each read like the arguments of a call.
    pub fn objects(&mut self, name: &str, shape: &[Arg]) -> Result<Vec<Args>, Fault> {
        let Some(Value::Array(list)) = self.given.remove(name) else {
            return Ok(Vec::new());
        };
        let one = |item: Value| {
            let Value::Object(object) = item else {
                return Err(wrong(self.tool, name, "a list of objects"));
            };
            let mut args = Args {
                tool: self.tool,
                common: Common::default(),
                caps: Caps::default(),
                given: Map::new(),
            };
            for (name, value) in object {
                args.take(shape, name, value)?;
            }
            match shape
                .iter()
                .find(|arg| arg.need && !args.given.contains_key(arg.name))
            {
                Some(arg) => Err(missing(name, shape, arg)),
                None => Ok(args),
            }
        };
        list.into_iter().map(one).collect()
    }

    pub fn target(&mut self, name: &str) -> Result<Option<Target>, Fault> {
        self.text(name).map(|text| target::parse(&text)).transpose()
    }

    pub fn need_target(&mut self, name: &str) -> Result<Target, Fault> {
        target::parse(&self.needed(name))
    }

    pub fn wrong(&self, name: &str, should_be: &str) -> Fault {
        wrong(self.tool, name, should_be)
    }
}

/// The value as it was declared, or a fault that says what it should have been.
fn fit(tool: &str, arg: &Arg, value: Value) -> Result<Value, Fault> {
    let value = unwrapped(arg, value);
    let not = |should_be: &str| Err(wrong(tool, arg.name, should_be));
    match (&arg.kind, value) {
        (Kind::Text, Value::Number(number)) => Ok(number.to_string().into()),
        (Kind::Text, Value::Bool(flag)) => Ok(flag.to_string().into()),
        (Kind::Text, value @ Value::String(_)) => Ok(value),
        (Kind::Text, _) => not("a string"),
        (Kind::Flag, value) => {
            truth(&value).map_or_else(|| not("true or false"), |flag| Ok(flag.into()))
        }
        (Kind::Number, value @ Value::Number(_)) => Ok(value),
        (Kind::Number, value) => match value
            .as_str()
            .and_then(|text| text.trim().parse::<f64>().ok())
        {
            Some(number) if number.is_finite() => Ok(number.into()),
            _ => not("a number"),
        },
        (Kind::Words(words), value) => match value.as_str().filter(|word| words.contains(word)) {
            Some(_) => Ok(value),
            None => not(&format!("one of {}", words.join(", "))),
        },
        (Kind::Texts, Value::String(text)) => Ok(vec![text].into()),
        (Kind::Texts, Value::Array(list)) if list.iter().all(Value::is_string) => Ok(list.into()),
        (Kind::Texts, _) => not("a list of strings"),
        (Kind::Objects(_), value @ Value::Array(_)) | (Kind::Object, value @ Value::Object(_)) => {
            Ok(value)
        }
        (Kind::Objects(_), _) => not("a list of objects"),
        (Kind::Object, _) => not("an object"),
    }
}

/// Some clients send lists and objects as text.
fn unwrapped(arg: &Arg, value: Value) -> Value {
    let structured = matches!(arg.kind, Kind::Texts | Kind::Objects(_) | Kind::Object);
    let inner = value
        .as_str()
        .filter(|text| structured && text.starts_with(['[', '{']));
    match inner.and_then(|text| serde_json::from_str(text).ok()) {
        Some(inner) => inner,
        None => value,
    }
}

fn whole(value: &Value) -> Option<u64> {
    let rounded = value
        .as_f64()
        .filter(|n| n.fract() == 0.0 && (0.0..=9e15).contains(n));
    let text = || value.as_str().and_then(|text| text.trim().parse().ok());
    value.as_u64().or(rounded.map(|n| n as u64)).or_else(text)
}

fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::String(text) if text == "true" => Some(true),
        Value::String(text) if text == "false" => Some(false),
        _ => None,
    }
}

fn wrong(tool: &str, name: &str, should_be: &str) -> Fault {
    Fault::new(
        Code::BadArgument,
        format!("`{name}` of {tool} should be {should_be}"),
    )
}

fn missing(what: &str, known: &[Arg], arg: &Arg) -> Fault {
    let fault = Fault::new(Code::BadArgument, format!("{what} needs `{}`", arg.name));
    match arg.name {
        "target" => fault.suggest(format!("`target` is a {}.", target::HOW)),
        _ => fault.suggest(takes(known)),
    }
}

fn unknown(tool: &str, known: &[Arg], name: &str) -> Fault {
    let short: String = name.chars().take(60).collect();
    let fault = Fault::new(
        Code::BadArgument,
        format!("{tool} has no argument {short:?}"),
    );
    match nearest(name, known.iter().map(|arg| arg.name)) {
        Some(like) => fault.suggest(format!("Did you mean `{like}`?")),
        None => fault.suggest(takes(known)),
    }
}

fn takes(known: &[Arg]) -> String {
    if known.is_empty() {
        return "It takes no arguments of its own.".into();
    }
    let named = |arg: &Arg| match arg.need {
        true => arg.name.to_owned(),
        false => format!("{}?", arg.name),
    };
    let names: Vec<String> = known.iter().map(named).collect();
    format!("It takes {}.", names.join(", "))
}
