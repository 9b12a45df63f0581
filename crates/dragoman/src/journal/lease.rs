//! Who may write a session: one process at a time. A lock on a file, because the system lets go
//! of it however its owner ends; a row with a process number would have to be guessed about.

use super::{JournalError, Result, place};
use dragoman_model::SessionId;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Kept for as long as the session is open; dropping it lets others have the session.
#[derive(Debug)]
pub struct Lease {
    held: Option<(File, PathBuf)>,
}

impl Lease {
    /// For a journal that nobody else can open.
    pub(super) fn of_memory() -> Self {
        Self { held: None }
    }

    pub(super) fn claim(journal: &Path, session: &SessionId) -> Result<Self> {
        let mut folder = journal.as_os_str().to_owned();
        folder.push(".leases");
        let folder = PathBuf::from(folder);
        let path = folder.join(format!("{session}.lease"));
        let io = |error| JournalError::Io {
            path: path.clone(),
            error,
        };
        place::private_folder(&folder).map_err(io)?;
        loop {
            let mut file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)
                .map_err(io)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(taken(&mut file, session)),
                Err(TryLockError::Error(error)) => return Err(io(error)),
            }
            // The owner before us may have removed the file between our opening and locking it;
            // then what we hold is a lock on a file that nobody else will ever find.
            if !is_at(&file, &path) {
                continue;
            }
            file.set_len(0).map_err(io)?;
            file.rewind().map_err(io)?;
            write!(file, "{}", std::process::id()).map_err(io)?;
            return Ok(Self {
                held: Some((file, path)),
            });
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // Removed while still locked: see `is_at`. A file that stays is no harm.
        #[cfg(unix)]
        if let Some((_, path)) = &self.held {
            let _ = std::fs::remove_file(path);
        }
        self.held = None;
    }
}

fn taken(file: &mut File, session: &SessionId) -> JournalError {
    let mut owner = String::new();
    let read = file.take(20).read_to_string(&mut owner);
    if read.is_err() || owner.is_empty() {
        owner = "unknown".into();
    }
    JournalError::Taken {
        session: session.to_string(),
        owner,
    }
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let same =
        |a: std::fs::Metadata, b: std::fs::Metadata| a.ino() == b.ino() && a.dev() == b.dev();
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(ours), Ok(there)) => same(ours, there),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_at(_file: &File, _path: &Path) -> bool {
    true
}
