//! Addresses that no page is fetched from, whatever a session's rules say: where a cloud tells its
//! machines their keys, and our own port. A browser of ours does not find these hosts at all, by
//! whatever way it is sent there; in one that is shown or not ours, the network is down to them.
//!
//! Must not know: sessions, tabs.

use dragoman_model::{OriginPattern, OriginRules};

/// By name and by number; all of the addresses that a machine gives itself are among them.
const METADATA: &[&str] = &[
    "169.254.*",
    "[fe80::*]",
    // The same, as IPv6 writes it.
    "[::ffff:a9fe:*]",
    "[64:ff9b::a9fe:*]",
    // Amazon by IPv6, Alibaba, Oracle, Azure.
    "[fd00:ec2::*]",
    "100.100.100.200",
    "[::ffff:6464:64c8]",
    "192.0.0.192",
    "[::ffff:c000:c0]",
    "168.63.129.16",
    "[::ffff:a83f:8110]",
    // Google, Amazon, Azure.
    "metadata",
    "metadata.google.internal",
    "*.metadata.google.internal",
    "metadata.goog",
    "instance-data",
    "instance-data.ec2.internal",
    "metadata.azure.internal",
];

#[derive(Debug)]
pub(crate) struct Guard(OriginRules);

impl Guard {
    pub fn new(more: &[OriginPattern]) -> Self {
        let known = METADATA.iter().map(|host| OriginPattern((*host).into()));
        Self(OriginRules {
            allow: Vec::new(),
            block: known.chain(more.iter().cloned()).collect(),
        })
    }

    pub fn permits(&self, url: &str) -> bool {
        self.0.permits(url)
    }

    /// Together with a session's rules.
    pub fn and(&self, rules: &OriginRules) -> OriginRules {
        let block = self.0.block.iter().chain(&rules.block);
        OriginRules {
            allow: rules.allow.clone(),
            block: block.cloned().collect(),
        }
    }

    /// For the browser's command line: names that lead nowhere.
    pub fn resolver_rules(&self) -> String {
        let mut rules = Vec::new();
        for OriginPattern(host) in &self.0.block {
            rules.push(format!("MAP {host} ~NOTFOUND"));
            if host.ends_with(|c: char| c.is_ascii_alphabetic()) {
                rules.push(format!("MAP {host}. ~NOTFOUND"));
            }
        }
        rules.join(",")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_cloud_keeps_to_itself_is_not_fetched() {
        let guard = Guard::new(&[OriginPattern("localhost:8480".into())]);
        for url in [
            "http://169.254.169.254/latest/meta-data/",
            "http://169.254.170.2/v2/credentials",
            "http://[fd00:ec2::254]/latest",
            "http://[::ffff:a9fe:a9fe]/",
            "http://metadata.google.internal/computeMetadata/v1/",
            "http://METADATA.google.internal./",
            "http://metadata/",
            "http://user@169.254.169.254:80/",
            "http://localhost:8480/mcp",
            "ws://localhost:8480/native",
        ] {
            assert!(!guard.permits(url), "{url}");
        }
        for url in [
            "https://example.com/169.254.169.254",
            "http://169.25.4.1/",
            "http://metadata.example/",
            "http://localhost:8481/",
            "about:blank",
            "data:text/html,metadata",
        ] {
            assert!(guard.permits(url), "{url}");
        }
    }

    #[test]
    fn a_sessions_rules_add_to_it() {
        let allow = vec![OriginPattern("*".into())];
        let rules = OriginRules {
            allow,
            block: vec![OriginPattern("evil.test".into())],
        };
        let both = Guard::new(&[]).and(&rules);
        assert!(!both.permits("http://169.254.169.254/"));
        assert!(!both.permits("http://evil.test/"));
        assert!(both.permits("http://good.test/"));
    }
}
