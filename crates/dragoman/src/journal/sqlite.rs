//! The journal in one SQLite file: opening it, and handing work to its one writer.

use super::writer::Writer;
use super::{Entry, Journal, Lease, Place, Result, Stored, Summary};
use super::{JournalError, place, read, schema};
use dragoman_engine::Record;
use dragoman_model::SessionId;
use rusqlite::{Connection, OpenFlags};
use std::future::Future;
use std::path::{Path, PathBuf};

/// Dropping it waits until everything that was appended is durable.
#[derive(Debug)]
pub struct SqliteJournal {
    path: Option<PathBuf>,
    writer: Writer,
}

impl SqliteJournal {
    pub fn open(place: &Place) -> Result<Self> {
        let (mut connection, path) = match place {
            Place::Memory => (Connection::open_in_memory()?, None),
            Place::File(path) => {
                place::prepare(path)?;
                (Connection::open(path)?, Some(path.clone()))
            }
        };
        schema::prepare(
            &mut connection,
            path.as_deref().unwrap_or(Path::new(":memory:")),
        )?;
        Ok(Self {
            path,
            writer: Writer::start(connection)?,
        })
    }

    /// The sessions of a journal that others may be writing; changes nothing.
    pub fn peek(place: &Place) -> Result<Peek> {
        let Place::File(path) = place else {
            return Err(JournalError::Missing {
                path: ":memory:".into(),
            });
        };
        if !path.exists() {
            return Err(JournalError::Missing { path: path.clone() });
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        schema::check(&connection, path)?;
        Ok(Peek { connection })
    }
}

impl Journal for SqliteJournal {
    fn claim(&self, session: &SessionId) -> Result<Lease> {
        match &self.path {
            Some(path) => Lease::claim(path, session),
            None => Ok(Lease::of_memory()),
        }
    }

    fn append(&self, records: Vec<Record>) -> impl Future<Output = Result<()>> + 'static {
        self.writer.append(records)
    }

    fn load(&self, session: &SessionId) -> impl Future<Output = Result<Option<Stored>>> + 'static {
        let session = session.clone();
        self.writer
            .read(move |connection| read::load(connection, &session))
    }

    fn list(&self) -> impl Future<Output = Result<Vec<Summary>>> + 'static {
        self.writer.read(read::list)
    }
}

/// A look at a journal from outside.
#[derive(Debug)]
pub struct Peek {
    connection: Connection,
}

impl Peek {
    pub fn list(&self) -> Result<Vec<Summary>> {
        read::list(&self.connection)
    }

    /// A session's commands with their times, and what was changed by hand.
    pub fn history(&self, session: &SessionId) -> Result<Option<Vec<Entry>>> {
        read::history(&self.connection, session)
    }
}
