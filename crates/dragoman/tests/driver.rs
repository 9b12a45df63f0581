//! The driver loop with a surface and a journal that do what the test says, when it says so.
#![allow(clippy::unwrap_used)]

use dragoman::conversation::Conversation;
use dragoman::driver::{Driver, Ending};
use dragoman::journal::{Journal, JournalError, Lease, Place, SqliteJournal, Stored, Summary};
use dragoman::link::{Link, Outlet, output};
use dragoman::surface::{Surface, Told};
use dragoman_browser::Row;
use dragoman_engine::Record;
use dragoman_model::{
    Command, Done, Failure, Fault, Leaf, Policy, Reply, SessionId, SurfaceEvent, TabId, TabInfo,
};
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::task::{JoinHandle, LocalSet};

/// Everything a test can wait for happens within this, or never.
const SOON: Duration = Duration::from_secs(5);

type Events = mpsc::UnboundedSender<(SessionId, SurfaceEvent)>;

/// What is to be written, and whether it works.
type Waiting = (String, oneshot::Sender<bool>);

/// `hover` hangs; everything else is done at once.
#[derive(Clone, Default)]
struct Fake {
    /// What was begun, dropped and finished, in order.
    log: Rc<RefCell<Vec<String>>>,
    events: Rc<RefCell<Option<Events>>>,
    tabs: Rc<Cell<u32>>,
}

impl Fake {
    fn note(&self, what: String) {
        self.log.borrow_mut().push(what);
    }

    fn log(&self) -> Vec<String> {
        self.log.borrow().clone()
    }
}

struct Dropped(Fake, String);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.note(format!("end {}", self.1));
    }
}

impl Surface for Fake {
    async fn perform(
        &self,
        session: &SessionId,
        tab: Option<TabId>,
        command: &Command,
        _time_left: Duration,
    ) -> Result<Done, Failure> {
        let name = command.name();
        self.note(format!("{session}: {name}"));
        if tab.is_none() {
            self.tabs.set(self.tabs.get() + 1);
            let tab = TabInfo {
                tab: TabId(self.tabs.get()),
                url: "about:blank".into(),
                title: String::new(),
                opener: None,
                current: true,
                navigating: false,
            };
            let events = self.events.borrow();
            let opened = SurfaceEvent::TabOpened { tab };
            events
                .as_ref()
                .unwrap()
                .send((session.clone(), opened))
                .unwrap();
        }
        if name == "hover" {
            let _dropped = Dropped(self.clone(), name.into());
            std::future::pending::<()>().await;
        }
        Ok(Done::from(Reply::Nothing))
    }

    /// `drag` is got ready as soon as it may be.
    async fn perform_row(
        &self,
        may: impl Future<Output = ()>,
        session: &SessionId,
        tab: Option<TabId>,
        row: Row<'_>,
        time_left: Duration,
    ) -> (Told, Vec<Told>) {
        let name = row.command.name();
        let ready = (name == "drag").then(|| {
            self.note(format!("{session}: ready"));
            Dropped(self.clone(), "ready".into())
        });
        may.await;
        drop(ready);
        let alone = self.perform(session, tab, row.command, time_left);
        (alone.await, Vec::new())
    }

    async fn watch(
        &self,
        _session: &SessionId,
        _tab: Option<TabId>,
        leaves: Vec<Leaf>,
        mut report: impl FnMut(Vec<Option<bool>>) + 'static,
    ) -> Fault {
        report(vec![Some(false); leaves.len()]);
        tokio::task::yield_now().await;
        report(vec![Some(true); leaves.len()]);
        std::future::pending().await
    }

    fn listen(&self, _: &SessionId, _: bool) {}

    fn configure(&self, session: &SessionId, policy: &Policy) {
        self.note(format!("{session}: configure {}", policy.max_tabs));
    }

    async fn release(&self, session: &SessionId) {
        self.note(format!("{session}: release"));
    }

    async fn shutdown(&self) {
        self.note("shutdown".into());
    }
}

/// Holds each append until the test lets it go; then it is really written.
#[derive(Clone)]
struct Held {
    inner: Rc<SqliteJournal>,
    waiting: Rc<RefCell<VecDeque<Waiting>>>,
    hold: Rc<Cell<bool>>,
    /// How many ends were let go.
    ended: Rc<Cell<u32>>,
}

