//! Groups of MCP tools as a setting.

use super::kinds::Kind;
use super::merge::Tighten;
use dragoman_dialects::mcp::Cap;
use serde_json::Value as Json;
use std::path::Path;
use toml_edit::Value as Toml;

/// Besides the core, which is always there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Groups(pub Vec<Cap>);

impl Groups {
    fn one(name: &str) -> Option<Vec<Cap>> {
        match name {
            "all" => Some(Cap::ALL.iter().map(|(_, cap)| *cap).collect()),
            name => Cap::named(name).map(|cap| vec![cap]),
        }
    }

    fn of<'a, E>(names: impl Iterator<Item = (&'a str, E)>) -> Result<Self, E> {
        let mut caps = Vec::new();
        for (name, wrong) in names {
            caps.extend(Self::one(name).ok_or(wrong)?);
        }
        caps.dedup();
        Ok(Self(caps))
    }
}

impl Kind for Groups {
    fn expected() -> String {
        let names = Cap::ALL.iter().map(|(name, _)| *name);
        let names: Vec<&str> = names.chain(["all"]).collect();
        format!("a list of {}", names.join(", "))
    }

    /// With commas between.
    fn from_text(text: &str) -> Option<Self> {
        let words = text
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty());
        Self::of(words.map(|word| (word, ()))).ok()
    }

    fn from_toml<'a>(value: &'a Toml, _: &Path) -> Result<Self, &'a Toml> {
        let list = value.as_array().ok_or(value)?;
        Self::of(list.iter().map(|one| (one.as_str().unwrap_or(""), one)))
    }

    fn to_json(&self) -> Json {
        let name = |cap: &Cap| Cap::ALL.iter().find(|(_, known)| known == cap);
        let names = self.0.iter().filter_map(name).map(|(name, _)| *name);
        names.collect::<Vec<_>>().into()
    }
}

impl Tighten for Groups {}
