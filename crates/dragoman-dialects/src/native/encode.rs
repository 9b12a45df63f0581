//! What we say, as one JSON object a line. JSON escapes every line break, so nothing that came
//! from a page can end a line or begin another.
//!
//! Must not know: who asked for it.

use super::PROTOCOL;
use dragoman_model::{
    Code, Command, Fault, OriginPattern, Outcome, QueueItem, Request, RequestId, SessionId, State,
    SurfaceEvent,
};
use serde::Serialize;

/// Every kind of line we write. The field order here is the order on the wire.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Outgoing {
    /// The first line, and the answer to a hello.
    Hello {
        protocol: &'static str,
        version: String,
        #[serde(skip_serializing_if = "RequestId::is_unsaid")]
        id: Option<RequestId>,
        session: SessionId,
    },
    /// A command was recorded and waits.
    Accepted {
        #[serde(skip_serializing_if = "RequestId::is_unsaid")]
        id: Option<RequestId>,
        number: u64,
        state: State,
    },
    Outcome {
        #[serde(skip_serializing_if = "RequestId::is_unsaid")]
        id: Option<RequestId>,
        number: u64,
        cmd: &'static str,
        #[serde(flatten)]
        outcome: Outcome,
        took_ms: u64,
    },
    Event {
        seq: u64,
        at: u64,
        subscription: u64,
        #[serde(flatten)]
        event: SurfaceEvent,
    },
    /// A command in the queue changed; counts in the same `seq` as events.
    Item {
        seq: u64,
        at: u64,
        subscription: u64,
        item: QueueItem,
    },
    /// The answer to `list`.
    Queue {
        #[serde(skip_serializing_if = "RequestId::is_unsaid")]
        id: Option<RequestId>,
        paused: bool,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        auto: bool,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        auto_origins: Vec<OriginPattern>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        looking: bool,
        items: Vec<QueueItem>,
    },
    /// Any other control was carried out.
    Controlled {
        #[serde(skip_serializing_if = "RequestId::is_unsaid")]
        id: Option<RequestId>,
    },
    /// A line, a submission or a control that was not accepted.
    Fault {
        #[serde(skip_serializing_if = "RequestId::is_unsaid")]
        id: Option<RequestId>,
        fault: Fault,
    },
}

impl Outgoing {
    pub fn hello(version: impl Into<String>, id: Option<RequestId>, session: SessionId) -> Self {
        Self::Hello {
            protocol: PROTOCOL,
            version: version.into(),
            id,
            session,
        }
    }
}

/// One line, without its line break.
pub fn encode(message: &Outgoing) -> String {
    to_line(message)
}

/// The same with the session's name, for a connection that speaks to several.
pub fn encode_in(session: &SessionId, message: &Outgoing) -> String {
    #[derive(Serialize)]
    struct Named<'a> {
        #[serde(flatten)]
        message: &'a Outgoing,
        session: &'a SessionId,
    }
    match message {
        Outgoing::Hello { .. } => to_line(message),
        _ => to_line(&Named { message, session }),
    }
}

/// A request as an operator would write it.
pub fn encode_request(session: Option<&SessionId>, request: &Request) -> String {
    #[derive(Serialize)]
    struct Line<'a> {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<&'a RequestId>,
        #[serde(skip_serializing_if = "Option::is_none")]
        session: Option<&'a SessionId>,
        #[serde(flatten)]
        command: &'a Command,
        #[serde(skip_serializing_if = "Option::is_none")]
        tab: Option<u32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        timeout_ms: Option<u64>,
    }
    to_line(&Line {
        id: request.id.as_ref(),
        session,
        command: &request.command,
        tab: request.tab.map(|tab| tab.0),
        timeout_ms: request.timeout_ms,
    })
}

fn to_line(message: &impl Serialize) -> String {
    match serde_json::to_string(message) {
        Ok(line) => without_separators(line),
        Err(error) => {
            // No type of ours has keys that are not strings, the one thing JSON cannot say.
            let fault = Fault::new(Code::Internal, error.to_string());
            encode(&Outgoing::Fault { id: None, fault })
        }
    }
}

/// JSON lets three characters pass that some readers of lines take for the end of one.
fn without_separators(line: String) -> String {
    let bytes = line.as_bytes();
    let ends_lines = |at: usize| {
        matches!(
            bytes[at..],
            [0xe2, 0x80, 0xa8 | 0xa9, ..] | [0xc2, 0x85, ..]
        )
    };
    if !memchr::memchr2_iter(0xe2, 0xc2, bytes).any(ends_lines) {
        return line;
    }
    line.replace('\u{85}', "\\u0085")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_process_calls_its_own_requests_is_told_to_nobody() {
        let accepted = |id| Outgoing::Accepted {
            id,
            number: 1,
            state: State::Approved,
        };
        let inner = encode(&accepted(Some(RequestId::Inner(7))));
        assert_eq!(inner, encode(&accepted(None)));
    }
}
