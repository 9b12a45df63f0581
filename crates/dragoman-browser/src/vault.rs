//! Secrets that an operator knows by name only. It writes `{{secret:github}}`; the value takes its
//! place here, right before it goes into the page, and only in a frame of the secret's own origin. On
//! the way back every known value is taken out of what is told, also where a page repeats it.
//!
//! Must not know: where secrets are kept, who asks.

use dragoman_model::{Code, Done, Failure, Fault, OriginPattern, OriginRules};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::borrow::Cow;

const OPEN: &str = "{{secret:";
const CLOSE: &str = "}}";

pub struct Secret {
    pub name: String,
    pub value: String,
    /// Where it may be typed.
    pub origins: Vec<OriginPattern>,
}

impl Secret {
    /// A shorter value would be found everywhere, and hidden there.
    pub const LEAST: usize = 4;

    fn belongs_to(&self, origin: &str) -> bool {
        let rules = OriginRules {
            allow: self.origins.clone(),
            block: Vec::new(),
        };
        // What has no origin (`null`) is nobody's.
        !self.origins.is_empty() && origin.contains("://") && rules.permits(origin)
    }
}

#[derive(Default)]
pub struct Vault {
    secrets: Vec<Secret>,
    /// What may not be seen, in every way it may be written, and what stands there instead.
    hidden: Vec<(String, String)>,
}

impl Vault {
    pub fn new(secrets: Vec<Secret>) -> Self {
        let mut hidden: Vec<(String, String)> = Vec::new();
        for secret in &secrets {
            let shown = format!("[secret:{}]", secret.name);
            let mut ways = vec![secret.value.clone(), encoded(&secret.value, "%20")];
            ways.push(encoded(&secret.value, "+"));
            ways.dedup();
            hidden.extend(ways.into_iter().map(|way| (way, shown.clone())));
        }
        // One that is part of another must not spoil it.
        hidden.sort_by_key(|(way, _)| std::cmp::Reverse(way.len()));
        Self { secrets, hidden }
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.secrets.iter().map(|secret| secret.name.as_str())
    }

    /// Whether the text names a secret. Where none are kept, it is text like any other.
    pub(crate) fn is_named_in(&self, text: &str) -> bool {
        !self.secrets.is_empty() && text.contains(OPEN)
    }

    /// The text with values in place of names, for a frame of this origin.
    pub(crate) fn fill(&self, text: &str, origin: &str) -> Result<String, Fault> {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(OPEN) {
            let (name, after) = after.split_once(CLOSE).ok_or_else(unclosed)?;
            let secret = self.find(name.trim())?;
            if !secret.belongs_to(origin) {
                return Err(elsewhere(secret, origin));
            }
            filled.push_str(before);
            filled.push_str(&secret.value);
            rest = after;
        }
        filled.push_str(rest);
        Ok(filled)
    }

    fn find(&self, name: &str) -> Result<&Secret, Fault> {
        let found = self.secrets.iter().find(|secret| secret.name == name);
        found.ok_or_else(|| {
            let names: Vec<&str> = self.names().collect();
            let shown: String = name.chars().take(40).collect();
            Fault::new(Code::BadArgument, format!("There is no secret {shown:?}"))
                .suggest(format!("There are {}.", names.join(", ")))
        })
    }

    /// The same without any value.
    pub(crate) fn hide(&self, result: Result<Done, Failure>) -> Result<Done, Failure> {
        if self.hidden.is_empty() {
            return result;
        }
        match result {
            Ok(done) => self.hide_in(done).ok_or_else(withheld).map_err(Into::into),
            Err(Failure { fault, receipt }) => Err(Failure {
                fault: self.hide_in(fault).unwrap_or_else(withheld),
                receipt: receipt.and_then(|receipt| self.hide_in(receipt)),
            }),
        }
    }

    /// `None`: it cannot be told without.
    pub(crate) fn hide_in<T: Serialize + DeserializeOwned>(&self, told: T) -> Option<T> {
        if self.hidden.is_empty() {
            return Some(told);
        }
        let text = serde_json::to_string(&told).ok()?;
        let is_there = |(way, _): &(String, String)| text.contains(inside_json(way).as_ref());
        if !self.hidden.iter().any(is_there) {
            return Some(told);
        }
        let mut value: Value = serde_json::from_str(&text).ok()?;
        self.blot(&mut value);
        serde_json::from_value(value).ok()
    }

