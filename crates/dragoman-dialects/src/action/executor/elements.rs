//! A list of elements, as others may write it.
//!
//! Must not know: where in a message it stands.

use dragoman_model::Bounds;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use std::fmt;

/// Elements of one list; the rest is counted.
const MOST: usize = 2_000;
const MOST_NAME: usize = 500;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Element {
    pub id: u64,
    pub role: String,
    pub name: String,
    pub tag: String,
    pub bounds: Option<Bounds>,
}

/// What is more than we want of a list is counted and not kept.
pub(super) struct Elements {
    pub listed: Vec<Element>,
    pub more: u64,
}

impl<'de> Deserialize<'de> for Elements {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_seq(ElementsVisitor)
    }
}

struct ElementsVisitor;

impl<'de> Visitor<'de> for ElementsVisitor {
    type Value = Elements;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list of elements")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Elements, A::Error> {
        let mut listed = Vec::new();
        let mut more = 0;
        while listed.len() < MOST {
            match from.next_element::<Written>()? {
                Some(written) => listed.push(written.into()),
                None => return Ok(Elements { listed, more }),
            }
        }
        while from.next_element::<IgnoredAny>()?.is_some() {
            more += 1;
        }
        Ok(Elements { listed, more })
    }
}

/// An element as it may be written; only its number must be there.
#[derive(Deserialize)]
struct Written {
    id: u64,
    #[serde(default)]
    role: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    tag: Option<String>,
    #[serde(default)]
    bounds: Option<WrittenBounds>,
}

/// What is no number in JavaScript is null in JSON.
#[derive(Deserialize)]
struct WrittenBounds {
    x: Option<f64>,
    y: Option<f64>,
    width: Option<f64>,
    height: Option<f64>,
}

impl WrittenBounds {
    fn whole(&self) -> Option<Bounds> {
        Some(Bounds {
            x: self.x?,
            y: self.y?,
            width: self.width?,
            height: self.height?,
        })
    }
}

impl From<Written> for Element {
    fn from(written: Written) -> Self {
        let role = word(written.role, 40).to_ascii_lowercase();
        Self {
            id: written.id,
            role: match role.is_empty() {
                true => "generic".into(),
                false => role,
            },
            name: one_line(&written.name.unwrap_or_default(), MOST_NAME),
            tag: word(written.tag, 60).to_ascii_uppercase(),
            bounds: written.bounds.and_then(|bounds| bounds.whole()),
        }
    }
}

fn word(text: Option<String>, most: usize) -> String {
    let plain = |c: &char| c.is_ascii_alphanumeric() || *c == '-';
    let text = text.unwrap_or_default();
    let first = text.split_whitespace().next().unwrap_or_default();
    first.chars().filter(plain).take(most).collect()
}

/// Runs of white space and of what does not show as one space, and no more than so many characters.
pub(super) fn one_line(text: &str, most: usize) -> String {
    let mut line = String::new();
    let mut length = 0;
    let mut gap = false;
    for c in text.chars() {
        if c.is_whitespace() || c.is_control() {
            gap = length > 0;
            continue;
        }
        if length + usize::from(gap) >= most {
            break;
        }
        if std::mem::take(&mut gap) {
            line.push(' ');
            length += 1;
        }
        line.push(c);
        length += 1;
    }
    line
}
