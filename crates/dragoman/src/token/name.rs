//! What a token may be called.
//!
//! Must not know: which names are taken.

use crate::config;
use crate::term::for_shell;
use crate::token::secret;

pub use crate::config::same_name;

pub const ADVICE: &str = "A name has 1 to 60 visible characters and no quotes, and does not start \
                          with drg_.";

/// `Err` says what is wrong. A token that is given by mistake is not repeated.
pub fn check(name: &str) -> Result<(), String> {
    if secret::looks_like_one(name) {
        return Err("that is the text of a token, not a name for one".into());
    }
    config::check_name("a token", name)?;
    match name.chars().find(|c| is_blank(*c)) {
        Some(c) => Err(format!("the name has {c:?} in it, which cannot be seen")),
        None => Ok(()),
    }
}

/// What to type to end it.
pub fn how_to_revoke(name: &str) -> String {
    let flag = if name.starts_with('-') { "-- " } else { "" };
    format!("dragoman token revoke {flag}{}", for_shell(name))
}

/// What the eye takes for nothing or for a space. Names are all that a person sees of a token.
fn is_blank(c: char) -> bool {
    matches!(
        c,
        '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
    ) || matches!(
        c,
        '\u{180b}'..='\u{180f}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}'
    ) || matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{fff9}'..='\u{fffb}')
        || matches!(c, '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_never_taken_for_a_flag_or_a_command() {
        for (name, typed) in [
            ("ci", "ci"),
            ("my laptop", "'my laptop'"),
            ("$(reboot)", "'$(reboot)'"),
            ("--json", "-- --json"),
        ] {
            assert_eq!(
                how_to_revoke(name),
                format!("dragoman token revoke {typed}")
            );
        }
    }

    #[test]
    fn names() {
        let long = "é".repeat(60);
        for good in ["ci", "My laptop", "--json", "../../etc", "$(reboot)", &long] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        let longer = "x".repeat(61);
        for bad in [
            "",
            " ",
            " ci",
            "ci ",
            "a\nb",
            "a\0b",
            "a\x1b[2Jb",
            "a\tb",
            "a\"b",
            "a'b",
            "a`b",
            "a\u{202e}b",
            "a\u{200b}b",
            "\u{3164}",
            "a\u{2800}b",
            "a\u{fe0f}b",
            "a\u{e0101}b",
            &longer,
        ] {
            assert!(check(bad).is_err(), "{bad:?}");
        }
        for secret in ["drg_abcdef", "DRG_abcdef", " drg_abcdef"] {
            let wrong = check(secret).expect_err(secret);
            assert!(!wrong.contains("abcdef"), "{wrong}");
        }
    }
}
