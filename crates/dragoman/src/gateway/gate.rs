//! The gate: who may come in, decided before anything else. A page in somebody's browser can reach
//! our port too, by our own address or by a name that it makes resolve to it; so the name that was
//! asked for and the page that asks are checked as well as the token. What was wrong is logged and
//! not told.

use super::Gateway;
use super::lines::Caller;
use crate::token::Token;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use dragoman_model::OriginPattern;
use std::net::SocketAddr;
use std::sync::Arc;

/// Browsers cannot set headers on a WebSocket, so they offer this and their token as subprotocols.
pub const PROTOCOL: &str = "dragoman.v1";
/// Where executors come in.
pub const EXECUTOR: &str = "/action/executor";
const TOKEN_PROTOCOL: &str = "tok.";

/// The names we answer to.
#[derive(Debug, Clone)]
pub struct Hosts {
    port: u16,
    names: Vec<String>,
    /// Origins of browser extensions that may come in as executors.
    extensions: Vec<String>,
}

impl Hosts {
    /// Where we listen; beyond loopback, other names must be given.
    pub fn new(listening: SocketAddr, more: &[String]) -> Self {
        let mut names = vec![
            "localhost".to_owned(),
            "127.0.0.1".to_owned(),
            "[::1]".to_owned(),
        ];
        names.push(match listening {
            SocketAddr::V4(at) => at.ip().to_string(),
            SocketAddr::V6(at) => format!("[{}]", at.ip()),
        });
        names.extend(more.iter().map(|name| name.to_ascii_lowercase()));
        Self {
            port: listening.port(),
            names,
            extensions: Vec::new(),
        }
    }

    /// These extensions may come in as executors.
    pub fn with_extensions(mut self, origins: &[String]) -> Self {
        self.extensions = origins.to_vec();
        self
    }

    /// Ourselves, as a browser could be sent to us.
    pub fn origins(&self) -> Vec<OriginPattern> {
        let names = self.names.iter().map(String::as_str).chain(["0.0.0.0"]);
        names
            .map(|name| OriginPattern(format!("{name}:{}", self.port)))
            .collect()
    }

    fn is_ours(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let port = format!(":{}", self.port);
        let name = match host.strip_suffix(&port) {
            Some(name) => name,
            None if matches!(self.port, 80 | 443) => &host,
            None => return false,
        };
        self.names.iter().any(|ours| ours == name)
    }

    /// A page that we served ourselves.
    fn is_our_page(&self, origin: &str) -> bool {
        let host = origin
            .strip_prefix("http://")
            .or_else(|| origin.strip_prefix("https://"));
        host.is_some_and(|host| self.is_ours(host))
    }
}

/// Why somebody is not let in. It is logged and counted, not told.
#[derive(Debug, Clone, Copy)]
pub(super) struct Refusal {
    status: StatusCode,
    pub reason: &'static str,
    why: &'static str,
}

impl Refusal {
    pub fn answer(self, path: &str) -> Response {
        let path: String = path.chars().filter(|c| !c.is_control()).take(60).collect();
        tracing::warn!(%path, status = self.status.as_u16(), why = self.why, "refused");
        (self.status, [(header::CONNECTION, "close")]).into_response()
    }
}

/// Who asks, if they may: by the name they know us by, the page they come from, and their token.
pub(super) fn judge(
    hosts: &Hosts,
    request: &Request,
    whose: impl FnOnce(Option<&str>) -> Option<Token>,
) -> Result<Token, Refusal> {
    let refusal = |status, reason, why| Refusal {
        status,
        reason,
        why,
    };
    let headers = request.headers();
    match one(headers, &header::HOST) {
        Ok(Some(host)) if hosts.is_ours(host) => {}
        _ => {
            let status = StatusCode::FORBIDDEN;
            return Err(refusal(status, "host", "the host is not ours"));
        }
    }
    let for_executors = request.uri().path() == EXECUTOR;
    match one(headers, &header::ORIGIN) {
        Ok(None) => {}
        Ok(Some(origin)) if hosts.is_our_page(origin) => {}
        Ok(Some(origin)) if for_executors && hosts.extensions.iter().any(|o| o == origin) => {}
        _ => {
            let status = StatusCode::FORBIDDEN;
            return Err(refusal(status, "origin", "the origin is foreign"));
        }
    }
    whose(secret(headers)).ok_or_else(|| {
        let why = "there is no token, or it is not good";
        refusal(StatusCode::UNAUTHORIZED, "token", why)
    })
}

/// On with it, by somebody who was let in.
pub(super) async fn pass(token: Token, mut request: Request, next: Next) -> Response {
    if let Some(caller) = request.extensions().get::<Caller>() {
        caller.admit();
    }
    request.extensions_mut().insert(token);
    next.run(request).await
}

pub(super) async fn check(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
    next: Next,
) -> Response {
    let path = request.uri().path();
    let judged = judge(&gateway.hosts, &request, |secret| match secret {
        Some(secret) => gateway.tokens.check(secret),
        None => (gateway.open && path == "/mcp").then(Token::of_anybody),
    });
    match judged {
        Ok(token) => pass(token, request, next).await,
        Err(refusal) => {
            gateway.refusals.note(refusal.reason);
            refusal.answer(path)
        }
    }
}

/// A header that may be there once; twice is as bad as unreadable.
fn one<'h>(headers: &'h HeaderMap, name: &header::HeaderName) -> Result<Option<&'h str>, ()> {
    let mut all = headers.get_all(name).iter();
    let first = all
        .next()
        .map(|value| value.to_str().map_err(drop))
        .transpose()?;
    match all.next() {
        Some(_) => Err(()),
        None => Ok(first),
    }
}

fn secret(headers: &HeaderMap) -> Option<&str> {
    if let Ok(Some(bearer)) = one(headers, &header::AUTHORIZATION) {
        let (scheme, secret) = bearer.split_once(' ')?;
        return scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim());
    }
    let offered = headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).iter();
    let mut offered = offered
        .filter_map(|value| value.to_str().ok())
        .flat_map(|v| v.split(','));
    offered.find_map(|protocol| protocol.trim().strip_prefix(TOKEN_PROTOCOL))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_names() {
        let hosts = Hosts::new("127.0.0.1:8480".parse().unwrap(), &["Box.Example".into()]);
        for host in [
            "127.0.0.1:8480",
            "localhost:8480",
            "LOCALHOST:8480",
            "[::1]:8480",
            "box.example:8480",
        ] {
            assert!(hosts.is_ours(host), "{host}");
            assert!(hosts.is_our_page(&format!("http://{host}")), "{host}");
        }
        for host in [
            "",
            "127.0.0.1",
            "127.0.0.1:80",
            "evil.example:8480",
            "127.0.0.1.evil.example:8480",
            "x@localhost:8480",
            "localhost:8480.evil.example",
            "localhost:8480:8480",
        ] {
            assert!(!hosts.is_ours(host), "{host}");
        }
        for origin in [
            "null",
            "http://evil.example",
            "https://127.0.0.1:8481",
            "file://",
            "localhost:8480",
        ] {
            assert!(!hosts.is_our_page(origin), "{origin}");
        }
    }
}
