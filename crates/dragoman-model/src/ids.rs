//! Names for things that outlive one message.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A number bound to one node for as long as the session lives; shown as `e12`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ref(pub u64);

/// A tab within one session. Numbers are never given twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TabId(pub u32);

/// One look at one tab; later looks have larger numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SnapshotId(pub u64);

/// One operator's work. Letters, digits, `-`, `_` and `.`, at most 64.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct SessionId(String);

/// The operator's own name for a request; a session accepts each one once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RequestId {
    Number(u64),
    Text(String),
    /// Of somebody within this process, who never uses one twice: told to nobody else and not kept.
    #[serde(skip)]
    Inner(u64),
}

impl RequestId {
    /// Whether there is nothing to be written down.
    pub fn is_unsaid(id: &Option<Self>) -> bool {
        matches!(id, None | Some(Self::Inner(_)))
    }
}

impl SessionId {
    pub const MAX: usize = 64;

    pub fn new(name: impl Into<String>) -> Option<Self> {
        let name = name.into();
        let fits = !name.is_empty() && name.len() <= Self::MAX;
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
        (fits && name.bytes().all(plain)).then_some(Self(name))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for SessionId {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = String::deserialize(from)?;
        Self::new(name).ok_or_else(|| {
            serde::de::Error::custom("a session name is 1 to 64 letters, digits, '-', '_' or '.'")
        })
    }
}

impl fmt::Display for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "e{}", self.0)
    }
}

impl fmt::Display for TabId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(n) | Self::Inner(n) => n.fmt(f),
            Self::Text(t) => f.write_str(t),
        }
    }
}
