//! One workflow: the handshake, our ACK, the actions, and a line about each of them.
//!
//! Must not know: the engine, a clock (time is an argument), how text travels.

mod ended;
mod said;

use super::MARKS;
use super::action::{Action, Deed, Handshake, Protocol};
use super::prompt::prompt;
use crate::bai::Options;
use crate::bai::desk::{Desk, Ended, Purpose};
use crate::bai::hearing::{Hearing, Said};
use crate::bai::told::{self, object_line};
use crate::bai::voice::Voice;
use crate::chat::Act;
use crate::chat::quoted::Quoted;
use dragoman_model::{ListTabs, QueueItem, Request, SurfaceEvent};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;

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
pub(in crate::bai) struct Job {
    action: Action,
    request: Request,
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

impl Voice for Conversation {
    type Action = Job;

    fn desk(&mut self) -> &mut Desk<Job> {
        &mut self.desk
    }

    fn hearing(&mut self) -> &mut Hearing {
        &mut self.hearing
    }

    fn prompt(&self) -> String {
        prompt(&self.desk.options)
    }

    fn hear(&mut self, said: Said) {
        self.hear(said);
    }

    fn ended(&mut self, ended: Ended) {
        self.ended(ended);
    }

    fn waits(&mut self, key: u64) {
        if let Some(id) = self.desk.jobs.get(key).map(|job| job.action.action.id) {
            let summary = "It waits for the person's approval.".to_owned();
            self.tell(id, "waiting", summary, None, None);
        }
    }

    fn happened(&mut self, event: &SurfaceEvent) {
        if let SurfaceEvent::DialogOpened { dialog, .. } = event {
            self.quoted
                .note("a dialog of a page", &dialog.message, Action::deed);
        }
        self.desk.event(event);
    }

    fn edited(&mut self, item: &QueueItem) {
        let Some(key) = self.desk.job_of(item.id.as_ref()) else {
            return;
        };
        let Some(job) = self.desk.jobs.get(key) else {
            return;
        };
        job.waits = item.state == dragoman_model::State::Proposed;
        if item.edits > job.edits {
            job.edits = item.edits;
            let id = job.action.action.id;
            let summary = format!("The person changed it: it is {} now.", item.command.name());
            self.tell(id, "changed", summary, None, None);
        }
    }

    fn nobody_left(&mut self) {
        self.nobody_left();
    }

    fn go_on(&mut self) -> Vec<Act> {
        self.go_on()
    }

    /// Only what was asked for is told.
    fn wakes_at(&self) -> Option<Duration> {
        None
    }

    fn has_more(&self) -> bool {
        !self.desk.jobs.are_quiet() || !self.results.is_empty() || self.wanted
    }
}
