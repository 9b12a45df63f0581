//! Numbers of persons that have letters in them, each with its check letter or its strict form.
//!
//! Must not know: the numbers that are digits only.

use super::national::resident_check;
use super::near::{Near, near};
use super::text::{before, glued_before, is_glue, squeeze};
use super::{Hit, Kind};

const LONGEST: usize = 18;

pub(super) fn find(text: &str, hits: &mut Vec<Hit>) {
    let bytes = text.as_bytes();
    let (mut at, mut done) = (0, 0);
    while at < bytes.len() {
        if !bytes[at].is_ascii_alphanumeric() {
            at += 1;
            continue;
        }
        let word = bytes[at..].iter().take_while(|b| b.is_ascii_alphanumeric());
        let len = word.count();
        if at >= done
            && len <= LONGEST
            && is_start(text, at)
            && let Some(end) = id_end(text, at, len)
        {
            hits.push((at..end, Kind::NationalId));
            done = end;
        }
        at += len;
    }
}

fn is_start(text: &str, at: usize) -> bool {
    !glued_before(text, at) && !matches!(before(text, at), Some('-' | '/' | '#' | '.' | '%'))
}

fn id_end(text: &str, at: usize, len: usize) -> Option<usize> {
    let whole = |check: fn(&[u8]) -> bool, small: bool| {
        let word = &text[at..at + len];
        let glued = text[at + len..].starts_with(is_glue);
        let cased = small || !word.contains(|c: char| c.is_ascii_lowercase());
        (!glued && cased && check(word.to_ascii_uppercase().as_bytes())).then_some(at + len)
    };
    let loose = |count: usize, between: &[char], check: fn(&[u8]) -> bool| {
        let (word, end) = squeeze(text, at, count, between)?;
        let cased = !text[at..end].contains(|c: char| c.is_ascii_lowercase());
        (cased && check(word.as_bytes())).then_some(end)
    };
    let first = text.as_bytes()[at];
    let known = match len {
        18 => whole(curp, false).or_else(|| whole(resident_x, true)),
        16 => whole(codice_fiscale, true),
        15 => whole(corsican, false),
        10 => whole(pan, false).or_else(|| whole(taiwanese, false)),
        9 => whole(nine, false).or_else(|| hinted(text, at, || whole(nine, true))),
        8 if first.is_ascii_digit() => {
            let near = || loose(9, &[' ', '-'], dni).or_else(|| whole(pps, true));
            loose(9, &['-'], dni).or_else(|| hinted(text, at, near))
        }
        8 => loose(9, &['-'], nie),
        7 if first.is_ascii_alphabetic() => hkid(text, at),
        6 if first.is_ascii_digit() => hetu(text, at),
        2 if first.is_ascii_alphabetic() => loose(9, &[' ', '-'], nino),
        2 if first.is_ascii_digit() => loose(9, &['.', '-'], dni),
        1 if first.is_ascii_alphabetic() => loose(9, &['-', '.'], nie),
        1 => loose(15, &[' '], corsican),
        _ => None,
    };
    known.or_else(|| hinted(text, at, || whole(document, false)))
}

/// A passport or a licence, which only a word before it gives away.
fn document(word: &[u8]) -> bool {
    let digits = word.iter().filter(|b| b.is_ascii_digit()).count();
    (6..=14).contains(&word.len()) && digits >= 3 && digits < word.len()
}

fn hinted(text: &str, at: usize, check: impl Fn() -> Option<usize>) -> Option<usize> {
    let end = check()?;
    (near(text, at) == Near::A(Kind::NationalId)).then_some(end)
}

/// `0` stands for a digit, `A` for a letter.
fn is_shaped(word: &[u8], shape: &[u8]) -> bool {
    let fits = |(b, s): (&u8, &u8)| match s {
        b'0' => b.is_ascii_digit(),
        _ => b.is_ascii_uppercase(),
    };
    word.len() == shape.len() && word.iter().zip(shape).all(fits)
}

