//! What can be wrong with a journal, and what to do about it.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("there is no folder for your data: neither XDG_DATA_HOME nor HOME is set")]
    NoFolder,
    #[error("there is no journal at {}", .path.display())]
    Missing { path: PathBuf },
    #[error("{}: {error}", .path.display())]
    Io {
        path: PathBuf,
        error: std::io::Error,
    },
    #[error("{} is not a journal: it is no SQLite database", .path.display())]
    NotADatabase { path: PathBuf },
    #[error("{} is not a journal: it is another program's SQLite database", .path.display())]
    NotOurs { path: PathBuf },
    #[error("{} is damaged: {error}", .path.display())]
    Damaged {
        path: PathBuf,
        error: rusqlite::Error,
    },
    #[error(
        "{} was written by a newer dragoman (schema {found}; this one knows up to {known})",
        .path.display()
    )]
    Newer {
        path: PathBuf,
        found: u32,
        known: u32,
    },
    #[error("session {session} is open in another dragoman (process {owner})")]
    Taken { session: String, owner: String },
    #[error("the journal refused a record: {0}")]
    Refused(String),
    #[error("the journal could not be written or read: {0}")]
    Sqlite(#[from] rusqlite::Error),
    #[error("the journal holds something this dragoman cannot read: {0}")]
    Content(#[from] serde_json::Error),
    #[error("the journal's writer has ended")]
    WriterGone,
}

impl JournalError {
    /// What a person can do next.
    pub fn advice(&self) -> String {
        match self {
            Self::NoFolder => "Name a file with --journal PATH, or --journal :memory: to keep none.".into(),
            Self::Missing { .. } => {
                "Nothing was recorded yet, or it was recorded elsewhere: name the file with --journal PATH.".into()
            }
            Self::Io { .. } => {
                "Check that the folder exists and is yours to write, or name another file with --journal PATH.".into()
            }
            Self::NotADatabase { .. } | Self::NotOurs { .. } => {
                "Name another file with --journal PATH.".into()
            }
            Self::Damaged { path, .. } => format!(
                "Move it aside (mv {0} {0}.damaged) and start again; `sqlite3 {0}.damaged .recover` may save what was in it.",
                path.display()
            ),
            Self::Newer { .. } => {
                "Use the newer dragoman, or another file with --journal PATH.".into()
            }
            Self::Taken { .. } => {
                "End that one, or choose another name with --session NAME.".into()
            }
            Self::Refused(_) | Self::Content(_) | Self::WriterGone => {
                "This is a fault of ours; please report it with the log.".into()
            }
            Self::Sqlite(_) => "Check that the disk is neither full nor read-only.".into(),
        }
    }
}
