//! The tables, and how an older file becomes a current one. A migration, once released, is never
//! changed: the next one is added below it.

use super::{JournalError, Result};
use rusqlite::{Connection, ErrorCode, TransactionBehavior};
use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long others may keep the file to themselves.
const BUSY: Duration = Duration::from_secs(5);

/// As long as the log gets before SQLite begins it anew: 1,000 pages.
const ROOM: u32 = 4 << 20;

/// `DRAG`, in the file's header: whose database it is.
const APPLICATION: u32 = 0x4452_4147;

/// `MIGRATIONS[n]` brings a file from version `n` to `n + 1`.
const MIGRATIONS: &[&str] = &["
    CREATE TABLE sessions (
        session  TEXT PRIMARY KEY,
        created  INTEGER NOT NULL,          -- ms since 1970, as every time here
        policy   TEXT NOT NULL,             -- JSON
        paused   INTEGER NOT NULL DEFAULT 0,
        closed   INTEGER
    ) STRICT;

    CREATE TABLE commands (
        session    TEXT NOT NULL REFERENCES sessions,
        number     INTEGER NOT NULL,
        request_id TEXT,                    -- JSON: 1 and \"1\" are two ids
        request    TEXT NOT NULL,           -- JSON
        state      TEXT NOT NULL,
        position   INTEGER NOT NULL,        -- order in the queue
        edits      INTEGER NOT NULL DEFAULT 0,
        created    INTEGER NOT NULL,
        started    INTEGER,
        ended      INTEGER,
        took_ms    INTEGER,
        outcome    TEXT,                    -- JSON, without bulk
        PRIMARY KEY (session, number)
    ) STRICT, WITHOUT ROWID;

    CREATE UNIQUE INDEX commands_once ON commands (session, request_id)
        WHERE request_id IS NOT NULL;

    CREATE TABLE changes (                  -- what a person did to the queue
        id       INTEGER PRIMARY KEY,
        session  TEXT NOT NULL REFERENCES sessions,
        number   INTEGER,
        at       INTEGER NOT NULL,
        what     TEXT NOT NULL,
        before   TEXT                       -- JSON: the request as it was
    ) STRICT;
    CREATE INDEX changes_of ON changes (session, number);
"];

pub const VERSION: u32 = MIGRATIONS.len() as u32;

/// Set the connection up and bring the file to the current version.
pub fn prepare(connection: &mut Connection, path: &Path) -> Result<()> {
    let give_up = Instant::now() + BUSY;
    loop {
        match prepare_inner(connection, path) {
            // Changing the journal mode does not wait for others by itself.
            Err(error) if is_busy(&error) && Instant::now() < give_up => {
                std::thread::sleep(Duration::from_millis(5));
            }
            done => return done.map_err(|error| explain(error, path)),
        }
    }
}

fn is_busy(error: &JournalError) -> bool {
    let code = match error {
        JournalError::Sqlite(error) => error.sqlite_error_code(),
        _ => None,
    };
    matches!(
        code,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

fn prepare_inner(connection: &mut Connection, path: &Path) -> Result<()> {
    connection.busy_timeout(BUSY)?;
    // Nothing is changed, not even the journal mode, before we know whose file it is.
    identify(connection, path)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // What is taken out of a row is gone from the page it was on.
    connection.pragma_update(None, "secure_delete", true)?;
    connection.pragma_update(None, "cache_size", -512)?;
    // Two processes may open a new file at once: the version is read again under the lock.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version = identify(&transaction, path)?;
    for step in &MIGRATIONS[version as usize..] {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()?;
    if let Err(error) = make_room(connection, path) {
        tracing::debug!(%error, "the write-ahead log keeps its size; commits take longer");
    }
    Ok(())
}

/// A commit that makes the write-ahead log longer also waits for the file system's own journal,
/// which takes several times as long. So the log is made long at once, by pages that a
/// transaction spills into it and then takes back; it is written over from its beginning.
fn make_room(connection: &mut Connection, path: &Path) -> rusqlite::Result<()> {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let long = |log: &OsString| std::fs::metadata(log).is_ok_and(|file| file.len() >= ROOM.into());
    if path.as_os_str() == ":memory:" || long(&log) {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch("CREATE TABLE room (filling BLOB)")?;
    transaction.execute("INSERT INTO room VALUES (zeroblob(?1))", [ROOM])?;
    transaction.rollback()
}

/// For a file that is only read: it must be ours and current.
pub fn check(connection: &Connection, path: &Path) -> Result<()> {
    identify(connection, path)
        .map(drop)
        .map_err(|error| explain(error, path))
}

fn identify(connection: &Connection, path: &Path) -> Result<u32> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, u32>(0));
    let version = pragma("user_version")?;
    let tables: u32 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if pragma("application_id")? != APPLICATION && tables > 0 {
        return Err(JournalError::NotOurs { path: path.into() });
    }
    if version > VERSION {
        return Err(JournalError::Newer {
            path: path.into(),
            found: version,
            known: VERSION,
        });
    }
    Ok(version)
}

fn explain(error: JournalError, path: &Path) -> JournalError {
    let JournalError::Sqlite(error) = error else {
        return error;
    };
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => JournalError::NotADatabase { path: path.into() },
        Some(ErrorCode::DatabaseCorrupt) => JournalError::Damaged {
            path: path.into(),
            error,
        },
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            JournalError::Io {
                path: path.into(),
                error: std::io::Error::other(error),
            }
        }
        _ => JournalError::Sqlite(error),
    }
}
