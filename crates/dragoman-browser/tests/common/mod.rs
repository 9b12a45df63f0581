//! What the browser tests share: a site on loopback, one browser per test program, a session (and
//! so a browser context) per case.
#![allow(dead_code, clippy::unwrap_used, reason = "tests may fail loudly")]

use dragoman_browser::{Hands, LaunchOptions, Row, Secret, Vault};
use dragoman_model::{
    Command, Done, Failure, Node, Receipt, Ref, Reply, SessionId, Snapshot, SurfaceEvent, TabId,
    Target,
};
use serde::Deserialize as _;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

pub const LIMIT: Duration = Duration::from_secs(15);

/// Pages by path, and what was asked for.
#[derive(Clone, Default)]
pub struct Site {
    pages: Arc<Mutex<HashMap<String, Page>>>,
    asked: Arc<Mutex<Vec<String>>>,
    port: u16,
}

#[derive(Clone)]
pub struct Page {
    pub status: u16,
    pub headers: String,
    pub body: String,
    pub delay: Duration,
}

impl Site {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let site = Self {
            port,
            ..Self::default()
        };
        let served = site.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let site = served.clone();
                std::thread::spawn(move || site.serve(stream));
            }
        });
        site
    }

    pub fn page(&self, path: &str, body: &str) -> String {
        let html = format!("<!doctype html><meta charset=utf-8><title>{path}</title>{body}");
        self.put(
            path,
            200,
            "Content-Type: text/html; charset=utf-8\r\n",
            &html,
        )
    }

    pub fn put(&self, path: &str, status: u16, headers: &str, body: &str) -> String {
        let page = Page {
            status,
            headers: headers.into(),
            body: body.into(),
            delay: Duration::ZERO,
        };
        self.pages.lock().unwrap().insert(path.into(), page);
        self.url(path)
    }

    pub fn slow(&self, path: &str, delay: Duration) {
        self.pages.lock().unwrap().get_mut(path).unwrap().delay = delay;
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The same site under another name: another origin, and another process.
    pub fn other(&self, path: &str) -> String {
        format!("http://localhost:{}{path}", self.port)
    }

    pub fn asked(&self, path: &str) -> usize {
        self.asked
            .lock()
            .unwrap()
            .iter()
            .filter(|p| p.as_str() == path)
            .count()
    }

    fn serve(&self, mut stream: TcpStream) {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut line = String::new();
        while reader.read_line(&mut line).unwrap_or(0) > 0 {
            let path = line.split(' ').nth(1).unwrap_or("/").to_owned();
            let mut length = 0;
            let mut header = String::new();
            while reader.read_line(&mut header).unwrap_or(0) > 2 {
                let lower = header.to_ascii_lowercase();
                if let Some(n) = lower.strip_prefix("content-length:") {
                    length = n.trim().parse().unwrap_or(0);
                }
                header.clear();
            }
            let mut body = vec![0; length];
            if reader.read_exact(&mut body).is_err() {
                return;
            }
            self.asked.lock().unwrap().push(path.clone());
            let bare = path.split('?').next().unwrap_or("/");
            let page = self.pages.lock().unwrap().get(bare).cloned();
            let page = page.unwrap_or(Page {
                status: 404,
                headers: String::new(),
                body: "nothing here".into(),
                delay: Duration::ZERO,
            });
            std::thread::sleep(page.delay);
            let head = format!(
                "HTTP/1.1 {} X\r\n{}Content-Length: {}\r\nCache-Control: no-store\r\n\r\n",
                page.status,
                page.headers,
                page.body.len()
            );
            let whole = [head.as_bytes(), page.body.as_bytes()].concat();
            if stream.write_all(&whole).is_err() {
                return;
            }
            line.clear();
        }
    }
}

/// One browser for a whole test program.
pub struct World {
    pub hands: Hands,
    pub site: Site,
    events: RefCell<UnboundedReceiver<(SessionId, SurfaceEvent)>>,
    seen: RefCell<Vec<(SessionId, SurfaceEvent)>>,
    cases: Cell<u32>,
}

/// Run a test with a browser; the browser ends with it.
pub fn with_browser<F: AsyncFnOnce(Rc<World>)>(test: F) {
    with_options(LaunchOptions::default(), test);
}

pub fn with_options<F: AsyncFnOnce(Rc<World>)>(options: LaunchOptions, test: F) {
    with_secrets(options, Site::start(), Vec::new(), test);
}

pub fn with_secrets<F: AsyncFnOnce(Rc<World>)>(
    options: LaunchOptions,
    site: Site,
    secrets: Vec<Secret>,
    test: F,
) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let local = tokio::task::LocalSet::new();
    local.block_on(&runtime, async {
        let (sender, events) = unbounded_channel();
        let world = Rc::new(World {
            hands: Hands::with_secrets(options, sender, Vault::new(secrets)),
            site,
            events: RefCell::new(events),
            seen: RefCell::default(),
            cases: Cell::new(0),
        });
        test(world.clone()).await;
        world.hands.shutdown().await;
    });
}

impl World {
    /// A fresh session; nothing of it is shared with other cases.
    pub fn case(self: &Rc<Self>) -> Case {
        self.cases.set(self.cases.get() + 1);
        let session = SessionId::new(format!("case-{}", self.cases.get())).unwrap();
        Case {
            world: self.clone(),
            session,
            tab: Cell::new(None),
        }
    }

