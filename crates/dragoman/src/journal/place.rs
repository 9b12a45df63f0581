//! Where a journal is kept, and making the place ready: folders and file for the user alone.

use super::{JournalError, Result};
use std::path::{Path, PathBuf};
use std::str::FromStr;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Gone when the program ends.
    Memory,
    File(PathBuf),
}

impl FromStr for Place {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        Ok(match text {
            ":memory:" => Self::Memory,
            path => Self::File(path.into()),
        })
    }
}

impl Place {
    /// The file in the user's data folder.
    pub fn usual() -> Result<Self> {
        let folder = data_folder().ok_or(JournalError::NoFolder)?;
        Ok(Self::File(folder.join("journal.db")))
    }
}

/// Where programs of this user keep their data, on each system.
pub fn data_folder() -> Option<PathBuf> {
    let var = |name: &str| {
        let path = PathBuf::from(std::env::var_os(name)?);
        path.is_absolute().then_some(path)
    };
    let base = if cfg!(windows) {
        var("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        var("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        var("XDG_DATA_HOME").or_else(|| Some(var("HOME")?.join(".local/share")))
    };
    base.map(|folder| folder.join("dragoman"))
}

/// Make the folders and an empty file, so that what is written there later is the user's alone.
pub(super) fn prepare(path: &Path) -> Result<()> {
    let io = |error| JournalError::Io {
        path: path.into(),
        error,
    };
    if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
        private_folder(folder).map_err(io)?;
    }
    // A file that is there is not even opened: closing it would let go of the locks that another
    // connection of this process has on it.
    let mut options = std::fs::OpenOptions::new();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(io(error)),
        _ => Ok(()),
    }
}

/// Folders that are already there keep their permissions.
pub(crate) fn private_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
