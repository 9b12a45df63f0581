//! One backend: its commands become requests, what comes of them becomes results, and what is in
//! view is told when it has changed.
//!
//! Must not know: the engine, a clock, how messages travel.

use super::wire::{ActionCommand, ActionResult, Element, Read, ToBackend, Tree, read};
use dragoman_model::{
    Click, Code, Command, Done, EventKind, Fault, Navigate, Outcome, ReadText, Ref, ReplaceText,
    Reply, Request, RequestId, ScrollTo, Snapshot, Subscribe, SurfaceEvent, TakeSnapshot, Target,
};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::time::Duration;

/// Between two snapshots that nobody asked for.
const BREATH: Duration = Duration::from_millis(100);
/// Elements of one snapshot.
const MOST: usize = 2_000;
const MOST_NAME: usize = 500;
const MOST_TEXT: u64 = 200_000;

#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    Submit(Request),
    /// One message to the backend.
    Send(ToBackend),
}

#[derive(Debug)]
pub struct Conversation {
    nonce: String,
    asked: u64,
    open: HashMap<RequestId, Purpose>,
    /// What the backend was told last.
    told: Option<Tree>,
    told_at: Duration,
    looking: bool,
    changed: bool,
    now: Duration,
    acts: Vec<Act>,
}

#[derive(Debug)]
enum Purpose {
    Nothing,
    /// A snapshot of our own accord.
    Look,
    Answer {
        request_id: Option<Value>,
        limit: usize,
    },
}

impl Conversation {
    /// `nonce` makes the ids of our requests differ from those of other conversations.
    pub fn new(nonce: impl Into<String>) -> Self {
        Self {
            nonce: nonce.into(),
            asked: 0,
            open: HashMap::new(),
            told: None,
            told_at: Duration::ZERO,
            looking: false,
            changed: true,
            now: Duration::ZERO,
            acts: Vec::new(),
        }
    }

    /// The first snapshot is on its way.
    pub fn start(&mut self, now: Duration, url: Option<&str>) -> Vec<Act> {
        self.now = now;
        let events = vec![
            EventKind::Tabs,
            EventKind::Navigation,
            EventKind::Changes,
            EventKind::Dialogs,
        ];
        self.submit(
            Purpose::Nothing,
            Subscribe {
                events,
                since: None,
            },
        );
        if let Some(url) = url {
            let go = Navigate {
                url: url.into(),
                until: None,
            };
            self.submit(Purpose::Nothing, go);
        }
        self.look();
        self.done()
    }

    pub fn message(&mut self, now: Duration, text: &str) -> Vec<Act> {
        self.now = now;
        match read(text) {
            Read::Ping { data } => self.acts.push(Act::Send(ToBackend::Pong { data })),
            Read::Pong => {}
            Read::Bad { request_id, error } => {
                let data = failure(error, None);
                self.acts
                    .push(Act::Send(ToBackend::ActionResult { data, request_id }));
            }
            Read::Command {
                command,
                request_id,
            } => self.command(command, request_id),
        }
        self.done()
    }

    /// A message that could not even be read as text.
    pub fn unreadable(&mut self, why: &str) -> Vec<Act> {
        let data = failure(why.into(), None);
        let request_id = None;
        vec![Act::Send(ToBackend::ActionResult { data, request_id })]
    }

    pub fn outcome(&mut self, now: Duration, id: &RequestId, outcome: Outcome) -> Vec<Act> {
        self.now = now;
        let result = match outcome {
            Outcome::Done(done) => Ok(done),
            Outcome::Failed { fault, .. } | Outcome::Interrupted { fault } => Err(fault),
            Outcome::Deleted { reason } => Err(Fault::new(Code::Cancelled, reason)),
        };
        self.ended(id, result);
        self.done()
    }

    pub fn refused(&mut self, now: Duration, id: &RequestId, fault: Fault) -> Vec<Act> {
        self.now = now;
        self.ended(id, Err(fault));
        self.done()
    }

    pub fn event(&mut self, now: Duration, event: &SurfaceEvent) -> Vec<Act> {
        self.now = now;
        let matters = matches!(
            event,
            SurfaceEvent::Changed { .. }
                | SurfaceEvent::Navigated { .. }
                | SurfaceEvent::Loaded { .. }
                | SurfaceEvent::DialogClosed { .. }
                | SurfaceEvent::TabClosed { .. }
        );
        self.changed |= matters;
        self.look_when_due();
        self.done()
    }

    pub fn wake_at(&self) -> Option<Duration> {
        (self.changed && !self.looking).then(|| self.told_at + BREATH)
    }

    pub fn tick(&mut self, now: Duration) -> Vec<Act> {
        self.now = now;
        self.look_when_due();
        self.done()
    }

    /// Something is asked for and not yet answered.
    pub fn is_busy(&self) -> bool {
        self.looking || !self.open.is_empty()
    }

