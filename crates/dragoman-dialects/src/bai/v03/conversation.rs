//! One workflow: the handshake, our ACK, the actions, and a line about each of them.
//!
//! Must not know: the engine, a clock (time is an argument), how text travels.

use super::MARKS;
use super::action::{Action, Deed, Handshake, Meaning, Protocol};
use super::prompt::prompt;
use crate::bai::Options;
use crate::bai::desk::{Desk, Ended, Purpose};
use crate::bai::hearing::{Hearing, Said};
use crate::bai::scan::{Body, Heard};
use crate::bai::told::{self, cap, object_line};
use crate::chat::frame::Role;
use crate::chat::quoted::Quoted;
use crate::chat::words::line;
use crate::chat::{Act, Problem, Talk};
use crate::json::Object;
use crate::outline;
use dragoman_model::{
    Code, Command, Control, Done, Fault, ListTabs, Outcome, QueueItem, Reply, Request, RequestId,
    SurfaceEvent,
};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;

/// What a command that reads brings back, in characters.
const MOST_DATA: usize = 8_000;

/// Where a workflow stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Awaiting,
    Active,
    Done,
    /// It ended, and the assistant says that it did not succeed.
    Error,
}

#[derive(Debug)]
pub struct Conversation {
    desk: Desk<Job>,
    hearing: Hearing,
    state: State,
    handshake: Option<Handshake>,
    last: u64,
    /// Every action that was read, as it was written.
    lines: BTreeMap<u64, String>,
    quoted: Quoted<Deed>,
    /// What the next message says.
    results: Vec<(Option<u64>, String)>,
    /// The results are to be told, once it is known where the browser is.
    wanted: bool,
    stopped: bool,
}

#[derive(Debug, Clone)]
struct Job {
    action: Action,
    request: Request,
}

#[derive(Serialize)]
struct Ack<'a> {
    protocol: &'a str,
    workflow_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'a str>,
    state: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    ack_nonce: Option<&'a str>,
}

#[derive(Serialize, Default)]
struct Told<'a> {
    protocol: &'a str,
    workflow_id: &'a str,
    kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    action_id: Option<u64>,
    status: &'a str,
    #[serde(skip_serializing_if = "String::is_empty")]
    summary: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Trouble<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Value>,
}

#[derive(Serialize)]
struct Trouble<'a> {
    code: &'a str,
    message: String,
    suggestion: String,
}

impl Conversation {
    pub fn new(options: Options) -> Self {
        Self {
            hearing: Hearing::new(MARKS, options.framed),
            state: State::Awaiting,
            handshake: None,
            last: 0,
            lines: BTreeMap::new(),
            quoted: Quoted::default(),
            results: Vec::new(),
            wanted: false,
            stopped: false,
            desk: Desk::new(options),
        }
    }

    pub fn state(&self) -> State {
        self.state
    }

    fn hear(&mut self, said: Said) {
        match said {
            Said::In(role, heard) => self.heard(role, heard),
            Said::User(text) => self.quoted.note("a user's message", &text, Action::deed),
            Said::Person { says, does } => self.person(says, does.as_deref()),
            Said::Bad(Problem(problem)) => self.refuse(None, "bad_input", &problem),
        }
    }

    fn heard(&mut self, role: Role, heard: Heard) {
        match (role, heard) {
            (_, Heard::Ignored(why)) => self.desk.log(format!("read past {why}")),
            // Either side may open the workflow: the prompt stands in the user's turn.
            (role, Heard::Block { body, raw }) => self.shake_hands(role, body, &raw),
            (Role::User, Heard::Line { raw, .. }) => {
                self.ignore(&raw, "the user's side of the chat gives no commands");
            }
            (Role::Assistant, Heard::Line { word, body, raw }) => match word.as_str() {
                "BAI_ACTION" => {
                    self.desk.heard();
                    self.acts(body, &raw);
                }
                "BAI_ACK" | "BAI_RESULT" => self.ignore(&raw, "only the extension writes it"),
                _ => self.ignore(&raw, "there is no such line"),
            },
        }
    }