fn number(word: &[u8]) -> u32 {
    let digits = word.iter().filter(|b| b.is_ascii_digit());
    digits.fold(0, |sum, b| {
        sum.wrapping_mul(10).wrapping_add(u32::from(b - b'0'))
    })
}

fn weigh(word: &[u8], weights: &[u32]) -> u32 {
    let value = |b: &u8| u32::from(b.wrapping_sub(b'0'));
    word.iter().zip(weights).map(|(b, w)| value(b) * w).sum()
}

fn nine(word: &[u8]) -> bool {
    nino(word) || dni(word) || nie(word) || nric(word)
}

/// United Kingdom.
fn nino(word: &[u8]) -> bool {
    if !is_shaped(word, b"AA000000A") || !matches!(word[8], b'A'..=b'D') {
        return false;
    }
    let never: [&[u8]; 7] = [b"BG", b"GB", b"NK", b"KN", b"TN", b"NT", b"ZZ"];
    !b"DFIQUV".contains(&word[0]) && !b"DFIQUVO".contains(&word[1]) && !never.contains(&&word[..2])
}

const SPANISH: &[u8; 23] = b"TRWAGMYFPDXBNJZSQVHLCKE";

fn dni(word: &[u8]) -> bool {
    is_shaped(word, b"00000000A") && word[8] == SPANISH[(number(&word[..8]) % 23) as usize]
}

/// Spain, for those from elsewhere.
fn nie(word: &[u8]) -> bool {
    if !is_shaped(word, b"A0000000A") || !matches!(word[0], b'X'..=b'Z') {
        return false;
    }
    let value = u32::from(word[0] - b'X') * 10_000_000 + number(&word[1..8]);
    word[8] == SPANISH[(value % 23) as usize]
}

/// Singapore.
fn nric(word: &[u8]) -> bool {
    if !is_shaped(word, b"A0000000A") {
        return false;
    }
    let sum = weigh(&word[1..8], &[2, 7, 6, 5, 4, 3, 2]);
    let (add, letters) = match word[0] {
        b'S' => (0, b"JZIHGFEDCBA"),
        b'T' => (4, b"JZIHGFEDCBA"),
        b'F' => (0, b"XWUTRQPNMLK"),
        b'G' => (4, b"XWUTRQPNMLK"),
        _ => return false,
    };
    word[8] == letters[((sum + add) % 11) as usize]
}

/// Ireland.
fn pps(word: &[u8]) -> bool {
    let sum = || weigh(&word[..7], &[8, 7, 6, 5, 4, 3, 2]) % 23;
    is_shaped(word, b"0000000A") && word[7] == b"WABCDEFGHIJKLMNOPQRSTUV"[sum() as usize]
}

/// India's tax number; the P is for persons.
fn pan(word: &[u8]) -> bool {
    is_shaped(word, b"AAAAA0000A") && word[3] == b'P'
}

fn taiwanese(word: &[u8]) -> bool {
    if !is_shaped(word, b"A000000000") || !matches!(word[1], b'1' | b'2' | b'8' | b'9') {
        return false;
    }
    let order = b"ABCDEFGHJKLMNPQRSTUVXYWZIO";
    let place = order.iter().position(|b| *b == word[0]).unwrap_or(0) as u32 + 10;
    let sum = place / 10 + place % 10 * 9 + weigh(&word[1..], &[8, 7, 6, 5, 4, 3, 2, 1, 1]);
    sum.is_multiple_of(10)
}

