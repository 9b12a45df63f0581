//! Programs in Python at the other end of a socket, with the `websockets` package: the machine's, or one in
//! an environment of our own that is made once.

use crate::served::Gateway;
use crate::support::SOON;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};

const PACKAGE: &str = "websockets>=14";

pub fn python() -> PathBuf {
    let usual = PathBuf::from("python3");
    if has_package(&usual) {
        return usual;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python");
    let made = folder.join("bin/python");
    // Tests run side by side, and only one of them should make it.
    let lock = File::create(folder.with_extension("lock")).unwrap();
    lock.lock().unwrap();
    if !has_package(&made) {
        run(Command::new(&usual)
            .args(["-m", "venv", "--clear"])
            .arg(&folder));
        let install = ["-m", "pip", "install", "--quiet"];
        run(Command::new(&made)
            .args(install)
            .args(["--disable-pip-version-check", PACKAGE]));
        assert!(has_package(&made), "{PACKAGE} was not installed");
    }
    made
}

fn has_package(python: &Path) -> bool {
    let import = "import websockets.asyncio.client";
    let tried = Command::new(python)
        .args(["-c", import])
        .stderr(Stdio::null())
        .status();
    tried.is_ok_and(|status| status.success())
}

fn run(command: &mut Command) {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
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
