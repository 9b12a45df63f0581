//! Redaction against `conformance/redact`, and what must hold for any text: no panic, no second
//! change, nothing left to find, no time lost on hostile input.
//!
//! `cargo test -p dragoman-dialects --test redact -- --nocapture` prints how well it does.

#![allow(clippy::unwrap_used)]

use dragoman_dialects::redact::{Kind, find, redact, redact_body, redact_value};
use proptest::prelude::*;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const POSITIVES: &str = include_str!("../../../conformance/redact/positives.txt");
const NEAR_MISSES: &str = include_str!("../../../conformance/redact/near_misses.txt");

/// What a kind did: found, missed, seen where it is not.
#[derive(Default, Clone, Copy)]
struct Score {
    found: u32,
    missed: u32,
    wrong: u32,
}

impl Score {
    fn precision(self) -> f64 {
        ratio(self.found, self.wrong)
    }

    fn recall(self) -> f64 {
        ratio(self.found, self.missed)
    }
}

fn ratio(good: u32, bad: u32) -> f64 {
    if good + bad == 0 {
        return 1.0;
    }
    f64::from(good) / f64::from(good + bad)
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with("# "))
}

fn positives() -> impl Iterator<Item = (Kind, String, String)> {
    lines(POSITIVES).map(|line| {
        let mut fields = line.split('\t');
        let kind = match fields.next().unwrap() {
            "email" => Kind::Email,
            "phone" => Kind::Phone,
            "card" => Kind::Card,
            "iban" => Kind::Iban,
            "id" => Kind::NationalId,
            "key" => Kind::Key,
            other => panic!("no kind: {other}"),
        };
        let mut text = || fields.next().unwrap().replace("~~", "");
        (kind, text(), text())
    })
}

#[test]
fn the_corpus() {
    let mut scores: BTreeMap<Kind, Score> = BTreeMap::new();
    let (mut count, mut misses) = (0, 0);
    for (kind, text, gone) in positives() {
        count += 1;
        let (text, gone) = (text.as_str(), gone.as_str());
        let at = text.find(gone).unwrap();
        let overlaps = |start: usize, end: usize| start < at + gone.len() && at < end;
        let hits = find(text);
        let out = redact(text);
        let right = hits
            .iter()
            .any(|(r, k)| *k == kind && overlaps(r.start, r.end));
        if right && !out.contains(gone) {
            scores.entry(kind).or_default().found += 1;
        } else {
            println!("missed {kind:?}: {text} -> {out}");
            scores.entry(kind).or_default().missed += 1;
        }
    }
    for text in lines(NEAR_MISSES) {
        misses += 1;
        if redact(text) != text {
            println!("wrong: {text} -> {}", redact(text));
            let kind = find(text).first().unwrap().1;
            scores.entry(kind).or_default().wrong += 1;
        }
    }
    let mut all = Score::default();
    println!("{count} positives, {misses} near misses");
    for (kind, score) in &scores {
        let (precision, recall) = (score.precision(), score.recall());
        println!("{kind:?}: precision {precision:.3}, recall {recall:.3}");
        all.found += score.found;
        all.missed += score.missed;
        all.wrong += score.wrong;
    }
    let (precision, recall) = (all.precision(), all.recall());
    println!("overall: precision {precision:.3}, recall {recall:.3}");
    assert!(count >= 150 && misses >= 200, "a corpus worth the name");
    assert!(precision >= 0.97, "precision {precision:.3}");
    assert!(recall >= 0.97, "recall {recall:.3}");
}

#[test]
fn plain_text_is_lent() {
    assert!(matches!(redact("nothing here"), Cow::Borrowed(_)));
    assert!(matches!(redact_body("{\"a\": 1}"), Cow::Borrowed(_)));
    assert!(matches!(
        redact_value(&["Name"], "nothing"),
        Cow::Borrowed(_)
    ));
}

#[test]
fn kinds_have_words() {
    let text =
        "a@b.io +14155552671 4111111111111111 DE89370400440532013000 123-45-6789 password: hunter2";
    let want = "[EMAIL] [PHONE] [CARD] [IBAN] [ID] password: [SECRET]";
    assert_eq!(redact(text), want);
}