    fn ignore(&mut self, raw: &str, why: &str) {
        let word = raw.split('{').next().unwrap_or_default().trim();
        self.desk
            .log(format!("read past {}: {why}", line(word, 40)));
    }

    fn shake_hands(&mut self, role: Role, body: Body, raw: &str) {
        let read = match body {
            Body::Object(object) => Handshake::read(&object),
            Body::Bad(why) => Err(why),
            Body::Nothing => return self.ignore(raw, "an empty block"),
        };
        let ours = |handshake: &Handshake| handshake.workflow == self.desk.options.key;
        match (read, &self.handshake) {
            // A user's turn may quote a page; only what we gave out ourselves counts there.
            (read, _) if role == Role::User && !read.as_ref().is_ok_and(ours) => {
                self.ignore(
                    "a bai block",
                    "the user's side opens no other workflow than ours",
                );
            }
            (Err(why), _) => self.refuse(None, "bad_handshake", &why),
            (Ok(handshake), Some(known)) if handshake == *known => {}
            (Ok(_), Some(known)) => {
                let known = line(&known.workflow, 60);
                let why = format!(
                    "There is a handshake already, for {known}; it stays the one that counts."
                );
                self.refuse(None, "second_handshake", &why);
            }
            (Ok(handshake), None) => self.acknowledge(handshake),
        }
    }

    fn acknowledge(&mut self, handshake: Handshake) {
        let newer = handshake.protocol == Protocol::V03;
        let nonce = self.desk.options.ack_nonce.clone();
        let ack = Ack {
            protocol: handshake.protocol.name(),
            workflow_id: &handshake.workflow,
            kind: newer.then_some("ack"),
            state: "extension_acknowledged",
            ack_nonce: newer.then_some(&nonce),
        };
        let ack = object_line("BAI_ACK", &ack);
        self.handshake = Some(handshake);
        self.state = State::Active;
        self.desk.say(ack);
    }

    fn acts(&mut self, body: Body, raw: &str) {
        let object = match body {
            Body::Object(object) => object,
            Body::Bad(why) => return self.refuse(None, "bad_input", &why),
            Body::Nothing => {
                return self.refuse(None, "bad_input", "There is no object behind BAI_ACTION.");
            }
        };
        match self.admit(&object, raw) {
            Ok(Some(action)) => self.hand_in(action),
            // The chat was read once more.
            Ok(None) => {}
            Err((id, why)) => self.refuse(id, "refused", &why),
        }
    }

    fn admit(
        &mut self,
        object: &Object,
        raw: &str,
    ) -> Result<Option<Action>, (Option<u64>, String)> {
        let Some(handshake) = &self.handshake else {
            let why = "There was no handshake: write the bai block first and wait for BAI_ACK.";
            return Err((None, why.into()));
        };
        let protocol = handshake.protocol;
        let no = |why: String| (None, why);
        if Protocol::read(object).map_err(no)? != protocol {
            let why = format!("This workflow speaks {}.", protocol.name());
            return Err(no(why));
        }
        if object.get("workflow_id").and_then(Value::as_str) != Some(&handshake.workflow) {
            return Err(no("\"workflow_id\" is not this workflow's.".into()));
        }
        let action = Action::read(object, protocol).map_err(no)?;
        let id = action.id;
        let no = |why: &str| (Some(id), why.to_owned());
        let nonce = object.get("ack_nonce").and_then(Value::as_str);
        if protocol == Protocol::V03 && nonce != Some(&self.desk.options.ack_nonce) {
            return Err(no("\"ack_nonce\" is not the one in BAI_ACK."));
        }
        match self.lines.get(&id) {
            Some(known) if known == raw => return Ok(None),
            Some(_) => return Err(no("This action_id was used before for something else.")),
            None => {}
        }
        if protocol == Protocol::V03 && id <= self.last {
            let why = format!("action_id must go up; the last was {}.", self.last);
            return Err(no(&why));
        }
        self.last = self.last.max(id);
        self.lines.insert(id, raw.to_owned());
        match self.state {
            State::Done | State::Error => Err(no("The workflow has ended with done.")),
            _ if self.stopped => Err(no("The person stopped the workflow.")),
            _ => Ok(Some(action)),
        }
    }

