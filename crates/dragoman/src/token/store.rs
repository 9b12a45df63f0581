//! Every token there is: made, listed, revoked, and asked for at the door.
//!
//! Must not know: how the file looks inside, what a scope allows.

use super::file::{self, Kept, MOST, Reading};
use super::secret::{self, Hash};
use super::{Scopes, Token, name};
use crate::journal::data_folder;
use crate::trouble::Trouble;
use anyhow::Context;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use subtle::ConditionallySelectable;

/// Names another file than the usual one.
pub const VARIABLE: &str = "DRAGOMAN_TOKENS";

pub struct Store {
    path: PathBuf,
    seen: Mutex<Seen>,
}

/// What the door knows of the file.
#[derive(Default)]
struct Seen {
    reading: Option<Reading>,
    /// The trouble that was told, so that it is told once.
    told: Option<String>,
}

impl Store {
    /// The file that $DRAGOMAN_TOKENS names, else the one in the user's data folder.
    pub fn usual() -> anyhow::Result<Self> {
        let named = std::env::var_os(VARIABLE).filter(|path| !path.is_empty());
        let path = match named {
            Some(path) => PathBuf::from(path),
            None => data_folder().ok_or_else(no_folder)?.join("tokens.json"),
        };
        // Whoever changes the working directory later means the same file.
        let path = std::path::absolute(&path).unwrap_or(path);
        Ok(Self::at(&path))
    }

    pub fn at(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            seen: Mutex::default(),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The text of the new token. It is not kept, so this is the only time it can be had.
    pub fn create(&self, name: &str, scopes: Scopes) -> anyhow::Result<String> {
        name::check(name).map_err(|wrong| Trouble::new(Trouble::USAGE, wrong, name::ADVICE))?;
        if scopes.is_empty() {
            let what = "a token without a scope is good for nothing";
            let next = "Give it one: observe, act, approve or admin.";
            return Err(Trouble::new(Trouble::USAGE, what, next).into());
        }
        let secret = secret::make().context("the system has no random numbers to give")?;
        let new = Kept {
            token: Token {
                name: name.to_owned(),
                scopes,
                created_ms: crate::clock::now_ms(),
            },
            hash: Hash::of(&secret),
        };
        let added = file::edit(&self.path, |kept| add(kept, new));
        match added {
            Ok(()) => Ok(secret),
            Err(trouble) => {
                secret::wipe(secret);
                Err(trouble.into())
            }
        }
    }

    /// All of them, the oldest first. Fails when the file is damaged or not the user's alone.
    pub fn list(&self) -> anyhow::Result<Vec<Token>> {
        let reading = file::read(&self.path)?;
        let kept = reading.map(|reading| reading.kept).unwrap_or_default();
        Ok(kept.into_iter().map(|one| one.token).collect())
    }

    /// Whether there was one of this name. From now on it admits nobody.
    pub fn revoke(&self, name: &str) -> anyhow::Result<bool> {
        let is_it = |one: &Kept| name::same_name(&one.token.name, name);
        // Where there is nothing to take out, nothing is made or written.
        let there = file::read(&self.path)?;
        if !there.is_some_and(|reading| reading.kept.iter().any(is_it)) {
            return Ok(false);
        }
        let revoked = file::edit(&self.path, |kept| {
            let before = kept.len();
            kept.retain(|one| !is_it(one));
            Ok(kept.len() < before)
        })?;
        Ok(revoked)
    }

    /// Whose token this is. All of them are compared, in the same time whichever it is. A token
    /// that was revoked ends at once; a file that cannot be read, or should not be, admits nobody.
    pub fn check(&self, secret: &str) -> Option<Token> {
        if secret.len() != secret::LENGTH {
            return None;
        }
        let asked = Hash::of(secret);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.look(&self.path);
        let reading = seen.reading.as_ref()?;
        owner(&reading.kept, &asked).cloned()
    }
}

impl Seen {
    fn look(&mut self, path: &Path) {
        let current = self.reading.as_ref().is_some_and(|r| r.is_current(path));
        if current {
            return;
        }
        self.reading = None;
        match file::read(path) {
            Ok(reading) => {
                self.reading = reading;
                self.told = None;
            }
            Err(trouble) if self.told.as_ref() == Some(&trouble.what) => {}
            Err(trouble) => {
                tracing::error!("{}. {}", trouble.what, trouble.next);
                self.told = Some(trouble.what);
            }
        }
    }
}

fn add(kept: &mut Vec<Kept>, new: Kept) -> Result<(), Trouble> {
    let same = |one: &&Kept| name::same_name(&one.token.name, &new.token.name);
    if let Some(old) = kept.iter().find(same) {
        let name = &old.token.name;
        return Err(Trouble::new(
            Trouble::FAILED,
            format!("there is a token `{name}` already"),
            format!(
                "Choose another name, or end that one first: `{}`.",
                name::how_to_revoke(name)
            ),
        ));
    }
    if kept.len() >= MOST {
        let what = format!("there are {MOST} tokens already, and there cannot be more");
        let next = "Revoke what nobody uses; `dragoman token list` names all there are.";
        return Err(Trouble::new(Trouble::FAILED, what, next));
    }
    kept.push(new);
    Ok(())
}

fn owner<'a>(kept: &'a [Kept], asked: &Hash) -> Option<&'a Token> {
    let mut at = u32::MAX;
    for (this, one) in (0u32..).zip(kept) {
        at.conditional_assign(&this, one.hash.is(asked));
    }
    kept.get(at as usize).map(|one| &one.token)
}

fn no_folder() -> Trouble {
    Trouble::new(
        Trouble::FAILED,
        "there is no folder to keep tokens in: the environment names no home",
        format!("Let {VARIABLE} name a file."),
    )
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}
