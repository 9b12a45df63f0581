//! What a page sends, without what nobody should read: the values of fields that are called like a
//! secret, and whatever was typed into a password field. Must not know where bodies are shown.

use serde_json::Value;

const HIDDEN: &str = "***";
/// Anywhere in a field's name.
const PARTS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "secret",
    "token",
    "apikey",
    "privatekey",
    "credential",
    "authorization",
    "cardnumber",
];
/// As a word of its own: these are also parts of harmless names (`shipping`, `bypass`).
const WORDS: &[&str] = &[
    "pass", "pw", "pin", "otp", "totp", "mfa", "cvc", "cvv", "csc", "tan", "ssn", "iban",
];
/// What was typed and is shorter is looked for only as a whole value.
const TELLING: usize = 4;

/// A request's body as it may be shown. `kind` is its content type, `typed` what went into password
/// fields.
pub(super) fn shown(body: String, kind: Option<&str>, typed: &[String]) -> String {
    let kind = kind.unwrap_or("").to_ascii_lowercase();
    let hidden = if kind.starts_with("multipart/form-data") {
        multipart(&body, typed)
    } else if kind.contains("json") || body.trim_start().starts_with(['{', '[']) {
        json(&body, typed)
    } else if kind.contains("urlencoded") || (body.contains('=') && !body.contains(['\n', ' '])) {
        Some(urlencoded(&body, typed))
    } else {
        None
    };
    without(hidden.unwrap_or(body), typed)
}

fn is_secret(name: &str) -> bool {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let plain = plain.to_ascii_lowercase();
    PARTS.iter().any(|part| plain.contains(part)) || words(name).iter().any(|w| is_word(w))
}

fn is_word(word: &str) -> bool {
    WORDS.contains(&word.trim_end_matches(|c: char| c.is_ascii_digit()))
}

/// `userPin`, `user_pin` and `user[pin]` are all two words.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (lower && c.is_uppercase()) {
            words.push(String::new());
        }
        lower = c.is_lowercase();
        if c.is_alphanumeric()
            && let Some(last) = words.last_mut()
        {
            last.extend(c.to_lowercase());
        }
    }
    words
}

fn urlencoded(body: &str, typed: &[String]) -> String {
    let field = |pair: &str| {
        let Some((name, value)) = pair.split_once('=') else {
            return pair.to_owned();
        };
        match is_secret(&decoded(name)) || typed.contains(&decoded(value)) {
            true => format!("{name}={HIDDEN}"),
            false => pair.to_owned(),
        }
    };
    body.split('&').map(field).collect::<Vec<_>>().join("&")
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, more)) = rest.split_first() {
        let digits = more.get(..2).and_then(|d| std::str::from_utf8(d).ok());
        let byte = digits.and_then(|d| u8::from_str_radix(d, 16).ok());
        match (first, byte) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &more[2..];
                continue;
            }
            (b'+', _) => bytes.push(b' '),
            _ => bytes.push(*first),
        }
        rest = more;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// `None`: it is not JSON, or there is nothing to hide and it stays as it was written.
fn json(body: &str, typed: &[String]) -> Option<String> {
    let mut value: Value = serde_json::from_str(body).ok()?;
    hide(&mut value, false, typed).then(|| value.to_string())
}

fn hide(value: &mut Value, secret: bool, typed: &[String]) -> bool {
    match value {
        Value::Object(fields) => {
            let each = fields.iter_mut();
            each.fold(false, |any, (name, v)| {
                hide(v, secret || is_secret(name), typed) | any
            })
        }
        Value::Array(items) => {
            let each = items.iter_mut();
            each.fold(false, |any, v| hide(v, secret, typed) | any)
        }
        Value::Null | Value::Bool(_) => false,
        Value::Number(_) | Value::String(_) => {
            let was_typed = value.as_str().is_some_and(|v| typed.iter().any(|t| t == v));
            if secret || was_typed {
                *value = HIDDEN.into();
            }
            secret || was_typed
        }
    }
}

/// The first line is the boundary between the parts.
fn multipart(body: &str, typed: &[String]) -> Option<String> {
    let boundary = body.lines().next().filter(|line| line.starts_with("--"))?;
    let part = |part: &str| {
        let Some((head, value)) = part.split_once("\r\n\r\n") else {
            return part.to_owned();
        };
        let name = head.split("name=\"").nth(1).unwrap_or("");
        let name = name.split('"').next().unwrap_or("");
        let value = value.strip_suffix("\r\n").unwrap_or(value);
        match is_secret(name) || typed.iter().any(|t| t == value) {
            true => format!("{head}\r\n\r\n{HIDDEN}\r\n"),
            false => part.to_owned(),
        }
    };
    let parts: Vec<_> = body.split(boundary).map(part).collect();
    Some(parts.join(boundary))
}

fn without(mut body: String, typed: &[String]) -> String {
    for secret in typed.iter().filter(|t| t.len() >= TELLING) {
        if body.contains(secret.as_str()) {
            body = body.replace(secret.as_str(), HIDDEN);
        }
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_hidden_in_every_kind_of_body() {
        let typed = ["hunter 2&é".to_owned(), "abc".to_owned()];
        let check = |kind: Option<&str>, body: &str, want: &str| {
            assert_eq!(shown(body.into(), kind, &typed), want);
        };
        let form = Some("application/x-www-form-urlencoded");
        check(form, "user=ada&pass%77ord=x%26y", "user=ada&pass%77ord=***");
        check(form, "q=hunter+2%26%C3%A9&x", "q=***&x");
        check(
            None,
            "userPin=1&shipping=fast&pin2=3",
            "userPin=***&shipping=fast&pin2=***",
        );
        check(form, "a=abc&b=abcd&token=", "a=***&b=abcd&token=***");
        let json = Some("application/json; charset=utf-8");
        check(json, r#"{ "a": 1 }"#, r#"{ "a": 1 }"#);
        check(
            json,
            r#"{"login":{"user":"ada","newPassword":"x","codes":["abc",5]},"otp":[1,2],"keep":true}"#,
            r#"{"keep":true,"login":{"codes":["***",5],"newPassword":"***","user":"ada"},"otp":["***","***"]}"#,
        );
        check(None, r#"{"api_key":7,"#, r#"{"api_key":7,"#);
        check(
            Some("multipart/form-data; boundary=XX"),
            "--XX\r\nContent-Disposition: form-data; name=\"user\"\r\n\r\nada\r\n--XX\r\nContent-Disposition: form-data; name=\"card[cvc]\"\r\n\r\n123\r\n--XX--\r\n",
            "--XX\r\nContent-Disposition: form-data; name=\"user\"\r\n\r\nada\r\n--XX\r\nContent-Disposition: form-data; name=\"card[cvc]\"\r\n\r\n***\r\n--XX--\r\n",
        );
        check(
            Some("text/plain"),
            "say hunter 2&é now, abc",
            "say *** now, abc",
        );
    }
}
