//! Where configuration files lie: the user's in the folder that the system has for it, the
//! project's beside or above the working directory.
//!
//! Must not know: what is in them.

use super::file::File;
use super::source::Whose;
use crate::trouble::Trouble;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

pub const NAME: &str = "dragoman.toml";

/// Names another file for the user's.
pub const VARIABLE: &str = "DRAGOMAN_CONFIG";

/// All that the configuration wants to know of the world, besides files.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    pub variables: BTreeMap<String, OsString>,
    /// The working directory, where there is one.
    pub folder: Option<PathBuf>,
}

impl Surroundings {
    pub fn of_this_process() -> Self {
        let known = std::env::vars_os();
        Self {
            variables: known
                .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
                .collect(),
            folder: std::env::current_dir().ok(),
        }
    }

    /// A variable that is empty is as good as none.
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        let value = self.variables.get(name)?.as_os_str();
        (!value.is_empty()).then_some(value)
    }

    fn absolute(&self, name: &str) -> Option<PathBuf> {
        let path = PathBuf::from(self.variable(name)?);
        path.is_absolute().then_some(path)
    }

    fn config_folder(&self) -> Option<PathBuf> {
        let base = if cfg!(windows) {
            self.absolute("APPDATA")
        } else if cfg!(target_os = "macos") {
            self.absolute("HOME")
                .map(|home| home.join("Library/Application Support"))
        } else {
            self.absolute("XDG_CONFIG_HOME")
                .or_else(|| Some(self.absolute("HOME")?.join(".config")))
        };
        base.map(|folder| folder.join("dragoman"))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// Where the user's file is, or would be; `None` when nobody knows the user's folders.
    pub user: Option<PathBuf>,
    /// `$DRAGOMAN_CONFIG` names it, so it should be there.
    pub named: bool,
    /// The nearest project's file, if there is any.
    pub project: Option<PathBuf>,
}

impl Places {
    pub fn of(around: &Surroundings) -> Self {
        let here = around.folder.as_deref();
        let named = around.variable(VARIABLE).map(|name| match here {
            Some(here) => here.join(name),
            None => name.into(),
        });
        let is_named = named.is_some();
        let user = named.or_else(|| Some(around.config_folder()?.join(NAME)));
        let project = here.and_then(|here| nearest_file(here, user.as_deref()));
        Self {
            user,
            named: is_named,
            project,
        }
    }

    pub fn read_user(&self) -> Result<Option<File>, Trouble> {
        let Some(path) = &self.user else {
            return Ok(None);
        };
        match File::read(path, Whose::User)? {
            None if self.named => Err(Trouble::new(
                Trouble::USAGE,
                format!("${VARIABLE} names {}, which is not there", path.display()),
                format!("Create the file, or unset {VARIABLE}."),
            )),
            found => Ok(found),
        }
    }

    pub fn read_project(&self) -> Result<Option<File>, Trouble> {
        match &self.project {
            Some(path) => File::read(path, Whose::Project),
            None => Ok(None),
        }
    }

    /// The user's file, for whoever wants to write to it.
    pub fn to_write(&self) -> Result<&Path, Trouble> {
        self.user.as_deref().ok_or_else(|| {
            Trouble::new(
                Trouble::USAGE,
                "there is no folder for your configuration",
                format!("Set HOME, or let {VARIABLE} name the file."),
            )
        })
    }
}

/// In `here` or the nearest folder above; the user's own file is no project's.
fn nearest_file(here: &Path, user: Option<&Path>) -> Option<PathBuf> {
    let user = user.and_then(|path| path.canonicalize().ok());
    let is_users = |path: &Path| user.is_some() && path.canonicalize().ok() == user;
    here.ancestors()
        .map(|folder| folder.join(NAME))
        .find(|path| path.exists() && !is_users(path))
}
