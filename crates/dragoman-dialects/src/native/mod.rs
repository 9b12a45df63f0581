//! `native/1`: the model itself as JSON lines, for tests, the command line and the dashboard.
//!
//! In: `{"id":1,"cmd":"click","target":{"ref":12},"tab":2,"timeout_ms":5000}`,
//! `{"id":2,"queue":"approve","number":3}`, `{"hello":"native/1"}`.
//! Out: one object a line, each with a `type`; see [`Outgoing`].
//!
//! Must not know: who is at the other end, what a command does.

mod args;
mod command;
mod decode;
mod encode;
mod json;
mod lines;
pub(crate) mod shorthand;
mod words;

pub(crate) use command::read;
pub use encode::{Outgoing, encode, encode_in, encode_request};
pub use lines::Decoder;

use dragoman_model::{Control, Fault, Request, RequestId, SessionId};

pub const PROTOCOL: &str = "native/1";

/// A longer line is skipped to its end.
pub const MAX_LINE: usize = 1 << 20;

/// Objects and lists inside each other.
pub const MAX_DEPTH: usize = 64;

/// A request id given as text, in bytes.
pub const MAX_ID: usize = 200;

/// What one line said.
#[derive(Debug, Clone, PartialEq)]
pub enum Incoming {
    Hello {
        id: Option<RequestId>,
        session: Option<SessionId>,
    },
    Request {
        session: Option<SessionId>,
        request: Request,
    },
    Control {
        session: Option<SessionId>,
        id: Option<RequestId>,
        control: Control,
    },
    /// The line was none of these. The next one is read as usual.
    Bad { id: Option<RequestId>, fault: Fault },
}
