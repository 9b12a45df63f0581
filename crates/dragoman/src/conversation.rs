//! The dialects a client may speak, behind one face: bytes in, things said out; messages in,
//! bytes out. Which dialect it is, nobody behind this file knows.

mod agent;

pub use agent::Agent;

use crate::pictures::Pictures;
use dragoman_dialects::action;
use dragoman_dialects::bai::{self, v03, v04};
use dragoman_dialects::chat::{Act, Talk};
use dragoman_dialects::command;
use dragoman_dialects::lines::{Line, Lines};
use dragoman_dialects::native::{self, Incoming, Outgoing};
use dragoman_dialects::ux;
use dragoman_engine::Message;
use dragoman_model::{Control, Request, RequestId, SessionId, State};
use std::time::Duration;
use tokio::sync::mpsc;

/// What a client said.
#[allow(
    clippy::large_enum_variant,
    reason = "most of them are submissions, and none is kept"
)]
#[derive(Debug)]
pub enum Said {
    Submit {
        /// `None`: the session the client joined.
        session: Option<SessionId>,
        request: Request,
    },
    Control {
        session: Option<SessionId>,
        id: Option<RequestId>,
        control: Control,
    },
    /// A session that will be this client's alone and ends with it.
    Own { session: SessionId },
    /// End a session for good. Whoever was at home there is so elsewhere from now on.
    Close {
        session: SessionId,
        home: Option<SessionId>,
    },
    /// Look for files.
    Search(ux::Search),
    /// Nobody wants to know any more.
    StopSearch(u64),
    /// Something the dialect answers by itself.
    Answer(Vec<u8>),
}

impl Said {
    pub fn session(&self) -> Option<&SessionId> {
        match self {
            Self::Submit { session, .. } | Self::Control { session, .. } => session.as_ref(),
            Self::Own { session } | Self::Close { session, .. } => Some(session),
            Self::Search(_) | Self::StopSearch(_) | Self::Answer(_) => None,
        }
    }
}

#[derive(Debug)]
pub enum Conversation {
    Native(Native),
    Chat(Box<Chat>),
    Action(Box<Backend>),
    Ux(Box<Agent>),
    Direct(Values),
}

impl Conversation {
    pub fn native(session: &SessionId) -> Self {
        Self::Native(Native {
            session: session.clone(),
            decoder: native::Decoder::new(),
        })
    }

    pub fn command(options: command::Options) -> Self {
        let framed = options.framed;
        Self::chat("command", framed, command_talk(options))
    }

    pub fn bai(version: bai::Version, options: bai::Options) -> Self {
        let framed = options.framed;
        let name = match version {
            bai::Version::V03 => "bai-0.3",
            bai::Version::V04 => "bai-0.4",
        };
        Self::chat(name, framed, bai_talk(version, options))
    }

    fn chat(dialect: &'static str, framed: bool, talk: Box<dyn Talk>) -> Self {
        Self::Chat(Box::new(Chat {
            dialect,
            framed,
            talk,
            pictures: Pictures::default(),
        }))
    }

    /// A backend that sends actions, one JSON object a line.
    pub fn action(nonce: String, url: Option<String>) -> Self {
        Self::Action(Box::new(Backend {
            lines: Lines::new(action::MAX_MESSAGE),
            talk: action::Conversation::new(nonce),
            url,
        }))
    }

    /// An agent that asks, acts and waits, one JSON object a line.
    pub fn ux(nonce: String, url: Option<String>) -> Self {
        Self::Ux(Box::new(Agent::new(ux::Options { nonce, url })))
    }

    /// With somebody in this process: values instead of bytes. An empty chunk says that some have
    /// come.
    pub fn direct(
        said: mpsc::UnboundedReceiver<Said>,
        told: impl FnMut(Message) -> Option<Said> + Send + 'static,
    ) -> Self {
        Self::Direct(Values {
            said,
            told: Box::new(told),
        })
    }