#[test]
fn values_by_their_hints() {
    let check = |hints: &[&str], value: &str, want: &str| {
        assert_eq!(redact_value(hints, value), want, "{hints:?} {value}");
        assert_eq!(redact_value(hints, want), want, "{hints:?} {want}");
    };
    check(&["Phone"], "5552671", "[PHONE]");
    check(&["Phone", "tel"], "0301234567", "[PHONE]");
    check(&["Phone"], "2024-01-15", "2024-01-15");
    check(&["Phone"], "iPhone 15 Pro", "iPhone 15 Pro");
    check(&["Amount"], "0301234567", "0301234567");
    check(&["Password", "pw", "password"], "a", "[SECRET]");
    check(&["Remember password", "checkbox"], "on", "on");
    check(&["Password"], "", "");
    check(&["cc-number"], "4111 1111 1111 1112", "[CARD]");
    check(&["CVC"], "737", "[SECRET]");
    check(&["SSN"], "000000000", "[ID]");
    check(&["IBAN"], "DE00 1234", "[IBAN]");
    check(&["To", "email"], "Jane <jane@example.com>", "[EMAIL]");
    check(
        &["Message"],
        "Write to jane@example.com",
        "Write to [EMAIL]",
    );
    check(&["Search"], "rust 1.90", "rust 1.90");
}

#[test]
fn bodies_keep_their_names() {
    let check = |body: &str, want: &str| {
        assert_eq!(redact_body(body), want, "{body}");
        assert_eq!(redact_body(want), want, "{want}");
    };
    check(
        r#"{"user": "jane", "password": "x", "n": 12, "card": {"number": 4111111111111112, "exp": "12/30"}}"#,
        r#"{"user": "jane", "password": "[SECRET]", "n": 12, "card": {"number": "[CARD]", "exp": "12/30"}}"#,
    );
    check(
        r#"{"a":[{"email":"a@b.io"}],"token":{"x":["y",1,null,true]},"token_type":"bearer"}"#,
        r#"{"a":[{"email":"[EMAIL]"}],"token":{"x":["[SECRET]","[SECRET]",null,true]},"token_type":"bearer"}"#,
    );
    check(
        r#"[{"name":"password","value":"x"},{"name":"colour","value":"red"}]"#,
        r#"[{"name":"password","value":"[SECRET]"},{"name":"colour","value":"red"}]"#,
    );
    check(
        r#"{"phone":4915112345678,"qty":4915112345,"otp":482913}"#,
        r#"{"phone":"[PHONE]","qty":4915112345,"otp":"[SECRET]"}"#,
    );
    check(r#"{"password":"cut o"#, r#"{"password":"[SECRET]"#);
    check(
        r#"{"log":"{\"pwd\":\"x\"}"}"#,
        r#"{"log":"{\"pwd\":\"[SECRET]\"}"}"#,
    );
    check(
        "{\"a\":1,\"password\":\"x\"}\n{\"password\":\"y\"}\n",
        "{\"a\":1,\"password\":\"[SECRET]\"}\n{\"password\":\"[SECRET]\"}\n",
    );
    check(
        r#"{"jane@example.com": 1, "caf\u00e9": "\u00e9"}"#,
        r#"{"[EMAIL]": 1, "caf\u00e9": "\u00e9"}"#,
    );
    check(
        "user%5Bpassword%5D=a%26b&email=jane%40example.com&q=two+words&pin=1",
        "user%5Bpassword%5D=[SECRET]&email=[EMAIL]&q=two+words&pin=[SECRET]",
    );
    check("note=call+%2B14155552671+now", "note=call+[PHONE]+now");
    check(
        "--x\r\nContent-Disposition: form-data; name=\"pwd\"\r\n\r\nabc\r\n--x\r\n\
         Content-Disposition: form-data; name=\"q\"\r\n\r\nabc\r\n--x--\r\n",
        "--x\r\nContent-Disposition: form-data; name=\"pwd\"\r\n\r\n[SECRET]\r\n--x\r\n\
         Content-Disposition: form-data; name=\"q\"\r\n\r\nabc\r\n--x--\r\n",
    );
    check(
        "<login><password>a b1</password><n>1</n></login>",
        "<login><password>[SECRET]</password><n>1</n></login>",
    );
    check(
        "[12:30] jane@example.com signed in",
        "[12:30] [EMAIL] signed in",
    );
    check("", "");
}

/// Pieces of everything we look for, so that they meet in odd ways.
fn any_text() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "@",
        "a@b.io",
        ".",
        "..",
        "+",
        "+49",
        "0",
        "123",
        "4111 1111 1111 1111",
        "-",
        "(",
        ")",
        " ",
        "/",
        ":",
        "=",
        "\"",
        "'",
        "password",
        "token",
        " is ",
        "pin",
        "[SECRET]",
        "[EMAIL]",
        "[",
        "]",
        "{",
        "}",
        "<",
        ">",
        "DE89",
        "370400440532013000",
        "AB",
        "12",
        "34",
        "56",
        "C",
        "sk-",
        "eyJ",
        "Bearer ",
        "-----BEGIN PRIVATE KEY-----",
        "-----END ",
        "0x",
        "9f86d081884c7d659a2feaa0c55ad015",
        "://",
        "ü",
        "字",
        "\u{a0}",
        "％",
        "%40",
        "&",
        ",",
        "\n",
        "\\",
        "123-45-6789",
        "Tel ",
        "hunter2",
        "X",
        "٣",
        "\u{301}",
        "😀",
        "name",
        "value",
        "--",
        "form-data",
        "\r\n\r\n",
    ]);
    let pieces = prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat());
    prop_oneof![3 => pieces, 1 => any::<String>(), 1 => "[ -~]{0,80}", 1 => "[0-9 .()+/-]{0,60}"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn any_text_comes_to_rest(text in any_text()) {
        let once = redact(&text);
        prop_assert_eq!(find(&once), vec![], "{}", once);
        prop_assert_eq!(redact(&once), once.clone());
        let mut last = 0;
        for (range, _) in find(&text) {
            prop_assert!(last <= range.start && range.start < range.end);
            prop_assert!(text.get(range.clone()).is_some());
            last = range.end;
        }
    }

    #[test]
    fn any_body_comes_to_rest(body in any_text()) {
        let once = redact_body(&body);
        prop_assert_eq!(redact_body(&once), once.clone());
    }

    #[test]
    fn any_value_comes_to_rest(hint in any_text(), value in any_text()) {
        for hint in [hint.as_str(), "Phone", "E-mail", "Password", "SSN"] {
            let once = redact_value(&[hint], &value);
            prop_assert_eq!(redact_value(&[hint], &once), once.clone());
        }
    }

    #[test]
    fn json_stays_json(key in any_text(), value in any_text(), number in any::<i64>()) {
        let body = serde_json::json!({ &key: value, "password": value, "n": number, "list": [value] });
        let out = redact_body(&body.to_string()).into_owned();
        let read: serde_json::Value = serde_json::from_str(&out).unwrap();
        if !value.is_empty() && key != "password" {
            let hidden = read["password"].as_str().unwrap();
            prop_assert!(hidden.starts_with('[') && hidden.ends_with(']'), "{}", hidden);
        }
    }
}

