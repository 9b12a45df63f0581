//! Programs in Python at the other end of a socket, with the `websockets` package.

use crate::served::Gateway;
use crate::support::SOON;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};

fn python() -> PathBuf {
    crate::venv::python("websockets", "websockets>=14", "websockets.asyncio.client")
}

/// One of the programs beside this file.
pub struct Peer {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<Value>,
}

impl Peer {
    pub fn start(script: &str, gateway: &Gateway, token: &str, path: &str, flags: &[&str]) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers");
        let mut child = Command::new(python())
            .arg(folder.join(script))
            .arg(format!("ws://{}{path}", gateway.at))
            .args(flags)
            .env("TOKEN", token)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = child.stdout.take().unwrap();
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let Ok(line) = line else { return };
                let value = serde_json::from_str(&line).unwrap_or(Value::String(line));
                if sender.send(value).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            stdin,
            lines,
        }
    }

    /// An executor that has connected.
    pub fn executor(gateway: &Gateway, path: &str, flags: &[&str]) -> Self {
        let peer = Self::start("executor.py", gateway, &gateway.token, path, flags);
        assert_eq!(peer.next("connected"), true);
        peer
    }

    /// The next line that has this field, and what it says.
    pub fn next(&self, field: &str) -> Value {
        loop {
            let line = self.lines.recv_timeout(SOON).expect("a line in time");
            if let Some(value) = line.get(field) {
                return value.clone();
            }
        }
    }

    /// Every line with this field so far.
    pub fn so_far(&self, field: &str) -> Vec<Value> {
        let lines = self.lines.try_iter();
        lines.filter_map(|line| line.get(field).cloned()).collect()
    }

    /// All of its lines, when it has ended by itself.
    pub fn end(mut self) -> (Vec<Value>, bool) {
        let mut all = Vec::new();
        loop {
            match self.lines.recv_timeout(SOON) {
                Ok(line) => all.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("it did not end: {all:?}"),
            }
        }
        (all, self.child.wait().unwrap().success())
    }

    /// The page does something by itself.
    pub fn page(&mut self, does: &Value) {
        writeln!(self.stdin, "{does}").unwrap();
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
