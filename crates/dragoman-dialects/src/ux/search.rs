//! Searches for files that are under way. Somebody else searches; here is kept what was found, and told what is due.
//!
//! Must not know: disks.

use super::MAX_MESSAGE;
use super::batch::millis;
use super::wire::{File, FileSearch, FileSearchResult, Files, Progress};
use std::collections::HashMap;
use std::time::Duration;

/// Files in one search, unless it says otherwise.
const MOST: u64 = 1_000;
pub(super) const MOST_AT_ONCE: usize = 4;

/// What to search for.
#[derive(Debug, Clone, PartialEq)]
pub struct Search {
    /// Ours, to be told with what is found.
    pub number: u64,
    pub query: String,
    pub folder: Option<String>,
    pub most: u64,
}

/// What a search came to so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// Those that are new.
    pub files: Vec<File>,
    /// All that were looked at so far.
    pub searched: u64,
    /// Of a hundred.
    pub progress: u64,
    /// It is over: all was searched, or a limit was reached, or it cannot be done.
    pub over: Option<Result<bool, dragoman_model::Fault>>,
}

#[derive(Debug, Default)]
pub(super) struct Searches {
    last: u64,
    open: HashMap<u64, Open>,
}

#[derive(Debug)]
struct Open {
    id: String,
    streaming: bool,
    began: Duration,
    files: Vec<File>,
    bytes: usize,
    left_out: bool,
}

pub(super) enum Told {
    Progress(Progress),
    Result(FileSearchResult),
    Failed(dragoman_model::Fault),
}

impl Searches {
    pub fn begin(&mut self, id: &str, ask: &FileSearch, now: Duration) -> Search {
        self.last += 1;
        let open = Open {
            id: id.to_owned(),
            streaming: ask.streaming,
            began: now,
            files: Vec::new(),
            bytes: 1_000,
            left_out: false,
        };
        self.open.insert(self.last, open);
        Search {
            number: self.last,
            query: ask.query.clone(),
            folder: ask.onlyin.clone(),
            most: ask.limit.map_or(MOST, |limit| limit.get()),
        }
    }

    pub fn are_many(&self) -> bool {
        self.open.len() >= MOST_AT_ONCE
    }

    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// The number to stop it by, and what it came to.
    pub fn cancel(&mut self, id: &str, now: Duration) -> Option<(u64, FileSearchResult)> {
        let number = *self.open.iter().find(|(_, open)| open.id == id)?.0;
        let open = self.open.remove(&number)?;
        Some((number, open.result(now, 0, Some("it was cancelled"))))
    }

    pub fn found(&mut self, number: u64, found: Found, now: Duration) -> Option<(String, Told)> {
        let open = self.open.get_mut(&number)?;
        let id = open.id.clone();
        let partial = open.keep(&found.files);
        match found.over {
            None if open.streaming => {
                let message = format!("Searched {} files", found.searched);
                let progress = Progress {
                    progress: found.progress.min(100),
                    message,
                    partial: Files { files: partial },
                };
                Some((id, Told::Progress(progress)))
            }
            None => None,
            Some(end) => {
                let open = self.open.remove(&number)?;
                let told = match end {
                    Ok(true) if !open.left_out => {
                        Told::Result(open.result(now, found.searched, None))
                    }
                    Ok(_) => {
                        let why = Some("there are more files than are told");
                        Told::Result(open.result(now, found.searched, why))
                    }
                    Err(fault) => Told::Failed(fault),
                };
                Some((id, told))
            }
        }
    }
}

impl Open {
    /// As many as fit into the answer.
    fn keep(&mut self, files: &[File]) -> Vec<File> {
        let before = self.files.len();
        for file in files {
            let bytes = serde_json::to_vec(file).map_or(0, |bytes| bytes.len() + 1);
            if self.bytes + bytes > MAX_MESSAGE {
                self.left_out = true;
                break;
            }
            self.bytes += bytes;
            self.files.push(file.clone());
        }
        self.files[before..].to_vec()
    }

    fn result(self, now: Duration, searched: u64, stopped: Option<&str>) -> FileSearchResult {
        FileSearchResult {
            complete: stopped.is_none(),
            total_searched: searched,
            elapsed: millis(now.saturating_sub(self.began)),
            stopped: stopped.map(Into::into),
            files: self.files,
        }
    }
}
