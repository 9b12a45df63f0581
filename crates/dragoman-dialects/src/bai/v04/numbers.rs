//! Numbers as they stand in texts: a count, a pair, and the tags of actions.
//!
//! Must not know: what they are for.

/// `800`, also with a unit of milliseconds behind it.
pub(super) fn whole(text: &str) -> Option<u64> {
    let text = text.trim();
    text.strip_suffix("ms").unwrap_or(text).trim().parse().ok()
}

/// `dx,dy`.
pub(super) fn pair(text: &str) -> Option<(f64, f64)> {
    let (x, y) = text.split_once(',')?;
    let number = |text: &str| text.trim().parse().ok().filter(|n: &f64| n.is_finite());
    Some((number(x)?, number(y)?))
}

/// What stands behind `!baiact`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::bai) enum Tag {
    Act(u32),
    Del(u32),
    Upd(u32, u32),
}

impl Tag {
    /// Six digits, and for updates three more.
    pub fn read(text: &str) -> Result<Self, &'static str> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = text.split_at(digits);
        if digits != 6 {
            return Err("An action has a number of exactly six digits, such as !baiact000001.");
        }
        let number = number.parse().unwrap_or_default();
        match (number, rest) {
            (0, _) => Err("Action numbers start at 000001."),
            (number, "") => Ok(Self::Act(number)),
            (number, "del") => Ok(Self::Del(number)),
            (number, rest) => match rest.strip_prefix("upd") {
                Some(n) if n.len() == 3 && n.bytes().all(|b| b.is_ascii_digit()) => {
                    Ok(Self::Upd(number, n.parse().unwrap_or_default()))
                }
                _ => Err("Behind the six digits of an action comes its object."),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_have_six_digits() {
        assert_eq!(Tag::read("000001"), Ok(Tag::Act(1)));
        assert_eq!(Tag::read("999999"), Ok(Tag::Act(999_999)));
        assert_eq!(Tag::read("000002del"), Ok(Tag::Del(2)));
        assert_eq!(Tag::read("000002upd010"), Ok(Tag::Upd(2, 10)));
        for bad in [
            "",
            "1",
            "00001",
            "0000001",
            "1000000",
            "000000",
            "00000a",
            "000001DEL",
            "000001upd1",
            "000001upd0001",
            "000001x",
            "-00001",
            "99999999999999999999",
        ] {
            assert!(Tag::read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn numbers_in_texts() {
        assert_eq!(pair("0, -300.5"), Some((0.0, -300.5)));
        assert_eq!(pair("NaN,1"), None);
        assert_eq!(pair("#a,#b"), None);
        assert_eq!(whole(" 800 ms"), Some(800));
        assert_eq!(whole("-1"), None);
    }
}