    pub fn dialect(&self) -> &'static str {
        match self {
            Self::Native(_) => "native",
            Self::Chat(chat) => chat.dialect,
            Self::Action(_) => "action",
            Self::Ux(_) => "ux",
            Self::Direct(_) => "mcp",
        }
    }

    /// What is said before anything is asked.
    pub fn greet(&mut self, now: Duration) -> Vec<Said> {
        match self {
            Self::Native(native) => vec![answer(native.hello(None, None))],
            Self::Chat(chat) => chat.said(|talk| talk.start(now)),
            Self::Action(backend) => {
                let url = backend.url.take();
                said_to_backend(backend.talk.start(now, url.as_deref()))
            }
            Self::Ux(agent) => agent.start(now),
            Self::Direct(_) => Vec::new(),
        }
    }

    pub fn feed(&mut self, now: Duration, bytes: &[u8]) -> Vec<Said> {
        match self {
            Self::Native(native) => {
                let incoming = native.decoder.feed(bytes);
                incoming.into_iter().map(|i| native.understand(i)).collect()
            }
            Self::Chat(chat) => chat.said(|talk| talk.bytes(now, bytes)),
            Self::Action(backend) => {
                let lines = backend.lines.feed(bytes);
                lines
                    .into_iter()
                    .flat_map(|line| backend.line(now, line))
                    .collect()
            }
            Self::Ux(agent) => agent.feed(now, bytes),
            Self::Direct(values) => values.take(),
        }
    }

    /// Nothing more will come; a last line may lack its end.
    pub fn end(&mut self, now: Duration) -> Vec<Said> {
        match self {
            Self::Native(native) => {
                let last = native.decoder.finish();
                last.into_iter().map(|i| native.understand(i)).collect()
            }
            Self::Chat(chat) => chat.said(|talk| talk.end(now)),
            Self::Action(backend) => {
                let last = backend.lines.finish();
                last.into_iter()
                    .flat_map(|line| backend.line(now, line))
                    .collect()
            }
            Self::Ux(agent) => agent.end(now),
            Self::Direct(values) => values.take(),
        }
    }

    /// Whether the dialect has words for it.
    pub fn wants(&self, message: &Message) -> bool {
        match (self, message) {
            // What runs at once is answered by its outcome.
            (Self::Native(_), Message::Accepted { state, .. }) => *state == State::Proposed,
            (Self::Chat(_), Message::Queue { .. }) => false,
            (Self::Ux(_), Message::QueueChanged { .. }) => true,
            (Self::Action(_) | Self::Ux(_), message) => matches!(
                message,
                Message::Outcome { .. } | Message::Refused { .. } | Message::Event { .. }
            ),
            _ => true,
        }
    }

    /// Be told something; what is to be said or asked about it comes back.
    pub fn tell(&mut self, now: Duration, message: Message) -> Vec<Said> {
        match self {
            Self::Native(native) => vec![native.tell(message)],
            Self::Chat(chat) => chat.said(|talk| tell(talk, now, message)),
            Self::Action(backend) => said_to_backend(tell_backend(&mut backend.talk, now, message)),
            Self::Ux(agent) => agent.tell(now, message),
            Self::Direct(values) => (values.told)(message).into_iter().collect(),
        }
    }

    /// When it wants to be woken, for dialects that wait for something.
    pub fn wake_at(&self) -> Option<Duration> {
        match self {
            Self::Native(_) | Self::Direct(_) => None,
            Self::Chat(chat) => chat.talk.wake_at(),
            Self::Action(backend) => backend.talk.wake_at(),
            Self::Ux(agent) => agent.wake_at(),
        }
    }

    pub fn tick(&mut self, now: Duration) -> Vec<Said> {
        match self {
            Self::Native(_) | Self::Direct(_) => Vec::new(),
            Self::Chat(chat) => chat.said(|talk| talk.tick(now)),
            Self::Action(backend) => said_to_backend(backend.talk.tick(now)),
            Self::Ux(agent) => agent.tick(now),
        }
    }

    /// It will say or ask more by itself.
    pub fn is_busy(&self) -> bool {
        match self {
            Self::Native(_) | Self::Direct(_) => false,
            Self::Chat(chat) => chat.talk.is_busy(),
            Self::Action(backend) => backend.talk.is_busy(),
            Self::Ux(agent) => agent.is_busy(),
        }
    }

    /// What a search that it asked for has come to.
    pub fn found(&mut self, now: Duration, number: u64, found: ux::Found) -> Vec<Said> {
        match self {
            Self::Ux(agent) => agent.found(now, number, found),
            _ => Vec::new(),
        }
    }
}

