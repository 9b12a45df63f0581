//! The real program as a child process, and a site that counts.
#![allow(clippy::unwrap_used)]
#![allow(dead_code)] // Each test file uses its own part.

pub mod socket;
#[cfg(unix)]
pub mod terminal;

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Everything that a test waits for comes within this, or never.
pub const SOON: Duration = Duration::from_secs(40);

pub fn dragoman() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dragoman"));
    command.env("NO_COLOR", "1").env_remove("DRAGOMAN_LOG");
    // Whoever runs the tests may have configured the program; only the browser is theirs to choose.
    for key in dragoman::config::KEYS {
        if key.env != "DRAGOMAN_BROWSER" {
            command.env_remove(key.env);
        }
    }
    command
        .env("DRAGOMAN_CONFIG", empty_file())
        .current_dir(std::env::temp_dir());
    command
}

fn empty_file() -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("empty.toml");
    if !path.exists() {
        std::fs::write(&path, "").unwrap();
    }
    path
}

pub fn run(arguments: &[&str]) -> Output {
    dragoman()
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// A folder of its own, gone afterwards.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("dragoman-test-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// `dragoman pipe`, with its lines.
pub struct Pipe {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Value>,
}

impl Pipe {
    pub fn start(arguments: &[&str]) -> Self {
        Self::of(
            dragoman()
                .arg("pipe")
                .args(arguments)
                .stderr(Stdio::inherit()),
        )
    }

    /// Any program that speaks JSON lines.
    pub fn of(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().unwrap();
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).split(b'\n') {
                let Ok(line) = line else { return };
                // A line that a kill cut short is no line.
                let Ok(value) = serde_json::from_slice(&line) else {
                    return;
                };
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

    pub fn say(&mut self, line: &Value) {
        self.say_bytes(format!("{line}\n").as_bytes());
    }

    /// The program may be gone already, which other parts of a test notice.
    pub fn say_bytes(&mut self, bytes: &[u8]) {
        let _ = self.stdin.as_mut().unwrap().write_all(bytes);
    }

    pub fn next(&self) -> Value {
        self.lines.recv_timeout(SOON).expect("an answer in time")
    }

    /// Ask, and wait for the answer with this id.
    pub fn ask(&mut self, line: &Value) -> Value {
        self.say(line);
        self.answer(&line["id"])
    }

    pub fn answer(&self, id: &Value) -> Value {
        loop {
            let told = self.next();
            if told["id"] == *id && told["type"] != "item" {
                return told;
            }
        }
    }

    /// The next line if one comes within this time; `Err` once there will be none.
    pub fn try_next(&self, wait: Duration) -> Result<Option<Value>, ()> {
        match self.lines.recv_timeout(wait) {
            Ok(value) => Ok(Some(value)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(()),
        }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub fn end_input(&mut self) {
        self.stdin = None;
    }

    pub fn wait(&mut self) -> ExitStatus {
        let until = Instant::now() + SOON;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < until, "the program did not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// End of input, all that is still told, and the exit code.
    pub fn finish(mut self) -> (Vec<Value>, Option<i32>) {
        self.end_input();
        let mut told = Vec::new();
        while let Ok(line) = self.try_next(SOON) {
            told.push(line.expect("the program did not end"));
        }
        (told, self.wait().code())
    }

    #[cfg(unix)]
    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_raw(self.child.id() as i32).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Every process below this one, as (id, start time): an id alone may be given to another.
pub fn descendants(pid: u32) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    let mut parents = vec![pid];
    let all = processes();
    while let Some(parent) = parents.pop() {
        for (id, _, began) in all.iter().filter(|(_, of, _)| *of == parent) {
            found.push((*id, began.clone()));
            parents.push(*id);
        }
    }
    found
}

fn processes() -> Vec<(u32, u32, String)> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let ids = entries.filter_map(|e| e.file_name().to_str()?.parse::<u32>().ok());
    ids.filter_map(|id| {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        let rest: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        // A zombie is no process that still does anything.
        (rest[0] != "Z").then(|| (id, rest[1].parse().unwrap_or(0), rest[19].to_owned()))
    })
    .collect()
}

pub fn wait_until_gone(gone: &[(u32, String)]) {
    let until = Instant::now() + SOON;
    loop {
        let alive = processes();
        let left = gone.iter().filter(|(id, began)| {
            alive
                .iter()
                .any(|(other, _, other_began)| other == id && other_began == began)
        });
        if left.count() == 0 {
            return;
        }
        assert!(Instant::now() < until, "processes were left behind");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A site that counts effects by token. Every connection serves one request, so that no browser
/// repeats one on a connection that went stale.
pub struct Site {
    pub url: String,
    counts: Arc<Mutex<BTreeMap<String, u32>>>,
}

impl Site {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let counts = Arc::<Mutex<BTreeMap<String, u32>>>::default();
        let counted = counts.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let counted = counted.clone();
                std::thread::spawn(move || serve(stream, &counted));
            }
        });
        Self { url, counts }
    }

    pub fn count(&self, token: &str) -> u32 {
        self.counts.lock().unwrap().get(token).copied().unwrap_or(0)
    }

    pub fn counts(&self) -> BTreeMap<String, u32> {
        self.counts.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, counts: &Mutex<BTreeMap<String, u32>>) {
    let mut request = Vec::new();
    let mut chunk = [0; 2048];
    while !request.windows(4).any(|w| w == b"\r\n\r\n") {
        match stream.read(&mut chunk) {
            Ok(n) if n > 0 => request.extend_from_slice(&chunk[..n]),
            _ => return,
        }
    }
    let request = String::from_utf8_lossy(&request).into_owned();
    let path = request.split(' ').nth(1).unwrap_or("/");
    let token = path.strip_prefix("/effect?token=").unwrap_or("");
    if !token.is_empty() {
        *counts.lock().unwrap().entry(token.to_owned()).or_default() += 1;
    }
    let body = format!(
        "<!doctype html><title>{token}</title><link rel=icon href=data:,>\
         <button id=go onclick=\"fetch('/effect?token={token}-clicked',{{method:'POST'}})\">Go</button>\
         <button onclick=\"confirm('Sure?')\">Ask</button><input aria-label=Name>"
    );
    let _ = write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\
         Cache-Control: no-store\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
}

pub fn navigate(id: impl Into<Value>, url: &str) -> Value {
    json!({"id": id.into(), "cmd": "navigate", "url": url})
}

/// Pages by path, and every request that came, as `METHOD path body`.
pub struct Stand {
    pub url: String,
    came: Arc<Mutex<Vec<String>>>,
}

impl Stand {
    pub fn start(pages: &[(&str, &str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let came = Arc::<Mutex<Vec<String>>>::default();
        let pages: BTreeMap<String, String> = pages
            .iter()
            .map(|(path, page)| ((*path).to_owned(), (*page).to_owned()))
            .collect();
        let (pages, noted) = (Arc::new(pages), came.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (pages, noted) = (pages.clone(), noted.clone());
                std::thread::spawn(move || show(stream, &pages, &noted));
            }
        });
        Self { url, came }
    }

    pub fn came(&self) -> Vec<String> {
        self.came.lock().unwrap().clone()
    }
}

fn show(mut stream: TcpStream, pages: &BTreeMap<String, String>, came: &Mutex<Vec<String>>) {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    let (head, length) = loop {
        match stream.read(&mut chunk) {
            Ok(n) if n > 0 => bytes.extend_from_slice(&chunk[..n]),
            _ => return,
        }
        if let Some(end) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                let fits = name.eq_ignore_ascii_case("content-length");
                fits.then(|| value.trim().parse::<usize>().ok())?
            });
            break (head, end + 4 + length.unwrap_or(0));
        }
    };
    while bytes.len() < length {
        match stream.read(&mut chunk) {
            Ok(n) if n > 0 => bytes.extend_from_slice(&chunk[..n]),
            _ => return,
        }
    }
    let body = String::from_utf8_lossy(&bytes[head.len() + 4..]).into_owned();
    let mut words = head.split(' ');
    let (method, path) = (words.next().unwrap_or(""), words.next().unwrap_or("/"));
    let line = format!("{method} {path} {body}").trim_end().to_owned();
    came.lock().unwrap().push(line);
    let page = pages.get(path.split('?').next().unwrap_or(path));
    let (status, page) = page.map_or(("404 Not Found", ""), |page| ("200 OK", page));
    let page = format!("<!doctype html><link rel=icon href=data:,>{page}");
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{page}",
        page.len()
    );
}

/// The shop of the demo.
pub struct Shop {
    child: Child,
    pub url: String,
}

impl Shop {
    pub fn open() -> Self {
        let mut child = dragoman()
            .args(["demo", "--serve"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.as_mut().unwrap());
        out.read_line(&mut line).unwrap();
        let url = line.split_whitespace().find(|word| word.contains("://"));
        Self {
            url: url.unwrap().to_owned(),
            child,
        }
    }
}

impl Drop for Shop {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
