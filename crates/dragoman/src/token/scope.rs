//! What a token is good for.
//!
//! Must not know: which request needs which scope.

use dragoman_model::nearest;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::fmt;
use std::str::FromStr;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// See what is there and what happens.
    Observe,
    /// Give commands. Whoever acts may also observe.
    Act,
    /// Decide on what waits for a person. Whoever decides may also observe.
    Approve,
    /// All of it.
    Admin,
}

impl Scope {
    pub const ALL: [Self; 4] = [Self::Observe, Self::Act, Self::Approve, Self::Admin];

    pub fn word(self) -> &'static str {
        match self {
            Self::Observe => "observe",
            Self::Act => "act",
            Self::Approve => "approve",
            Self::Admin => "admin",
        }
    }

    fn bit(self) -> u8 {
        1 << self as u8
    }

    /// The scopes that include this one, as bits.
    fn granted_by(self) -> u8 {
        let others: &[Self] = match self {
            Self::Observe => &[Self::Act, Self::Approve],
            Self::Act | Self::Approve | Self::Admin => &[],
        };
        let bits = others.iter().fold(0, |bits, scope| bits | scope.bit());
        bits | self.bit() | Self::Admin.bit()
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, UnknownScope> {
        let word = text.trim().to_lowercase();
        let mut all = Self::ALL.into_iter();
        all.find(|scope| scope.word() == word)
            .ok_or_else(|| UnknownScope::of(&word))
    }
}

/// The message says which there are.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnknownScope(String);

impl UnknownScope {
    fn of(word: &str) -> Self {
        let known = Scope::ALL.map(Scope::word);
        let list = "observe, act, approve and admin, with commas between";
        Self(match nearest(word, known) {
            _ if word.is_empty() => format!("a scope is missing; there are {list}"),
            Some(like) => format!("no such scope; did you mean {like}? There are {list}"),
            None => format!("no such scope; there are {list}"),
        })
    }
}

/// A set of scopes, as it was given: what one includes is not written out.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Scopes(u8);

impl Scopes {
    pub fn of(scopes: &[Scope]) -> Self {
        scopes.iter().copied().collect()
    }

    /// Whether this may be done, because it was given or because something given includes it.
    pub fn has(self, scope: Scope) -> bool {
        self.0 & scope.granted_by() != 0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those that were given.
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        let all = Scope::ALL.into_iter();
        all.filter(move |scope| self.0 & scope.bit() != 0)
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        let bits = scopes.into_iter().fold(0, |bits, scope| bits | scope.bit());
        Self(bits)
    }
}

/// `observe,act`. There is at least one.
impl FromStr for Scopes {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, UnknownScope> {
        text.split(',').map(str::parse::<Scope>).collect()
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = self.iter().map(Scope::word).collect();
        f.write_str(&words.join(","))
    }
}

impl fmt::Debug for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl Serialize for Scopes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(Scope::word))
    }
}

impl<'de> Deserialize<'de> for Scopes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let words = Vec::<String>::deserialize(deserializer)?;
        let scopes: Result<Self, UnknownScope> = words.iter().map(|w| w.parse::<Scope>()).collect();
        scopes.map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(given: &str, may: &[Scope]) {
        let scopes: Scopes = given.parse().expect("scopes");
        let has: Vec<Scope> = Scope::ALL.into_iter().filter(|s| scopes.has(*s)).collect();
        assert_eq!(has, may, "{given}");
    }

    #[test]
    fn what_includes_what() {
        use Scope::{Act, Admin, Approve, Observe};
        check("observe", &[Observe]);
        check("act", &[Observe, Act]);
        check("approve", &[Observe, Approve]);
        check("act,approve", &[Observe, Act, Approve]);
        check("admin", &[Observe, Act, Approve, Admin]);
        assert!(
            Scope::ALL
                .iter()
                .all(|scope| !Scopes::default().has(*scope))
        );
    }

    #[test]
    fn written_and_read() {
        for (given, written) in [
            ("observe,act", "observe,act"),
            (" ACT , observe,act", "observe,act"),
            ("admin,approve", "approve,admin"),
        ] {
            let scopes: Scopes = given.parse().expect("scopes");
            assert_eq!(scopes.to_string(), written);
            let json = serde_json::to_string(&scopes).expect("JSON");
            assert_eq!(json, format!("[\"{}\"]", written.replace(',', "\",\"")));
            let read: Scopes = serde_json::from_str(&json).expect("scopes");
            assert_eq!(read, scopes);
        }
        assert_eq!(
            format!("{:?}", Scopes::of(&[Scope::Act, Scope::Observe])),
            "{Observe, Act}"
        );
    }

    #[test]
    fn what_is_none_is_refused() {
        for (text, word) in [
            ("", "missing"),
            ("act,", "missing"),
            (",", "missing"),
            ("acts", "mean act?"),
            ("observe;act", "there are"),
            ("root", "there are"),
            ("drg_secret", "there are"),
        ] {
            let error = text.parse::<Scopes>().expect_err(text).to_string();
            assert!(error.contains(word), "{text}: {error}");
            assert!(!error.contains("secret"), "{error}");
        }
        for json in ["\"act\"", "[\"root\"]", "[1]", "{}", "null"] {
            assert!(serde_json::from_str::<Scopes>(json).is_err(), "{json}");
        }
    }
}
