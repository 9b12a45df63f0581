//! What the words right before a number say it is: "Tel.", "Order no.", "SSN".
//!
//! Must not know: the number.

use super::Kind;
use super::names;
use super::names::{Words, list};
use super::text::floor;
use std::sync::LazyLock;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Near {
    Nothing,
    A(Kind),
    /// Something that is counted, ordered or built: no person's number.
    Thing,
}

const REACH: usize = 48;
const MOST_SKIPPED: usize = 5;

/// Words that may stand between the telling one and the number.
const BETWEEN: &str = "number, no, nr, num, nummer, numero, número, numéro, n, is, at, me, us, on, my, our, \
     your, under, unter, the, or, home, work, office, private, line, ist, es, est, al, au, \
     code, hotline, via, by, him, her, them, please, now, free, for, to, support, back, auf, \
     to";

const CALLS: &str = "call, calls, contact, ring, dial, sms, anrufen, appelez, llame, llama, ligue, bel, phoned, \
     hotline, viber, ☎, 📞, 📱";

const THINGS: &str = "order, orders, invoice, sku, isbn, ean, upc, gtin, issn, ref, reference, tracking, \
     item, id, version, lot, batch, article, part, model, serial, ticket, case, build, doi, \
     zip, asin, coordinates, draw, numbers, bestellung, bestellnummer, rechnung, artikel, \
     artikelnummer, commande, pedido, factura, imei, vin, port, row, page, pages, seed, \
     chapter, patent, barcode, oem, mpn, rechnungsnummer, auftragsnummer, kundennummer, \
     customer, transaction, booking, parcel, shipment, pnr, total, sum, score, population, \
     views, downloads, timestamp, epoch, lottery, lotto, combination, rgb, scale, catalog, \
     catalogue, document, docket, hs, tariff, cas, nsn, psalm, parts";

static BETWEEN_WORDS: Words = LazyLock::new(|| list(BETWEEN));
static CALLS_WORDS: Words = LazyLock::new(|| list(CALLS));
static THINGS_WORDS: Words = LazyLock::new(|| list(THINGS));

pub(super) fn near(text: &str, at: usize) -> Near {
    let from = floor(text, at.saturating_sub(REACH));
    let line = text[from..at].rsplit(['\n', '\r', '\t']).next();
    let mut rest = line.unwrap_or_default();
    for _ in 0..MOST_SKIPPED {
        rest = rest.trim_end_matches(|c: char| !tells(c));
        let start = rest
            .char_indices()
            .rev()
            .take_while(|(_, c)| c.is_alphanumeric())
            .last()
            .map_or_else(|| last_char(rest), |(at, _)| at);
        let word = rest[start..].to_lowercase();
        if word.is_empty() || word.starts_with(|c: char| c.is_ascii_digit()) {
            return Near::Nothing;
        }
        if CALLS_WORDS.contains(word.as_str()) {
            return Near::A(Kind::Phone);
        }
        if let Some(kind) = names::meaning_at_end(rest) {
            return Near::A(kind);
        }
        if THINGS_WORDS.contains(word.as_str()) {
            return Near::Thing;
        }
        if !BETWEEN_WORDS.contains(word.as_str()) {
            return Near::Nothing;
        }
        rest = &rest[..start];
    }
    Near::Nothing
}

fn tells(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '☎' | '📞' | '📱')
}

fn last_char(text: &str) -> usize {
    text.char_indices().next_back().map_or(0, |(at, _)| at)
}