/// Long texts of whatever would hurt most. The bound is for a busy machine; what grows with the
/// square of the length would take hours.
#[test]
fn hostile_text_takes_no_time() {
    let pieces = [
        "1",
        "a@",
        "@",
        " ",
        "a",
        "1 ",
        "12-",
        "1234567 ",
        "+49 ",
        "4111 ",
        "4111-1111-1111-1111 ",
        "a:",
        "token:",
        "token=",
        "token:'",
        "password: ",
        "pin ",
        " is ",
        "secret is ",
        "\"",
        "{",
        "[",
        "{\"a\":",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN ",
        "eyJ.",
        "eyJhbGciOi.",
        "sk-",
        "Bearer ",
        "://",
        "://a:",
        "a.",
        "a/",
        "=",
        "aB3",
        "DE89 ",
        "AB12",
        "(",
        "%40",
        "\\",
        "\\\"",
        "&",
        "a=b&",
        "--\n",
        "字",
        "٣",
        "😀",
        "<a>",
        "commit ",
        "a@b.io ",
        "[SECRET]",
        "Tel. 1 ",
        "1.",
        "0/",
        "X",
        "0x9f86d0",
        "'password':'",
        "SG.",
        "ya29.",
        "a=",
        "no 1234567 ",
        "abc is ",
        "<token>",
        "tel 123 4567 ",
    ];
    let size = if cfg!(debug_assertions) {
        1 << 16
    } else {
        1 << 20
    };
    for piece in pieces {
        let text = piece.repeat(size / piece.len());
        let start = Instant::now();
        let sizes = [redact(&text).len(), redact_body(&text).len()];
        let took = start.elapsed();
        println!("{took:>12.3?} for {piece:?}");
        assert!(sizes.iter().all(|size| *size > 0));
        assert!(took < Duration::from_secs(10), "{took:?} for {piece:?}");
    }
}
