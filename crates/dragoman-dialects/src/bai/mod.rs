//! `bai/0.3` (which also accepts 0.2) and `bai/0.4`: any chat proposes single actions on lines of their own, and
//! each answer tells it where the browser is now.
//!
//! Both read whole transcripts with roles, as they grow and as often as they are shown; actions count only
//! when the assistant wrote them. Must not know: who carries the text, how a page is read or clicked.

mod check;
mod desk;
mod hearing;
mod jobs;
mod object;
mod password;
mod scan;
mod told;
pub mod v03;
pub mod v04;
mod voice;

pub use check::check;

/// Which of the languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    V03,
    V04,
}

/// How one conversation is to be held. Whatever must be new each time is given from outside.
#[derive(Debug, Clone)]
pub struct Options {
    /// What the assistant is to do; empty: the person will say.
    pub goal: String,
    /// Opened first.
    pub url: Option<String>,
    /// The session is others' too: the tab it works in is the first.
    pub joins: bool,
    /// Personal data in what a page shows is taken out.
    pub redact: bool,
    /// One JSON object a line, instead of bare text.
    pub framed: bool,
    /// The `workflow_id` of 0.3, the `session_key` of 0.4. Not to be guessed.
    pub key: String,
    /// What our ACK says and every action of 0.3 repeats. Not to be guessed.
    pub ack_nonce: String,
    /// Milliseconds since 1970 when the conversation starts.
    pub epoch_ms: u64,
    /// Makes the ids of our requests differ from those of other conversations in the session.
    pub nonce: String,
}

/// The prompt that teaches an assistant the language.
pub fn prompt(version: Version, options: &Options) -> String {
    match version {
        Version::V03 => v03::prompt(options),
        Version::V04 => v04::prompt(options),
    }
}
