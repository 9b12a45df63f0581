//! A gateway as a child process, and sockets to it.

#[allow(unused_imports)] // Each test file uses its own part.
pub use crate::support::socket::{Socket, request, run};
use crate::support::socket::{send, status};
use crate::support::{Folder, SOON, dragoman};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

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
        Socket::connect(&format!("ws://{}{path}", self.at), token).await
    }

    /// The status of a request to open a WebSocket, with these headers.
    pub fn status(&self, path: &str, headers: &[(&str, &str)]) -> u16 {
        status(&self.at, path, headers)
    }

    /// A plain request, and all of its answer.
    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut stream = send(&self.at, method, path, headers, "Connection: close\r\n");
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