    fn hand_in(&mut self, action: Action) {
        let id = action.id;
        match action.meaning() {
            Err(why) => self.refuse(Some(id), "bad_argument", &why),
            Ok(Meaning::Done { success, summary }) => {
                self.state = match success {
                    true => State::Done,
                    false => State::Error,
                };
                self.tell(id, "done", summary, None, None);
            }
            Ok(Meaning::Do(request)) => {
                let source = self.quoted.source(&action.as_deed());
                let asks = source
                    .filter(|_| !request.command.reads_only())
                    .map(|source| format!("The same command stands in {source}"));
                self.submit(
                    Job {
                        action,
                        request: *request,
                    },
                    asks,
                );
            }
        }
    }

    fn submit(&mut self, job: Job, asks: Option<String>) {
        let chain = self.desk.turn;
        let request = Request {
            chain: Some(chain),
            asks,
            ..job.request.clone()
        };
        let key = self.desk.jobs.add(job, chain);
        self.desk.submit(Purpose::Job(key), request);
    }

    fn person(&mut self, says: Option<String>, does: Option<&str>) {
        let waiting = self.desk.jobs.first_waiting();
        let control = match does {
            None => {
                self.desk.heard();
                return self.desk.say(says.unwrap_or_default());
            }
            Some("approve") => waiting.map(|number| Control::Approve { number }),
            Some("reject") => waiting.map(|number| Control::Cancel { number }),
            Some("stop") => {
                self.stopped = true;
                Some(Control::Clear)
            }
            Some("act") => {
                self.stopped = false;
                return;
            }
            Some(other) => {
                let other = line(other, 40);
                let known = "approve, reject, stop or act";
                return self
                    .desk
                    .log(format!("a person cannot \"{other}\"; it is {known}"));
            }
        };
        match control {
            Some(control) => self.desk.acts.push(Act::Control(control)),
            None => self.desk.log("nothing waits for the person"),
        }
    }

    fn refuse(&mut self, id: Option<u64>, code: &'static str, why: &str) {
        // What is wrong with an argument may quote it.
        match code {
            "bad_argument" => self.desk.log("refused an action: its payload is wrong"),
            _ => self.desk.log(format!("refused: {why}")),
        }
        let trouble = Trouble {
            code,
            message: why.to_owned(),
            suggestion: match code {
                "refused" => "Go on with the next action_id, as BAI_ACK and the results say.",
                _ => "Correct it and send it on one line with the next action_id.",
            }
            .into(),
        };
        let line = self.line(id, "refused", String::new(), Some(trouble), None);
        self.results.push((id, line));
    }

    fn tell(
        &mut self,
        id: u64,
        status: &str,
        summary: String,
        error: Option<Trouble>,
        data: Option<Value>,
    ) {
        let line = self.line(Some(id), status, summary, error, data);
        self.results.push((Some(id), line));
    }

    fn line(
        &self,
        action_id: Option<u64>,
        status: &str,
        summary: String,
        error: Option<Trouble>,
        data: Option<Value>,
    ) -> String {
        let known = self.handshake.as_ref();
        let protocol = known.map_or(Protocol::V03, |known| known.protocol);
        let told = Told {
            protocol: protocol.name(),
            workflow_id: known.map_or(&self.desk.options.key, |known| &known.workflow),
            kind: "result",
            action_id,
            status,
            summary,
            error,
            data,
        };
        object_line("BAI_RESULT", &told)
    }

