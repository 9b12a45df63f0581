//! Phone numbers: with a country in front, in one of the ways they are written at home, or right
//! behind a word that says so. A number that could be anything is none.
//!
//! Must not know: who has which number; only how numbers are cut.

use super::Kind;
use super::near::Near;
use super::numbers::{Gap, Window, read};
use super::text::{after, before, is_blank, is_dash};

/// Country codes of two and three digits; those of three are named by their first two.
const TWO: &str = "20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 \
     60 61 62 63 64 65 66 81 82 84 86 90 91 92 93 94 95 98";
const THREE: &str = "21 22 23 24 25 26 29 35 37 38 42 50 59 67 68 69 80 85 87 88 96 97 99";

/// How many digits follow the code, where that is certain.
const LENGTHS: &[(&[u8], usize, usize)] = &[
    (&[1], 10, 10),
    (&[7], 10, 10),
    (&[3, 1], 9, 9),
    (&[3, 3], 9, 9),
    (&[3, 4], 9, 9),
    (&[4, 1], 9, 9),
    (&[4, 4], 9, 10),
    (&[4, 5], 8, 8),
    (&[4, 7], 8, 8),
    (&[4, 8], 9, 9),
    (&[6, 1], 9, 9),
    (&[6, 5], 8, 8),
    (&[8, 6], 10, 11),
    (&[9, 0], 10, 10),
    (&[9, 1], 10, 10),
];

/// Where the number begins, when the window is one.
pub(super) fn start(window: &Window) -> Option<usize> {
    if window.groups.iter().any(|group| group.taken) || is_counted(window) {
        return None;
    }
    let open = before_open(window);
    let sign = open.unwrap_or_else(|| window.start());
    if let Some(plus) = plus_before(window, sign) {
        return is_international(window, window.digits).then_some(plus);
    }
    let whole = is_apart(window, sign);
    if whole && window.is_near(Kind::Phone) {
        let fits = (FEWEST_HINTED..=15).contains(&window.digits.len());
        return fits.then_some(sign);
    }
    let hidden = matches!(window.near, Near::Thing) || !whole || stands_in_series(window);
    let known =
        is_abroad(window) || is_american(window) || is_trunk(window) || is_elsewhere(window, open);
    (known && !hidden).then_some(sign)
}

const FEWEST_HINTED: usize = 7;

/// Whether the value of a field that is called "Phone" may be one.
pub(super) fn may_be(value: &str) -> bool {
    let (groups, _) = read(value);
    let free = groups.iter().filter(|group| !group.taken);
    let digits: usize = free.map(|group| group.end - group.start).sum();
    let letters = value.chars().filter(|c| c.is_alphabetic()).count();
    digits >= 5 && letters <= 8
}

/// `(` right before the number, with its place.
fn before_open(window: &Window) -> Option<usize> {
    (window.before() == Some('(')).then(|| window.start() - 1)
}

/// The plus of an international number, also in `(+49)`.
fn plus_before(window: &Window, sign: usize) -> Option<usize> {
    let text = window.text;
    let at = window.start();
    let place = match before(text, at)? {
        '+' => at - 1,
        '＋' => at - '＋'.len_utf8(),
        '(' if before(text, sign) == Some('+') => sign - 1,
        _ => return None,
    };
    let left = before(text, place);
    let free =
        left.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, ')' | ']' | '+' | '.' | '_'));
    let place = match left {
        Some('(') if after(text, place + 1) != Some('(') => place - 1,
        _ => place,
    };
    free.then_some(place)
}

/// The digits after the plus.
fn is_international(window: &Window, digits: &[u8]) -> bool {
    let Some(code) = country(digits) else {
        return false;
    };
    let rest = &digits[code..];
    let (min, max) = lengths(&digits[..code]);
    let trunk = usize::from(rest.first() == Some(&0));
    let fits = (min..=max + trunk).contains(&rest.len());
    let round = rest.iter().rev().take_while(|d| **d == 0).count() >= 6;
    let american = digits[0] != 1 || is_plan(rest);
    fits && !round && american && !is_decimal(window) && is_apart_behind(window)
}

