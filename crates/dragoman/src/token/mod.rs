//! Access tokens: who may come in from outside, and what for. The text of a token is shown once
//! and kept nowhere; what is kept is its hash.
//!
//! Must not know: what they are let into, how a token travels there.

mod file;
mod name;
mod passing;
mod scope;
mod secret;
mod store;

pub use name::{ADVICE as NAME_ADVICE, how_to_revoke, same_name};
pub use passing::Passing;
pub use scope::{Scope, Scopes, UnknownScope};
pub use secret::{looks_like_one, wipe};
pub use store::{Store, VARIABLE};

/// What is known of a token, without what would let anybody in.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Token {
    pub name: String,
    pub scopes: Scopes,
    /// Milliseconds since 1970.
    pub created_ms: u64,
}

impl Token {
    /// For whoever needs none to come in.
    pub fn of_anybody() -> Self {
        Self {
            name: "anybody".into(),
            scopes: [Scope::Act].into_iter().collect(),
            created_ms: 0,
        }
    }
}