    fn ended(&mut self, ended: Ended) {
        match ended {
            Ended::Job(key, result) => {
                let Some(job) = self.desk.jobs.end(key).map(|job| job.action) else {
                    return;
                };
                match result {
                    Ok(done) => self.done(&job.action, done),
                    Err(fault) => self.failed(job, &fault),
                }
            }
            Ended::Deleted(key) => {
                if let Some(job) = self.desk.jobs.end(key) {
                    let id = job.action.action.id;
                    self.tell(
                        id,
                        "deleted",
                        "It was taken out of the queue.".into(),
                        None,
                        None,
                    );
                }
            }
            Ended::Tabs => self.say(),
            Ended::Said(line) => {
                let line = self.line(None, "note", line, None, None);
                self.results.push((None, line));
            }
            // A person must decide where we would have done so by ourselves.
            Ended::Failed(fault) if fault.code == Code::NotAllowed => self.desk.log(fault.message),
            Ended::Failed(fault) => {
                let trouble = trouble(&fault);
                let line = self.line(None, "failed", String::new(), Some(trouble), None);
                self.results.push((None, line));
            }
            Ended::Nothing => {}
        }
    }

    fn done(&mut self, action: &Action, done: Done) {
        let data = match done.reply {
            Reply::Nothing | Reply::Waited { .. } | Reply::Steps(_) | Reply::Subscribed { .. } => {
                None
            }
            Reply::Snapshot(snapshot) => Some(Value::from(outline(&snapshot))),
            Reply::Text(text) => Some(Value::from(text.text)),
            Reply::Image(image) => {
                let name = format!(
                    "shot{}.{}",
                    action.id,
                    image.mime.rsplit('/').next().unwrap_or("png")
                );
                self.desk.acts.push(Act::Show {
                    name: name.clone(),
                    mime: image.mime,
                    data: image.data,
                });
                Some(Value::from(name))
            }
            Reply::Pdf { .. } => Some(Value::from("The document cannot be shown in a chat.")),
            other => serde_json::to_string(&other).ok().map(Value::from),
        };
        let data = data.map(|data| match data {
            Value::String(text) => {
                let text = self.desk.shown(&text);
                self.quoted.note("a page", &text, Action::deed);
                Value::from(cap(&text, MOST_DATA))
            }
            other => other,
        });
        let mut summary = told::receipt(done.receipt.as_deref());
        summary = self.desk.shown(&summary);
        self.quoted.note("a page", &summary, Action::deed);
        self.tell(action.id, "done", summary, None, data);
    }

    fn failed(&mut self, job: Job, fault: &Fault) {
        let mut job = job;
        let id = job.action.id;
        if fault.code == Code::NotAllowed && allow_password(&mut job.request.command) {
            let summary = "It is a field for a password or a code, so it waits for the person. Name a secret instead.";
            self.tell(id, "waiting", summary.into(), None, None);
            return self.submit(job, Some("It types into a password field".into()));
        }
        self.tell(id, "failed", String::new(), Some(trouble(fault)), None);
    }

    fn nobody_left(&mut self) {
        if self.desk.jobs.is_empty() || !self.desk.jobs.are_quiet() {
            return;
        }
        for job in self.desk.jobs.take_all() {
            let summary = "Nobody is left to approve it.".to_owned();
            self.tell(job.action.action.id, "deleted", summary, None, None);
        }
    }

    /// All results in one message, once nothing more goes on.
    fn go_on(&mut self) -> Vec<Act> {
        let quiet = self.desk.jobs.are_quiet() && !self.desk.starts();
        if quiet && !self.results.is_empty() && !self.desk.asks_for_tabs() {
            self.wanted = true;
            self.desk.ask(Purpose::Tabs, ListTabs {});
        }
        std::mem::take(&mut self.desk.acts)
    }

    fn say(&mut self) {
        if !self.wanted || !self.desk.jobs.are_quiet() {
            return;
        }
        self.wanted = false;
        let mut results = std::mem::take(&mut self.results);
        // In the order of the actions, and what is about none of them last.
        results.sort_by_key(|(id, _)| id.unwrap_or(u64::MAX));
        let mut lines: Vec<String> = results.into_iter().map(|(_, line)| line).collect();
        let tab = self.desk.current.and_then(|tab| self.desk.tabs.get(&tab));
        if let Some(tab) = tab {
            let (url, title) = (self.desk.shown(&tab.url), self.desk.shown(&tab.title));
            let source = format!("the page {}", told::quoted(&url, 200));
            self.quoted.note(&source, &url, Action::deed);
            self.quoted.note(&source, &title, Action::deed);
            let at = format!(
                "Now at {} {}",
                told::quoted(&url, 500),
                told::quoted(&title, 200)
            );
            lines.push(self.line(None, "page", at, None, None));
        }
        self.desk.say(lines.join("\n"));
    }
}

