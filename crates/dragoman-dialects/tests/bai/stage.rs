//! A conversation with somebody who answers its requests at once, as a browser would, or who keeps them as a
//! queue does.

use dragoman_dialects::bai::{Options, Version, v03, v04};
use dragoman_dialects::chat::{Act, Talk};
use dragoman_model::*;
use serde_json::json;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

pub const KEY: &str = "k-51f0";
pub const NONCE: &str = "n_7d8f1c";

pub fn options() -> Options {
    Options {
        goal: String::new(),
        url: None,
        joins: false,
        redact: false,
        framed: true,
        key: KEY.into(),
        ack_nonce: NONCE.into(),
        epoch_ms: 1_769_073_330_000,
        nonce: "test".into(),
    }
}

pub struct Stage {
    talk: Box<dyn Talk>,
    pub now: Duration,
    pub tabs: Vec<TabInfo>,
    /// What the next actions come to.
    pub results: VecDeque<Result<Done, Fault>>,
    /// What was asked for, other than for the conversation's own sake.
    pub asked: Vec<Request>,
    pub controls: Vec<Control>,
    pub said: Vec<String>,
    pub shown: Vec<String>,
    pub log: Vec<String>,
    /// Actions wait for a person.
    pub propose: bool,
    /// Actions are kept.
    pub hold: bool,
    pub held: VecDeque<(u64, Request)>,
    numbers: u64,
}

impl Stage {
    pub fn new(version: Version, options: Options) -> Self {
        let talk: Box<dyn Talk> = match version {
            Version::V03 => Box::new(v03::Conversation::new(options)),
            Version::V04 => Box::new(v04::Conversation::new(options)),
        };
        let mut stage = Self {
            talk,
            now: Duration::ZERO,
            tabs: vec![tab(17, "https://example.com", "Example Domain")],
            results: VecDeque::new(),
            asked: Vec::new(),
            controls: Vec::new(),
            said: Vec::new(),
            shown: Vec::new(),
            log: Vec::new(),
            propose: false,
            hold: false,
            held: VecDeque::new(),
            numbers: 0,
        };
        stage.tabs[0].current = true;
        let acts = stage.talk.start(stage.now);
        stage.play(acts);
        stage.said.clear();
        stage
    }

    /// The handshake is over, and what was said in it.
    pub fn open(version: Version, options: Options) -> Self {
        let key = options.key.clone();
        let mut stage = Self::new(version, options);
        stage.shake_hands(version, &key);
        stage
    }

    pub fn shake_hands(&mut self, version: Version, key: &str) -> Vec<String> {
        match version {
            Version::V03 => self.assistant(&format!("```bai\n{}\n```", handshake("BAI/0.3", key))),
            Version::V04 => self.assistant(&format!("!baisession {}", json!({"session_key": key}))),
        }
    }

    pub fn assistant(&mut self, text: &str) -> Vec<String> {
        self.frame(&json!({"role": "assistant", "text": text}))
    }

    pub fn user(&mut self, text: &str) -> Vec<String> {
        self.frame(&json!({"role": "user", "text": text}))
    }

    pub fn person(&mut self, does: &str) -> Vec<String> {
        self.frame(&json!({"role": "person", "do": does}))
    }

    pub fn frame(&mut self, frame: &serde_json::Value) -> Vec<String> {
        self.bytes(format!("{frame}\n").as_bytes())
    }

    pub fn bytes(&mut self, bytes: &[u8]) -> Vec<String> {
        let acts = self.talk.bytes(self.now, bytes);
        self.play(acts);
        std::mem::take(&mut self.said)
    }

    pub fn end(&mut self) -> Vec<String> {
        let acts = self.talk.end(self.now);
        self.play(acts);
        std::mem::take(&mut self.said)
    }

    pub fn event(&mut self, event: SurfaceEvent) -> Vec<String> {
        let acts = self.talk.event(self.now, event);
        self.play(acts);
        std::mem::take(&mut self.said)
    }

    /// Time passes, and whoever wants to be woken is.
    pub fn wait(&mut self, ms: u64) -> Vec<String> {
        let until = self.now + Duration::from_millis(ms);
        while let Some(at) = self.talk.wake_at().filter(|at| *at <= until) {
            self.now = self.now.max(at);
            let acts = self.talk.tick(self.now);
            self.play(acts);
        }
        self.now = until;
        std::mem::take(&mut self.said)
    }

    /// A held action gets its outcome.
    pub fn answer(&mut self, result: Result<Done, Fault>) -> Vec<String> {
        let (_, request) = self.held.pop_front().unwrap();
        self.finish(&request, result);
        std::mem::take(&mut self.said)
    }

    /// A person changes a held action.
    pub fn edit(&mut self, place: usize, command: Command) -> Vec<String> {
        let (number, request) = &mut self.held[place];
        request.command = command.clone();
        let item = QueueItem {
            number: *number,
            id: request.id.clone(),
            state: State::Proposed,
            command,
            tab: request.tab,
            timeout_ms: request.timeout_ms,
            edits: 1,
            means: None,
            note: None,
            outcome: None,
        };
        let acts = self.talk.item(self.now, item);
        self.play(acts);
        std::mem::take(&mut self.said)
    }

    pub fn delete(&mut self, place: usize) -> Vec<String> {
        let (_, request) = self.held.remove(place).unwrap();
        let reason = "it was cancelled".into();
        let acts = self.talk.outcome(
            self.now,
            request.id.as_ref().unwrap(),
            Outcome::Deleted { reason },
        );
        self.play(acts);
        std::mem::take(&mut self.said)
    }

