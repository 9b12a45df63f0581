//! What a session may do without asking, and where it may go.

use crate::condition::glob;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    pub approval: Approval,
    /// What would wait for a person runs at once, but for what would carry to another site what was read.
    pub auto: bool,
    /// On these sites it does; what is read there is trusted.
    pub auto_origins: Vec<OriginPattern>,
    pub origins: OriginRules,
    pub max_tabs: u32,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Approval {
    /// Everything runs at once.
    #[default]
    None,
    /// What only reads runs at once; the rest waits for a person.
    Writes,
    /// Everything waits for a person.
    All,
}

/// Blocked wins over allowed. With no allowed pattern, everything not blocked is allowed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OriginRules {
    pub allow: Vec<OriginPattern>,
    pub block: Vec<OriginPattern>,
}

/// `https://example.com`, `https://*.example.com:8443`, `example.com` (any scheme and port),
/// `*.example.com` (its subdomains).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OriginPattern(pub String);

impl Default for Policy {
    fn default() -> Self {
        Self {
            approval: Approval::None,
            auto: false,
            auto_origins: Vec::new(),
            origins: OriginRules::default(),
            max_tabs: 32,
        }
    }
}

impl Policy {
    /// Whether the person has allowed ahead what is done on the site of this address.
    pub fn trusts(&self, url: &str) -> bool {
        Origin::of(url).is_some_and(|origin| self.auto_origins.iter().any(|p| p.meets(&origin)))
    }
}

impl OriginRules {
    pub fn is_empty(&self) -> bool {
        self.allow.is_empty() && self.block.is_empty()
    }

    /// Whether a page or resource at `url` may be fetched.
    pub fn permits(&self, url: &str) -> bool {
        let Some(origin) = Origin::of(url) else {
            // about:blank, data: and blob: carry no origin of their own; nothing leaves by them.
            return true;
        };
        let meets = |patterns: &[OriginPattern]| patterns.iter().any(|p| p.meets(&origin));
        !meets(&self.block) && (self.allow.is_empty() || meets(&self.allow))
    }
}

impl OriginPattern {
    fn meets(&self, origin: &Origin) -> bool {
        let pattern = self.0.trim_end_matches('/').to_ascii_lowercase();
        match pattern.split_once("://") {
            Some((scheme, host)) => {
                let (host, port) = split_port(host);
                without_socket(scheme) == origin.scheme
                    && glob(host, &origin.host)
                    && port.or(default_port(scheme)) == origin.port
            }
            None => {
                let (host, port) = split_port(&pattern);
                glob(host, &origin.host) && (port.is_none() || port == origin.port)
            }
        }
    }
}

struct Origin {
    scheme: String,
    host: String,
    port: Option<u16>,
}

impl Origin {
    /// Only what has an authority has an origin. User info is dropped: `http://a@b/` is `b`.
    fn of(url: &str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        let scheme = without_socket(&scheme.to_ascii_lowercase()).to_owned();
        let authority = rest.split(['/', '?', '#', '\\']).next()?;
        let host_port = authority.rsplit('@').next()?;
        let (host, port) = split_port(host_port);
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let port = port.or(default_port(&scheme));
        Some(Self { scheme, host, port })
    }
}

/// The site of an address, as text to compare and to show; of one that has no host, its scheme.
pub fn site_of(url: &str) -> String {
    let (scheme, rest) = url.split_once(':').unwrap_or((url, ""));
    match Origin::of(url).filter(|_| rest.starts_with("//")) {
        Some(Origin { scheme, host, port }) => {
            let port = port.filter(|port| Some(*port) != default_port(&scheme));
            let port = port.map_or_else(String::new, |port| format!(":{port}"));
            format!("{scheme}://{host}{port}")
        }
        None => format!("{scheme}:"),
    }
}

/// Of an address that has them.
pub fn host_and_port(url: &str) -> Option<(String, u16)> {
    let origin = Origin::of(url)?;
    Some((origin.host, origin.port?))
}

fn split_port(host_port: &str) -> (&str, Option<u16>) {
    match host_port.rsplit_once(':') {
        Some((host, port)) if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) => {
            (host, port.parse().ok())
        }
        _ => (host_port.trim_end_matches(':'), None),
    }
}

/// A WebSocket belongs to the origin it is opened at: `wss://a` to `https://a`.
fn without_socket(scheme: &str) -> &str {
    match scheme {
        "ws" => "http",
        "wss" => "https",
        other => other,
    }
}

fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" | "ws" => Some(80),
        "https" | "wss" => Some(443),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(allow: &[&str], block: &[&str]) -> OriginRules {
        let patterns = |list: &[&str]| list.iter().map(|p| OriginPattern((*p).into())).collect();
        OriginRules {
            allow: patterns(allow),
            block: patterns(block),
        }
    }

    #[test]
    fn origins_are_compared_as_origins_not_as_text() {
        let check = |rules: &OriginRules, url: &str, want: bool| {
            assert_eq!(rules.permits(url), want, "{url}");
        };
        let only = rules(&["https://shop.example"], &[]);
        check(&only, "https://shop.example/cart?x=1", true);
        check(&only, "https://SHOP.example:443/", true);
        check(&only, "http://shop.example/", false);
        check(&only, "https://shop.example.evil.test/", false);
        check(&only, "https://shop.example@evil.test/", false);
        check(&only, "https://evil.test\\@shop.example/", false);
        check(&only, "https://shop.example:8443/", false);
        check(&only, "about:blank", true);
        check(&only, "wss://shop.example/live", true);
        check(&only, "ws://shop.example/live", false);
        check(
            &rules(&[], &["wss://evil.test"]),
            "https://evil.test/",
            false,
        );
        let sub = rules(&["*.example.com"], &["private.example.com"]);
        check(&sub, "https://a.example.com/", true);
        check(&sub, "http://a.example.com:8080/", true);
        check(&sub, "https://example.com/", false);
        check(&sub, "https://private.example.com./", false);
        assert_eq!(
            site_of("HTTPS://user@Shop.example:443/a?b"),
            "https://shop.example"
        );
        assert_eq!(
            site_of("http://shop.example:8080"),
            "http://shop.example:8080"
        );
        assert_eq!(site_of("data:text/html,https://x"), "data:");
        let none = rules(&[], &["evil.test"]);
        check(&none, "https://good.test/", true);
        check(&none, "wss://evil.test/socket", false);
    }
}
