//! A conversation with somebody who answers its requests at once, as a browser would.

use dragoman_dialects::chat::Talk;
use dragoman_dialects::command::{Act, Conversation, Options, Tool};
use dragoman_model::*;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

pub const KEYWORD: &str = "[END:news.ycombinator.com-claude.ai-1740580800000]";

pub fn options() -> Options {
    let tool = |name: &str, url: &str| Tool {
        name: name.into(),
        url: url.into(),
    };
    Options {
        goal: "Find the top Hacker News story today and search for related discussions on Google."
            .into(),
        keyword: KEYWORD.into(),
        tools: vec![
            tool("Google Search", "https://google.com"),
            tool("Hacker News", "https://news.ycombinator.com"),
        ],
        max_tabs: 3,
        url: None,
        redact: true,
        joins: false,
        framed: false,
        observe: false,
        nonce: "test".into(),
    }
}

pub struct Stage {
    talk: Conversation,
    pub now: Duration,
    /// What a tab shows.
    pub pages: BTreeMap<TabId, Vec<Node>>,
    pub urls: BTreeMap<TabId, String>,
    pub network: Vec<NetworkEntry>,
    /// What the next clicks and keys do.
    pub effects: VecDeque<Result<Effect, Fault>>,
    /// What was asked for, other than looks.
    pub asked: Vec<Request>,
    pub controls: Vec<Control>,
    pub said: Vec<String>,
    /// Requests are kept instead of being answered.
    pub hold: bool,
    pub held: VecDeque<Request>,
    /// Nothing can be read.
    pub unreadable: bool,
    /// What an address opens with.
    pub site: BTreeMap<String, Vec<Node>>,
    next_tab: u32,
}

impl Stage {
    pub fn new(options: Options) -> Self {
        let mut stage = Self {
            talk: Conversation::new(options),
            now: Duration::ZERO,
            pages: BTreeMap::new(),
            urls: BTreeMap::new(),
            network: Vec::new(),
            effects: VecDeque::new(),
            asked: Vec::new(),
            controls: Vec::new(),
            said: Vec::new(),
            hold: false,
            held: VecDeque::new(),
            unreadable: false,
            site: BTreeMap::new(),
            next_tab: 1,
        };
        let acts = stage.talk.start(stage.now);
        stage.play(acts);
        stage.said.clear();
        stage
    }

    /// One tab with these nodes is open and has been told of.
    pub fn with_page(mut options: Options, nodes: Vec<Node>) -> Self {
        options.url = None;
        let mut stage = Self::new(options);
        stage
            .site
            .insert("https://example.com/results".into(), nodes);
        stage.say("<tool_code>{\"action\":\"open_tab\",\"url\":\"https://example.com/results\"}</tool_code>");
        stage
    }

