//! Surfaces that are just big enough for a conversation: a prompt with choices, and a page with a form.

use super::schemas;
use dragoman_dialects::ux::{Act, Conversation, Found, Options, Search};
use dragoman_model::*;
use serde_json::Value;
use std::time::Duration;

pub struct Stage {
    pub talk: Conversation,
    pub now: Duration,
    pub surface: Surface,
    pub asked: Vec<Command>,
    pub searches: Vec<Search>,
    pub notes: Vec<String>,
    /// The next command fails so.
    pub fault: Option<Fault>,
    looks: u64,
}

pub enum Surface {
    Prompt(Prompt),
    Page(Page),
}

pub struct Prompt {
    pub choices: Vec<(String, String, String)>,
    pub input: String,
    pub selected: usize,
    pub focused: bool,
    pub scroll: f64,
    /// It goes away with this.
    pub submitted: Option<String>,
}

pub struct Page {
    pub url: String,
    pub nodes: Vec<Node>,
}

impl Stage {
    pub fn prompt() -> Self {
        let fruit =
            |name: &str, about: &str| (name.to_owned(), name.to_lowercase(), about.to_owned());
        Self::on(Surface::Prompt(Prompt {
            choices: vec![
                fruit("Apple", "A red fruit"),
                fruit("Pineapple", "A spiky fruit"),
                fruit("Banana", "A yellow fruit"),
            ],
            input: String::new(),
            selected: 0,
            focused: true,
            scroll: 0.0,
            submitted: None,
        }))
    }

    pub fn page() -> Self {
        Self::on(Surface::Page(Page::form()))
    }

    fn on(surface: Surface) -> Self {
        let options = Options {
            nonce: "test".into(),
            url: None,
        };
        let mut talk = Conversation::new(options);
        talk.start(Duration::ZERO, 1_703_692_800_000);
        Self {
            talk,
            now: Duration::ZERO,
            surface,
            asked: Vec::new(),
            searches: Vec::new(),
            notes: Vec::new(),
            fault: None,
            looks: 0,
        }
    }

    pub fn send(&mut self, message: &Value) -> Vec<Value> {
        self.text(&message.to_string())
    }

    pub fn text(&mut self, text: &str) -> Vec<Value> {
        let acts = self.talk.message(self.now, text);
        self.play(acts)
    }

    /// Time passes, and the conversation is woken whenever it wants to be.
    pub fn wait(&mut self, ms: u64) -> Vec<Value> {
        let end = self.now + Duration::from_millis(ms);
        let mut sent = Vec::new();
        while let Some(at) = self.talk.wake_at().filter(|at| *at <= end) {
            self.now = self.now.max(at);
            let acts = self.talk.tick(self.now);
            sent.extend(self.play(acts));
        }
        self.now = end;
        sent
    }

    pub fn event(&mut self, event: &SurfaceEvent) -> Vec<Value> {
        let acts = self.talk.event(self.now, event);
        self.play(acts)
    }

    pub fn changed(&mut self) -> Vec<Value> {
        self.event(&SurfaceEvent::Changed {
            tab: TabId(1),
            since: SnapshotId(1),
        })
    }

    pub fn found(&mut self, number: u64, found: Found) -> Vec<Value> {
        let acts = self.talk.found(self.now, number, found);
        self.play(acts)
    }

    fn play(&mut self, acts: Vec<Act>) -> Vec<Value> {
        let mut sent = Vec::new();
        for act in acts {
            match act {
                Act::Send(line) => {
                    let message = serde_json::from_str(&line).unwrap();
                    schemas::check(&message);
                    sent.push(message);
                }
                Act::Note(note) => self.notes.push(note),
                Act::Search(search) => self.searches.push(search),
                Act::StopSearch(number) => self.searches.retain(|s| s.number != number),
                Act::Submit(request) => {
                    let (outcome, events) = self.outcome(&request);
                    let id = request.id.unwrap();
                    for event in events {
                        let acts = self.talk.event(self.now, &event);
                        sent.extend(self.play(acts));
                    }
                    let acts = self.talk.outcome(self.now, &id, outcome);
                    sent.extend(self.play(acts));
                }
            }
        }
        sent
    }

