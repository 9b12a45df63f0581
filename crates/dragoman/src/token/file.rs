//! The file of tokens: read only when it is sound and the user's alone, written whole or not at
//! all, by one at a time. Messages never quote it: somebody may have put a token there.
//!
//! Must not know: who asks, or what for.

use super::secret::Hash;
use super::{Scopes, Token, name};
use crate::config::write_whole;
use crate::journal::private_folder;
use crate::term::for_shell;
use crate::trouble::Trouble;
use serde::{Deserialize, Serialize};
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

const VERSION: u32 = 1;
/// More than anybody hands out, and still looked through in no time.
pub const MOST: usize = 1000;
const MOST_BYTES: u64 = 1 << 20;

#[derive(Debug, Clone)]
pub struct Kept {
    pub token: Token,
    pub hash: Hash,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    version: u32,
    tokens: Vec<Row>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    scopes: Scopes,
    created_ms: u64,
    sha256: String,
}

/// A file as it was when it was read.
#[derive(Debug)]
pub struct Reading {
    pub kept: Vec<Kept>,
    stamp: Option<Stamp>,
    /// As long as it is open, no other file gets its number.
    _file: File,
}

impl Reading {
    /// Whether the file at this path is still that one, unchanged.
    pub fn is_current(&self, path: &Path) -> bool {
        let now = std::fs::metadata(path).ok();
        let now = now.as_ref().and_then(Stamp::of);
        now.is_some() && now == self.stamp
    }
}

/// What changes when a file does.
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    file: (u64, u64),
    size: u64,
    written: (i64, i64),
    /// Permissions and owner count too.
    changed: (i64, i64),
    mode: u32,
    owner: u32,
}

impl Stamp {
    /// `None` where a system does not number its files; they are read anew each time.
    #[cfg(unix)]
    fn of(file: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        Some(Self {
            file: (file.dev(), file.ino()),
            size: file.size(),
            written: (file.mtime(), file.mtime_nsec()),
            changed: (file.ctime(), file.ctime_nsec()),
            mode: file.mode(),
            owner: file.uid(),
        })
    }

    #[cfg(not(unix))]
    fn of(_: &Metadata) -> Option<Self> {
        None
    }
}

/// `None` when there is no file: there are no tokens then.
pub fn read(path: &Path) -> Result<Option<Reading>, Trouble> {
    let unreadable = |error: io::Error| unreadable(path, &error);
    match std::fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error)),
        // A pipe would make us wait.
        Ok(found) if !found.is_file() => {
            return Err(unreadable(io::Error::other("it is no file")));
        }
        Ok(_) => {}
    }
    let file = File::open(path).map_err(unreadable)?;
    // Of what was opened, whatever the path means by now.
    let about = file.metadata().map_err(unreadable)?;
    check_private(path, &about)?;
    let mut text = String::new();
    let read = (&file).take(MOST_BYTES + 1).read_to_string(&mut text);
    match read {
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            return Err(damaged(path, "it is no text"));
        }
        read => read.map_err(unreadable)?,
    };
    Ok(Some(Reading {
        kept: parse(path, &text)?,
        stamp: Stamp::of(&about),
        _file: file,
    }))
}

/// Read, change, write, while nobody else does: a token that was revoked meanwhile stays revoked.
pub fn edit<R>(
    path: &Path,
    change: impl FnOnce(&mut Vec<Kept>) -> Result<R, Trouble>,
) -> Result<R, Trouble> {
    // A link stays a link: what it points at is written.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
    let folder = folder.map_or_else(|| PathBuf::from("."), Path::to_owned);
    private_folder(&folder).map_err(|error| unwritable(&folder, &error))?;
    let _turn = take_turn(&path)?;
    let mut kept = read(&path)?.map(|r| r.kept).unwrap_or_default();
    let result = change(&mut kept)?;
    let text = render(&kept).map_err(|error| unwritable(&path, &error))?;
    write_whole(&folder, &path, &text).map_err(|error| unwritable(&path, &error))?;
    // So that a power cut brings nothing back. Not every system can.
    let _ = File::open(&folder).and_then(|folder| folder.sync_all());
    Ok(result)
}

/// A file of its own is locked, since the other one is replaced.
fn take_turn(path: &Path) -> Result<File, Trouble> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".lock");
    let beside = PathBuf::from(beside);
    let mut options = File::options();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let lock = |file: File| file.lock().map(|()| file);
    let turn = options.open(&beside).and_then(lock);
    turn.map_err(|error| unwritable(&beside, &error))
}

