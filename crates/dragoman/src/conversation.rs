//! The dialects a client may speak, behind one face: bytes in, things said out; messages in,
//! bytes out. Which dialect it is, nobody behind this file knows.

use dragoman_dialects::native::{self, Incoming, Outgoing};
use dragoman_engine::Message;
use dragoman_model::{Control, Request, RequestId, SessionId, State};

/// What a client said.
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
    /// Something the dialect answers by itself.
    Answer(Vec<u8>),
}

impl Said {
    pub fn session(&self) -> Option<&SessionId> {
        match self {
            Self::Submit { session, .. } | Self::Control { session, .. } => session.as_ref(),
            Self::Answer(_) => None,
        }
    }
}

#[derive(Debug)]
pub enum Conversation {
    Native(Native),
}

impl Conversation {
    pub fn native(session: &SessionId) -> Self {
        Self::Native(Native {
            session: session.clone(),
            decoder: native::Decoder::new(),
        })
    }

    /// What is said before anything is asked.
    pub fn greet(&mut self, into: &mut Vec<u8>) {
        match self {
            Self::Native(native) => put(into, &native.hello(None, None)),
        }
    }

    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Said> {
        match self {
            Self::Native(native) => {
                let incoming = native.decoder.feed(bytes);
                incoming.into_iter().map(|i| native.understand(i)).collect()
            }
        }
    }

    /// Nothing more will come; a last line may lack its end.
    pub fn end(&mut self) -> Vec<Said> {
        match self {
            Self::Native(native) => {
                let last = native.decoder.finish();
                last.into_iter().map(|i| native.understand(i)).collect()
            }
        }
    }

    /// Whether the dialect has words for it.
    pub fn wants(&self, message: &Message) -> bool {
        match (self, message) {
            // What runs at once is answered by its outcome.
            (Self::Native(_), Message::Accepted { state, .. }) => *state == State::Proposed,
            _ => true,
        }
    }

    pub fn encode(&mut self, message: Message, into: &mut Vec<u8>) {
        match self {
            Self::Native(native) => native.encode(message, into),
        }
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
            Incoming::Hello { id, session } => answer(&self.hello(id, session)),
            Incoming::Bad { id, fault } => answer(&native::encode(&Outgoing::Fault { id, fault })),
        }
    }

    /// A client that only ever speaks of its own session need not read its name on every line.
    fn encode(&self, message: Message, into: &mut Vec<u8>) {
        let session = message.session().clone();
        let outgoing = outgoing(message);
        let line = match session == self.session {
            true => native::encode(&outgoing),
            false => native::encode_in(&session, &outgoing),
        };
        put(into, &line);
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
            subscription,
            event,
            ..
        } => Outgoing::Event {
            seq,
            subscription,
            event,
        },
        Message::QueueChanged {
            seq,
            subscription,
            item,
            ..
        } => Outgoing::Item {
            seq,
            subscription,
            item,
        },
        Message::Queue { id, view, .. } => Outgoing::Queue {
            id,
            paused: view.paused,
            items: view.items,
        },
        Message::Controlled { id, .. } => Outgoing::Controlled { id },
        Message::Refused { id, fault, .. } => Outgoing::Fault { id, fault },
    }
}

fn answer(line: &str) -> Said {
    let mut bytes = Vec::new();
    put(&mut bytes, line);
    Said::Answer(bytes)
}

fn put(into: &mut Vec<u8>, line: &str) {
    into.extend_from_slice(line.as_bytes());
    into.push(b'\n');
}