    fn outcome(&mut self, request: &Request) -> (Outcome, Vec<SurfaceEvent>) {
        match &request.command {
            Command::Subscribe(_) => return (done(Reply::Nothing), Vec::new()),
            Command::TakeSnapshot(ask) => {
                self.looks += 1;
                let snapshot = self.surface.snapshot(self.looks, ask.limit);
                return (done(Reply::Snapshot(Box::new(snapshot))), Vec::new());
            }
            command => self.asked.push(command.clone()),
        }
        if let Some(fault) = self.fault.take() {
            return (Outcome::failed(fault), Vec::new());
        }
        match self.surface.perform(&request.command) {
            Ok((reply, events)) => (done(reply), events),
            Err(fault) => (Outcome::failed(fault), Vec::new()),
        }
    }

    pub fn looks(&self) -> u64 {
        self.looks
    }
}

fn done(reply: Reply) -> Outcome {
    Outcome::Done(reply.into())
}

type Performed = Result<(Reply, Vec<SurfaceEvent>), Fault>;

fn unsupported(command: &Command) -> Fault {
    let message = format!("{} is not for this stage", command.name());
    Fault::new(Code::Unsupported, message)
}

impl Surface {
    fn snapshot(&self, id: u64, limit: Option<u32>) -> Snapshot {
        let (url, prompt, scroll, mut nodes) = match self {
            Self::Prompt(prompt) => {
                let url = "prompt:prompt-123".to_owned();
                (url, Some(prompt.state()), prompt.scroll, prompt.nodes())
            }
            Self::Page(page) => (page.url.clone(), None, 0.0, page.nodes.clone()),
        };
        let most = limit.map_or(nodes.len(), |limit| limit as usize);
        let omitted = nodes.len().saturating_sub(most) as u64;
        nodes.truncate(most);
        Snapshot {
            id: SnapshotId(id),
            tab: TabId(1),
            url,
            title: "Script Kit".into(),
            viewport: Viewport {
                width: 480.0,
                height: 700.0,
                scroll_y: scroll,
                ..Viewport::default()
            },
            focus: None,
            dialog: None,
            outside: 0,
            omitted,
            prompt: prompt.map(Box::new),
            nodes,
        }
    }

    fn perform(&mut self, command: &Command) -> Performed {
        match self {
            Self::Prompt(prompt) => prompt.perform(command),
            Self::Page(page) => page.perform(command),
        }
    }
}

fn bounds(y: f64, height: f64) -> Option<Bounds> {
    Some(Bounds {
        x: 10.0,
        y,
        width: 480.0,
        height,
    })
}

impl Prompt {
    fn shown(&self) -> Vec<usize> {
        let fits = |at: &usize| self.choices[*at].1.contains(&self.input.to_lowercase());
        (0..self.choices.len()).filter(fits).collect()
    }

    fn state(&self) -> PromptState {
        let shown = self.shown();
        let at = shown.get(self.selected);
        PromptState {
            kind: match self.submitted {
                Some(_) => PromptKind::None,
                None => PromptKind::Arg,
            },
            id: "prompt-123".into(),
            placeholder: "Pick a fruit".into(),
            input: self.input.clone(),
            choices: self.choices.len() as u64,
            shown: shown.len() as u64,
            selected: at.map(|_| self.selected as u64),
            value: at.map(|at| self.choices[*at].1.clone()),
            focused: self.focused,
            visible: true,
        }
    }