fn render(kept: &[Kept]) -> io::Result<String> {
    let row = |one: &Kept| Row {
        name: one.token.name.clone(),
        scopes: one.token.scopes,
        created_ms: one.token.created_ms,
        sha256: one.hash.hex(),
    };
    let wire = Wire {
        version: VERSION,
        tokens: kept.iter().map(row).collect(),
    };
    let mut text = serde_json::to_string_pretty(&wire)?;
    text.push('\n');
    Ok(text)
}

fn parse(path: &Path, text: &str) -> Result<Vec<Kept>, Trouble> {
    if text.len() as u64 > MOST_BYTES {
        return Err(damaged(path, "it is too large"));
    }
    let wire: Wire = serde_json::from_str(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        damaged(path, &format!("line {line}, column {column}"))
    })?;
    if wire.version != VERSION {
        let what = format!("{} is of another version", path.display());
        let next = "Use the program that wrote it, or let DRAGOMAN_TOKENS name another file.";
        return Err(Trouble::new(Trouble::USAGE, what, next));
    }
    if wire.tokens.len() > MOST {
        return Err(damaged(path, "it has too many tokens"));
    }
    let mut kept: Vec<Kept> = Vec::new();
    for (at, row) in wire.tokens.into_iter().enumerate() {
        let wrong = |what: &str| damaged(path, &format!("token {} has {what}", at + 1));
        let hash = Hash::from_hex(&row.sha256).ok_or_else(|| wrong("no proper hash"))?;
        if name::check(&row.name).is_err() {
            return Err(wrong("no proper name"));
        }
        if row.scopes.is_empty() {
            return Err(wrong("no scopes"));
        }
        let same = |one: &Kept| name::same_name(&one.token.name, &row.name);
        if kept.iter().any(same) {
            return Err(wrong("the name of another"));
        }
        let token = Token {
            name: row.name,
            scopes: row.scopes,
            created_ms: row.created_ms,
        };
        kept.push(Kept { token, hash });
    }
    Ok(kept)
}

/// Whoever can write it lets in whom they like.
#[cfg(unix)]
fn check_private(path: &Path, about: &Metadata) -> Result<(), Trouble> {
    use std::os::unix::fs::MetadataExt;
    let (shown, typed) = (path.display(), for_shell(&path.to_string_lossy()));
    let owner = about.uid();
    if owner != 0 && owner != rustix::process::geteuid().as_raw() {
        let what = format!("{shown} belongs to another user");
        let next = "Let DRAGOMAN_TOKENS name a file of your own, or make this one yours (chown).";
        return Err(Trouble::new(Trouble::USAGE, what, next));
    }
    let mode = about.mode() & 0o777;
    if mode & 0o077 == 0 {
        return Ok(());
    }
    let what = format!("{shown} is open to other users (mode {mode:04o}), so it admits nobody");
    let mut next = format!("`chmod 600 {typed}` makes it yours alone.");
    if mode & 0o022 != 0 {
        next.push_str(" Then see in `dragoman token list` whether all of them are yours.");
    }
    Err(Trouble::new(Trouble::USAGE, what, next))
}

#[cfg(not(unix))]
fn check_private(_: &Path, _: &Metadata) -> Result<(), Trouble> {
    Ok(())
}

fn damaged(path: &Path, why: &str) -> Trouble {
    let typed = for_shell(&path.to_string_lossy());
    Trouble::new(
        Trouble::USAGE,
        format!("{} is damaged and admits nobody: {why}", path.display()),
        format!(
            "Put back a copy that works, or `mv {typed} {typed}.damaged` and make the tokens anew \
             with `dragoman token new`."
        ),
    )
}

fn unreadable(path: &Path, error: &io::Error) -> Trouble {
    Trouble::new(
        Trouble::USAGE,
        format!("{} cannot be read: {error}", path.display()),
        "Make it yours to read, or let DRAGOMAN_TOKENS name another file.",
    )
}

fn unwritable(path: &Path, error: &io::Error) -> Trouble {
    Trouble::new(
        Trouble::FAILED,
        format!("{} cannot be written: {error}", path.display()),
        "Make it yours to write, or let DRAGOMAN_TOKENS name another file.",
    )
}