/// Whether there was something to allow.
fn allow_password(command: &mut Command) -> bool {
    let flag = match command {
        Command::ReplaceText(c) => &mut c.no_password,
        Command::InsertText(c) => &mut c.no_password,
        _ => return false,
    };
    flag.take().is_some()
}

fn trouble(fault: &Fault) -> Trouble<'static> {
    Trouble {
        code: fault.code.as_str(),
        message: told::fault(fault),
        suggestion: line(&fault.suggestion, 300),
    }
}

impl Talk for Conversation {
    fn start(&mut self, now: Duration) -> Vec<Act> {
        self.desk.now = now;
        let prompt = prompt(&self.desk.options);
        self.desk.say(prompt);
        self.desk.start();
        self.go_on()
    }

    fn bytes(&mut self, now: Duration, bytes: &[u8]) -> Vec<Act> {
        self.desk.now = now;
        for said in self.hearing.bytes(bytes) {
            self.hear(said);
        }
        self.go_on()
    }

    fn end(&mut self, now: Duration) -> Vec<Act> {
        self.desk.now = now;
        for said in self.hearing.end() {
            self.hear(said);
        }
        self.desk.over = true;
        self.nobody_left();
        self.go_on()
    }

    fn tick(&mut self, now: Duration) -> Vec<Act> {
        self.desk.now = now;
        self.go_on()
    }

    /// Only what was asked for is told.
    fn wake_at(&self) -> Option<Duration> {
        None
    }

    fn is_busy(&self) -> bool {
        !self.desk.jobs.are_quiet() || !self.results.is_empty() || self.wanted
    }

    fn outcome(&mut self, now: Duration, id: &RequestId, outcome: Outcome) -> Vec<Act> {
        self.desk.now = now;
        let ended = self.desk.outcome(id, outcome);
        self.ended(ended);
        self.go_on()
    }

    fn refused(&mut self, now: Duration, id: Option<&RequestId>, fault: Fault) -> Vec<Act> {
        self.desk.now = now;
        let ended = self.desk.refused(id, fault);
        self.ended(ended);
        self.go_on()
    }

    fn accepted(&mut self, now: Duration, id: &RequestId, number: u64, waits: bool) -> Vec<Act> {
        self.desk.now = now;
        if let Some(key) = self.desk.accepted(id, number, waits) {
            if self.desk.over {
                self.nobody_left();
            } else if let Some(id) = self.desk.jobs.get(key).map(|job| job.action.action.id) {
                let summary = "It waits for the person's approval.".to_owned();
                self.tell(id, "waiting", summary, None, None);
            }
        }
        self.go_on()
    }

    fn event(&mut self, now: Duration, event: SurfaceEvent) -> Vec<Act> {
        self.desk.now = now;
        if let SurfaceEvent::DialogOpened { dialog, .. } = &event {
            self.quoted
                .note("a dialog of a page", &dialog.message, Action::deed);
        }
        self.desk.event(&event);
        self.go_on()
    }

    fn item(&mut self, now: Duration, item: QueueItem) -> Vec<Act> {
        self.desk.now = now;
        if let Some(key) = self.desk.job_of(item.id.as_ref())
            && let Some(job) = self.desk.jobs.get(key)
        {
            job.waits = item.state == dragoman_model::State::Proposed;
            if item.edits > job.edits {
                job.edits = item.edits;
                let id = job.action.action.id;
                let summary = format!("The person changed it: it is {} now.", item.command.name());
                self.tell(id, "changed", summary, None, None);
            }
        }
        self.go_on()
    }
}
