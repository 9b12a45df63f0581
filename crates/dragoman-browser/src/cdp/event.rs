//! Events: what the browser says without being asked, and the stream one listener reads.
//!
//! Must not know: what any event means.

use super::wire;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use std::rc::Rc;
use tokio::sync::mpsc;

/// An event with a known name and shape (see `protocol`).
pub trait CdpEvent: DeserializeOwned {
    const NAME: &'static str;
}

#[derive(Debug, Clone)]
pub struct Event {
    pub method: Rc<str>,
    pub params: Box<RawValue>,
}

impl Event {
    /// The params as `T`; `None` (and a log line) when they have another shape.
    pub fn parse<T: DeserializeOwned>(&self) -> Option<T> {
        let params = match self.params.get() {
            "null" => "{}", // an event without params
            params => params,
        };
        match wire::from_slice(params.as_bytes()) {
            Ok(params) => Some(params),
            Err(error) => {
                // Only the position is logged: params carry page content.
                tracing::warn!(method = %self.method, %error, "event of unexpected shape");
                None
            }
        }
    }

    /// The params when this is an event of kind `E`.
    pub fn get<E: CdpEvent>(&self) -> Option<E> {
        if self.is::<E>() { self.parse() } else { None }
    }

    pub fn is<E: CdpEvent>(&self) -> bool {
        &*self.method == E::NAME
    }
}

/// All events of one CDP session from the moment of subscription, in order. Unbounded: the reader
/// never waits for a listener. Ends when the session is detached or the transport is gone.
#[derive(Debug)]
pub struct EventStream(pub(super) mpsc::UnboundedReceiver<Event>);

impl EventStream {
    pub async fn next(&mut self) -> Option<Event> {
        self.0.recv().await
    }

    /// What has already arrived, without waiting.
    pub fn try_next(&mut self) -> Option<Event> {
        self.0.try_recv().ok()
    }

    /// Waits for the next event of kind `E`, skipping all others; `None` at the end of the stream.
    pub async fn wait<E: CdpEvent>(&mut self) -> Option<E> {
        loop {
            if let Some(event) = self.next().await?.get() {
                return Some(event);
            }
        }
    }
}
