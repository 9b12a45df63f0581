//! Numbers as people write them: groups of digits with something between. Every stretch of groups
//! is shown to those who know cards, ids and phones.
//!
//! Must not know: what makes a number a card, an id or a phone.

use super::near::{Near, near};
use super::text::{after, before, digit, is_blank, is_dash, is_glue};
use super::{Hit, Kind, card, national, phone};
use std::cell::OnceCell;

/// The longest number anybody knows, and the most pieces it is written in.
const MOST_DIGITS: usize = 19;
const MOST_GROUPS: usize = 9;
/// Digits that stand alone: more of them are a list.
const MOST_SINGLE: usize = 2;
const FEWEST_DIGITS: usize = 7;

/// What stands between a group and the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gap {
    /// Too much to be one number.
    None,
    Space,
    Dash,
    /// A dash with blanks around it.
    WideDash,
    Dot,
    Slash,
    /// A slash with blanks around it.
    WideSlash,
    Open,
    Close,
}

#[derive(Debug, Clone)]
pub(super) struct Group {
    pub start: usize,
    pub end: usize,
    first: usize,
    len: usize,
    pub gap: Gap,
    /// Part of a word.
    glued: bool,
    /// Part of a date, a time, a price, an address of a machine: of no phone number.
    pub taken: bool,
}

/// A stretch of groups that may be one number.
pub(super) struct Window<'a> {
    pub text: &'a str,
    pub groups: &'a [Group],
    pub digits: &'a [u8],
    /// The gap behind it.
    pub next: Gap,
    pub near: Near,
}

impl Window<'_> {
    pub fn sizes(&self) -> impl Iterator<Item = usize> + '_ {
        self.groups.iter().map(|group| group.len)
    }

    /// The gaps inside.
    pub fn gaps(&self) -> impl Iterator<Item = Gap> + '_ {
        self.groups.iter().skip(1).map(|group| group.gap)
    }

    /// The gap inside, when there is but one kind.
    pub fn only_gap(&self) -> Option<Gap> {
        let first = self.gaps().next()?;
        self.gaps().all(|gap| gap == first).then_some(first)
    }

    pub fn start(&self) -> usize {
        self.groups.first().map_or(0, |group| group.start)
    }

    pub fn end(&self) -> usize {
        self.groups.last().map_or(0, |group| group.end)
    }

    pub fn before(&self) -> Option<char> {
        before(self.text, self.start())
    }

    pub fn after(&self) -> Option<char> {
        after(self.text, self.end())
    }

    /// The gap before it.
    pub fn last(&self) -> Gap {
        self.groups.first().map_or(Gap::None, |group| group.gap)
    }

    pub fn is_near(&self, kind: Kind) -> bool {
        self.near == Near::A(kind)
    }
}

pub(super) fn find(text: &str, hits: &mut Vec<Hit>) {
    let (groups, digits) = read(text);
    let mut at = 0;
    let mut close = OnceCell::new();
    while at < groups.len() {
        if groups[at].gap == Gap::None {
            close = OnceCell::new();
        }
        match longest(text, &groups[at..], &digits, &close) {
            Some((count, range, kind)) => {
                hits.push((range, kind));
                at += count;
            }
            None => at += 1,
        }
    }
}

/// The longest number that begins with the first of these groups. What its first words say is
/// asked only when there are digits enough, and once for all numbers in a row.
fn longest(
    text: &str,
    groups: &[Group],
    digits: &[u8],
    close: &OnceCell<Near>,
) -> Option<(usize, std::ops::Range<usize>, Kind)> {
    let mut found = None;
    let (mut total, mut single) = (0, 0);
    for (at, group) in groups.iter().take(MOST_GROUPS).enumerate() {
        total += group.len;
        single += usize::from(group.len == 1);
        if group.glued
            || single > MOST_SINGLE
            || total > MOST_DIGITS
            || (at > 0 && group.gap == Gap::None)
        {
            break;
        }
        if total < FEWEST_DIGITS {
            continue;
        }
        let first = groups[0].first;
        let window = Window {
            text,
            groups: &groups[..=at],
            digits: &digits[first..first + total],
            next: groups.get(at + 1).map_or(Gap::None, |next| next.gap),
            near: *close.get_or_init(|| near(text, groups[0].start)),
        };
        if let Some((start, kind)) = kind_of(&window) {
            found = Some((at + 1, start..group.end, kind));
        }
    }
    found
}

/// What it is, and where it begins: the sign before a phone number goes with it.
fn kind_of(window: &Window) -> Option<(usize, Kind)> {
    if is_fraction(window) {
        return None;
    }
    // behind "Tel." it is no card, unless it is cut like one
    let called = window.is_near(Kind::Phone) && window.groups.len() == 1;
    if !called && card::is_card(window) {
        return Some((window.start(), Kind::Card));
    }
    if national::is_id(window) {
        return Some((window.start(), Kind::NationalId));
    }
    phone::start(window).map(|start| (start, Kind::Phone))
}

/// The digits behind a decimal point.
fn is_fraction(window: &Window) -> bool {
    window.last() == Gap::Dot && window.groups.len() == 1
}

