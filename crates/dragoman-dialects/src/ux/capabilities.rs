//! What we can do, which versions we speak, and where the limits are.

use super::catalog;
use super::trouble::{Kind, Trouble};
use super::wire::{
    ASKS, AgentHello, AgentWelcome, App, AppProtocol, Capabilities, CapabilitiesResult, Limits,
    Offered, Unavailable, Version, VersionText,
};
use super::{MAX_BATCH, MAX_MESSAGE, MAX_SUBSCRIPTIONS};
use serde_json::{Map, Value, json};

const NAME: &str = "dragoman";
const SUPPORTED: [(&str, Version); 3] = [
    ("1.0", Version::V1_0),
    ("1.5", Version::V1_5),
    ("2.0", Version::V2_0),
];
const PROMPTS: &[&str] = &[
    "arg", "select", "fields", "form", "div", "editor", "path", "hotkey", "term", "chat", "mini",
    "micro", "drop", "env", "template", "confirm",
];
/// Beside the types of messages.
const FEATURES: &[&str] = &[
    "streaming",
    "semanticIds",
    "accessibilityTree",
    "virtualDOM",
    "headless",
    "chunked",
    "progress",
    "rollback",
    "globs",
    "catalog",
    "recordActions",
    "assertionMode",
];
/// What needs a clock that can be stopped, which a page does not have.
const TIMES: &[&str] = &["mockTime", "acceleratedTime", "seed"];
pub(super) const NO_CLOCK: &str = "a page has its own clock and its own randomness";
const TOO_OLD: &str = "a later version of the protocol has it";
const NO_PROMPT: &str = "this surface is a page";

type Reasons = Vec<(&'static str, &'static str)>;

/// What there is, and what there is not, and why.
fn offered(is_prompt: bool, version: Version) -> (Vec<&'static str>, Reasons) {
    let (mut available, mut not) = (Vec::new(), Vec::new());
    for row in ASKS {
        match row.since <= version {
            true => available.push(row.name),
            false => not.push((row.name, TOO_OLD)),
        }
    }
    for name in FEATURES {
        match version {
            Version::V2_0 => available.push(name),
            Version::V1_0 | Version::V1_5 => not.push((name, TOO_OLD)),
        }
    }
    for name in TIMES {
        match (is_prompt, version) {
            (false, _) => not.push((name, NO_CLOCK)),
            (true, Version::V2_0) => available.push(name),
            (true, _) => not.push((name, TOO_OLD)),
        }
    }
    (available, not)
}

/// The greatest version that both speak.
pub(super) fn welcome(hello: &AgentHello, is_prompt: bool) -> Result<AgentWelcome, Trouble> {
    let (text, version) = negotiate(hello)?;
    let (mut available, not) = offered(is_prompt, version);
    let mut unavailable: Vec<Unavailable> = not
        .into_iter()
        .map(|(name, reason)| Unavailable {
            name: name.into(),
            reason: reason.into(),
        })
        .collect();
    let known = |name: &str| available.contains(&name);
    for asked in hello.agent.capabilities.iter().take(100) {
        let name: String = asked.chars().take(100).collect();
        let told = unavailable.iter().any(|other| other.name == name);
        if !known(&name) && !told {
            let reason = "there is no such capability here".into();
            unavailable.push(Unavailable { name, reason });
        }
    }
    available.sort_unstable();
    Ok(AgentWelcome {
        app: App {
            name: NAME.into(),
            version: env!("CARGO_PKG_VERSION").into(),
        },
        protocol: AppProtocol {
            version: text.into(),
            supported: SUPPORTED.iter().map(|(text, _)| (*text).into()).collect(),
        },
        capabilities: Offered {
            available: available.into_iter().map(Into::into).collect(),
            unavailable,
        },
        limits: Limits {
            max_batch_size: MAX_BATCH as u64,
            max_subscriptions: MAX_SUBSCRIPTIONS as u64,
            max_response_size: MAX_MESSAGE as u64,
        },
    })
}

