//! What the person set. Sources, later ones win: what is built in, the user's file, the project's
//! file, the environment, the command line. Every value knows where it came from.
//!
//! Must not know: what a setting is used for, how it is shown, how flags are parsed.

mod docs;
mod edit;
mod file;
mod groups;
mod keys;
mod kinds;
mod layers;
mod merge;
mod places;
mod source;
mod tools;

pub use docs::markdown;
pub(crate) use edit::write_whole;
pub use edit::{Put, remove_tool, save_tools};
pub use file::{File, read_capped, read_stdin_capped};
pub use groups::Groups;
pub use keys::{Config, Flags, KEYS, Key, Project, Row};
pub use kinds::{Allowed, Blocked, Kind, UpTo, Viewport, origin_expected, origin_pattern};
pub use places::{NAME, Places, Surroundings, VARIABLE};
pub use source::{At, Setting, Source, Whose};
pub(crate) use tools::check_name;
pub use tools::{ADVICE as TOOL_ADVICE, Tool, same_name};

use crate::trouble::Trouble;
use dragoman_model::{Approval, Policy};
use std::path::Path;

impl Config {
    /// All sources together, as they are for this process.
    pub fn load(flags: &Flags) -> Result<Self, Trouble> {
        Self::load_in(&Surroundings::of_this_process(), flags)
    }

    pub fn load_in(around: &Surroundings, flags: &Flags) -> Result<Self, Trouble> {
        let mut config = Self::default();
        let places = Places::of(around);
        if let Some(file) = places.read_user()? {
            config.lay_file(&file)?;
        }
        if let Some(file) = places.read_project()? {
            config.lay_file(&file)?;
        }
        config.lay_environment(around)?;
        config.lay_flags(flags);
        config.note_what_does_nothing();
        Ok(config)
    }

    fn note_what_does_nothing(&mut self) {
        let policy = &self.policy;
        let auto = policy.auto.value || !policy.auto_origins.value.0.is_empty();
        if auto && policy.approve.value == Approval::None {
            let note = "`auto` and `auto_origins` change nothing while nothing waits for a person; set `approve`";
            self.notes.push(note.into());
        }
    }

    /// Without any file or variable: for whoever must go on although those are broken.
    pub fn of_flags(flags: &Flags) -> Self {
        let mut config = Self::default();
        config.lay_flags(flags);
        config
    }

    /// `None` when nobody said anything about it: a session that is gone on with keeps its own.
    pub fn given_policy(&self) -> Option<Policy> {
        let policy = &self.policy;
        let silent = policy.approve.is_default()
            && policy.auto.is_default()
            && policy.auto_origins.is_default()
            && policy.allow_origins.is_default()
            && policy.block_origins.is_default()
            && policy.max_tabs.is_default();
        (!silent).then(|| Policy {
            approval: policy.approve.value,
            auto: policy.auto.value,
            auto_origins: policy.auto_origins.value.0.clone(),
            origins: dragoman_model::OriginRules {
                allow: policy.allow_origins.value.0.clone(),
                block: policy.block_origins.value.0.clone(),
            },
            max_tabs: policy.max_tabs.value.get(),
        })
    }

    /// The browser that a flag or a file names. One that the variable names is found, and judged,
    /// by the search for browsers.
    pub fn named_browser(&self) -> Option<&Path> {
        match self.browser.path.from {
            Source::Environment(_) => None,
            _ => self.browser.path.value.as_deref(),
        }
    }

    /// A saved tool by its name, whatever its case.
    pub fn tool(&self, name: &str) -> Option<&Setting<Tool>> {
        self.tools.iter().find(|tool| tool.value.is_called(name))
    }
}

#[cfg(test)]
mod tests;