impl Held {
    fn new(hold: bool) -> Self {
        Self {
            inner: Rc::new(SqliteJournal::open(&Place::Memory).unwrap()),
            waiting: Rc::default(),
            hold: Rc::new(Cell::new(hold)),
            ended: Rc::default(),
        }
    }

    fn let_go(&self, session: &str, works: bool) {
        let mut waiting = self.waiting.borrow_mut();
        let at = waiting
            .iter()
            .position(|(name, _)| name.starts_with(session))
            .unwrap();
        let (name, go) = waiting.remove(at).unwrap();
        go.send(works).unwrap();
        self.ended
            .set(self.ended.get() + u32::from(name.contains("ended")));
    }

    /// What waits to be written, such as `a: submitted started`.
    fn waiting(&self) -> Vec<String> {
        self.waiting
            .borrow()
            .iter()
            .map(|(name, _)| name.clone())
            .collect()
    }
}

impl Journal for Held {
    fn claim(&self, session: &SessionId) -> Result<Lease, JournalError> {
        self.inner.claim(session)
    }

    fn append(
        &self,
        records: Vec<Record>,
    ) -> impl Future<Output = Result<(), JournalError>> + 'static {
        let (send, go) = oneshot::channel();
        let names: Vec<&str> = records.iter().map(name_of).collect();
        let name = format!("{}: {}", records[0].session(), names.join(" "));
        if self.hold.get() {
            self.waiting.borrow_mut().push_back((name, send));
        } else {
            send.send(true).unwrap();
        }
        let inner = self.inner.clone();
        async move {
            match go.await.unwrap() {
                true => inner.append(records).await,
                false => Err(JournalError::Refused("the test says so".into())),
            }
        }
    }

    fn load(
        &self,
        session: &SessionId,
    ) -> impl Future<Output = Result<Option<Stored>, JournalError>> + 'static {
        self.inner.load(session)
    }

    fn list(&self) -> impl Future<Output = Result<Vec<Summary>, JournalError>> + 'static {
        self.inner.list()
    }
}

fn name_of(record: &Record) -> &'static str {
    match record {
        Record::SessionOpened { .. } => "opened",
        Record::Submitted { .. } => "submitted",
        Record::Approved { .. } => "approved",
        Record::Doubted { .. } => "doubted",
        Record::Started { .. } => "started",
        Record::Ended { .. } => "ended",
        Record::Replaced { .. } => "replaced",
        Record::Moved { .. } => "moved",
        Record::Paused { .. } => "paused",
        Record::Allowed { .. } => "allowed",
        Record::SessionClosed { .. } => "closed",
    }
}

struct House {
    surface: Fake,
    journal: Held,
    lines: Option<mpsc::Sender<Vec<u8>>>,
    outlet: Option<Outlet>,
    unread: Vec<u8>,
    driver: JoinHandle<Ending>,
}

impl House {
    async fn open(hold: bool) -> Self {
        Self::open_on(Held::new(false), hold).await
    }

    async fn open_on(journal: Held, hold: bool) -> Self {
        let surface = Fake::default();
        let (events, surface_events) = mpsc::unbounded_channel();
        *surface.events.borrow_mut() = Some(events);
        let policy = Policy::default();
        let mut driver = Driver::new(journal.clone(), surface.clone(), surface_events, policy);
        let session = SessionId::new("a").unwrap();
        driver.open(&session, None).await.unwrap();
        let (lines, input) = mpsc::channel(4);
        let (output, outlet) = output();
        let conversation = Conversation::native(&session);
        driver.join(Link { input, output }, conversation, &session);
        let driver = tokio::task::spawn_local(driver.run());
        let mut house = Self {
            surface,
            journal,
            lines: Some(lines),
            outlet: Some(outlet),
            unread: Vec::new(),
            driver,
        };
        assert_eq!(house.next().await["type"], "hello");
        house
            .settle(|h| h.surface.log().iter().any(|l| l.contains("configure")))
            .await;
        house.surface.log.borrow_mut().clear();
        house.journal.hold.set(hold);
        house
    }

    async fn say(&self, line: &str) {
        let bytes = format!("{line}\n").into_bytes();
        self.lines.as_ref().unwrap().send(bytes).await.unwrap();
    }

