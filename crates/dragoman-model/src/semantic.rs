//! Semantic ids, such as `button:submit`: how a name becomes a part of one, and how a pattern is
//! compared with one. Which element has which id is its surface's business.

use crate::condition::glob;

/// The most characters of a name that get into an id.
pub const SLUG_MAX: usize = 20;

/// `*` stands for one segment, or for a part of one.
pub fn id_matches(pattern: &str, id: &str) -> bool {
    let (mut wanted, mut given) = (pattern.split(':'), id.split(':'));
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return true,
            (Some(want), Some(have)) if glob(want, have) => {}
            _ => return false,
        }
    }
}

/// Lower case, runs of anything but letters and digits as `-`, at most 20, `item` when empty.
pub fn push_slug(into: &mut String, name: &str) {
    if name.is_ascii() {
        push_runs(
            into,
            name.bytes().map(|b| char::from(b.to_ascii_lowercase())),
        );
    } else {
        push_runs(into, name.chars().flat_map(char::to_lowercase));
    }
}

fn push_runs(into: &mut String, letters: impl Iterator<Item = char>) {
    let start = into.len();
    let mut length = 0;
    let mut gap = false;
    for c in letters {
        if !c.is_alphanumeric() {
            gap = length > 0;
            continue;
        }
        if length + usize::from(gap) + 1 > SLUG_MAX {
            break;
        }
        if gap {
            into.push('-');
            length += 1;
            gap = false;
        }
        into.push(c);
        length += 1;
    }
    if into.len() == start {
        into.push_str("item");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_match_within_a_segment() {
        let check = |p: &str, id: &str, want| assert_eq!(id_matches(p, id), want, "{p} {id}");
        check("button:*", "button:sign-in", true);
        check("*:sign-in", "button:sign-in", true);
        check("choice:*:apple", "choice:0:apple", true);
        check("button:*", "link:sign-in", false);
        check("*", "button:sign-in", false);
    }
}