/// All groups of a text, and all their digits in a row.
pub(super) fn read(text: &str) -> (Vec<Group>, Vec<u8>) {
    let mut groups: Vec<Group> = Vec::new();
    let mut digits = Vec::new();
    let mut inside = false;
    for (at, c) in text.char_indices() {
        let Some(value) = digit(c) else {
            inside = false;
            continue;
        };
        if !inside {
            let gap = groups.last().map_or(Gap::None, |last| match last.glued {
                true => Gap::None,
                false => gap(&text[last.end..at]),
            });
            groups.push(Group {
                start: at,
                end: at,
                first: digits.len(),
                len: 0,
                gap,
                glued: before(text, at).is_some_and(is_glue),
                taken: false,
            });
            inside = true;
        }
        digits.push(value);
        if let Some(group) = groups.last_mut() {
            group.end = at + c.len_utf8();
            group.len += 1;
            let next = after(text, group.end);
            group.glued |= next.is_some_and(|c| is_glue(c) && digit(c).is_none());
        }
    }
    for group in &mut groups {
        group.taken = group.glued || is_taken(text, group);
    }
    take_dates(&mut groups, &digits);
    (groups, digits)
}

fn gap(between: &str) -> Gap {
    if between.len() > 6 {
        return Gap::None;
    }
    let bare = between.trim_matches(is_blank);
    let wide = bare.len() < between.len();
    let mut chars = bare.chars();
    match (chars.next(), chars.next(), chars.next()) {
        (None, ..) if between.chars().count() <= 2 => Gap::Space,
        (Some(c), None, _) if is_dash(c) => match wide {
            true => Gap::WideDash,
            false => Gap::Dash,
        },
        (Some('.'), None, _) if !wide => Gap::Dot,
        (Some('/'), None, _) if !wide => Gap::Slash,
        (Some('/'), None, _) => Gap::WideSlash,
        (Some('('), None, _) => Gap::Open,
        (Some(')'), None, _) => Gap::Close,
        (Some(')'), Some(c), None) if is_dash(c) || c == '/' || c == '.' => Gap::Close,
        (Some(c), Some('('), None) if is_dash(c) => Gap::Open,
        _ => Gap::None,
    }
}

/// Times, prices, percentages and numbers with commas.
fn is_taken(text: &str, group: &Group) -> bool {
    let is_digit = |c: Option<char>| c.is_some_and(|c| digit(c).is_some());
    let (left, right) = (before(text, group.start), after(text, group.end));
    let left_of = |c: char| before(text, group.start - c.len_utf8());
    let right_of = |c: char| after(text, group.end + c.len_utf8());
    let time = right == Some(':') && is_digit(right_of(':'))
        || left == Some(':') && is_digit(left_of(':'));
    let comma = right == Some(',') && is_digit(right_of(','))
        || left == Some(',') && is_digit(left_of(','));
    let sign = |c: char| "$€£¥₹₽₩฿₺₴#№%‰°=*×^<>".contains(c);
    let signed = right.is_some_and(|c| sign(c) && !"=<#>".contains(c))
        || left.is_some_and(|c| sign(c) && !"=*><".contains(c));
    let spaced = right
        .filter(|c| is_blank(*c))
        .and_then(right_of)
        .is_some_and(|c| sign(c) && !"<#>".contains(c));
    time || comma || signed || spaced
}

/// Dates and addresses of machines, by their looks.
fn take_dates(groups: &mut [Group], digits: &[u8]) {
    let value = |group: &Group| match group.len {
        1..=4 => digits[group.first..group.first + group.len]
            .iter()
            .fold(0u32, |sum, d| sum * 10 + u32::from(*d)),
        _ => u32::MAX,
    };
    let mut at = 0;
    while at + 2 < groups.len() {
        let joint = groups[at + 1].gap;
        let joined = matches!(joint, Gap::Dash | Gap::Dot | Gap::Slash);
        let mut end = at + 1;
        while joined && groups.get(end).is_some_and(|group| group.gap == joint) {
            end += 1;
        }
        let stretch = &groups[at..end];
        let parts: Vec<(usize, u32)> = stretch.iter().take(5).map(|g| (g.len, value(g))).collect();
        if is_date(&parts) || (joint == Gap::Dot && is_machine(&parts)) {
            groups[at..end].iter_mut().for_each(|g| g.taken = true);
        }
        at = end.max(at + 1);
    }
}

fn is_date(parts: &[(usize, u32)]) -> bool {
    let [(a_len, a), (b_len, b), (c_len, c)] = *parts else {
        return false;
    };
    let small = |len: usize, value: u32| len <= 2 && (1..=31).contains(&value);
    let months = |x: u32, y: u32| (1..=12).contains(&x) || (1..=12).contains(&y);
    let year_first = a_len == 4 && small(b_len, b) && small(c_len, c) && months(b, c);
    let year_last =
        (c_len == 4 || c_len == 2) && small(a_len, a) && small(b_len, b) && months(a, b);
    year_first || year_last
}

fn is_machine(parts: &[(usize, u32)]) -> bool {
    parts.len() == 4 && parts.iter().all(|(_, value)| *value <= 255)
}
