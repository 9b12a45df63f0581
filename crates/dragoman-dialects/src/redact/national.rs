//! Numbers that a state gives to a person, where they are digits only. What has no check digit is
//! taken only as it is officially written, or right behind a word that names it.
//!
//! Must not know: the text, but for what stands right beside the number.

use super::Kind;
use super::card::{ean, luhn};
use super::numbers::{Gap, Window};
use super::text::is_dash;

pub(super) fn is_id(window: &Window) -> bool {
    if !matches!(window.digits.len(), 8..=13 | 15 | 18) || !is_apart(window) {
        return false;
    }
    let sizes: Vec<usize> = window.sizes().collect();
    let gaps: Vec<Gap> = window.gaps().collect();
    let d = window.digits;
    is_written(&sizes, &gaps, d) || (window.is_near(Kind::NationalId) && is_hinted(&sizes, d))
}

fn is_apart(window: &Window) -> bool {
    let tied = |gap: Gap| matches!(gap, Gap::Dash | Gap::Dot | Gap::Slash);
    let left = window.before();
    let code = left.is_some_and(|c| is_dash(c) || matches!(c, '#' | '/' | '.' | '+' | ','));
    let series = |gap: Gap| gap == Gap::Space && window.gaps().any(|inside| inside == Gap::Space);
    let (last, next) = (window.last(), window.next);
    !(tied(last) || tied(next) || code || series(last) || series(next))
}

/// As it is written without any word around it.
fn is_written(sizes: &[usize], gaps: &[Gap], d: &[u8]) -> bool {
    use Gap::{Dash, Dot, Slash, Space};
    match (sizes, gaps) {
        ([3, 2, 4], [Dash, Dash] | [Space, Space]) => ssn(d),
        ([3, 3, 3], [Dash, Dash]) => luhn(d) && d[0] != 0 && d[0] != 8,
        ([6, 4], [Dash]) => personnummer(d) || cpr(d),
        ([6, 4], [Slash]) => rodne_cislo(d),
        ([8, 4], [Dash]) => matches!(d[..2], [1, 9] | [2, 0]) && personnummer(&d[2..]),
        ([11], _) => pesel(d) || steuer_id(d) || cpf(d) || kimlik(d) || fodselsnummer(d),
        ([2, 3, 3, 3], [Space, Space, Space]) => steuer_id(d),
        ([3, 3, 3, 2], [Dot, Dot, Dash]) => cpf(d),
        ([6, 5], [Space]) => fodselsnummer(d),
        ([2, 2, 2, 3, 2], [Dot, Dot, Dash, Dot]) => rijksregister(d),
        ([4, 4, 4], [Space, Space] | [Dash, Dash]) => aadhaar(d),
        ([3, 4, 4, 2], [Dot, Dot, Dot]) => ahv(d),
        ([6, 7], [Dash]) => rrn(d),
        ([13], _) => ahv(d) || cnp(d) || south_african(d),
        ([15], _) | ([13, 2], [Space]) => nir(d),
        ([1, 2, 2, 2, 3, 3, 2], _) => {
            gaps.iter().all(|gap| matches!(gap, Space | Dot | Dash)) && nir(d)
        }
        ([18], _) => resident(d),
        _ => false,
    }
}

/// Behind a word that says it is one.
fn is_hinted(sizes: &[usize], d: &[u8]) -> bool {
    match d.len() {
        8 => bsn(&[&[0], d].concat()) || sizes.len() == 1 && d[0] != 0 && d[0] < 5,
        9 if sizes == [3, 2, 4] => ssn(d),
        9 => (sizes == [9] && ssn(d)) || bsn(d) || luhn(d) || nif(d),
        10 => personnummer(d) || cpr(d) || rodne_cislo(d) || egn(d),
        11 => {
            rijksregister(d) || pesel(d) || steuer_id(d) || cpf(d) || kimlik(d) || fodselsnummer(d)
        }
        12 => {
            aadhaar(d)
                || (matches!(d[..2], [1, 9] | [2, 0]) && personnummer(&d[2..]))
                || my_number(d)
        }
        15 => nir(d),
        _ => false,
    }
}

fn number(digits: &[u8]) -> u64 {
    digits.iter().fold(0, |sum, d| sum * 10 + u64::from(*d))
}

fn weigh(digits: &[u8], weights: &[u32]) -> u32 {
    digits
        .iter()
        .zip(weights)
        .map(|(d, w)| u32::from(*d) * w)
        .sum()
}