    pub fn is_busy(&self) -> bool {
        self.talk.is_busy()
    }

    fn finish(&mut self, request: &Request, result: Result<Done, Fault>) {
        let outcome = match result {
            Ok(done) => Outcome::Done(done),
            Err(fault) => Outcome::failed(fault),
        };
        let id = request.id.as_ref().unwrap();
        let acts = self.talk.outcome(self.now, id, outcome);
        self.play(acts);
    }

    fn play(&mut self, acts: Vec<Act>) {
        for act in acts {
            match act {
                Act::Say(text) => self.said.push(text),
                Act::Show { name, .. } => self.shown.push(name),
                Act::Log(text) => self.log.push(text),
                Act::Control(control) => self.controls.push(control),
                Act::Submit(request) if request.own => self.own(&request),
                Act::Submit(request) => self.submitted(request),
            }
        }
    }

    fn own(&mut self, request: &Request) {
        let reply = match &request.command {
            Command::ListTabs(_) => Reply::Tabs(self.tabs.clone()),
            Command::Subscribe(_) => Reply::Subscribed {
                subscription: 1,
                at: 1,
                resync: false,
            },
            _ => Reply::Nothing,
        };
        self.finish(request, Ok(reply.into()));
    }

    fn submitted(&mut self, request: Request) {
        self.asked.push(request.clone());
        self.numbers += 1;
        let waits = self.propose || request.asks.is_some();
        let id = request.id.clone().unwrap();
        let acts = self.talk.accepted(self.now, &id, self.numbers, waits);
        self.play(acts);
        if waits || self.hold {
            return self.held.push_back((self.numbers, request));
        }
        let result = self.results.pop_front();
        let result = result.unwrap_or_else(|| Ok(natural(&request.command)));
        self.finish(&request, result);
    }
}

/// What a command usually comes to.
fn natural(command: &Command) -> Done {
    match command {
        Command::Batch(batch) => {
            let outcome = |step: &Command| Outcome::Done(natural(step));
            let steps = (1..).zip(&batch.steps);
            let steps = steps.map(|(index, step)| StepOutcome {
                index,
                outcome: outcome(step),
            });
            Reply::Steps(steps.collect()).into()
        }
        Command::Wait(wait) => Reply::Waited {
            ms: wait.ms.unwrap_or(5),
        }
        .into(),
        Command::ReadText(_) => Reply::Text(PageText {
            text: "Example Domain\nThis domain is for use in examples.".into(),
            cut: 3,
        })
        .into(),
        Command::Selection(_) => Reply::Text(PageText {
            text: "in examples".into(),
            cut: 0,
        })
        .into(),
        Command::Query(_) => Reply::Value(found(
            2,
            vec![json!({"css": "#more", "tag": "a", "text": "More"})],
        ))
        .into(),
        Command::Screenshot(_) => Reply::Image(Image {
            mime: "image/png".into(),
            data: "iVBORw0KGgo=".into(),
            refs: vec![],
        })
        .into(),
        Command::OpenTab(open) => {
            Reply::Tab(tab(21, open.url.as_deref().unwrap_or_default(), "Title")).into()
        }
        Command::OpenLink(_) => Reply::Tab(tab(21, "https://example.com/more", "More")).into(),
        Command::Highlight(_) => Reply::Nothing.into(),
        _ => Done {
            reply: Reply::Nothing,
            receipt: Some(Box::new(Receipt {
                effect: Effect::Changed,
                hit: Some(Hit {
                    r#ref: Some(Ref(3)),
                    role: "button".into(),
                    name: "Sign in".into(),
                    tag: "BUTTON".into(),
                    point: None,
                    bounds: None,
                }),
                ..Receipt::default()
            })),
        },
    }
}

pub fn found(count: i64, samples: Vec<serde_json::Value>) -> Data {
    let samples: Vec<Data> = samples
        .into_iter()
        .map(|sample| serde_json::from_value(sample).unwrap())
        .collect();
    Data::Map(BTreeMap::from([
        ("count".into(), Data::Int(count)),
        ("samples".into(), Data::List(samples)),
    ]))
}

pub fn tab(number: u32, url: &str, title: &str) -> TabInfo {
    TabInfo {
        tab: TabId(number),
        url: url.into(),
        title: title.into(),
        opener: None,
        current: false,
        navigating: false,
    }
}

pub fn handshake(protocol: &str, workflow: &str) -> String {
    format!(
        "{{\"protocol\":\"{protocol}\",\"workflow_id\":\"{workflow}\",\"kind\":\"handshake\",\"state\":\"awaiting_extension_ack\",\"capabilities\":[\"action_lines\"]}}"
    )
}

/// A line of 0.4.
pub fn act(number: u32, a: &str, s: &str, x: &str) -> String {
    let object = json!({"v": 1, "t": 17, "a": a, "s": s, "x": x});
    format!("!baiact{number:06} {object}")
}

/// A line of 0.3.
pub fn action(id: u64, kind: &str, payload: serde_json::Value) -> String {
    let object = json!({
        "protocol": "BAI/0.3", "workflow_id": KEY, "kind": "action", "ack_nonce": NONCE, "action_id": id,
        "type": kind, "payload": payload,
    });
    format!("BAI_ACTION {object}")
}