    async fn next(&mut self) -> Value {
        let line = async {
            loop {
                if let Some(end) = self.unread.iter().position(|b| *b == b'\n') {
                    let rest = self.unread.split_off(end + 1);
                    return std::mem::replace(&mut self.unread, rest);
                }
                let outlet = self.outlet.as_mut().unwrap();
                let chunk = outlet.next().await.expect("an answer");
                outlet.carried(chunk.len());
                self.unread.extend(chunk);
            }
        };
        let line = tokio::time::timeout(SOON, line)
            .await
            .expect("an answer in time");
        serde_json::from_slice(&line).unwrap()
    }

    /// Until the condition holds; all other tasks run meanwhile.
    async fn settle(&self, holds: impl Fn(&Self) -> bool) {
        let give_up = tokio::time::Instant::now() + SOON;
        while tokio::time::Instant::now() < give_up {
            if holds(self) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        panic!(
            "log {:?}, waiting {:?}",
            self.surface.log(),
            self.journal.waiting()
        );
    }

    /// Let everything that can happen without the journal happen.
    async fn quiet(&self) {
        for _ in 0..200 {
            tokio::task::yield_now().await;
        }
    }

    async fn end(mut self) -> (Ending, Vec<Value>) {
        self.lines = None;
        let mut told = Vec::new();
        while !self.unread.is_empty() || self.more().await {
            told.push(self.next().await);
        }
        let ending = tokio::time::timeout(SOON, &mut self.driver)
            .await
            .unwrap()
            .unwrap();
        (ending, told)
    }

    async fn more(&mut self) -> bool {
        let next = self.outlet.as_mut().unwrap().next();
        match tokio::time::timeout(SOON, next).await.unwrap() {
            Some(chunk) => {
                self.outlet.as_ref().unwrap().carried(chunk.len());
                self.unread.extend(chunk);
                true
            }
            None => false,
        }
    }
}

fn check(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    LocalSet::new().block_on(&runtime, test);
}

const HOVER: &str = r#"{"id":1,"cmd":"hover","target":{"css":"a"},"timeout_ms":60000}"#;

#[test]
fn a_write_waits_for_its_records_and_its_answer_for_the_end() {
    check(async {
        let mut house = House::open(true).await;
        house.say(r#"{"id":1,"cmd":"reload"}"#).await;
        house.settle(|h| !h.journal.waiting().is_empty()).await;
        house.quiet().await;
        assert_eq!(house.journal.waiting(), ["a: submitted started"]);
        assert!(
            house.surface.log().is_empty(),
            "not performed before it is durable"
        );
        house.journal.let_go("a", true);
        house.settle(|h| h.journal.waiting() == ["a: ended"]).await;
        assert_eq!(house.surface.log(), ["a: reload"]);
        house.quiet().await;
        assert!(house.unread.is_empty());
        house.journal.let_go("a", true);
        let told = house.next().await;
        assert_eq!(
            (&told["type"], &told["id"], &told["status"]),
            (&"outcome".into(), &1.into(), &"done".into())
        );
    });
}

#[test]
fn a_read_begins_at_once_and_is_told_when_the_command_is_durable() {
    check(async {
        let mut house = House::open(true).await;
        house.say(r#"{"id":1,"cmd":"list_tabs"}"#).await;
        house
            .settle(|h| h.surface.log() == ["a: list_tabs"] && !h.journal.waiting().is_empty())
            .await;
        assert_eq!(house.journal.waiting(), ["a: submitted started"]);
        house.quiet().await;
        assert!(house.unread.is_empty(), "not told before it is durable");
        house.journal.let_go("a", true);
        assert_eq!(house.next().await["status"], "done");
        // The record of its end follows; nobody waited for it.
        house.settle(|h| h.journal.waiting() == ["a: ended"]).await;
    });
}

#[test]
fn a_read_that_takes_its_time_is_recorded_meanwhile() {
    check(async {
        let mut house = House::open(true).await;
        house.say(r#"{"id":1,"cmd":"wait","ms":60}"#).await;
        house.settle(|h| !h.journal.waiting().is_empty()).await;
        assert_eq!(house.journal.waiting(), ["a: submitted started"]);
        house.journal.let_go("a", true);
        assert_eq!(house.next().await["status"], "done");
        house.settle(|h| h.journal.waiting() == ["a: ended"]).await;
    });
}

#[test]
fn sessions_do_not_wait_for_one_another() {
    check(async {
        let mut house = House::open(true).await;
        house.say(r#"{"id":1,"cmd":"reload"}"#).await;
        house.say(r#"{"id":1,"cmd":"reload","session":"b"}"#).await;
        house.settle(|h| h.journal.waiting().len() == 2).await;
        // Everything of `b` is written, nothing of `a`.
        house
            .settle(|h| {
                if h.journal.waiting().iter().any(|w| w.starts_with('b')) {
                    h.journal.let_go("b", true);
                }
                h.journal.ended.get() > 0
            })
            .await;
        let told = house.next().await;
        assert_eq!(
            (&told["session"], &told["status"]),
            (&"b".into(), &"done".into())
        );
        assert!(!house.surface.log().contains(&"a: reload".to_owned()));
        assert_eq!(house.journal.waiting(), ["a: submitted started"]);
    });
}

#[test]
fn what_cannot_be_recorded_is_not_done() {
    check(async {
        let mut house = House::open(true).await;
        house.say(r#"{"id":1,"cmd":"reload"}"#).await;
        house.settle(|h| !h.journal.waiting().is_empty()).await;
        house.say(r#"{"id":2,"cmd":"reload"}"#).await;
        house.quiet().await;
        house.journal.let_go("a", false);
        for id in [1.into(), 2.into(), Value::Null] {
            let told = house.next().await;
            assert_eq!(told["id"], id, "{told}");
            assert_eq!(told["fault"]["code"], "journal_failed", "{told}");
        }
        house.say(r#"{"id":3,"cmd":"reload"}"#).await;
        assert_eq!(house.next().await["fault"]["code"], "journal_failed");
        assert!(house.surface.log().is_empty());
        // The disk is well again.
        house.journal.hold.set(false);
        house.say(r#"{"id":4,"queue":"resume"}"#).await;
        let told = house.next().await;
        assert_eq!(told["type"], "controlled", "{told}");
        house.say(r#"{"id":5,"cmd":"reload"}"#).await;
        let told = house.next().await;
        assert_eq!(
            (&told["id"], &told["status"]),
            (&5.into(), &"done".into()),
            "{told}"
        );
        assert_eq!(house.surface.log(), ["a: reload"], "once, for the last one");
    });
}

#[test]
fn what_is_got_ready_meanwhile_is_called_off_or_let_go() {
    const DRAG: &str = r#","cmd":"drag","target":{"css":"a"},"by":{"x":1,"y":1}}"#;
    check(async {
        let mut house = House::open(true).await;
        house.say(&format!(r#"{{"id":1{DRAG}"#)).await;
        house.settle(|h| !h.journal.waiting().is_empty()).await;
        house.quiet().await;
        assert_eq!(house.surface.log(), ["a: ready"]);
        house.journal.let_go("a", false);
        assert_eq!(house.next().await["fault"]["code"], "journal_failed");
        house.journal.hold.set(false);
        house.say(r#"{"id":2,"queue":"resume"}"#).await;
        house.say(&format!(r#"{{"id":3{DRAG}"#)).await;
        loop {
            let told = house.next().await;
            if told["id"] == 3 {
                assert_eq!(told["status"], "done", "{told}");
                break;
            }
        }
        let want = ["a: ready", "end ready", "a: ready", "end ready", "a: drag"];
        assert_eq!(
            house.surface.log(),
            want,
            "done once, and never before its record"
        );
    });
}

#[test]
fn commands_run_in_order_and_the_end_of_input_waits_for_them() {
    check(async {
        let house = House::open(false).await;
        let names = ["reload", "back", "forward", "list_tabs", "reload"];
        for (id, name) in names.iter().enumerate() {
            house.say(&format!(r#"{{"id":{id},"cmd":"{name}"}}"#)).await;
        }
        house
            .say(r#"{"id":9,"cmd":"wait","until":{"text":"x"}}"#)
            .await;
        // No line break at the end.
        let last = br#"{"id":10,"cmd":"wait","ms":50}"#.to_vec();
        house.lines.as_ref().unwrap().send(last).await.unwrap();
        let surface = house.surface.clone();
        let (ending, told) = house.end().await;
        assert_eq!(ending, Ending::Done);
        let ids: Vec<i64> = told.iter().map(|t| t["id"].as_i64().unwrap()).collect();
        assert_eq!(ids, [0, 1, 2, 3, 4, 9, 10]);
        assert!(told.iter().all(|t| t["status"] == "done"), "{told:?}");
        let want: Vec<String> = names
            .iter()
            .map(|n| format!("a: {n}"))
            .chain(["shutdown".into()])
            .collect();
        assert_eq!(surface.log(), want);
    });
}

#[test]
fn a_command_that_hangs_ends_at_its_deadline_and_is_dropped() {
    check(async {
        let mut house = House::open(false).await;
        house
            .say(r#"{"id":1,"cmd":"hover","target":{"css":"a"},"timeout_ms":150}"#)
            .await;
        house.say(r#"{"id":2,"cmd":"reload"}"#).await;
        let told = house.next().await;
        assert_eq!(
            (&told["id"], &told["fault"]["code"]),
            (&1.into(), &"timeout".into())
        );
        assert!(told["took_ms"].as_u64().unwrap() >= 150);
        assert_eq!(house.next().await["id"], 2);
        assert_eq!(house.surface.log(), ["a: hover", "end hover", "a: reload"]);
    });
}

#[test]
fn a_long_file_is_read_as_fast_as_it_is_done() {
    check(async {
        let house = House::open(false).await;
        let mut all = Vec::new();
        for id in 0..2500 {
            all.extend(format!("{{\"id\":{id},\"cmd\":\"reload\"}}\n").bytes());
        }
        house.lines.as_ref().unwrap().send(all).await.unwrap();
        let (ending, told) = house.end().await;
        assert_eq!(ending, Ending::Done);
        assert_eq!(told.len(), 2500);
        assert!(told.iter().all(|t| t["status"] == "done"));
    });
}

#[test]
fn nobody_listens_any_more() {
    check(async {
        let mut house = House::open(false).await;
        house.say(HOVER).await;
        house.settle(|h| h.surface.log() == ["a: hover"]).await;
        house.outlet = None;
        let ending = tokio::time::timeout(SOON, &mut house.driver)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(ending, Ending::Deaf);
        assert_eq!(house.surface.log(), ["a: hover", "end hover", "shutdown"]);
        let session = SessionId::new("a").unwrap();
        let stored = house.journal.load(&session).await.unwrap().unwrap();
        assert_eq!(stored.items[0].state, dragoman_model::State::Interrupted);
    });
}

#[test]
fn a_session_is_gone_on_with() {
    check(async {
        let house = House::open(false).await;
        house.say(r#"{"id":1,"cmd":"reload"}"#).await;
        house.say(r#"{"queue":"pause"}"#).await;
        house.say(r#"{"id":2,"cmd":"reload"}"#).await;
        let journal = house.journal.clone();
        let (ending, _) = house.end().await;
        assert_eq!(ending, Ending::Done, "what is paused is not waited for");
        let mut house = House::open_on(journal, false).await;
        house.say(r#"{"id":1,"cmd":"reload"}"#).await;
        assert_eq!(house.next().await["fault"]["code"], "duplicate");
        house.say(r#"{"queue":"list"}"#).await;
        let view = house.next().await;
        assert_eq!(view["paused"], true, "{view}");
        house.say(r#"{"queue":"resume"}"#).await;
        let kinds = [house.next().await, house.next().await];
        let done = kinds.iter().find(|t| t["type"] == "outcome").unwrap();
        assert_eq!(
            (&done["id"], &done["status"]),
            (&2.into(), &"done".into()),
            "{done}"
        );
    });
}

#[test]
fn bad_lines_are_answered_and_the_next_one_works() {
    check(async {
        let mut house = House::open(false).await;
        for (line, code) in [
            ("nonsense", "bad_input"),
            (r#"{"id":1,"cmd":"fly"}"#, "unknown_command"),
            (r#"{"id":2,"cmd":"click"}"#, "bad_argument"),
        ] {
            house.say(line).await;
            assert_eq!(house.next().await["fault"]["code"], code, "{line}");
        }
        house.say(r#"{"id":3,"cmd":"reload"}"#).await;
        assert_eq!(house.next().await["status"], "done");
    });
}
