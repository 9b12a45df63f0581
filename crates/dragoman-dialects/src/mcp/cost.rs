//! How many tokens a text costs a model, estimated on the safe side: a little more than the
//! tokenizer `o200k` makes of natural text in any language, and of what only looks random.
//!
//! Words cost one token and a share for each pair of letters that seldom stand together. The table
//! was fitted to the tokenizer itself on the texts of programs in thirty languages.
//! Must not know: what the text is.

/// For each pair of letters, eighths of a token.
const PAIRS: [&[u8; 26]; 26] = [
    b"31007405232010437011215303",
    b"15540454135047077024059706",
    b"04440590220236034150256523",
    b"15530436045364237234256524",
    b"01004015363021514001221034",
    b"16541136074256076142254465",
    b"45750342274442479033157645",
    b"05750585034366175360435507",
    b"22002116624110016211408151",
    b"35821644455555334554164526",
    b"20650342284363465433356835",
    b"15710546073068027721214616",
    b"12750655146313006424145537",
    b"16110203160343148610227514",
    b"51124207553100215021020075",
    b"15340551274054026100155625",
    b"83654585996557974635086388",
    b"13120336153621045321145604",
    b"27270670164447133510053605",
    b"20330460164376005111255502",
    b"02620619273100717010758623",
    b"27660554185557078566856666",
    b"15630630077652036105540615",
    b"36764678166634748650866356",
    b"37685985886554449635577878",
    b"35931773387744469766466512",
];

const TOKEN: usize = 8;

/// How many tokens a text costs at most, as far as that can be known without the tokenizer.
pub fn tokens(text: &str) -> usize {
    let eighths = eighths(text);
    (eighths + eighths / 32).div_ceil(TOKEN)
}

/// Whether a text costs no more than that. Most texts are far below, which their length tells already.
pub fn fits(text: &str, budget: usize) -> bool {
    most(text.len()) <= budget || tokens(text) <= budget
}

/// What so many bytes can cost, whatever they say: ten eighths each, and the margin.
pub fn most(bytes: usize) -> usize {
    bytes * 4 / 3 + 1
}

#[derive(Clone, Copy, PartialEq)]
enum Before {
    Letter,
    Space,
    Mark,
    Wide,
    Nothing,
}

fn eighths(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut cost, mut before) = (0, 0, Before::Nothing);
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        at += run(&bytes[at..], byte);
        let length = at - start;
        (cost, before) = match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {
                let shared = if before == Before::Wide { TOKEN / 2 } else { 0 };
                (
                    cost + TOKEN - shared + pairs(&bytes[start..at]),
                    Before::Letter,
                )
            }
            b'0'..=b'9' => {
                // A space before a word is part of it; before a number it is not.
                let space = if before == Before::Space { TOKEN } else { 0 };
                (cost + length.div_ceil(3) * TOKEN + space, Before::Letter)
            }
            b' ' if length == 1 => (cost, Before::Space),
            b' ' => (cost + TOKEN, Before::Space),
            b'\n' if before == Before::Mark => (cost, Before::Nothing),
            b'\n' => (cost + TOKEN, Before::Nothing),
            0..0x80 if length <= 2 => (cost + TOKEN, Before::Mark),
            0..0x80 => (cost + length * 5, Before::Mark),
            _ => {
                let wide = text[start..at].chars().map(wide).sum::<usize>();
                (cost + wide, Before::Wide)
            }
        };
    }
    cost
}

/// How many bytes from here on are of the kind of the first.
fn run(bytes: &[u8], first: u8) -> usize {
    let same: fn(&u8) -> bool = match first {
        b'a'..=b'z' | b'A'..=b'Z' => u8::is_ascii_alphabetic,
        b'0'..=b'9' => u8::is_ascii_digit,
        b' ' => |b| *b == b' ',
        b'\n' => return 1,
        0..0x80 => |b| b.is_ascii() && !b.is_ascii_alphanumeric() && *b != b' ' && *b != b'\n',
        _ => |b| !b.is_ascii(),
    };
    bytes.iter().take_while(|b| same(b)).count()
}

fn pairs(word: &[u8]) -> usize {
    let mut cost = 0;
    for pair in word.windows(2) {
        let [a, b] = [0, 1].map(|i| usize::from(pair[i].to_ascii_lowercase() - b'a'));
        cost += usize::from(PAIRS[a][b] - b'0') + usize::from(pair[1].is_ascii_uppercase());
    }
    cost
}

/// Of one character that is not ASCII, by its script.
fn wide(c: char) -> usize {
    let of = |&(until, _): &(u32, usize)| until <= c as u32;
    let at = SCRIPTS.partition_point(of);
    SCRIPTS.get(at).map_or(32, |(_, cost)| *cost)
}

/// Where a script ends, and what one of its characters costs.
const SCRIPTS: &[(u32, usize)] = &[
    // Latin letters with marks, and signs that seldom stand in a text.
    (0x250, 7),
    (0x370, 20),
    // Greek, Cyrillic, Armenian and Hebrew, Arabic and the scripts of India, Thai.
    (0x400, 4),
    (0x530, 3),
    (0x600, 5),
    (0xe00, 4),
    (0xe80, 5),
    (0x1e00, 14),
    // Vietnamese, dashes and quotes, symbols.
    (0x1f00, 6),
    (0x2010, 20),
    (0x2028, 8),
    (0x3000, 20),
    (0x3040, 8),
    // Kana, Chinese characters, Hangul, wide forms.
    (0x3100, 6),
    (0x4e00, 24),
    (0xa000, 8),
    (0xac00, 24),
    (0xd7b0, 7),
    (0xff00, 24),
    (0xfff0, 10),
    (0x1f300, 24),
    // Emoji.
    (0x1f700, 20),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// What the tokenizer itself says of some texts; we say as much, and little more.
    #[test]
    fn not_less_than_the_tokenizer_and_not_much_more() {
        let check = |text: &str, real: usize| {
            let estimated = tokens(text);
            assert!(estimated >= real, "{text}: {estimated} of {real}");
            assert!(
                estimated <= real + 2 + real / 4,
                "{text}: {estimated} of {real}"
            );
        };
        check("", 0);
        check("- button \"Add to cart\" [ref=e12] [disabled]\n", 15);
        check("+ link \"Count: 1\" [ref=e5]\n", 13);
        check("[page 483920175]\n", 7);
        check("        - button \"Save 3\" [ref=e12]\n", 13);
    }

    #[test]
    fn a_length_bounds_what_a_text_costs() {
        let worst = [
            "qx",
            "xQ",
            "Q",
            "aZ",
            "1a",
            " 1",
            "\u{1f700}",
            "\u{2000}",
            "\u{24f}",
            "\u{36f}",
            "-",
            "\n",
            "\n-",
            "--- ",
        ];
        for one in worst {
            for count in 0..40 {
                let text = one.repeat(count);
                assert!(tokens(&text) <= most(text.len()), "{text:?}");
            }
        }
        for pair in PAIRS.iter().flat_map(|row| row.iter()) {
            assert!(pair - b'0' <= 9);
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_costs_more_than_its_length_allows(text in ".*") {
            proptest::prop_assert!(tokens(&text) <= most(text.len()));
        }
    }
}