/// No dialect at all: what is said and told goes through as it is.
pub struct Values {
    said: mpsc::UnboundedReceiver<Said>,
    told: Box<dyn FnMut(Message) -> Option<Said> + Send>,
}

impl Values {
    fn take(&mut self) -> Vec<Said> {
        std::iter::from_fn(|| self.said.try_recv().ok()).collect()
    }
}

impl std::fmt::Debug for Values {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Values").finish_non_exhaustive()
    }
}

/// A language of chats, and how its messages are set apart.
#[derive(Debug)]
pub struct Chat {
    dialect: &'static str,
    framed: bool,
    talk: Box<dyn Talk>,
    pictures: Pictures,
}

impl Chat {
    fn said(&mut self, step: impl FnOnce(&mut dyn Talk) -> Vec<Act>) -> Vec<Said> {
        let acts = step(&mut *self.talk);
        acts.into_iter().filter_map(|act| self.act(act)).collect()
    }

    fn act(&mut self, act: Act) -> Option<Said> {
        Some(match act {
            Act::Submit(request) => asked(request),
            Act::Control(control) => controls(control),
            Act::Say(text) if self.framed => {
                answer(serde_json::json!({"role": "user", "text": text}).to_string())
            }
            // An empty line between one message and the next.
            Act::Say(text) => answer(format!("{text}\n")),
            Act::Show { name, mime, data } if self.framed => {
                let frame =
                    serde_json::json!({"role": "image", "name": name, "mime": mime, "data": data});
                answer(frame.to_string())
            }
            Act::Show { name, data, .. } => {
                self.pictures.keep(&name, &data);
                return None;
            }
            Act::Log(text) => {
                tracing::info!(dialect = self.dialect, "{text}");
                return None;
            }
        })
    }
}

/// Asked for in the session that was joined.
pub fn asked(request: Request) -> Said {
    Said::Submit {
        session: None,
        request,
    }
}

pub fn controls(control: Control) -> Said {
    Said::Control {
        session: None,
        id: None,
        control,
    }
}

pub fn command_talk(options: command::Options) -> Box<dyn Talk> {
    Box::new(command::Conversation::new(options))
}

pub fn bai_talk(version: bai::Version, options: bai::Options) -> Box<dyn Talk> {
    match version {
        bai::Version::V03 => Box::new(v03::Conversation::new(options)),
        bai::Version::V04 => Box::new(v04::Conversation::new(options)),
    }
}

pub fn tell(talk: &mut dyn Talk, now: Duration, message: Message) -> Vec<Act> {
    match message {
        Message::Outcome {
            id: Some(id),
            outcome,
            ..
        } => talk.outcome(now, &id, outcome),
        Message::Accepted {
            id: Some(id),
            number,
            state,
            ..
        } => talk.accepted(now, &id, number, state == State::Proposed),
        Message::Refused { id, fault, .. } => talk.refused(now, id.as_ref(), fault),
        Message::Event { event, .. } => talk.event(now, event),
        Message::QueueChanged { item, .. } => talk.item(now, item),
        _ => Vec::new(),
    }
}

/// `action/1`, a line for each message.
#[derive(Debug)]
pub struct Backend {
    lines: Lines,
    talk: action::Conversation,
    url: Option<String>,
}

