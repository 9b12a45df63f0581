//! What a name says about the value beside it: `user[password]`, `cardNumber`, "Phone (mobile)".
//!
//! Must not know: the value.

use super::Kind;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// A name is a few words. What is longer is prose, and its beginning tells enough.
const MOST_WORDS: usize = 24;
const MOST_CHARS: usize = 240;

/// The words of each kind, squashed as `apikey` and apart as `api key`.
const KEY: &str = "password, passwd, pwd, pw, user pass, db pass, pass phrase, passphrase, passcode, pass code, passwort, \
     kennwort, mot de passe, motdepasse, mdp, contraseña, contrasena, clave de acceso, \
     senha, wachtwoord, parola, hasło, haslo, lösenord, losenord, adgangskode, heslo, şifre, \
     пароль, 密码, 密碼, パスワード, 비밀번호, secret, token, jwt, api key, apikey, access key, \
     accesskey, secret key, secretkey, private key, privatekey, auth key, authkey, \
     signing key, encryption key, authorization, session id, sessionid, session key, sessid, \
     phpsessid, jsessionid, csrf, xsrf, credential, credentials, otp, totp, one time code, \
     one time password, verification code, security code, authentication code, auth code, \
     login code, sms code, 2fa code, recovery code, backup code, recovery phrase, \
     seed phrase, mnemonic, security answer, secret answer, cvc, cvc2, cvv, cvv2, csc, pin, \
     pincode, hmac, amz signature, sig, prüfnummer, sicherheitscode, bestätigungscode";
const CARD: &str = "card number, cardnumber, card no, cardno, card num, cardnum, credit card, creditcard, \
     debit card, debitcard, cc number, ccnumber, cc num, ccnum, kartennummer, \
     kreditkartennummer, numero de tarjeta, número de tarjeta, numero de carte, \
     numéro de carte, numero carta, 卡号";
const IBAN: &str = "iban, account number, accountnumber, account no, bank account, bankaccount, \
     kontonummer";
const NATIONAL_ID: &str = "ssn, social security, socialsecurity, social insurance, sin, national id, nationalid, \
     national insurance, nino, ni number, tax id, taxid, tax number, tax file, tfn, \
     steuer id, steuerid, steuer idnr, steueridnr, idnr, steuer identifikationsnummer, \
     steueridentifikationsnummer, nir, sécurité sociale, securite sociale, dni, nie, nif, \
     codice fiscale, codicefiscale, bsn, burgerservicenummer, sofinummer, cpf, aadhaar, \
     aadhar, adhaar, personnummer, pesel, passport, passportnumber, passportno, reisepass, \
     reisepassnummer, identity number, id number, idnumber, id card, idcard, identity card, \
     driver license, drivers license, driver licence, driving licence, driving license, \
     curp, cpr, fødselsnummer, fodselsnummer, hetu, henkilötunnus, cnp, tckn, tc kimlik, \
     rodné číslo, rodne cislo, egn, nric, hkid, pan card, my number, ahv, \
     rijksregisternummer, registre national, 身份证, 身份证号, 身份证号码, ppsn, pps";
const PHONE: &str = "phone, phones, ph, mob, tlf, tfno, tlfn, telephone, tel, telno, mobile, cell, cellphone, phonenumber, \
     mobilenumber, fax, telefon, telefonnummer, telefonnr, rufnummer, mobilnummer, \
     téléphone, portable, teléfono, telefono, móvil, movil, celular, cellulare, telefone, \
     telemóvel, telefoon, telefoonnummer, puhelin, handy, handynummer, mobil, whatsapp, whats app, \
     msisdn, gsm, тел, телефон, 电话, 電話, 手机, 手机号, 携帯, 전화, 전화번호, هاتف, फ़ोन";
const EMAIL: &str = "email, e mail, mail, emailaddress, mailaddress, correo, courriel, posta elettronica, \
     邮箱, メール, почта";

/// Right behind one of those, these make it a name for something about it: `token_type`.
const ABOUT: &str = "length, len, min, max, minimum, maximum, count, type, types, expiry, expires, \
     expiration, exp, ttl, url, uri, link, hint, strength, policy, required, enabled, \
     disabled, visible, placeholder, label, holder, holdername, brand, month, year, country, \
     color, colour, santa, limit, limits, age, status, format, error, errors, valid, \
     invalid, updated, changed, rules, requirements, manager, symbol, usage, used, budget, \
     lifetime, issuer, verified, last4, last, digits, model, models, case, cases, plan, \
     plans, size, per, ring, economy, map, board, order, device, app, version";

/// Squashed words that begin or end like this name a secret whatever else is in them.
const ENDS: &[&str] = &[
    "password", "passwd", "pwd", "token", "secret", "apikey", "passwort",
];
const BEGINS: &[&str] = &["password", "passwd", "passwort"];

/// A list of words or phrases, as the ones above are written.
pub(super) type Words = LazyLock<HashSet<&'static str>>;

pub(super) fn list(text: &'static str) -> HashSet<&'static str> {
    text.split(", ").collect()
}

static ABOUT_WORDS: Words = LazyLock::new(|| list(ABOUT));
static TAIL_WORDS: Words = LazyLock::new(|| list(TAIL));

/// By its first word, what a phrase goes on with and what it means.
type Phrases = HashMap<&'static str, Vec<(Vec<&'static str>, Kind)>>;