    fn blot(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                for (way, shown) in &self.hidden {
                    if text.contains(way) {
                        *text = text.replace(way, shown);
                    }
                }
            }
            Value::Number(number) => {
                let text = number.to_string();
                let found = self.hidden.iter().find(|(way, _)| text.contains(way));
                if let Some((_, shown)) = found {
                    *value = shown.as_str().into();
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.blot(item)),
            Value::Object(fields) => {
                let before = std::mem::take(fields);
                for (name, mut field) in before {
                    let mut name = Value::String(name);
                    self.blot(&mut name);
                    self.blot(&mut field);
                    fields.insert(name.as_str().unwrap_or_default().to_owned(), field);
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }
}

impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Vault").field(&self.secrets).finish()
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Secret({})", self.name)
    }
}

/// As an address or a form writes it.
fn encoded(text: &str, space: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b' ' => encoded.push_str(space),
            b'-' | b'_' | b'.' | b'~' => encoded.push(byte.into()),
            _ if byte.is_ascii_alphanumeric() => encoded.push(byte.into()),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

fn inside_json(text: &str) -> Cow<'_, str> {
    match serde_json::to_string(text) {
        Ok(quoted) => Cow::Owned(quoted[1..quoted.len() - 1].to_owned()),
        Err(_) => Cow::Borrowed(text),
    }
}

fn unclosed() -> Fault {
    Fault::new(Code::BadArgument, "A secret's name has no end")
        .suggest("Write it as {{secret:name}}.")
}

fn elsewhere(secret: &Secret, origin: &str) -> Fault {
    let where_to: Vec<&str> = secret.origins.iter().map(|o| o.0.as_str()).collect();
    let where_to = where_to.join(" and ");
    let message = format!(
        "Secret {} belongs to {where_to}, not to {origin}",
        secret.name
    );
    Fault::new(Code::Blocked, message).suggest("It was not typed. Go to where it belongs first.")
}

fn withheld() -> Fault {
    Fault::new(Code::Blocked, "The answer held a secret and is not told")
        .suggest("Ask for something else; it was done all the same.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use dragoman_model::{Data, Receipt, Reply};

    fn vault() -> Vault {
        let secret = |name: &str, value: &str| Secret {
            name: name.into(),
            value: value.into(),
            origins: vec![OriginPattern("https://git.example".into())],
        };
        Vault::new(vec![
            secret("git", "hunter 2\"&é"),
            secret("pin", "4711"),
            secret("long", "4711-0815"),
        ])
    }

    #[test]
    fn values_go_only_where_they_belong() {
        let vault = vault();
        let here = "https://git.example";
        assert_eq!(
            vault.fill("a {{secret:git}} b {{ secret:pin}} {{secret: pin }}", here),
            Ok("a hunter 2\"&é b {{ secret:pin}} 4711".into())
        );
        for origin in [
            "https://evil.example",
            "http://git.example",
            "null",
            "",
            "file://",
        ] {
            let fault = vault.fill("{{secret:git}}", origin).expect_err(origin);
            assert_eq!(fault.code, Code::Blocked, "{origin}");
            assert!(!fault.to_string().contains("hunter"), "{fault}");
        }
        for text in ["{{secret:other}}", "{{secret:git"] {
            let fault = vault.fill(text, here).expect_err(text);
            assert_eq!(fault.code, Code::BadArgument, "{text}");
        }
        assert!(!Vault::default().is_named_in("{{secret:git}}"));
    }

    #[test]
    fn no_value_is_told() {
        let vault = vault();
        let told = |reply: Reply| vault.hide(Ok(reply.into())).expect("told").reply;
        let text = |text: &str| Reply::Value(Data::Text(text.into()));
        assert_eq!(told(text("plain")), text("plain"));
        assert_eq!(told(text("is hunter 2\"&é!")), text("is [secret:git]!"));
        assert_eq!(
            told(text("?p=hunter%202%22%26%C3%A9&q=hunter+2%22%26%C3%A9")),
            text("?p=[secret:git]&q=[secret:git]")
        );
        assert_eq!(
            told(text("4711-0815 4711")),
            text("[secret:long] [secret:pin]")
        );
        assert_eq!(told(Reply::Value(Data::Int(14_711))), text("[secret:pin]"));
        let failed = Failure {
            fault: Fault::new(Code::NotFound, "no 4711 here"),
            receipt: Some(Box::new(Receipt {
                notes: vec!["4711".into()],
                ..Receipt::default()
            })),
        };
        let shown = format!("{:?}", vault.hide(Err(failed)));
        assert!(!shown.contains("4711"), "{shown}");
        assert!(!format!("{vault:?}").contains("4711-0815"));
    }
}