    fn command(&mut self, command: ActionCommand, request_id: Option<Value>) {
        let mut limit = MOST;
        let command: Command = match command {
            ActionCommand::NavigateTo { url } => Navigate { url, until: None }.into(),
            ActionCommand::ClickElement { r#ref } => Click {
                target: Target::Ref(Ref(r#ref)),
                button: None,
                count: None,
                modifiers: None,
                position: None,
                hold_ms: None,
            }
            .into(),
            ActionCommand::TypeText { r#ref, text } => {
                let target = Target::Ref(Ref(r#ref));
                ReplaceText {
                    target,
                    text,
                    no_password: None,
                }
                .into()
            }
            ActionCommand::ScrollTo { x, y } => ScrollTo { x, y, target: None }.into(),
            ActionCommand::GetInteractiveElements { limit: most } => {
                limit = most.map_or(MOST, |most| (most as usize).min(MOST));
                take_snapshot().into()
            }
            ActionCommand::GetPageContent { max_length } => ReadText {
                target: None,
                max: Some(max_length.map_or(MOST_TEXT, |most| most.min(MOST_TEXT))),
            }
            .into(),
        };
        self.submit(Purpose::Answer { request_id, limit }, command);
    }

    fn ended(&mut self, id: &RequestId, result: Result<Done, Fault>) {
        match self.open.remove(id) {
            None | Some(Purpose::Nothing) => {}
            Some(Purpose::Look) => {
                self.looking = false;
                if let Ok(Done {
                    reply: Reply::Snapshot(snapshot),
                    ..
                }) = result
                {
                    self.tell(&snapshot);
                }
                self.look_when_due();
            }
            Some(Purpose::Answer { request_id, limit }) => {
                let data = match result {
                    Ok(done) => self.succeeded(done, limit),
                    Err(fault) => failed(&fault),
                };
                self.answer(request_id, data);
                // Whatever it did should be seen before the next one is sent.
                self.changed = true;
                self.look();
            }
        }
    }

    fn succeeded(&mut self, done: Done, limit: usize) -> ActionResult {
        let mut data = Map::new();
        match done.reply {
            Reply::Snapshot(snapshot) => {
                let tree = Self::tree(&snapshot, limit);
                if let Ok(Value::Object(tree)) = serde_json::to_value(tree) {
                    data = tree;
                }
            }
            Reply::Text(text) => {
                data.insert("content".into(), text.text.into());
                data.insert("truncated".into(), (text.cut > 0).into());
            }
            _ => {}
        }
        if let Some(receipt) = done.receipt {
            data.insert("effect".into(), json!(receipt.effect));
            if let Some(navigated) = receipt.navigated {
                data.insert("url".into(), navigated.url.into());
            }
            if let Some(healed) = receipt.healed {
                data.insert("healed".into(), healed.into());
            }
            if let Some(dialog) = receipt.dialog {
                data.insert("dialog".into(), json!(dialog));
            }
        }
        ActionResult {
            success: true,
            error: None,
            data: Some(data),
        }
    }

    fn answer(&mut self, request_id: Option<Value>, data: ActionResult) {
        self.acts
            .push(Act::Send(ToBackend::ActionResult { data, request_id }));
    }

    fn look_when_due(&mut self) {
        if self.wake_at().is_some_and(|at| at <= self.now) {
            self.look();
        }
    }

    fn look(&mut self) {
        if !self.looking {
            self.looking = true;
            self.changed = false;
            self.submit(Purpose::Look, take_snapshot());
        }
    }

    /// Only what is different from what was told is told.
    fn tell(&mut self, snapshot: &Snapshot) {
        let tree = Self::tree(snapshot, MOST);
        self.told_at = self.now;
        if self.told.as_ref() != Some(&tree) {
            self.told = Some(tree.clone());
            self.acts
                .push(Act::Send(ToBackend::Snapshot { data: tree }));
        }
    }

    fn tree(snapshot: &Snapshot, limit: usize) -> Tree {
        let listed = snapshot.nodes.iter().filter(|n| n.interactive && n.in_view);
        let listed: Vec<_> = listed
            .filter_map(|node| Some((node, node.r#ref?)))
            .collect();
        // The session's own numbers: whoever joins it, or comes back, knows each element by the same one.
        let element = |node: &dragoman_model::Node, Ref(id): Ref| {
            let bounds = node.bounds.unwrap_or_default();
            Element {
                id,
                role: node.role.to_string(),
                name: node.name.chars().take(MOST_NAME).collect(),
                tag: node.tag.as_str().to_ascii_uppercase(),
                bounds: bounds.into(),
            }
        };
        let tree: Vec<Element> = listed
            .iter()
            .take(limit)
            .map(|(node, r#ref)| element(node, *r#ref))
            .collect();
        Tree {
            url: snapshot.url.clone(),
            title: snapshot.title.clone(),
            outside_viewport: snapshot.outside,
            omitted: (listed.len() - tree.len()) as u64 + snapshot.omitted,
            tree,
        }
    }

    fn submit(&mut self, purpose: Purpose, command: impl Into<Command>) {
        self.asked += 1;
        let id = RequestId::Text(format!("{}-{}", self.nonce, self.asked));
        let mut request = Request::new(command.into());
        request.id = Some(id.clone());
        request.own = !matches!(purpose, Purpose::Answer { .. });
        self.open.insert(id, purpose);
        self.acts.push(Act::Submit(request));
    }

    fn done(&mut self) -> Vec<Act> {
        std::mem::take(&mut self.acts)
    }
}

fn take_snapshot() -> TakeSnapshot {
    TakeSnapshot {
        in_view: Some(true),
        interactive: Some(true),
        root: None,
        all_refs: None,
        limit: None,
    }
}

fn failed(fault: &Fault) -> ActionResult {
    let error = format!(
        "{}. {}",
        fault.message.trim_end_matches('.'),
        fault.suggestion
    );
    failure(error, Some(fault.code))
}

fn failure(error: String, code: Option<Code>) -> ActionResult {
    let code = code.unwrap_or(Code::BadInput);
    let data = Map::from_iter([("code".to_owned(), Value::from(code.as_str()))]);
    ActionResult {
        success: false,
        error: Some(error),
        data: Some(data),
    }
}