/// `+40.712776`: one point, and not so many digits behind it as registrars write.
fn is_decimal(window: &Window) -> bool {
    let long = window.sizes().nth(1).is_some_and(|len| len >= 9);
    window.groups.len() == 2 && window.only_gap() == Some(Gap::Dot) && !long
}

/// How many digits of it are the country code.
fn country(digits: &[u8]) -> Option<usize> {
    let [a, b, ..] = *digits else { return None };
    let two = [b'0' + a, b'0' + b];
    let is_in = |list: &str| list.split(' ').any(|code| code.as_bytes() == two);
    match a {
        1 | 7 => Some(1),
        _ if is_in(TWO) => Some(2),
        _ if is_in(THREE) => Some(3),
        _ => None,
    }
}

fn lengths(code: &[u8]) -> (usize, usize) {
    let known = LENGTHS.iter().find(|(known, ..)| *known == code);
    known.map_or((6, 12), |(_, min, max)| (*min, *max))
}

/// `0049 151 …`
fn is_abroad(window: &Window) -> bool {
    let [0, 0, rest @ ..] = window.digits else {
        return false;
    };
    window.groups.len() > 1
        && window.sizes().next().is_some_and(|len| len <= 5)
        && rest.len() >= 9
        && is_international(window, rest)
}

/// `(415) 555-2671`, with or without the 1.
fn is_american(window: &Window) -> bool {
    let sizes: Vec<usize> = window.sizes().collect();
    let gaps: Vec<Gap> = window.gaps().collect();
    let (cut, number, gaps) = match (sizes.as_slice(), window.digits) {
        ([1, 3, 3, 4], [1, rest @ ..]) => (true, rest, &gaps[1..]),
        ([3, 3, 4], digits) => (true, digits, gaps.as_slice()),
        _ => (false, window.digits, gaps.as_slice()),
    };
    use Gap::{Close, Dash, Dot, Slash, Space, WideDash};
    let joined = matches!(
        gaps,
        [Dash, Dash]
            | [Dot, Dot]
            | [Space, Space | Dash]
            | [Slash, Dash]
            | [Close, Dash | Space | Dot | WideDash]
    );
    cut && joined && is_plan(number)
}

/// Area and exchange as the North American plan has them.
fn is_plan(number: &[u8]) -> bool {
    let part = |a: u8, b: u8, c: u8| a >= 2 && !(b == 1 && c == 1);
    match *number {
        [a, b, c, d, e, f, ..] if number.len() == 10 => part(a, b, c) && part(d, e, f),
        _ => false,
    }
}

/// A zero in front, then the area: most of the world at home.
fn is_trunk(window: &Window) -> bool {
    let [0, 1..=9, ..] = window.digits else {
        return false;
    };
    let sizes: Vec<usize> = window.sizes().collect();
    let gaps: Vec<Gap> = window.gaps().collect();
    let Some((first, rest)) = gaps.split_first() else {
        return false;
    };
    let even = rest.windows(2).all(|pair| pair[0] == pair[1]);
    let dots = gaps.contains(&Gap::Dot);
    let plain = !rest.iter().any(|gap| {
        matches!(
            gap,
            Gap::Slash | Gap::WideSlash | Gap::Open | Gap::Close | Gap::WideDash
        )
    });
    let cut = (2..=5).contains(&sizes[0]) && sizes[1..].iter().all(|len| (2..=8).contains(len));
    (9..=12).contains(&window.digits.len())
        && sizes.len() <= 5
        && even
        && plain
        && cut
        && *first != Gap::Open
        && (!dots || gaps.len() == 4 || sizes == [3, 3, 4])
}