fn is_day(month: u64, day: u64) -> bool {
    (1..=12).contains(&month) && (1..=31).contains(&day)
}

fn all_same(digits: &[u8]) -> bool {
    digits.iter().all(|d| *d == digits[0])
}

/// United States.
fn ssn(d: &[u8]) -> bool {
    let (area, group, serial) = (number(&d[..3]), number(&d[3..5]), number(&d[5..]));
    !matches!(area, 0 | 666 | 900..) && group != 0 && serial != 0 && !all_same(d)
}

/// The Netherlands.
fn bsn(d: &[u8]) -> bool {
    let sum = weigh(&d[..8], &[9, 8, 7, 6, 5, 4, 3, 2]);
    let last = u32::from(d[8]);
    sum >= last && (sum - last).is_multiple_of(11) && number(d) > 0
}

/// Portugal.
fn nif(d: &[u8]) -> bool {
    let rest = weigh(&d[..8], &[9, 8, 7, 6, 5, 4, 3, 2]) % 11;
    u32::from(d[8]) == if rest < 2 { 0 } else { 11 - rest }
}

/// Sweden; the day may carry 60 for those who only visit.
fn personnummer(d: &[u8]) -> bool {
    let day = number(&d[4..6]);
    let day = if day > 60 { day - 60 } else { day };
    is_day(number(&d[2..4]), day) && luhn(d)
}

/// Denmark.
fn cpr(d: &[u8]) -> bool {
    let sum = weigh(d, &[4, 3, 2, 7, 6, 5, 4, 3, 2, 1]);
    is_day(number(&d[2..4]), number(&d[..2])) && sum.is_multiple_of(11)
}

/// The Czech Republic and Slovakia.
fn rodne_cislo(d: &[u8]) -> bool {
    let month = number(&d[2..4]);
    let month = [70, 50, 20]
        .iter()
        .find(|add| month > **add)
        .map_or(month, |add| month - add);
    is_day(month, number(&d[4..6])) && number(d).is_multiple_of(11)
}

/// Bulgaria.
fn egn(d: &[u8]) -> bool {
    let month = number(&d[2..4]) % 20;
    let sum = weigh(&d[..9], &[2, 4, 8, 5, 10, 9, 7, 3, 6]);
    is_day(month, number(&d[4..6])) && sum % 11 % 10 == u32::from(d[9])
}

/// Poland; the month carries the century.
fn pesel(d: &[u8]) -> bool {
    let month = number(&d[2..4]) % 20;
    let sum = weigh(d, &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]);
    is_day(month, number(&d[4..6])) && sum.is_multiple_of(10)
}

/// Germany: of the first ten digits exactly one appears more than once, and no more than thrice.
fn steuer_id(d: &[u8]) -> bool {
    let mut counts = [0u8; 10];
    d[..10]
        .iter()
        .for_each(|digit| counts[usize::from(*digit)] += 1);
    let repeated = counts.iter().filter(|count| **count > 1).count();
    let most = counts.iter().max().copied().unwrap_or(0);
    let product = d[..10].iter().fold(10u32, |product, digit| {
        let sum = (u32::from(*digit) + product) % 10;
        (if sum == 0 { 10 } else { sum }) * 2 % 11
    });
    let check = (11 - product) % 10;
    d[0] != 0 && repeated == 1 && most <= 3 && check == u32::from(d[10])
}

/// Brazil.
fn cpf(d: &[u8]) -> bool {
    let check = |count: usize| {
        let weights: Vec<u32> = (2..=count as u32 + 1).rev().collect();
        let rest = weigh(&d[..count], &weights) * 10 % 11 % 10;
        rest == u32::from(d[count])
    };
    !all_same(d) && check(9) && check(10)
}

/// Turkey.
fn kimlik(d: &[u8]) -> bool {
    let sum = |from: usize, to: usize, step: usize| -> i32 {
        (from..to).step_by(step).map(|i| i32::from(d[i])).sum()
    };
    let tenth = (sum(0, 9, 2) * 7 - sum(1, 8, 2)).rem_euclid(10);
    d[0] != 0 && tenth == i32::from(d[9]) && sum(0, 10, 1) % 10 == i32::from(d[10])
}

/// Norway.
fn fodselsnummer(d: &[u8]) -> bool {
    let day = number(&d[..2]);
    let day = if day > 40 { day - 40 } else { day };
    is_day(number(&d[2..4]), day)
        && weigh(&d[..10], &[3, 7, 6, 1, 8, 9, 4, 5, 2, 1]).is_multiple_of(11)
        && weigh(d, &[5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]).is_multiple_of(11)
}