impl Backend {
    fn line(&mut self, now: Duration, line: Line) -> Vec<Said> {
        let acts = match text_of(line) {
            Ok(text) if text.trim().is_empty() => Vec::new(),
            Ok(text) => self.talk.message(now, text.trim()),
            Err(why) => self.talk.unreadable(why),
        };
        said_to_backend(acts)
    }
}

/// A line as text, or why it is none.
fn text_of(line: Line) -> Result<String, &'static str> {
    match line {
        Line::TooLong(_) => Err("The message is too long"),
        Line::Whole(bytes) => {
            String::from_utf8(bytes).map_err(|_| "The message is not valid UTF-8")
        }
    }
}

fn said_to_backend(acts: Vec<action::Act>) -> Vec<Said> {
    let said = |act| match act {
        action::Act::Submit(request) => asked(request),
        action::Act::Send(message) => answer(serde_json::to_string(&message).unwrap_or_default()),
    };
    acts.into_iter().map(said).collect()
}

fn tell_backend(
    talk: &mut action::Conversation,
    now: Duration,
    message: Message,
) -> Vec<action::Act> {
    match message {
        Message::Outcome {
            id: Some(id),
            outcome,
            ..
        } => talk.outcome(now, &id, outcome),
        Message::Refused {
            id: Some(id),
            fault,
            ..
        } => talk.refused(now, &id, fault),
        Message::Event { event, .. } => talk.event(now, &event),
        _ => Vec::new(),
    }
}

#[derive(Debug)]
pub struct Native {
    session: SessionId,
    decoder: native::Decoder,
}

impl Native {
    fn hello(&self, id: Option<RequestId>, session: Option<SessionId>) -> String {
        let session = session.unwrap_or_else(|| self.session.clone());
        native::encode(&Outgoing::hello(env!("CARGO_PKG_VERSION"), id, session))
    }

    fn understand(&self, incoming: Incoming) -> Said {
        match incoming {
            Incoming::Request { session, request } => Said::Submit { session, request },
            Incoming::Control {
                session,
                id,
                control,
            } => Said::Control {
                session,
                id,
                control,
            },
            Incoming::Hello { id, session } => answer(self.hello(id, session)),
            Incoming::Bad { id, fault } => answer(native::encode(&Outgoing::Fault { id, fault })),
        }
    }

    /// A client that only ever speaks of its own session need not read its name on every line.
    fn tell(&self, message: Message) -> Said {
        let session = message.session().clone();
        let outgoing = outgoing(message);
        let line = match session == self.session {
            true => native::encode(&outgoing),
            false => native::encode_in(&session, &outgoing),
        };
        answer(line)
    }
}

fn outgoing(message: Message) -> Outgoing {
    match message {
        Message::Accepted {
            id, number, state, ..
        } => Outgoing::Accepted { id, number, state },
        Message::Outcome {
            id,
            number,
            command,
            outcome,
            took_ms,
            ..
        } => Outgoing::Outcome {
            id,
            number,
            cmd: command,
            outcome,
            took_ms,
        },
        Message::Event {
            seq,
            at,
            subscription,
            event,
            ..
        } => Outgoing::Event {
            seq,
            at,
            subscription,
            event,
        },
        Message::QueueChanged {
            seq,
            at,
            subscription,
            item,
            ..
        } => Outgoing::Item {
            seq,
            at,
            subscription,
            item,
        },
        Message::Queue { id, view, .. } => Outgoing::Queue {
            id,
            paused: view.paused,
            auto: view.auto,
            auto_origins: view.auto_origins,
            looking: view.looking,
            items: view.items,
        },
        Message::Controlled { id, .. } => Outgoing::Controlled { id },
        Message::Refused { id, fault, .. } => Outgoing::Fault { id, fault },
    }
}

fn answer(mut line: String) -> Said {
    line.push('\n');
    Said::Answer(line.into_bytes())
}
