//! Asks a debugging port for its browser's WebSocket: one HTTP request, `GET /json/version`.
//!
//! Must not know: WebSockets, or any more of HTTP than that request needs.

use serde::Deserialize;
use std::io;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// The answer is some 400 bytes; whoever sends more is no browser.
const LARGEST_ANSWER: u64 = 64 * 1024;

#[derive(Deserialize)]
struct Version {
    #[serde(rename = "webSocketDebuggerUrl")]
    web_socket_debugger_url: String,
}

pub(super) async fn socket_url(url: &str) -> io::Result<String> {
    let host = host_of(url)?;
    let mut stream = TcpStream::connect(&host).await?;
    let request =
        format!("GET /json/version HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    let mut limited = stream.take(LARGEST_ANSWER);
    // Chromium keeps the connection open whatever we ask for, so its end is no end mark.
    while whole_body(&answer).is_none() {
        if limited.read_buf(&mut answer).await? == 0 {
            break;
        }
    }
    read_answer(&answer)
}

fn read_answer(answer: &[u8]) -> io::Result<String> {
    let status = answer.split(|byte| *byte == b'\r').next().unwrap_or(answer);
    if !status.starts_with(b"HTTP/1.1 200") && !status.starts_with(b"HTTP/1.0 200") {
        let status = String::from_utf8_lossy(status);
        return Err(io::Error::other(format!("it answered {status:?}")));
    }
    let body = whole_body(answer)
        .or_else(|| parts(answer).map(|(_, body)| body))
        .unwrap_or_default();
    serde_json::from_slice::<Version>(body)
        .map(|version| version.web_socket_debugger_url)
        .map_err(|error| io::Error::other(format!("/json/version: {error}")))
}

/// `host:port` of an http URL; 80 when it names no port, as in any URL.
fn host_of(url: &str) -> io::Result<String> {
    let rest = url.strip_prefix("http://").unwrap_or(url);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.is_empty() || authority.contains(char::is_whitespace) {
        return Err(io::Error::other("the address names no host"));
    }
    let after_brackets = authority.rsplit(']').next().unwrap_or(authority);
    if after_brackets.contains(':') {
        Ok(authority.to_owned())
    } else {
        Ok(format!("{authority}:80"))
    }
}

/// The body, once as many bytes as the headers promise are there.
fn whole_body(answer: &[u8]) -> Option<&[u8]> {
    let (head, body) = parts(answer)?;
    let length = std::str::from_utf8(head).ok()?.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse::<usize>().ok())?
    })?;
    body.get(..length)
}

fn parts(answer: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n")?;
    Some((&answer[..end], &answer[end + 4..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_cut_out_of_the_url() {
        let check = |url: &str, expected: Option<&str>| {
            assert_eq!(host_of(url).ok().as_deref(), expected, "{url}");
        };
        check("http://127.0.0.1:9222", Some("127.0.0.1:9222"));
        check("http://localhost:9222/json?x", Some("localhost:9222"));
        check("http://grid/", Some("grid:80"));
        check("http://[::1]:9222", Some("[::1]:9222"));
        check("http://[::1]", Some("[::1]:80"));
        check("http:///x", None);
        check("http://a b:1", None);
    }

    #[test]
    fn an_answer_is_whole_when_its_length_is_there() {
        let answer =
            "HTTP/1.1 200 OK\r\nContent-Length:37\r\n\r\n{\"webSocketDebuggerUrl\":\"ws://a/b/c\"}";
        assert_eq!(whole_body(&answer.as_bytes()[..60]), None);
        assert_eq!(read_answer(answer.as_bytes()).unwrap(), "ws://a/b/c");
        let refused = read_answer(b"HTTP/1.1 403 Forbidden\r\n\r\n").unwrap_err();
        assert!(refused.to_string().contains("403"), "{refused}");
    }
}
