//! A gateway as a child process, and sockets to it.

use crate::support::{Folder, SOON, dragoman};
use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::handshake::client::Request;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

pub struct Gateway {
    child: Child,
    /// Host and port.
    pub at: String,
    /// A token with the scopes observe and act.
    pub token: String,
    pub folder: Folder,
}

/// An answer over plain HTTP.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub body: String,
}

impl Gateway {
    pub fn start(name: &str) -> Self {
        Self::start_with(name, &[], &[])
    }

    pub fn start_with(name: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let folder = Folder::new(name);
        let token = new_token(&folder, "test", "observe,act");
        let mut child = dragoman()
            .args(["serve", "--port", "0", "--journal", ":memory:"])
            .args(arguments)
            .env("DRAGOMAN_TOKENS", folder.path("tokens.json"))
            .envs(environment.iter().copied())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap())
            .read_line(&mut line)
            .unwrap();
        let address = line.split_once("://").unwrap().1;
        Self {
            child,
            at: address.split(' ').next().unwrap().to_owned(),
            token,
            folder,
        }
    }

    pub fn new_token(&self, name: &str, scopes: &str) -> String {
        new_token(&self.folder, name, scopes)
    }

    pub fn revoke(&self, name: &str) {
        let revoked = dragoman()
            .args(["token", "revoke", name])
            .env("DRAGOMAN_TOKENS", self.folder.path("tokens.json"))
            .status()
            .unwrap();
        assert!(revoked.success());
    }

    pub async fn connect(&self, path: &str) -> Socket {
        self.connect_as(&self.token, path).await
    }

    pub async fn connect_as(&self, token: &str, path: &str) -> Socket {
        let request = request(&format!("ws://{}{path}", self.at), token);
        Socket(connect_async(request).await.unwrap().0)
    }

    /// The status of a request to open a WebSocket, with these headers.
    pub fn status(&self, path: &str, headers: &[(&str, &str)]) -> u16 {
        let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                       Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
        let mut stream = self.send("GET", path, headers, upgrade);
        let mut head = [0; 12];
        stream.read_exact(&mut head).unwrap();
        String::from_utf8_lossy(&head[9..]).parse().unwrap()
    }

    /// A plain request, and all of its answer.
    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut stream = self.send(method, path, headers, "Connection: close\r\n");
        let mut all = String::new();
        stream.read_to_string(&mut all).unwrap();
        let (head, body) = all.split_once("\r\n\r\n").unwrap();
        Answer {
            status: head[9..12].parse().unwrap(),
            body: body.to_owned(),
        }
    }

    /// The same, with a token.
    pub fn get(&self, path: &str, token: &str) -> Answer {
        self.ask(
            "GET",
            path,
            &[("Authorization", &format!("Bearer {token}"))],
        )
    }

    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], more: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.at).unwrap();
        stream.set_read_timeout(Some(SOON)).unwrap();
        let mut request = format!("{method} {path} HTTP/1.1\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            request += &format!("Host: {}\r\n", self.at);
        }
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        request += more;
        request += "\r\n";
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Memory that the program itself holds, in KiB.
    pub fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        line.unwrap()
            .split_whitespace()
            .nth(1)
            .unwrap()
            .parse()
            .unwrap()
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_raw(self.pid() as i32).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
    }

    pub fn wait(&mut self) -> ExitStatus {
        let until = Instant::now() + SOON;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < until, "the gateway did not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn new_token(folder: &Folder, name: &str, scopes: &str) -> String {
    let made = dragoman()
        .args(["token", "new", name, "--scope", scopes])
        .env("DRAGOMAN_TOKENS", folder.path("tokens.json"))
        .output()
        .unwrap();
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    String::from_utf8(made.stdout).unwrap().trim().to_owned()
}

pub fn request(url: &str, token: &str) -> Request {
    let mut request = url.into_client_request().unwrap();
    let bearer = format!("Bearer {token}").parse().unwrap();
    request.headers_mut().insert("authorization", bearer);
    request
}

pub struct Socket(pub WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>);

impl Socket {
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
