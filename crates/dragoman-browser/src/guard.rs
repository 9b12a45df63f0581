//! Addresses that no page is fetched from, whatever a session's rules say: where a cloud tells its
//! machines their keys, and our own port. A browser of ours does not find these hosts at all, by
//! whatever way it is sent there; in one that is shown or not ours, the network is down to them.
//! Another name of such an address is found out when it is resolved, or by the answer that came from
//! there; from then on it is as forbidden as the address.
//!
//! Must not know: sessions, tabs.

use dragoman_model::{OriginPattern, OriginRules, host_and_port};
use std::cell::RefCell;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;
use tokio::net::lookup_host;
use tokio::time::timeout;

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

/// Names that were found out are few; a page that makes them up by the thousand gains nothing.
const MOST_NAMES: usize = 1_000;
/// A name that takes longer to resolve is the browser's to wait for; what it comes to is seen then.
const RESOLVING: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(crate) struct Guard {
    rules: OriginRules,
    /// Names of forbidden addresses, as they were found out.
    names: RefCell<Vec<OriginPattern>>,
}

impl Guard {
    pub fn new(more: &[OriginPattern]) -> Self {
        let known = METADATA.iter().map(|host| OriginPattern((*host).into()));
        Self {
            rules: OriginRules {
                allow: Vec::new(),
                block: known.chain(more.iter().cloned()).collect(),
            },
            names: RefCell::default(),
        }
    }

    pub fn permits(&self, url: &str) -> bool {
        let names = || OriginRules {
            allow: Vec::new(),
            block: self.names.borrow().clone(),
        };
        self.rules.permits(url) && (self.names.borrow().is_empty() || names().permits(url))
    }

    /// Whether an answer may come from there. All of a machine's own addresses are one.
    pub fn permits_address(&self, ip: IpAddr, port: u16) -> bool {
        let host = match ip.to_canonical() {
            ip if ip.is_loopback() || ip.is_unspecified() => Ipv4Addr::LOCALHOST.to_string(),
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        };
        self.rules.permits(&format!("http://{host}:{port}/"))
    }

    /// Whether the name in an address leads to where nothing is fetched from. One that cannot be
    /// resolved leads nowhere.
    pub async fn permits_name(&self, url: &str) -> bool {
        let Some((host, port)) = host_and_port(url) else {
            return true;
        };
        let inside = host.trim_start_matches('[').trim_end_matches(']');
        if let Ok(ip) = inside.parse::<IpAddr>() {
            return self.permits_address(ip, port);
        }
        // Browsers ask nobody about these.
        if host == "localhost" || host.ends_with(".localhost") {
            return self.permits_address(Ipv4Addr::LOCALHOST.into(), port);
        }
        match timeout(RESOLVING, lookup_host((host.as_str(), port))).await {
            Ok(Ok(mut found)) => found.all(|at| self.permits_address(at.ip(), at.port())),
            _ => true,
        }
    }

    /// The name in this address is one of a forbidden address.
    pub fn found_out(&self, url: &str) {
        let mut names = self.names.borrow_mut();
        if let Some((host, port)) = host_and_port(url)
            && names.len() < MOST_NAMES
        {
            names.push(OriginPattern(format!("{host}:{port}")));
        }
    }

    /// Together with a session's rules.
    pub fn and(&self, rules: &OriginRules) -> OriginRules {
        let names = self.names.borrow();
        let block = self.rules.block.iter().chain(&*names).chain(&rules.block);
        OriginRules {
            allow: rules.allow.clone(),
            block: block.cloned().collect(),
        }
    }

    /// For the browser's command line: names that lead nowhere.
    pub fn resolver_rules(&self) -> String {
        let mut rules = Vec::new();
        for OriginPattern(host) in &self.rules.block {
            rules.push(format!("MAP {host} ~NOTFOUND"));
            if host.ends_with(|c: char| c.is_ascii_alphabetic()) {
                rules.push(format!("MAP {host}. ~NOTFOUND"));
            }
        }
        rules.join(",")
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
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
    fn addresses_are_known_by_number() {
        let guard = Guard::new(&[OriginPattern("127.0.0.1:8480".into())]);
        let check = |ip: &str, port, want| {
            assert_eq!(
                guard.permits_address(ip.parse().unwrap(), port),
                want,
                "{ip}"
            );
        };
        for ip in [
            "169.254.169.254",
            "::ffff:169.254.1.1",
            "fe80::1",
            "fd00:ec2::254",
            "64:ff9b::a9fe:a9fe",
        ] {
            check(ip, 80, false);
        }
        for ip in ["127.0.0.1", "127.8.8.8", "::1", "0.0.0.0", "::"] {
            check(ip, 8480, false);
            check(ip, 8481, true);
        }
        check("93.184.216.34", 8480, true);
        check("2606:2800::1", 80, true);
    }

    #[tokio::test]
    async fn names_are_known_by_where_they_lead() {
        let guard = Guard::new(&[OriginPattern("127.0.0.1:8480".into())]);
        for url in [
            "http://localhost:8480/",
            "ws://any.localhost:8480/",
            "http://127.0.0.2:8480/",
        ] {
            assert!(
                guard.permits(url) && !guard.permits_name(url).await,
                "{url}"
            );
        }
        for url in [
            "http://localhost:8481/",
            "http://no.such.name.invalid/",
            "about:blank",
        ] {
            assert!(guard.permits_name(url).await, "{url}");
        }
        guard.found_out("http://other.test:8480/x?y");
        assert!(!guard.permits("http://other.test:8480/"));
        assert!(guard.permits("http://other.test/"));
        assert!(
            !guard
                .and(&OriginRules::default())
                .permits("http://other.test:8480/")
        );
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
