//! Conditions over a surface, and their logic. A condition is a tree; its leaves are facts that a
//! surface can watch and report on, the rest is decided here without looking at anything.

use crate::{Data, Target};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    Not(Box<Condition>),
    All(Vec<Condition>),
    Any(Vec<Condition>),
    #[serde(untagged)]
    Is(Leaf),
}

/// One fact that a surface knows how to watch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Leaf {
    Exists(Target),
    Visible(Target),
    /// Not visible; not there at all counts as hidden.
    Hidden(Target),
    Focused(Target),
    Enabled(Target),
    Checked(Target),
    Value {
        target: Target,
        #[serde(flatten)]
        is: TextMatch,
    },
    /// The text is somewhere in the page.
    Text(String),
    /// The text is nowhere in the page.
    Gone(String),
    Url(TextMatch),
    Title(TextMatch),
    Load(LoadState),
    /// No request has been in flight for so many milliseconds.
    NetworkQuiet(u64),
    /// Every named field of the surface's state has this value.
    State(BTreeMap<String, Data>),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextMatch {
    Equals(String),
    Contains(String),
    StartsWith(String),
    EndsWith(String),
    /// `*` stands for any run of characters.
    Glob(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadState {
    /// The navigation was answered and the document has begun.
    Started,
    /// The document is parsed.
    Ready,
    /// The load event has fired.
    Complete,
}

/// What is known of a condition: unknown until the surface has reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    Yes,
    No,
    Unknown,
}

impl Condition {
    /// The leaves, depth first: the order in which `eval` expects their values.
    pub fn leaves(&self) -> Vec<Leaf> {
        let mut found = Vec::new();
        self.collect(&mut found);
        found
    }

    fn collect(&self, into: &mut Vec<Leaf>) {
        match self {
            Self::Is(leaf) => into.push(leaf.clone()),
            Self::Not(inner) => inner.collect(into),
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|p| p.collect(into)),
        }
    }

    /// Three-valued: a missing value is unknown, and unknown spreads only where it matters.
    pub fn eval(&self, values: &[Option<bool>]) -> Truth {
        self.eval_from(values, &mut 0)
    }

    fn eval_from(&self, values: &[Option<bool>], next: &mut usize) -> Truth {
        match self {
            Self::Is(_) => {
                let value = values.get(*next).copied().flatten();
                *next += 1;
                match value {
                    Some(true) => Truth::Yes,
                    Some(false) => Truth::No,
                    None => Truth::Unknown,
                }
            }
            Self::Not(inner) => match inner.eval_from(values, next) {
                Truth::Yes => Truth::No,
                Truth::No => Truth::Yes,
                Truth::Unknown => Truth::Unknown,
            },
            Self::All(parts) => fold(parts, values, next, Truth::No, Truth::Yes),
            Self::Any(parts) => fold(parts, values, next, Truth::Yes, Truth::No),
        }
    }
}

/// `decisive` settles the whole at once; without it, any unknown leaves the whole unknown.
fn fold(
    parts: &[Condition],
    values: &[Option<bool>],
    next: &mut usize,
    decisive: Truth,
    otherwise: Truth,
) -> Truth {
    let mut whole = otherwise;
    for part in parts {
        let truth = part.eval_from(values, next);
        if truth == decisive {
            whole = decisive;
        } else if truth == Truth::Unknown && whole != decisive {
            whole = Truth::Unknown;
        }
    }
    whole
}

impl TextMatch {
    pub fn matches(&self, text: &str) -> bool {
        match self {
            Self::Equals(want) => text == want,
            Self::Contains(part) => text.contains(part.as_str()),
            Self::StartsWith(head) => text.starts_with(head.as_str()),
            Self::EndsWith(tail) => text.ends_with(tail.as_str()),
            Self::Glob(pattern) => glob(pattern, text),
        }
    }
}

/// Linear in the text for each `*`: every piece between stars is found at its first place.
pub(crate) fn glob(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut left) = text.strip_prefix(head) else {
        return false;
    };
    let mut pieces = rest.split('*').peekable();
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return left.ends_with(piece);
        }
        match left.find(piece) {
            Some(at) => left = &left[at + piece.len()..],
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(name: &str) -> Condition {
        Condition::Is(Leaf::Text(name.into()))
    }

    #[test]
    fn logic_is_three_valued() {
        let both = Condition::All(vec![leaf("a"), Condition::Not(Box::new(leaf("b")))]);
        assert_eq!(both.leaves().len(), 2);
        let check = |a, b, want| assert_eq!(both.eval(&[a, b]), want, "{a:?} {b:?}");
        check(Some(true), Some(false), Truth::Yes);
        check(Some(true), Some(true), Truth::No);
        check(Some(false), None, Truth::No);
        check(Some(true), None, Truth::Unknown);
        let either = Condition::Any(vec![leaf("a"), leaf("b")]);
        assert_eq!(either.eval(&[None, Some(true)]), Truth::Yes);
        assert_eq!(either.eval(&[None, Some(false)]), Truth::Unknown);
        assert_eq!(Condition::All(vec![]).eval(&[]), Truth::Yes);
        assert_eq!(Condition::Any(vec![]).eval(&[]), Truth::No);
    }

    #[test]
    fn globs() {
        let check = |pattern: &str, text: &str, want| {
            assert_eq!(glob(pattern, text), want, "{pattern} {text}");
        };
        check("a*c", "abc", true);
        check("a*c", "ac", true);
        check("a*b*c", "aXbYbZc", true);
        check("*", "", true);
        check("*.example.com", "a.example.com", true);
        check("*.example.com", "example.com", false);
        check("ab*ba", "aba", false);
        check("https://x/*/y", "https://x/1/2/y", true);
        check("abc", "abcd", false);
    }
}