    fn nodes(&self) -> Vec<Node> {
        let mut nodes = vec![
            Node {
                id: Some("window:main".into()),
                role: "window".into(),
                name: "Script Kit".into(),
                bounds: bounds(0.0, 700.0),
                in_view: true,
                ..Node::default()
            },
            Node {
                depth: 1,
                id: Some("input:filter".into()),
                role: "searchbox".into(),
                name: "Filter".into(),
                value: Some(self.input.as_str().into()),
                bounds: bounds(0.0, 44.0),
                focused: self.focused,
                interactive: true,
                in_view: true,
                ..Node::default()
            },
            Node {
                depth: 1,
                id: Some("list:choices".into()),
                role: "listbox".into(),
                name: "Choices".into(),
                bounds: bounds(52.0, 400.0),
                in_view: true,
                ..Node::default()
            },
        ];
        for (place, at) in self.shown().into_iter().enumerate() {
            let (name, value, description) = &self.choices[at];
            nodes.push(Node {
                depth: 2,
                id: Some(format!("choice:{at}:{value}").into()),
                role: "option".into(),
                name: name.as_str().into(),
                value: Some(value.as_str().into()),
                description: Some(description.clone()),
                selected: Some(place == self.selected),
                bounds: bounds(52.0 + 52.0 * place as f64, 52.0),
                interactive: true,
                in_view: true,
                ..Node::default()
            });
        }
        nodes
    }

    fn perform(&mut self, command: &Command) -> Performed {
        let before = self.state();
        let reply = match command {
            Command::ReadText(_) => {
                let text = format!("> {}", self.input);
                let cut = 0;
                return Ok((Reply::Text(PageText { text, cut }), Vec::new()));
            }
            Command::ReplaceText(c) => self.type_in(&c.text),
            Command::Clear(_) => self.type_in(""),
            Command::Press(c) => {
                let times = usize::from(c.count.unwrap_or(1));
                let last = self.shown().len().saturating_sub(1);
                self.selected = match c.keys.as_str() {
                    "ArrowDown" => (self.selected + times).min(last),
                    "ArrowUp" => self.selected.saturating_sub(times),
                    _ => return Err(unsupported(command)),
                };
                Reply::Nothing
            }
            Command::Select(c) => {
                let shown = self.shown();
                let place = match &c.options[0] {
                    Choice::Index(at) => Some(*at as usize).filter(|at| *at < shown.len()),
                    Choice::Value(value) => {
                        shown.iter().position(|at| self.choices[*at].1 == *value)
                    }
                    Choice::Label(label) => {
                        shown.iter().position(|at| self.choices[*at].0 == *label)
                    }
                };
                let none = || Fault::new(Code::NoOption, "There is no such choice");
                self.selected = place.ok_or_else(none)?;
                Reply::Nothing
            }
            Command::Submit(c) => {
                let chosen = self.state().value.or(Some(self.input.clone()));
                let value = c.value.clone().or(chosen);
                self.submitted = value.clone();
                Reply::Value(value.unwrap_or_default().into())
            }
            Command::Focus(_) => {
                self.focused = true;
                Reply::Nothing
            }
            Command::Blur(_) => {
                self.focused = false;
                Reply::Nothing
            }
            Command::ScrollTo(c) => {
                self.scroll = c.y;
                Reply::Nothing
            }
            _ => return Err(unsupported(command)),
        };
        let events = self.events(&before);
        Ok((reply, events))
    }

    fn type_in(&mut self, text: &str) -> Reply {
        self.input = text.into();
        self.selected = 0;
        Reply::Nothing
    }

    fn events(&self, before: &PromptState) -> Vec<SurfaceEvent> {
        let now = self.state();
        let mut events = Vec::new();
        if before.input != now.input {
            events.push(PromptEvent::InputChanged {
                value: now.input.clone(),
                previous: before.input.clone(),
            });
        }
        if let Some(value) = now
            .value
            .filter(|value| Some(value) != before.value.as_ref())
        {
            let at = self.choices.iter().position(|c| c.1 == value).unwrap_or(0);
            events.push(PromptEvent::ChoiceSelected {
                index: self.selected as u64,
                id: format!("choice:{at}:{value}"),
                value,
            });
        }
        let tab = TabId(1);
        let told = events
            .into_iter()
            .map(|what| SurfaceEvent::Prompt { tab, what });
        told.collect()
    }
}

