//! WebSockets and plain requests, to whoever listens.

use super::SOON;
use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::handshake::client::Request;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// The status of a request to open a WebSocket, with these headers.
pub fn status(at: &str, path: &str, headers: &[(&str, &str)]) -> u16 {
    let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                   Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    let mut stream = send(at, "GET", path, headers, upgrade);
    let mut head = [0; 12];
    stream.read_exact(&mut head).unwrap();
    String::from_utf8_lossy(&head[9..]).parse().unwrap()
}

pub fn send(at: &str, method: &str, path: &str, headers: &[(&str, &str)], more: &str) -> TcpStream {
    let mut stream = TcpStream::connect(at).unwrap();
    stream.set_read_timeout(Some(SOON)).unwrap();
    let mut request = format!("{method} {path} HTTP/1.1\r\n");
    if !headers.iter().any(|(name, _)| *name == "Host") {
        request += &format!("Host: {}\r\n", at);
    }
    for (name, value) in headers {
        request += &format!("{name}: {value}\r\n");
    }
    request += more;
    request += "\r\n";
    stream.write_all(request.as_bytes()).unwrap();
    stream
}

pub fn request(url: &str, token: &str) -> Request {
    let mut request = url.into_client_request().unwrap();
    let bearer = format!("Bearer {token}").parse().unwrap();
    request.headers_mut().insert("authorization", bearer);
    request
}

pub struct Socket(pub WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>);

impl Socket {
    pub async fn connect(url: &str, token: &str) -> Self {
        Self(connect_async(request(url, token)).await.unwrap().0)
    }

    pub async fn send(&mut self, message: &Value) {
        let text = format!("{message:#}");
        self.0.send(Message::text(text)).await.unwrap();
    }

    async fn message(&mut self) -> Option<Result<Message, Error>> {
        timeout(SOON, self.0.next())
            .await
            .expect("a message in time")
    }

    pub async fn text(&mut self) -> String {
        loop {
            if let Message::Text(text) = self.message().await.unwrap().unwrap() {
                return text.to_string();
            }
        }
    }

    pub async fn next(&mut self) -> Value {
        serde_json::from_str(&self.text().await).unwrap()
    }

    /// The other side ends it; with which code, if it says so.
    pub async fn end(&mut self) -> Option<u16> {
        loop {
            match self.message().await {
                Some(Ok(Message::Close(frame))) => return frame.map(|frame| frame.code.into()),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return None,
            }
        }
    }

    pub async fn ask(&mut self, message: &Value) -> Value {
        self.send(message).await;
        self.answer(&message["id"]).await
    }

    /// An outcome, an answer to a control, or a refusal.
    pub async fn answer(&mut self, id: &Value) -> Value {
        loop {
            let told = self.next().await;
            let is_answer = !matches!(told["type"].as_str(), Some("accepted" | "item" | "event"));
            if told["id"] == *id && is_answer {
                return told;
            }
        }
    }
}

pub fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(test);
}
