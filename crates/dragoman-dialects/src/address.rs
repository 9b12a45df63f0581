//! Addresses as people and models type them.

use std::net::Ipv4Addr;

/// `example.com`, or `localhost:8000`, where nobody has certificates.
pub fn with_scheme(url: &str) -> String {
    let host = url.split(['/', ':', '?', '#']).next().unwrap_or("");
    let port = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    let has_scheme = url[host.len()..]
        .strip_prefix(':')
        .is_some_and(|rest| !port(rest));
    if host.is_empty() || has_scheme {
        return url.to_owned();
    }
    let here =
        host == "localhost" || host.ends_with(".localhost") || host.parse::<Ipv4Addr>().is_ok();
    match here {
        true => format!("http://{url}"),
        false => format!("https://{url}"),
    }
}

#[cfg(test)]
mod tests {
    use super::with_scheme;

    #[test]
    fn addresses_as_they_are_typed() {
        let check = |url: &str, want: &str| assert_eq!(with_scheme(url), want);
        check("example.com/a", "https://example.com/a");
        check("example.com:8443", "https://example.com:8443");
        check("localhost:8000", "http://localhost:8000");
        check("127.0.0.1:1/x", "http://127.0.0.1:1/x");
        check("http://x", "http://x");
        check("about:blank", "about:blank");
        check("data:text/html,hi", "data:text/html,hi");
        check("javascript:alert(1)", "javascript:alert(1)");
        check("file:///etc/passwd", "file:///etc/passwd");
        check("", "");
    }
}