/// Belgium; those born after 1999 count with a 2 in front.
fn rijksregister(d: &[u8]) -> bool {
    let (body, check) = (number(&d[..9]), number(&d[9..]));
    let fits = |body: u64| 97 - body % 97 == check;
    is_day(number(&d[2..4]), number(&d[4..6])) && (fits(body) || fits(body + 2_000_000_000))
}

/// India, with Verhoeff's check digit.
fn aadhaar(d: &[u8]) -> bool {
    d[0] >= 2 && !all_same(d) && verhoeff(d)
}

/// Multiplication in the dihedral group of ten, and the permutation of each place.
fn verhoeff(digits: &[u8]) -> bool {
    const TURN: [u8; 10] = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];
    let times = |a: u8, b: u8| match (a < 5, b < 5) {
        (true, true) => (a + b) % 5,
        (true, false) => (a + b - 5) % 5 + 5,
        (false, true) => (a - 5 + 5 - b) % 5 + 5,
        (false, false) => (a + 5 - b) % 5,
    };
    let turned = |digit: u8, place: usize| (0..place % 8).fold(digit, |d, _| TURN[usize::from(d)]);
    let sum = digits
        .iter()
        .rev()
        .enumerate()
        .fold(0, |sum, (place, d)| times(sum, turned(*d, place)));
    sum == 0
}

/// Japan.
fn my_number(d: &[u8]) -> bool {
    let rest = weigh(&d[..11], &[6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
    u32::from(d[11]) == if rest <= 1 { 0 } else { 11 - rest }
}

/// Switzerland.
fn ahv(d: &[u8]) -> bool {
    d[..3] == [7, 5, 6] && ean(d)
}

/// Korea.
fn rrn(d: &[u8]) -> bool {
    is_day(number(&d[2..4]), number(&d[4..6])) && (1..=8).contains(&d[6])
}

/// Romania.
fn cnp(d: &[u8]) -> bool {
    let rest = weigh(&d[..12], &[2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11;
    let county = number(&d[7..9]);
    (1..=8).contains(&d[0])
        && is_day(number(&d[3..5]), number(&d[5..7]))
        && (1..=52).contains(&county)
        && u32::from(d[12]) == if rest == 10 { 1 } else { rest }
}

fn south_african(d: &[u8]) -> bool {
    is_day(number(&d[2..4]), number(&d[4..6])) && d[10] <= 1 && d[11] >= 8 && luhn(d)
}

/// France; Corsica, with its letters, is read elsewhere.
fn nir(d: &[u8]) -> bool {
    let month = number(&d[3..5]);
    let born =
        (1..=12).contains(&month) || (20..=42).contains(&month) || (50..=99).contains(&month);
    matches!(d[0], 1 | 2 | 3 | 4 | 7 | 8) && born && 97 - number(&d[..13]) % 97 == number(&d[13..])
}

/// China; one that ends in X is read elsewhere.
fn resident(d: &[u8]) -> bool {
    resident_check(&d[..17]) == u32::from(d[17])
}

/// The check value of the first seventeen digits, 10 for an X; more than that for no id at all.
pub(super) fn resident_check(d: &[u8]) -> u32 {
    let (year, month, day) = (number(&d[6..10]), number(&d[10..12]), number(&d[12..14]));
    if !(1900..=2099).contains(&year) || !is_day(month, day) || d[0] == 0 {
        return u32::MAX;
    }
    let sum = weigh(d, &[7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]);
    (12 - sum % 11) % 11
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digits(text: &str) -> Vec<u8> {
        text.bytes()
            .filter(u8::is_ascii_digit)
            .map(|b| b - b'0')
            .collect()
    }

    #[test]
    fn verhoeff_knows_its_example() {
        assert!(verhoeff(&digits("2363")));
        assert!(!verhoeff(&digits("2364")));
        assert!(!verhoeff(&digits("3263")));
    }

    #[test]
    fn published_examples_pass() {
        assert!(steuer_id(&digits("86095742719")));
        assert!(pesel(&digits("44051401359")));
        assert!(cpf(&digits("529.982.247-25")));
        assert!(kimlik(&digits("10000000146")));
        assert!(nir(&digits("255081416802538")));
        assert!(bsn(&digits("123456782")));
        assert!(personnummer(&digits("8112189876")));
        assert!(ahv(&digits("756.9217.0769.85")));
        assert!(rijksregister(&digits("85.07.30-033.28")));
        assert_eq!(resident_check(&digits("11010519491231002")), 10);
    }
}
