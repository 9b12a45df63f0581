//! The Chrome DevTools Protocol: one connection to one browser, over its pipe or a WebSocket.
//!
//! Runs on one thread (a local tokio runtime): a call is written by its
//! caller, an answer is decoded by the reader, straight into the type the caller asked for.
//!
//! Must not know: tabs, sessions of operators, what a call is good for.

mod connection;
mod event;
mod pending;
#[cfg(unix)]
mod pipe;
pub mod protocol;
mod socket;
mod version;
mod wire;

pub use connection::Connection;
pub use event::{CdpEvent, Event, EventStream};
pub use pending::Pending;
pub use socket::connect;

use serde::{Serialize, de::DeserializeOwned};
use std::rc::Rc;

/// A call: its parameters are the type itself, its answer is `Answer`.
pub trait Method: Serialize + 'static {
    const NAME: &'static str;
    type Answer: DeserializeOwned + 'static;

    /// Reads the whole message that answers this call.
    fn read(message: &[u8]) -> Result<Self::Answer, CdpError> {
        wire::answer(message)
    }
}

/// One attachment to a target (CDP's flat sessions); `None` beside it means the browser itself.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CdpSession(pub Rc<str>);

/// Lets a map keyed by session be asked with the text as it stands in the message.
impl std::borrow::Borrow<str> for CdpSession {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for CdpSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CdpError {
    /// The transport is gone, and why.
    #[error("the browser is gone: {0}")]
    Closed(String),
    /// The browser understood and refused.
    #[error("{message} ({code})")]
    Remote {
        code: i64,
        message: String,
        data: Option<String>,
    },
    #[error("the page's process crashed")]
    Crashed,
    #[error("the target was closed or detached")]
    Detached,
    /// The answer (or the call) did not have the shape we expect.
    #[error("unexpected message: {0}")]
    Decode(String),
}
