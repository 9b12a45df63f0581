//! The durable record of every session: what was asked, what became of it, who changed what. The
//! queue and the history are read back from here after any kind of end.
//!
//! Must not know: any dialect, any browser, why something is recorded. Everything above talks to
//! the [`Journal`] trait, so that another store can serve several gateways at once later.

mod apply;
mod error;
mod lease;
mod place;
mod read;
mod schema;
mod sqlite;
mod writer;

pub use error::JournalError;
pub use lease::Lease;
pub(crate) use place::private_folder;
pub use place::{Place, data_folder};
pub use read::{Change, Entry, Stored, Summary};
pub use sqlite::SqliteJournal;

use dragoman_engine::Record;
use dragoman_model::SessionId;
use std::future::Future;

pub type Result<T> = std::result::Result<T, JournalError>;

/// A store of records. Records of one session are given in order, and a later `append` of the
/// same session comes only after the earlier one was answered.
pub trait Journal {
    /// Become the only one that writes this session, for as long as the lease is kept. A lease
    /// whose owner died is free.
    fn claim(&self, session: &SessionId) -> Result<Lease>;

    /// All of the records or none; answered once they would survive a power cut. Starts at once,
    /// also before the answer is awaited.
    fn append(&self, records: Vec<Record>) -> impl Future<Output = Result<()>> + 'static;

    /// What is known of a session; `None` if nothing is.
    fn load(&self, session: &SessionId) -> impl Future<Output = Result<Option<Stored>>> + 'static;

    /// Every session there is, the newest first.
    fn list(&self) -> impl Future<Output = Result<Vec<Summary>>> + 'static;
}
