//! What a conversation has asked for and is not answered yet.
//!
//! Must not know: what for.

use dragoman_model::{Request, RequestId};
use std::collections::HashMap;

#[derive(Debug)]
pub(crate) struct Asking<P> {
    /// Makes the ids differ from those of other conversations in the session.
    nonce: String,
    asked: u64,
    open: HashMap<RequestId, P>,
}

impl<P> Asking<P> {
    pub fn new(nonce: &str) -> Self {
        Self {
            nonce: nonce.into(),
            asked: 0,
            open: HashMap::new(),
        }
    }

    /// The request with an id of its own.
    pub fn ask(&mut self, purpose: P, request: Request) -> Request {
        self.asked += 1;
        let id = RequestId::Text(format!("{}-{}", self.nonce, self.asked));
        self.open.insert(id.clone(), purpose);
        Request {
            id: Some(id),
            ..request
        }
    }

    pub fn purpose(&self, id: &RequestId) -> Option<&P> {
        self.open.get(id)
    }

    pub fn answered(&mut self, id: &RequestId) -> Option<P> {
        self.open.remove(id)
    }

    pub fn any(&self, is: impl Fn(&P) -> bool) -> bool {
        self.open.values().any(is)
    }
}
