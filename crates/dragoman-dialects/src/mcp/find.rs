//! What `browser_find` looks for.
//!
//! Must not know: how a match is shown.

use dragoman_model::{Code, Fault, Node};
use regex::{Regex, RegexBuilder};

/// A compiled pattern is no larger than this, whoever wrote it.
const LARGEST: usize = 1 << 20;

#[derive(Debug, Clone)]
pub(super) enum Search {
    /// In lower case.
    Text(String),
    Pattern(Regex),
}

impl Search {
    pub fn text(text: &str) -> Self {
        Self::Text(text.trim().to_lowercase())
    }

    /// `foo.*` or `/foo.*/i`. Matching is linear in the text, whatever the pattern.
    pub fn pattern(pattern: &str) -> Result<Self, Fault> {
        regex(pattern).map(Self::Pattern)
    }

    pub fn finds(&self, node: &Node) -> bool {
        let texts = [
            Some(node.name.as_str()),
            node.value.as_deref(),
            node.description.as_deref(),
            node.placeholder.as_deref(),
        ];
        let mut texts = texts.into_iter().flatten().filter(|text| !text.is_empty());
        texts.any(|text| self.matches(text)) || node.options.iter().any(|o| self.matches(&o.label))
    }

    pub fn matches(&self, text: &str) -> bool {
        match self {
            Self::Text(part) if text.is_ascii() => contains_ascii(text, part),
            Self::Text(part) => text.to_lowercase().contains(part.as_str()),
            Self::Pattern(pattern) => pattern.is_match(text),
        }
    }
}

pub(super) fn regex(pattern: &str) -> Result<Regex, Fault> {
    let slashed = pattern
        .strip_prefix('/')
        .and_then(|rest| rest.rsplit_once('/'));
    let (pattern, flags) = slashed.unwrap_or((pattern, ""));
    let built = RegexBuilder::new(pattern)
        .case_insensitive(flags.contains('i'))
        .dot_matches_new_line(flags.contains('s'))
        .multi_line(flags.contains('m'))
        .size_limit(LARGEST)
        .build();
    built.map_err(|error| {
        let why = match error {
            regex::Error::CompiledTooBig(_) => "it is too large".into(),
            error => error
                .to_string()
                .lines()
                .last()
                .unwrap_or_default()
                .to_owned(),
        };
        Fault::new(
            Code::BadArgument,
            format!("The pattern cannot be read: {why}"),
        )
        .suggest("Patterns have no look-around and no back-references; or search for a text.")
    })
}

/// Without making a copy in lower case of every name of a page.
fn contains_ascii(text: &str, lower: &str) -> bool {
    let (text, lower) = (text.as_bytes(), lower.as_bytes());
    lower.is_empty()
        || text
            .windows(lower.len())
            .any(|window| window.eq_ignore_ascii_case(lower))
}