    /// A fresh session at a page with this body.
    pub async fn at(self: &Rc<Self>, body: &str) -> Case {
        let case = self.case();
        let path = format!("/{}", case.session);
        let url = self.site.page(&path, body);
        case.run(r#"{"cmd":"navigate","url":"URL"}"#.replace("URL", &url))
            .await;
        case
    }

    pub fn events(&self) -> Vec<(SessionId, SurfaceEvent)> {
        while let Ok(event) = self.events.borrow_mut().try_recv() {
            self.seen.borrow_mut().push(event);
        }
        self.seen.borrow().clone()
    }
}

pub struct Case {
    pub world: Rc<World>,
    pub session: SessionId,
    pub tab: Cell<Option<TabId>>,
}

impl Case {
    /// One command, as JSON.
    pub async fn try_run(&self, json: impl AsRef<str>) -> Result<Done, Failure> {
        Box::pin(self.run_when(std::future::ready(()), json)).await
    }

    /// One command that takes effect when it may.
    pub async fn run_when(
        &self,
        may: impl Future<Output = ()>,
        json: impl AsRef<str>,
    ) -> Result<Done, Failure> {
        let json = json.as_ref();
        let command: Command = serde_json::from_str(json).unwrap_or_else(|e| panic!("{json}: {e}"));
        self.world
            .hands
            .perform_when(
                may,
                &self.session,
                self.tab.get(),
                Row::single(&command),
                LIMIT,
            )
            .await
    }

    pub async fn row(
        &self,
        asked: &[serde_json::Value],
        after: Option<&serde_json::Value>,
    ) -> Vec<Result<Done, Failure>> {
        self.row_of(Some(1), asked, after).await
    }

    /// Several commands of a batch, as many as go in one; and what will be pressed after them.
    pub async fn row_of(
        &self,
        batch: Option<u64>,
        asked: &[serde_json::Value],
        after: Option<&serde_json::Value>,
    ) -> Vec<Result<Done, Failure>> {
        let read = |json: &serde_json::Value| Command::deserialize(json).unwrap();
        let commands: Vec<Command> = asked.iter().map(read).collect();
        let after = after.map(read);
        let (command, then) = commands.split_first().unwrap();
        let row = Row {
            command,
            then,
            after: after.as_ref(),
            batch,
        };
        let tab = self.tab.get();
        let work =
            self.world
                .hands
                .perform_row(std::future::ready(()), &self.session, tab, row, LIMIT);
        let (first, more) = Box::pin(work).await;
        std::iter::once(first).chain(more).collect()
    }

    pub async fn run(&self, json: impl AsRef<str>) -> Done {
        let json = json.as_ref();
        self.try_run(json)
            .await
            .unwrap_or_else(|e| panic!("{json}: {} {e:?}", e.fault))
    }

    pub async fn act(&self, json: impl AsRef<str>) -> Receipt {
        *self
            .run(json)
            .await
            .receipt
            .expect("an action has a receipt")
    }

    /// The code of the fault this command ends in.
    pub async fn fails(&self, json: impl AsRef<str>) -> &'static str {
        let json = json.as_ref();
        match self.try_run(json).await {
            Ok(done) => panic!("{json}: should have failed, but {done:?}"),
            Err(failure) => failure.fault.code.as_str(),
        }
    }

    pub async fn snapshot(&self) -> Snapshot {
        match self.run(r#"{"cmd":"snapshot"}"#).await.reply {
            Reply::Snapshot(snapshot) => *snapshot,
            other => panic!("{other:?}"),
        }
    }

    pub async fn node(&self, role: &str, name: &str) -> Node {
        let snapshot = self.snapshot().await;
        let fits = |n: &&Node| n.role == role && n.name == name;
        let found: Vec<_> = snapshot.nodes.iter().filter(fits).collect();
        assert_eq!(found.len(), 1, "{role} {name:?} in {:#?}", brief(&snapshot));
        found[0].clone()
    }

    pub async fn find(&self, role: &str, name: &str) -> Ref {
        self.node(role, name)
            .await
            .r#ref
            .expect("it can be acted on")
    }

    pub async fn text(&self) -> String {
        match self.run(r#"{"cmd":"text"}"#).await.reply {
            Reply::Text(text) => text.text,
            other => panic!("{other:?}"),
        }
    }

    /// What a script in the page says, as JSON.
    pub async fn js(&self, script: &str) -> serde_json::Value {
        let command = serde_json::json!({ "cmd": "evaluate", "script": script });
        match self.run(command.to_string()).await.reply {
            Reply::Value(value) => serde_json::to_value(value).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    pub async fn click(&self, target: impl Into<Target>) -> Receipt {
        let target = serde_json::to_string(&target.into()).unwrap();
        self.act(format!(r#"{{"cmd":"click","target":{target}}}"#))
            .await
    }

    pub async fn click_ref(&self, r: Ref) -> Receipt {
        self.click(Target::Ref(r)).await
    }
}

pub fn brief(snapshot: &Snapshot) -> Vec<String> {
    let line = |n: &Node| {
        let r = n.r#ref.map(|r| r.to_string()).unwrap_or_default();
        format!("{}{} {:?} {r}", " ".repeat(n.depth.into()), n.role, n.name)
    };
    snapshot.nodes.iter().map(line).collect()
}