fn element(number: u64, id: &str, role: &str, name: &str) -> Node {
    Node {
        r#ref: Some(Ref(number)),
        id: Some(id.into()),
        role: role.into(),
        name: name.into(),
        bounds: bounds(0.0, 20.0),
        interactive: true,
        in_view: true,
        ..Node::default()
    }
}

impl Page {
    fn form() -> Self {
        let field = |number, id: &str, name: &str| Node {
            tag: "INPUT".into(),
            value: Some(Default::default()),
            ..element(number, id, "textbox", name)
        };
        let option = |label: &str, selected| SelectOption {
            label: label.into(),
            value: label.to_lowercase(),
            selected,
            disabled: false,
        };
        Self {
            url: "https://example.com/".into(),
            nodes: vec![
                Node {
                    r#ref: None,
                    level: Some(1),
                    interactive: false,
                    id: None,
                    ..element(0, "", "heading", "Order <now>")
                },
                field(1, "input:name", "Name"),
                field(2, "input:street", "Street"),
                Node {
                    checked: Some(Checked::No),
                    ..element(3, "checkbox:gift", "checkbox", "Gift")
                },
                Node {
                    tag: "SELECT".into(),
                    options: vec![option("Red", true), option("Green", false)],
                    ..element(4, "select:colour", "combobox", "Colour")
                },
                element(5, "button:buy", "button", "Buy"),
                element(6, "button:buy~2", "button", "Buy"),
            ],
        }
    }

    fn perform(&mut self, command: &Command) -> Performed {
        let node = |nodes: &'_ mut Vec<Node>, target: &Target| -> Result<usize, Fault> {
            let at = nodes.iter().position(|n| match target {
                Target::Ref(r) => n.r#ref == Some(*r),
                Target::Focused => n.focused,
                _ => false,
            });
            at.ok_or_else(|| Fault::new(Code::NotFound, "There is no such element"))
        };
        let nodes = &mut self.nodes;
        match command {
            Command::ReplaceText(c) => {
                let at = node(nodes, &c.target)?;
                nodes[at].value = Some(c.text.as_str().into());
            }
            Command::Clear(c) => {
                let at = node(nodes, &c.target)?;
                nodes[at].value = Some(Default::default());
            }
            Command::Check(c) => {
                let at = node(nodes, &c.target)?;
                nodes[at].checked = Some(Checked::Yes);
            }
            Command::Uncheck(c) => {
                let at = node(nodes, &c.target)?;
                nodes[at].checked = Some(Checked::No);
            }
            Command::Focus(c) => {
                let at = node(nodes, &c.target)?;
                nodes.iter_mut().for_each(|n| n.focused = false);
                nodes[at].focused = true;
            }
            Command::Blur(_) => nodes.iter_mut().for_each(|n| n.focused = false),
            Command::Select(c) => {
                let at = node(nodes, &c.target)?;
                for (place, option) in nodes[at].options.iter_mut().enumerate() {
                    option.selected = c.options.iter().any(|wanted| match wanted {
                        Choice::Index(at) => *at as usize == place,
                        Choice::Label(label) => option.label == *label,
                        Choice::Value(value) => option.value == *value,
                    });
                }
            }
            Command::Screenshot(_) => {
                let picture = Image {
                    mime: "image/png".into(),
                    data: "iVBORw0KGgo=".into(),
                    refs: Vec::new(),
                };
                return Ok((Reply::Image(picture), Vec::new()));
            }
            Command::ReadText(_) => {
                let text = PageText {
                    text: "Order now".into(),
                    cut: 0,
                };
                return Ok((Reply::Text(text), Vec::new()));
            }
            Command::Click(_)
            | Command::Hover(_)
            | Command::Press(_)
            | Command::Drag(_)
            | Command::Upload(_)
            | Command::Type(_)
            | Command::Expand(_)
            | Command::Collapse(_)
            | Command::ScrollIntoView(_)
            | Command::Submit(_)
            | Command::Navigate(_) => {}
            other => return Err(unsupported(other)),
        }
        let changed = SurfaceEvent::Changed {
            tab: TabId(1),
            since: SnapshotId(1),
        };
        Ok((Reply::Nothing, vec![changed]))
    }
}
