//! What a tool is, and its arguments as a JSON schema. One declaration per tool; the list that
//! clients see, the check of a call's arguments and the call itself all come from it.
//!
//! Must not know: any particular tool.

use super::args::Args;
use super::plan::Plan;
use dragoman_model::{Code, Fault, nearest};
use serde_json::{Map, Value, json};

/// A group of tools that is offered or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cap {
    Core,
    Vision,
    Pdf,
    Testing,
    Storage,
    Network,
    Devtools,
}

impl Cap {
    pub const ALL: &[(&'static str, Cap)] = &[
        ("core", Cap::Core),
        ("vision", Cap::Vision),
        ("pdf", Cap::Pdf),
        ("testing", Cap::Testing),
        ("storage", Cap::Storage),
        ("network", Cap::Network),
        ("devtools", Cap::Devtools),
    ];

    pub fn named(name: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name);
        found.map(|(_, cap)| *cap)
    }
}

/// The groups that are offered. Core always is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caps(Vec<Cap>);

impl Caps {
    pub fn all() -> Self {
        Self(Cap::ALL.iter().map(|(_, cap)| *cap).collect())
    }

    pub fn has(&self, cap: Cap) -> bool {
        cap == Cap::Core || self.0.contains(&cap)
    }
}

impl FromIterator<Cap> for Caps {
    fn from_iter<I: IntoIterator<Item = Cap>>(caps: I) -> Self {
        Self(caps.into_iter().collect())
    }
}

/// A tool as a client is told of it. The hints are left out where they are the protocol's defaults.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    pub name: &'static str,
    pub description: &'static str,
    pub input: Map<String, Value>,
    pub read_only: Option<bool>,
    pub destructive: Option<bool>,
    pub cap: Cap,
}

/// What is offered to a client with these groups.
pub fn tools(caps: &Caps) -> Vec<Tool> {
    rows()
        .filter(|row| caps.has(row.cap))
        .map(Row::tool)
        .collect()
}

pub(super) fn find(name: &str) -> Option<&'static Row> {
    rows().find(|row| row.name == name)
}

pub(super) fn rows() -> impl Iterator<Item = &'static Row> {
    super::tools::ALL.iter().flat_map(|group| group.iter())
}

pub(super) fn unknown(name: &str) -> Fault {
    let short: String = name.chars().take(60).collect();
    let fault = Fault::new(Code::UnknownCommand, format!("There is no tool {short:?}"));
    match nearest(name, rows().map(|row| row.name)) {
        Some(like) => fault.suggest(format!("Did you mean `{like}`?")),
        None => fault.suggest("List the tools to see which there are."),
    }
}

/// One tool, declared.
pub(super) struct Row {
    pub name: &'static str,
    pub cap: Cap,
    pub does: Does,
    pub about: &'static str,
    pub args: &'static [Arg],
    pub plan: fn(Args) -> Result<Plan, Fault>,
}

/// What a call can do to the world.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    Reads,
    /// Changes nothing that cannot be changed back.
    Moves,
    /// May change or destroy anything, as a click may.
    Writes,
}

pub(super) struct Arg {
    pub name: &'static str,
    pub kind: Kind,
    pub need: bool,
    /// In a word or two; a choice of words says it by itself.
    pub about: &'static str,
}

pub(super) enum Kind {
    Text,
    Flag,
    Number,
    Words(&'static [&'static str]),
    Texts,
    /// Objects of this shape.
    Objects(&'static [Arg]),
    Object,
}

pub(super) const fn need(name: &'static str, kind: Kind, about: &'static str) -> Arg {
    Arg {
        name,
        kind,
        need: true,
        about,
    }
}

pub(super) const fn may(name: &'static str, kind: Kind, about: &'static str) -> Arg {
    Arg {
        name,
        kind,
        need: false,
        about,
    }
}

impl Row {
    fn tool(&self) -> Tool {
        Tool {
            name: self.name,
            description: self.about,
            input: schema(self.args),
            read_only: (self.does == Does::Reads).then_some(true),
            destructive: (self.does == Does::Moves).then_some(false),
            cap: self.cap,
        }
    }
}

fn schema(args: &[Arg]) -> Map<String, Value> {
    let properties: Map<String, Value> = args
        .iter()
        .map(|arg| (arg.name.into(), arg.schema()))
        .collect();
    let needed: Vec<&str> = args
        .iter()
        .filter(|arg| arg.need)
        .map(|arg| arg.name)
        .collect();
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties.into());
    if !needed.is_empty() {
        schema.insert("required".into(), needed.into());
    }
    schema
}

impl Arg {
    fn schema(&self) -> Value {
        let mut schema = match &self.kind {
            Kind::Text => json!({"type": "string"}),
            Kind::Flag => json!({"type": "boolean"}),
            Kind::Number => json!({"type": "number"}),
            Kind::Words(words) => json!({"type": "string", "enum": words}),
            Kind::Texts => json!({"type": "array", "items": {"type": "string"}}),
            Kind::Objects(args) => json!({"type": "array", "items": schema(args)}),
            Kind::Object => json!({"type": "object"}),
        };
        if !self.about.is_empty() {
            schema["description"] = self.about.into();
        }
        schema
    }
}
