//! Semantic ids: which fit a glob or a regular expression, and how long they mean the same.

use super::look::{CHOICES, FILTER, WINDOW};
use super::trouble::{Kind, Trouble};
use super::wire::Stability;
use dragoman_model::id_matches;
use regex::{Regex, RegexBuilder};

/// Compiled, and while it matches.
const MOST_MEMORY: usize = 1 << 20;
const MOST_PATTERN: usize = 1_000;

/// `*` stands for one segment or a part of one. A choice may be named without its value.
pub(super) fn fits(pattern: &str, id: &str) -> bool {
    if !pattern.contains('*') {
        return pattern == id || is_place(pattern, id);
    }
    id_matches(pattern, id)
}

/// `choice:5` for `choice:5:banana`.
fn is_place(pattern: &str, id: &str) -> bool {
    let is_choice = pattern.starts_with("choice:") && pattern.matches(':').count() == 1;
    is_choice
        && id
            .strip_prefix(pattern)
            .is_some_and(|rest| rest.starts_with(':'))
}

pub(super) fn stability(id: &str) -> Stability {
    let by_place = id.contains('~') || id.starts_with("ref:");
    match id {
        _ if by_place => Stability::RenderStable,
        WINDOW | FILTER | CHOICES | "button:submit" | "button:cancel" | "panel:preview" => {
            Stability::Stable
        }
        _ => Stability::PromptStable,
    }
}

/// Matching takes linear time whatever the pattern is; making it takes bounded space.
pub(super) fn regex(pattern: &str) -> Result<Regex, Trouble> {
    if pattern.len() > MOST_PATTERN {
        let message = format!("The pattern is longer than {MOST_PATTERN} bytes");
        return Err(Trouble::new(Kind::BadPattern, message));
    }
    RegexBuilder::new(pattern)
        .size_limit(MOST_MEMORY)
        .dfa_size_limit(MOST_MEMORY)
        .nest_limit(50)
        .build()
        .map_err(|error| {
            let reason: String = error.to_string().chars().take(300).collect();
            Trouble::new(
                Kind::BadPattern,
                format!("The pattern cannot be used: {reason}"),
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_and_places() {
        let check = |p: &str, id: &str, want| assert_eq!(fits(p, id), want, "{p} {id}");
        check("choice:*:apple", "choice:0:apple", true);
        check("choice:0:*", "choice:0:apple", true);
        check("choice:0:*", "choice:10:apple", false);
        check("choice:5", "choice:5:banana", true);
        check("choice:5", "choice:50:banana", false);
        check("button:sub*", "button:submit", true);
        check("*", "button:submit", false);
        check("button:submit", "button:submit~2", false);
    }

    #[test]
    fn patterns_are_bounded() {
        assert!(regex("^choice:\\d+:a").is_ok());
        assert!(regex("(a{1000}){1000}").is_err());
        assert!(regex(&"(".repeat(500)).is_err());
        assert!(regex("a(?=b)").is_err());
        assert!(regex(&"a".repeat(1_001)).is_err());
        let hard = regex("^(a+)+$").unwrap();
        assert!(!hard.is_match(&format!("{}b", "a".repeat(100_000))));
    }
}