pub(super) fn negotiate(hello: &AgentHello) -> Result<(&'static str, Version), Trouble> {
    let wanted = parse(&hello.protocol.version)?;
    let least = hello.protocol.min_version.as_ref().map(parse).transpose()?;
    let fits = |text: &str| {
        let ours = numbers(text).unwrap_or((0, 0));
        ours <= wanted && least.is_none_or(|least| ours >= least)
    };
    let found = SUPPORTED.iter().rev().find(|(text, _)| fits(text));
    found.copied().ok_or_else(|| {
        let message = format!(
            "There is no version from {} on that both speak",
            range(hello)
        );
        Trouble::new(Kind::UnsupportedVersion, message)
    })
}

fn range(hello: &AgentHello) -> String {
    let least = hello.protocol.min_version.as_ref();
    text(least.unwrap_or(&hello.protocol.version))
}

fn text(version: &VersionText) -> String {
    match version {
        VersionText::Text(text) => text.chars().take(40).collect(),
        VersionText::Number(number) => number.to_string(),
    }
}

fn parse(version: &VersionText) -> Result<(u32, u32), Trouble> {
    let text = text(version);
    numbers(&text).ok_or_else(|| {
        let message = format!("{text:?} is no version");
        Trouble::new(Kind::Invalid, message).suggest("Write it as \"2.0\".")
    })
}

fn numbers(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.split('.');
    let major = parts.next()?.parse().ok()?;
    let minor = parts.next().map_or(Some(0), |minor| minor.parse().ok())?;
    Some((major, minor))
}

pub(super) fn result(is_prompt: bool) -> CapabilitiesResult {
    let mut core = Map::new();
    for name in PROMPTS {
        core.insert((*name).into(), is_prompt.into());
    }
    core.insert("submit".into(), true.into());
    let (available, unavailable) = offered(is_prompt, Version::V2_0);
    let mut extended = Map::new();
    for name in available {
        extended.insert(name.into(), about(name));
    }
    for (name, reason) in unavailable {
        extended.insert(name.into(), json!({ "available": false, "reason": reason }));
    }
    if !is_prompt {
        let reason = json!({ "available": false, "reason": NO_PROMPT });
        extended.insert("prompts".into(), reason);
    }
    CapabilitiesResult {
        capabilities: Capabilities { core, extended },
    }
}

fn about(name: &str) -> Value {
    let version = ASKS.iter().find(|row| row.name == name).map(|row| {
        let text = SUPPORTED.iter().find(|(_, version)| *version == row.since);
        text.map_or("2.0", |(text, _)| text)
    });
    match name {
        "batch" => json!({ "available": true, "maxSize": MAX_BATCH, "version": version }),
        "streaming" => json!({ "available": true, "maxSubscriptions": MAX_SUBSCRIPTIONS }),
        "catalog" => {
            let actions: Vec<&str> = catalog::names().collect();
            json!({ "available": true, "actions": actions })
        }
        "action" => {
            json!({ "available": true, "version": version, "actions": catalog::DOCUMENT })
        }
        _ => match version {
            Some(version) => json!({ "available": true, "version": version }),
            None => json!({ "available": true }),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(version: Value, least: Value, want: Option<&str>) {
        let hello =
            json!({"agent": {"name": "a"}, "protocol": {"version": version, "minVersion": least}});
        let hello: AgentHello = serde_json::from_value(hello).unwrap();
        assert_eq!(
            negotiate(&hello).ok().map(|(text, _)| text),
            want,
            "{hello:?}"
        );
    }

    #[test]
    fn the_greatest_version_that_both_speak() {
        check(json!("2.0"), json!("1.5"), Some("2.0"));
        check(json!("2.7"), Value::Null, Some("2.0"));
        check(json!(2), Value::Null, Some("2.0"));
        check(json!("1.9"), json!("1.0"), Some("1.5"));
        check(json!("1.0"), Value::Null, Some("1.0"));
        check(json!("3.0"), json!("2.5"), None);
        check(json!("0.9"), Value::Null, None);
        check(json!("two"), Value::Null, None);
    }
}
