//! The file of secrets: names, values, and where each may be typed. Read once; nobody is ever told
//! a value, in no error either.
//!
//! As TOML: `[github]` with `value` and `origin` (one or a list). As lines of an `.env` file:
//! `GITHUB=…` and `GITHUB_ORIGIN=https://github.com`.

use crate::config::{origin_expected, origin_pattern};
use crate::trouble::Trouble;
use dragoman_browser::{Secret, Vault};
use dragoman_model::OriginPattern;
use std::collections::BTreeMap;
use std::path::Path;
use toml_edit::{DocumentMut, Item};

/// What says where a secret of an `.env` file belongs.
const ORIGIN: &str = "_ORIGIN";

pub fn read(path: &Path) -> Result<Vault, Trouble> {
    let wrong = |what: String| {
        let what = format!("{}: {what}", path.display());
        let advice = "A secret has a value of at least 4 characters and the origin it belongs to: \
                      see docs/mcp.md.";
        Trouble::new(Trouble::USAGE, what, advice)
    };
    let text = std::fs::read_to_string(path)
        .map_err(|error| wrong(format!("it cannot be read: {error}")))?;
    let secrets = match path.extension().is_some_and(|end| end == "toml") {
        true => from_toml(&text),
        false => from_lines(&text),
    };
    secrets.map(Vault::new).map_err(wrong)
}

fn from_toml(text: &str) -> Result<Vec<Secret>, String> {
    // The error's own text would show the line, and with it the value.
    let document: DocumentMut = text
        .parse()
        .map_err(|error: toml_edit::TomlError| match error.span() {
            Some(span) => format!("it is not TOML (byte {})", span.start),
            None => "it is not TOML".to_owned(),
        })?;
    let secret = |(name, item): (&str, &Item)| {
        let value = item.get("value").and_then(Item::as_str);
        let value = value.ok_or_else(|| format!("{name} has no value"))?;
        let origins: Vec<&str> = match item.get("origin") {
            Some(Item::Value(one)) if one.is_str() => one.as_str().into_iter().collect(),
            Some(Item::Value(many)) => {
                let many = many.as_array().into_iter().flatten();
                many.filter_map(|origin| origin.as_str()).collect()
            }
            _ => Vec::new(),
        };
        make(name, value, &origins)
    };
    document.iter().map(secret).collect()
}

fn from_lines(text: &str) -> Result<Vec<Secret>, String> {
    let mut values = BTreeMap::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let line = line.strip_prefix("export ").unwrap_or(line);
        let (name, value) = line
            .split_once('=')
            .ok_or_else(|| format!("line {} is no NAME=VALUE", number + 1))?;
        values.insert(name.trim(), unquoted(value.trim()));
    }
    let names = values.keys().filter(|name| {
        let of = name.strip_suffix(ORIGIN);
        !of.is_some_and(|of| values.contains_key(of))
    });
    let secret = |name: &&str| {
        let origin = values.get(format!("{name}{ORIGIN}").as_str());
        let origins: Vec<&str> = origin.into_iter().flat_map(|o| o.split(',')).collect();
        make(name, &values[*name], &origins)
    };
    names.map(secret).collect()
}

/// In one kind of quotes or the other, or up to a comment. Nothing in it means anything.
fn unquoted(value: &str) -> String {
    for quote in ['"', '\''] {
        let inside = value.strip_prefix(quote);
        if let Some((inside, _)) = inside.and_then(|inside| inside.rsplit_once(quote)) {
            return inside.to_owned();
        }
    }
    let end = value.find(" #").unwrap_or(value.len());
    value[..end].trim_end().to_owned()
}

fn make(name: &str, value: &str, origins: &[&str]) -> Result<Secret, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || !name.chars().all(plain) {
        return Err("a name is letters, digits, '-', '_' or '.'".to_owned());
    }
    if value.chars().count() < Secret::LEAST {
        return Err(format!(
            "{name} has a value of less than {} characters",
            Secret::LEAST
        ));
    }
    if origins.is_empty() {
        return Err(format!("{name} has no origin"));
    }
    let origin = |text: &&str| -> Result<OriginPattern, String> {
        origin_pattern(text.trim())
            .ok_or_else(|| format!("{name} has an origin that is not {}", origin_expected()))
    };
    Ok(Secret {
        name: name.to_owned(),
        value: value.to_owned(),
        origins: origins.iter().map(origin).collect::<Result<_, _>>()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(secrets: Result<Vec<Secret>, String>) -> Vec<String> {
        let line = |s: Secret| {
            let origins: Vec<&str> = s.origins.iter().map(|o| o.0.as_str()).collect();
            format!("{}={} at {}", s.name, s.value, origins.join("+"))
        };
        match secrets {
            Ok(secrets) => secrets.into_iter().map(line).collect(),
            Err(error) => vec![error],
        }
    }

    #[test]
    fn toml() {
        let check = |text: &str, want: &[&str]| assert_eq!(shown(from_toml(text)), want, "{text}");
        check(
            "# mine\n[github]\nvalue = \"a$b#c\"\norigin = \"https://github.com\"\n
             [bank]\nvalue = '1234'\norigin = ['https://a.example', 'https://b.example']",
            &[
                "github=a$b#c at https://github.com",
                "bank=1234 at https://a.example+https://b.example",
            ],
        );
        check("[x]\norigin='https://a.example'", &["x has no value"]);
        check("[x]\nvalue='secret'", &["x has no origin"]);
        check(
            "[x]\nvalue='123'\norigin='https://a.example'",
            &["x has a value of less than 4 characters"],
        );
        check("x = 'secret", &["it is not TOML (byte 11)"]);
    }

    #[test]
    fn lines() {
        let check = |text: &str, want: &[&str]| assert_eq!(shown(from_lines(text)), want, "{text}");
        check(
            "# mine\nexport GITHUB=\"a$b #c\"\nGITHUB_ORIGIN=https://github.com\n
             PIN=1234 # four\nPIN_ORIGIN='https://a.example,https://b.example'\n",
            &[
                "GITHUB=a$b #c at https://github.com",
                "PIN=1234 at https://a.example+https://b.example",
            ],
        );
        check("GITHUB=secret", &["GITHUB has no origin"]);
        check("GITHUB", &["line 1 is no NAME=VALUE"]);
    }

    #[test]
    fn an_error_shows_no_value() {
        for text in [
            "[x]\nvalue = hunter2\n",
            "value = \"hunter2\n",
            "x = { value = hunter2 }",
        ] {
            let error = from_toml(text).expect_err(text);
            assert!(!error.contains("hunter2"), "{error}");
        }
        let error = from_lines("hunter2").expect_err("no line");
        assert!(!error.contains("hunter2"), "{error}");
    }
}