/// Italy; letters may stand for digits where two people would share one code.
fn codice_fiscale(word: &[u8]) -> bool {
    let digit = |b: u8| b.is_ascii_digit() || b"LMNPQRSTUV".contains(&b);
    let shaped = word.len() == 16
        && word.iter().enumerate().all(|(at, b)| match at {
            6 | 7 | 9 | 10 | 12..=14 => digit(*b),
            8 => b"ABCDEHLMPRST".contains(b),
            _ => b.is_ascii_uppercase(),
        });
    if !shaped {
        return false;
    }
    const ODD: [u32; 26] = [
        1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24,
        23,
    ];
    let value = |b: u8| {
        usize::from(if b.is_ascii_digit() {
            b - b'0'
        } else {
            b - b'A'
        })
    };
    let sum: u32 = word[..15]
        .iter()
        .enumerate()
        .map(|(at, b)| match at % 2 {
            0 => ODD[value(*b)],
            _ => value(*b) as u32,
        })
        .sum();
    sum % 26 == u32::from(word[15] - b'A')
}

/// Mexico.
fn curp(word: &[u8]) -> bool {
    let shaped = is_shaped(&word[..10], b"AAAA000000")
        && matches!(word[10], b'H' | b'M' | b'X')
        && word[11..16].iter().all(u8::is_ascii_uppercase)
        && word[17].is_ascii_digit();
    let value = |b: u8| match b {
        b'0'..=b'9' => u32::from(b - b'0'),
        b'A'..=b'N' => u32::from(b - b'A') + 10,
        _ => u32::from(b - b'O') + 25,
    };
    let sum = || -> u32 { (0..17).map(|at| value(word[at]) * (18 - at as u32)).sum() };
    shaped && u32::from(word[17] - b'0') == (10 - sum() % 10) % 10
}

/// China, where the check digit is ten.
fn resident_x(word: &[u8]) -> bool {
    let (body, last) = word.split_at(17);
    let digits: Vec<u8> = body.iter().map(|b| b.wrapping_sub(b'0')).collect();
    last == b"X" && body.iter().all(u8::is_ascii_digit) && resident_check(&digits) == 10
}

/// France, for those born in Corsica.
fn corsican(word: &[u8]) -> bool {
    let less = match &word[5..7] {
        b"2A" => b"19",
        b"2B" => b"18",
        _ => return false,
    };
    let digits = [&word[..5], less, &word[7..]].concat();
    if !digits.iter().all(u8::is_ascii_digit) || !matches!(digits[0], b'1' | b'2') {
        return false;
    }
    let value = digits[..13]
        .iter()
        .fold(0u64, |sum, b| sum * 10 + u64::from(b - b'0'));
    97 - value % 97 == u64::from(number(&digits[13..]))
}

/// Finland: `131052-308T`.
fn hetu(text: &str, at: usize) -> Option<usize> {
    let bytes = text.get(at..at + 11)?.as_bytes();
    let free = !text[at + 11..].starts_with(is_glue);
    let (day, month) = (number(&bytes[..2]), number(&bytes[2..4]));
    let shaped = bytes[6] == b'-'
        && bytes[7..10].iter().all(u8::is_ascii_digit)
        && (1..=31).contains(&day)
        && (1..=12).contains(&month);
    if !free || !shaped {
        return None;
    }
    let value = number(&bytes[..6]) * 1000 + number(&bytes[7..10]);
    let letter = b"0123456789ABCDEFHJKLMNPRSTUVWXY"[(value % 31) as usize];
    (bytes[10] == letter).then_some(at + 11)
}

/// Hong Kong: `A123456(3)`.
fn hkid(text: &str, at: usize) -> Option<usize> {
    let bytes = text.get(at..at + 10)?.as_bytes();
    if !is_shaped(&bytes[..7], b"A000000") || bytes[7] != b'(' || bytes[9] != b')' {
        return None;
    }
    let sum =
        36 * 9 + u32::from(bytes[0] - b'A' + 10) * 8 + weigh(&bytes[1..7], &[7, 6, 5, 4, 3, 2]);
    let check = match (11 - sum % 11) % 11 {
        10 => b'A',
        digit => b'0' + digit as u8,
    };
    (bytes[8] == check).then_some(at + 10)
}