static PHRASES: LazyLock<Phrases> = LazyLock::new(|| {
    let kinds = [
        (KEY, Kind::Key),
        (CARD, Kind::Card),
        (IBAN, Kind::Iban),
        (NATIONAL_ID, Kind::NationalId),
        (PHONE, Kind::Phone),
        (EMAIL, Kind::Email),
    ];
    let mut phrases = Phrases::new();
    for (text, kind) in kinds {
        for phrase in text.split(", ") {
            let mut words = phrase.split(' ');
            let first = words.next().unwrap_or_default();
            let rest = words.collect();
            phrases.entry(first).or_default().push((rest, kind));
        }
    }
    phrases
});

pub(super) fn meaning(name: &str) -> Option<Kind> {
    let words = words(name);
    let mut at = 0;
    while at < words.len() {
        match phrase(&words, at) {
            Some((_, next)) if is_about(&words, next) => at = next,
            Some((kind, _)) => return Some(kind),
            None => at += 1,
        }
    }
    None
}

/// The same for words of which only the end counts: `text`, up to a place where a value follows.
pub(super) fn meaning_at_end(text: &str) -> Option<Kind> {
    let words = words(text);
    let mut at = words.len().saturating_sub(5);
    while at < words.len() {
        match phrase(&words, at) {
            Some((kind, next)) if is_tail(&words[next..]) => return Some(kind),
            _ => at += 1,
        }
    }
    None
}

/// Words that may stand between the one that counts and the value.
const TAIL: &str = "number, no, nr, num, code, value, id, confirmation, confirm, again, new, key, string, \
     hash, address, is, nummer, numero, número, card";

fn is_tail(words: &[Word]) -> bool {
    words
        .iter()
        .all(|word| TAIL_WORDS.contains(word.text.as_str()))
}

struct Word {
    text: String,
    /// Something other than what joins a name stands before it: a bracket, a comma.
    apart: bool,
}

fn phrase(words: &[Word], at: usize) -> Option<(Kind, usize)> {
    let first = words[at].text.as_str();
    for (rest, kind) in PHRASES.get(first).into_iter().flatten() {
        let mut next = words[at + 1..].iter();
        let fits = |want: &&str| next.next().is_some_and(|word| word.text == *want);
        if rest.iter().all(fits) {
            return Some((*kind, at + 1 + rest.len()));
        }
    }
    let secret = ENDS.iter().any(|end| first.ends_with(end))
        || BEGINS.iter().any(|begin| first.starts_with(begin)) && first != "passwordless";
    let alone = first == "pass" && words.len() == 1;
    (secret || alone).then_some((Kind::Key, at + 1))
}

fn is_about(words: &[Word], next: usize) -> bool {
    words
        .get(next)
        .is_some_and(|word| !word.apart && ABOUT_WORDS.contains(word.text.as_str()))
}

/// In lower case, cut at punctuation and at humps, without the numbers at their ends.
fn words(name: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut word = String::new();
    let mut apart = false;
    let mut last: Option<char> = None;
    let mut chars = name.chars().take(MOST_CHARS).peekable();
    while let Some(c) = chars.next() {
        let hump = c.is_uppercase()
            && last.is_some_and(|l| {
                l.is_lowercase()
                    || (l.is_uppercase() && chars.peek().is_some_and(|n| n.is_lowercase()))
            });
        if hump || !c.is_alphanumeric() {
            push(&mut words, &mut word, &mut apart);
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        } else if !matches!(c, ' ' | '_' | '-' | '.' | '[' | ']' | '\u{2011}') {
            apart = true;
        }
        last = Some(c);
        if words.len() == MOST_WORDS {
            return words;
        }
    }
    push(&mut words, &mut word, &mut apart);
    words
}

fn push(words: &mut Vec<Word>, word: &mut String, apart: &mut bool) {
    if word.is_empty() {
        return;
    }
    let cut = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let keep = cut.is_empty() || matches!(word.as_str(), "cvc2" | "cvv2" | "last4");
    let text = if keep { word.as_str() } else { cut }.to_owned();
    words.push(Word {
        text,
        apart: *apart,
    });
    *apart = false;
    word.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_understood() {
        let check = |name: &str, want: Option<Kind>| assert_eq!(meaning(name), want, "{name}");
        for name in [
            "password",
            "user[password]",
            "newPassword2",
            "PASSWORD_CONFIRMATION",
            "APIKey",
            "api-key",
            "x-api-key",
            "csrfmiddlewaretoken",
            "access_token",
            "Password (min length 8)",
            "current-password",
            "one-time-code",
            "cc-csc",
            "Enter your PIN",
            "password_reset_token",
            "Mot de passe",
            "client_secret",
            "X-Amz-Signature",
        ] {
            check(name, Some(Kind::Key));
        }
        for name in [
            "token_type",
            "max_tokens",
            "password_min_length",
            "passwordless",
            "author",
            "secret_santa",
            "pinned",
            "spin",
            "monkey",
            "search",
            "id",
            "shipping address",
            "card_type",
            "expires_in",
            "name",
        ] {
            check(name, None);
        }
        check("cardNumber", Some(Kind::Card));
        check("cc-number", Some(Kind::Card));
        check("Credit card type", None);
        check("Phone (mobile)", Some(Kind::Phone));
        check("tel-national", Some(Kind::Phone));
        check("E-mail address", Some(Kind::Email));
        check("Social Security Number", Some(Kind::NationalId));
        check("IBAN", Some(Kind::Iban));
    }
}
