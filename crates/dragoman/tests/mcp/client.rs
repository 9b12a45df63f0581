//! A client of `dragoman mcp`, and one of `/mcp`.

use crate::support::{Pipe, SOON, dragoman};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;

pub const VERSION: &str = "2025-06-18";

pub struct Mcp {
    pub pipe: Pipe,
    asked: u64,
    /// What came without being asked for.
    pub notices: Vec<Value>,
}

/// What became of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub text: String,
    pub failed: bool,
    pub whole: Value,
}

impl Mcp {
    /// Past the handshake.
    pub fn start(arguments: &[&str]) -> Self {
        let mut mcp = Self::silent(arguments);
        mcp.handshake(VERSION);
        mcp
    }

    /// Before it.
    pub fn silent(arguments: &[&str]) -> Self {
        let mut command = dragoman();
        command
            .args(["mcp", "--journal", ":memory:"])
            .args(arguments);
        Self::of(command.stderr(Stdio::inherit()))
    }

    pub fn of(command: &mut std::process::Command) -> Self {
        Self {
            pipe: Pipe::of(command),
            asked: 0,
            notices: Vec::new(),
        }
    }

    pub fn handshake(&mut self, version: &str) -> Value {
        let about = self.request("initialize", hello(version));
        self.notify("notifications/initialized", json!({}));
        about["result"].clone()
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        self.pipe.say(&message);
    }

    /// Ask, and do not wait; the id is the handle.
    pub fn ask(&mut self, method: &str, params: Value) -> u64 {
        self.asked += 1;
        let id = self.asked;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.pipe.say(&message);
        id
    }

    pub fn answer(&mut self, id: u64) -> Value {
        loop {
            let told = self.pipe.next();
            if told["id"] == id {
                return told;
            }
            self.notices.push(told);
        }
    }

    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.answer(id)
    }

    pub fn begin(&mut self, tool: &str, args: Value) -> u64 {
        self.ask("tools/call", json!({"name": tool, "arguments": args}))
    }

    pub fn try_call(&mut self, tool: &str, args: Value) -> Answer {
        let id = self.begin(tool, args);
        Answer::of(&self.answer(id))
    }

    pub fn call(&mut self, tool: &str, args: Value) -> Answer {
        let answer = self.try_call(tool, args.clone());
        assert!(!answer.failed, "{tool} {args}: {}", answer.text);
        answer
    }

    /// The text of a call that fails.
    pub fn fails(&mut self, tool: &str, args: Value) -> String {
        let answer = self.try_call(tool, args.clone());
        assert!(answer.failed, "{tool} {args}: {}", answer.text);
        answer.text
    }

    pub fn go(&mut self, url: &str) {
        self.call("browser_navigate", json!({"url": url}));
    }

    pub fn at(&mut self, html: &str) {
        self.go(&format!("data:text/html,{}", encoded(html)));
    }

    pub fn snapshot(&mut self) -> String {
        self.call("browser_snapshot", json!({})).text
    }

    /// What a script in the page says.
    pub fn script(&mut self, function: &str) -> Value {
        let answer = self.call("browser_evaluate", json!({"function": function}));
        let line = answer.text.lines().nth(1).unwrap();
        serde_json::from_str(line).unwrap()
    }

    /// The ref of the line that has this in it.
    pub fn find(&mut self, line: &str) -> String {
        let snapshot = self.snapshot();
        ref_in(&snapshot, line).unwrap_or_else(|| panic!("no {line:?} in {snapshot}"))
    }
}

impl Answer {
    pub fn of(message: &Value) -> Self {
        let result = &message["result"];
        let parts = result["content"].as_array();
        let texts = parts
            .into_iter()
            .flatten()
            .filter_map(|part| part["text"].as_str());
        let told = message["error"]["message"].as_str();
        Self {
            text: texts.chain(told).collect::<Vec<_>>().join("\n"),
            failed: result["isError"] == true || message.get("error").is_some(),
            whole: message.clone(),
        }
    }
}

pub fn hello(version: &str) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    })
}

pub fn ref_in(snapshot: &str, line: &str) -> Option<String> {
    let line = snapshot.lines().find(|l| l.contains(line))?;
    let mark = line.split_once("[ref=")?.1;
    Some(mark.split_once(']')?.0.to_owned())
}

pub fn encoded(text: &str) -> String {
    let hex = |b: u8| format!("%{b:02X}");
    let one = |b: u8| match b.is_ascii_alphanumeric() {
        true => char::from(b).to_string(),
        false => hex(b),
    };
    text.bytes().map(one).collect()
}

/// One client of `/mcp`; each request has a connection of its own.
pub struct Http {
    pub at: String,
    /// As they are sent with every request.
    pub headers: Vec<(String, String)>,
    asked: u64,
}

#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub session: Option<String>,
    pub messages: Vec<Value>,
}

impl Http {
    pub fn new(at: &str, token: Option<&str>) -> Self {
        let bearer = token.map(|token| ("Authorization".to_owned(), format!("Bearer {token}")));
        Self {
            at: at.to_owned(),
            headers: bearer.into_iter().collect(),
            asked: 0,
        }
    }

    /// The same client, for what it asks meanwhile: no two requests of a session share an id.
    pub fn beside(&self) -> Self {
        Self {
            at: self.at.clone(),
            headers: self.headers.clone(),
            asked: self.asked + 1_000,
        }
    }

    /// With a session of its own.
    pub fn open(at: &str, token: Option<&str>) -> Self {
        let mut http = Self::new(at, token);
        let response = http.request("initialize", hello(VERSION));
        let session = response.session.expect("a session");
        http.headers.push(("Mcp-Session-Id".into(), session));
        http.headers
            .push(("Mcp-Protocol-Version".into(), VERSION.into()));
        http
    }

    pub fn call(&mut self, tool: &str, args: Value) -> Answer {
        let response = self.request("tools/call", json!({"name": tool, "arguments": args}));
        assert_eq!(response.status, 200, "{tool}");
        let answer = response.messages.iter().find(|m| m.get("id").is_some());
        Answer::of(answer.expect("an answer"))
    }

    pub fn request(&mut self, method: &str, params: Value) -> Response {
        self.asked += 1;
        let message =
            json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params});
        self.send("POST", &message.to_string())
    }

    pub fn send(&self, method: &str, body: &str) -> Response {
        let mut stream = TcpStream::connect(&self.at).unwrap();
        stream.set_read_timeout(Some(SOON)).unwrap();
        let mut head = format!("{method} /mcp HTTP/1.1\r\nConnection: close\r\n");
        if !self.headers.iter().any(|(name, _)| name == "Host") {
            head += &format!("Host: {}\r\n", self.at);
        }
        head += "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        stream.write_all(head.as_bytes()).unwrap();
        read(stream)
    }
}

fn read(stream: TcpStream) -> Response {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let status = line.split(' ').nth(1).unwrap().parse().unwrap();
    let mut session = None;
    loop {
        line.clear();
        reader.read_line(&mut line).unwrap();
        match line.trim_end().split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("mcp-session-id") => {
                session = Some(value.to_owned());
            }
            Some(_) => {}
            None => break,
        }
    }
    let mut body = String::new();
    reader.read_to_string(&mut body).unwrap();
    let events = body.lines().filter_map(|line| line.strip_prefix("data:"));
    let bare = body.lines().filter(|line| line.starts_with('{'));
    let messages = events
        .chain(bare)
        .filter_map(|text| serde_json::from_str(text.trim()).ok());
    Response {
        status,
        session,
        messages: messages.collect(),
    }
}
