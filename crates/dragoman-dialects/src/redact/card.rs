//! Payment cards: a number some network hands out, grouped as on a card, with its check digit.
//!
//! Must not know: the text around it.

use super::numbers::{Gap, Window};

pub(super) fn is_card(window: &Window) -> bool {
    let digits = window.digits;
    (13..=19).contains(&digits.len())
        && is_issued(digits)
        && is_grouped(window)
        && luhn(digits)
        && digits.iter().any(|d| *d != digits[0])
        && !is_trade_number(digits)
}

/// Lengths and first digits that belong together.
fn is_issued(digits: &[u8]) -> bool {
    let first = |n: usize| {
        digits[..n]
            .iter()
            .fold(0u32, |sum, d| sum * 10 + u32::from(*d))
    };
    let (two, three, four) = (first(2), first(3), first(4));
    match digits.len() {
        13 => digits[0] == 4,
        14 => matches!(two, 36 | 38 | 39) || (300..=305).contains(&three),
        15 => matches!(two, 34 | 37),
        16 => {
            digits[0] == 4
                || (51..=55).contains(&two)
                || (2221..=2720).contains(&four)
                || (3528..=3589).contains(&four)
                || matches!(two, 36 | 38 | 39 | 50 | 56..=69 | 81 | 82)
                || (2200..=2204).contains(&four)
        }
        17 | 18 => matches!(two, 50 | 56..=69),
        _ => digits[0] == 4 || matches!(two, 50 | 56..=69) || (3528..=3589).contains(&four),
    }
}

fn is_grouped(window: &Window) -> bool {
    let sizes: Vec<usize> = window.sizes().collect();
    let Some(gap) = window.only_gap() else {
        return sizes.len() == 1;
    };
    let known = matches!(
        sizes.as_slice(),
        [4, 6, 5] | [4, 6, 4] | [4, 4, 4, 4] | [4, 4, 4, 4, 3] | [4, 4, 4, 3] | [4, 4, 4, 1]
    );
    match gap {
        Gap::Space | Gap::Dash => known || is_even(&sizes),
        Gap::Dot => sizes == [4, 4, 4, 4],
        _ => false,
    }
}

/// Groups of one size, of which the last may be shorter.
fn is_even(sizes: &[usize]) -> bool {
    let size = sizes[0];
    let (last, rest) = sizes.split_last().unwrap_or((&0, &[]));
    size >= 2 && *last <= size && rest.iter().all(|s| *s == size)
}

pub(super) fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, d)| match (at % 2, u32::from(*d)) {
            (0, d) => d,
            (_, d) if d > 4 => d * 2 - 9,
            (_, d) => d * 2,
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Thirteen digits on goods. Cards of that length are so old that goods win.
fn is_trade_number(digits: &[u8]) -> bool {
    digits.len() == 13 && ean(digits)
}

pub(super) fn ean(digits: &[u8]) -> bool {
    let weigh = |(at, d): (usize, &u8)| u32::from(*d) * if at % 2 == 0 { 1 } else { 3 };
    let sum: u32 = digits.iter().rev().enumerate().map(weigh).sum();
    sum.is_multiple_of(10)
}