/// Ways of cutting that are hardly used for anything else.
fn is_elsewhere(window: &Window, open: Option<usize>) -> bool {
    use Gap::{Close, Dash, Open, Space};
    let sizes: Vec<usize> = window.sizes().collect();
    let gaps: Vec<Gap> = window.gaps().collect();
    let digits = window.digits;
    let spaced = gaps.iter().all(|gap| *gap == Space);
    match (sizes.as_slice(), gaps.as_slice()) {
        // Brazil: (11) 91234-5678
        ([2, 4 | 5, 4], [Close, Dash | Space]) => open.is_some(),
        ([2, 5, 4], [Space, Dash]) => digits[2] == 9,
        // Russia: 8 (495) 123-45-67
        (
            [1, 3, 3, 2, 2],
            [Open, Close, Dash, Dash] | [Dash, Dash, Dash, Dash] | [Space, Space, Dash, Dash],
        ) => {
            matches!(digits[0], 7 | 8)
        }
        // Turkey: 0 532 123 45 67
        ([1, 3, 3, 2, 2], [Space, Space, Space, Space]) => digits[0] == 0,
        ([3, 3, 2, 2], [Close, Dash, Dash]) => open.is_some(),
        // China: 138 1234 5678
        ([3, 4, 4], [Space, Space] | [Dash, Dash]) => digits[0] == 1 && digits[1] >= 3,
        // Spain and Poland: 91 234 56 78, 612 34 56 78; Norway: 412 34 567
        ([2, 3, 2, 2] | [3, 2, 2, 2], _) => spaced && digits[0] > 0,
        ([3, 2, 3], _) => spaced && matches!(digits[0], 4 | 9),
        // an area in brackets
        ([2..=4, ..], [Close, rest @ ..]) => {
            open.is_some()
                && (9..=11).contains(&digits.len())
                && sizes[1..].iter().all(|len| *len >= 2)
                && rest.iter().all(|gap| matches!(gap, Space | Dash))
                && rest.len() <= 3
        }
        _ => false,
    }
}

/// Nothing on either side that would make it part of something else.
fn is_apart(window: &Window, sign: usize) -> bool {
    let tied = matches!(
        window.last(),
        Gap::Dash | Gap::Dot | Gap::Slash | Gap::WideDash
    );
    let left = before(window.text, sign);
    let code = left.is_some_and(|c| {
        is_dash(c) || matches!(c, '#' | '/' | '.' | '=' | '*' | '+' | '~' | '^' | '\\')
    });
    let named = left == Some('=') && window.is_near(Kind::Phone);
    !tied && (!code || named) && is_apart_behind(window)
}

fn is_apart_behind(window: &Window) -> bool {
    let tied = matches!(window.next, Gap::Dash | Gap::Dot | Gap::Slash | Gap::Close);
    let right = window.after();
    !tied && !right.is_some_and(|c| matches!(c, '=' | '*' | '+' | '_' | '^' | '%'))
}

/// Cut with blanks, in a row of other numbers: a table or a list.
fn stands_in_series(window: &Window) -> bool {
    let spaced = window.gaps().any(|gap| gap == Gap::Space);
    let tied = window
        .gaps()
        .any(|gap| matches!(gap, Gap::Close | Gap::Dash));
    spaced && !tied && (window.last() == Gap::Space || window.next == Gap::Space)
}

/// A unit or a currency behind it.
fn is_counted(window: &Window) -> bool {
    let rest = &window.text[window.end()..];
    if !rest.starts_with(is_blank) {
        return false;
    }
    let word = rest.chars().skip(1).take(12);
    let word: String = word.take_while(|c| c.is_alphabetic()).collect();
    UNITS.split(' ').any(|unit| unit == word)
}

const UNITS: &str = "EUR USD GBP CHF JPY PLN SEK NOK DKK CZK HUF INR CNY RUB BRL kr zł Kč Ft руб km m mm cm kg g \
     ms s px bytes B KB MB GB people users views points records rows items inhabitants dollars euros times steps";