    pub fn say(&mut self, text: &str) -> Vec<String> {
        let text = format!("{text}\n{KEYWORD}\n");
        self.bytes(text.as_bytes())
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

    pub fn changed(&mut self, tab: u32) -> Vec<String> {
        self.event(SurfaceEvent::Changed {
            tab: TabId(tab),
            since: SnapshotId(1),
        })
    }

    /// Let time pass, waking whoever wants to be woken.
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

    pub fn is_busy(&self) -> bool {
        self.talk.is_busy()
    }

    /// Answer what was held.
    pub fn release(&mut self) -> Vec<String> {
        self.hold = false;
        while let Some(request) = self.held.pop_front() {
            self.answer(request);
        }
        std::mem::take(&mut self.said)
    }

    pub fn accept(&mut self, number: u64, waits: bool) -> Vec<String> {
        let id = self.held.back().unwrap().id.clone().unwrap();
        let acts = self.talk.accepted(self.now, &id, number, waits);
        self.play(acts);
        std::mem::take(&mut self.said)
    }

    fn play(&mut self, acts: Vec<Act>) {
        for act in acts {
            match act {
                Act::Say(text) => self.said.push(text),
                Act::Show { .. } | Act::Log(_) => {}
                Act::Control(control) => self.controls.push(control),
                Act::Submit(request) => {
                    let looks = matches!(
                        request.command,
                        Command::TakeSnapshot(_) | Command::ReadNetwork(_) | Command::Subscribe(_)
                    );
                    if !looks {
                        self.asked.push(request.clone());
                    }
                    if self.hold && !looks {
                        self.held.push_back(request);
                    } else {
                        self.answer(request);
                    }
                }
            }
        }
    }

    fn answer(&mut self, request: Request) {
        let outcome = self.outcome(&request);
        let acts = self
            .talk
            .outcome(self.now, request.id.as_ref().unwrap(), outcome);
        self.play(acts);
    }

    fn outcome(&mut self, request: &Request) -> Outcome {
        let done = |reply: Reply| Outcome::Done(reply.into());
        match &request.command {
            Command::OpenTab(open) => {
                let url = open.url.clone().unwrap();
                let tab = TabId(self.next_tab);
                self.next_tab += 1;
                let info = TabInfo {
                    tab,
                    url: url.clone(),
                    title: String::new(),
                    opener: None,
                    current: false,
                    navigating: false,
                };
                let acts = self
                    .talk
                    .event(self.now, SurfaceEvent::TabOpened { tab: info.clone() });
                self.play(acts);
                if url.contains("unreachable") {
                    let message = format!("{url}: net::ERR_NAME_NOT_RESOLVED");
                    return Outcome::failed(Fault::new(Code::NavigationFailed, message));
                }
                let nodes = self.site.get(&url).cloned().unwrap_or_default();
                self.pages.insert(tab, nodes);
                self.urls.insert(tab, url);
                done(Reply::Tab(info))
            }
            Command::TakeSnapshot(_) if self.unreadable => {
                Outcome::failed(Fault::new(Code::Hung, "the page is busy"))
            }
            Command::TakeSnapshot(_) => done(Reply::Snapshot(Box::new(
                self.snapshot(request.tab.unwrap()),
            ))),
            Command::ReadNetwork(_) => done(Reply::Network(self.network.clone())),
            Command::Click(_) | Command::Type(_) | Command::Clear(_) => {
                match self.effects.pop_front().unwrap_or(Ok(Effect::Changed)) {
                    Ok(effect) => Outcome::Done(Done {
                        reply: Reply::Nothing,
                        receipt: Some(Box::new(Receipt {
                            effect,
                            ..Receipt::default()
                        })),
                    }),
                    Err(fault) => Outcome::failed(fault),
                }
            }
            _ => done(Reply::Nothing),
        }
    }

    fn snapshot(&self, tab: TabId) -> Snapshot {
        Snapshot {
            id: SnapshotId(1),
            tab,
            url: self.urls.get(&tab).cloned().unwrap_or_default(),
            title: String::new(),
            viewport: Viewport::default(),
            focus: None,
            dialog: None,
            outside: 0,
            omitted: 0,
            prompt: None,
            nodes: self.pages.get(&tab).cloned().unwrap_or_default(),
        }
    }
}

pub fn node(r#ref: u64, tag: &str, role: &str, name: &str) -> Node {
    Node {
        r#ref: Some(Ref(r#ref)),
        tag: tag.into(),
        role: role.into(),
        name: name.into(),
        interactive: true,
        ..Node::default()
    }
}

/// The elements of the document's example.
pub fn example() -> Vec<Node> {
    let called = |node: Node, called: &str| Node {
        called: Some(called.into()),
        ..node
    };
    vec![
        Node {
            href: Some("https://example.com/about?ref=home".into()),
            ..node(11, "A", "link", "About Us")
        },
        called(node(12, "BUTTON", "button", "Search"), "Search"),
        Node {
            placeholder: Some("Search...".into()),
            ..node(13, "INPUT", "textbox", "Search...")
        },
        Node {
            disabled: true,
            ..called(node(14, "BUTTON", "button", "Submit"), "Submit")
        },
        called(node(15, "TEXTAREA", "textbox", "Message"), "Message"),
    ]
}
