//! Bank accounts: a country that has them, the length it uses, and the remainder that must be 1.
//!
//! Must not know: the text around it.

use super::text::{glued_before, squeeze};
use super::{Hit, Kind};

const LENGTHS: &str = "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 \
     CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 \
     HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 \
     MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 \
     RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 \
     YE30";

pub(super) fn find(text: &str, hits: &mut Vec<Hit>) {
    let bytes = text.as_bytes();
    let mut done = 0;
    for (at, head) in bytes.windows(4).enumerate() {
        let starts = head[0].is_ascii_alphabetic()
            && head[1].is_ascii_alphabetic()
            && (head[2].is_ascii_digit() || matches!(head[2], b' ' | b'-'));
        if at < done || !starts || glued_before(text, at) {
            continue;
        }
        if let Some(end) = account(text, at) {
            hits.push((at..end, Kind::Iban));
            done = end;
        }
    }
}

fn account(text: &str, start: usize) -> Option<usize> {
    let length = length(&text[start..start + 2])?;
    let between = [' ', '-', '.', '\u{a0}', '\u{202f}'];
    let (account, end) = squeeze(text, start, length, &between)?;
    is_iban(&account).then_some(end)
}

fn length(country: &str) -> Option<usize> {
    let row = LENGTHS
        .split(' ')
        .find(|row| row[..2].eq_ignore_ascii_case(country))?;
    row[2..].parse().ok()
}

fn is_iban(account: &str) -> bool {
    let bytes = account.as_bytes();
    if !bytes[2..4].iter().all(u8::is_ascii_digit) {
        return false;
    }
    let rest = bytes[4..].iter().chain(&bytes[..4]).fold(0u32, |sum, b| {
        let value = char::from(*b).to_digit(36).unwrap_or(0);
        (sum * if value > 9 { 100 } else { 10 } + value) % 97
    });
    rest == 1
}
