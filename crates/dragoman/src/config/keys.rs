//! Every setting there is, each declared once: its type, its default, its variable, its flag, and
//! what a project's file may do to it. [`Config`], [`Flags`], the list of [`KEYS`] and
//! docs/config.md all come from this table.

use super::groups::Groups;
use super::kinds::{Allowed, Blocked, Kind, UpTo, Viewport};
use super::layers::Layer;
use super::source::{Setting, Source};
use super::tools::Tool;
use crate::journal::Place;
use crate::trouble::Trouble;
use dragoman_dialects::mcp::Options;
use dragoman_model::Approval;
use std::path::PathBuf;

/// One setting, as the table declares it.
#[derive(Debug)]
pub struct Key {
    /// With its section: `policy.max_tabs`.
    pub name: &'static str,
    pub section: &'static str,
    /// What may be written, in words.
    pub expected: fn() -> String,
    pub env: &'static str,
    /// Empty: there is none.
    pub flag: &'static str,
    pub project: Project,
    /// What holds when nobody set it and there is no value to show for that.
    pub unset: &'static str,
    pub doc: &'static str,
}

impl Key {
    /// Without its section.
    pub fn leaf(&self) -> &'static str {
        self.name
            .split_once('.')
            .map_or(self.name, |(_, leaf)| leaf)
    }
}

/// What a project's file may do to a setting. It may have come with somebody else's repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Project {
    /// Set it.
    Free,
    /// Make it stricter than the user has it.
    Tighten,
    /// Nothing.
    Never,
}

/// One setting as it is now.
#[derive(Debug)]
pub struct Row {
    pub key: &'static Key,
    pub value: serde_json::Value,
    pub from: Source,
}

macro_rules! settings {
    ($(
        $section:ident $Section:ident $SectionFlags:ident { $(
            $name:ident : $ty:ty = $default:expr, $unset:literal,
            $env:literal $flag:literal $project:ident $doc:literal
        )* }
    )*) => {
        $(
            #[derive(Debug, Clone)]
            pub struct $Section {
                $(#[doc = $doc] pub $name: Setting<$ty>,)*
            }

            #[derive(Debug, Clone, Default)]
            pub struct $SectionFlags {
                $(#[doc = $doc] pub $name: Option<$ty>,)*
            }
        )*

        /// All settings, each with its source.
        #[derive(Debug, Clone)]
        pub struct Config {
            $(pub $section: $Section,)*
            /// Named shortcuts: the user's first, in the order of the files.
            pub tools: Vec<Setting<Tool>>,
            /// What a person should be told although nothing failed.
            pub notes: Vec<String>,
        }

        /// What was said on the command line.
        #[derive(Debug, Clone, Default)]
        pub struct Flags {
            $(pub $section: $SectionFlags,)*
        }

        /// In the order of the documentation.
        pub const KEYS: &[Key] = &[$($(Key {
            name: concat!(stringify!($section), ".", stringify!($name)),
            section: stringify!($section),
            expected: <$ty as Kind>::expected,
            env: $env,
            flag: $flag,
            project: Project::$project,
            unset: $unset,
            doc: $doc,
        },)*)*];

        impl Default for Config {
            fn default() -> Self {
                Self {
                    $($section: $Section {
                        $($name: Setting::built_in($default),)*
                    },)*
                    tools: Vec::new(),
                    notes: Vec::new(),
                }
            }
        }

        impl Config {
            /// Let a layer say what it has to say about each setting.
            pub(super) fn lay(&mut self, layer: &mut impl Layer) -> Result<(), Trouble> {
                let mut keys = KEYS.iter();
                $($(if let Some(key) = keys.next() {
                    layer.lay(key, &mut self.$section.$name)?;
                })*)*
                Ok(())
            }

            pub(super) fn lay_flags(&mut self, flags: &Flags) {
                let mut keys = KEYS.iter();
                $($(if let (Some(key), said) = (keys.next(), &flags.$section.$name)
                    && let Some(value) = said
                {
                    self.$section.$name = Setting {
                        value: value.clone(),
                        from: Source::Flag(key.flag),
                    };
                })*)*
            }

            /// Every setting in the order of the table.
            pub fn rows(&self) -> Vec<Row> {
                let mut keys = KEYS.iter();
                let mut rows = Vec::with_capacity(KEYS.len());
                $($(if let Some(key) = keys.next() {
                    let setting = &self.$section.$name;
                    rows.push(Row { key, value: setting.value.to_json(), from: setting.from.clone() });
                })*)*
                rows
            }
        }
    };
}

settings! {
    browser Browser BrowserFlags {
        path: Option<PathBuf> = None, "the first one found",
            "DRAGOMAN_BROWSER" "--browser" Never
            "The Chromium to use."
        headed: bool = false, "",
            "DRAGOMAN_HEADED" "--headed" Free
            "Show the browser's window."
        profile: Option<PathBuf> = None, "a throw-away profile",
            "DRAGOMAN_PROFILE" "--profile" Never
            "Keep cookies and logins in this folder."
        viewport: Viewport = Viewport(1280, 720), "",
            "DRAGOMAN_VIEWPORT" "--viewport" Free
            "Size of the viewport."
    }
    journal Journal JournalFlags {
        path: Option<Place> = None, "in your data folder",
            "DRAGOMAN_JOURNAL" "--journal" Never
            "Where everything is recorded; `:memory:` keeps nothing."
    }
    policy Policy PolicyFlags {
        approve: Approval = Approval::None, "",
            "DRAGOMAN_APPROVE" "--approve" Tighten
            "What waits for a person's approval before it runs."
        auto: bool = false, "",
            "DRAGOMAN_AUTO" "--auto" Never
            "Let run what would wait for a person, except what could carry to another site what was read."
        auto_origins: Allowed = Allowed::default(), "none",
            "DRAGOMAN_AUTO_ORIGINS" "--auto-origin" Never
            "Do so on these sites, and trust what is read there."
        allow_origins: Allowed = Allowed::default(), "any",
            "DRAGOMAN_ALLOW_ORIGINS" "--allow-origin" Tighten
            "Allow only these origins."
        block_origins: Blocked = Blocked::default(), "none",
            "DRAGOMAN_BLOCK_ORIGINS" "--block-origin" Tighten
            "Block these origins; wins over those that are allowed."
        max_tabs: UpTo<1000> = UpTo::or_most(dragoman_model::Policy::default().max_tabs), "",
            "DRAGOMAN_MAX_TABS" "--max-tabs" Tighten
            "How many tabs a session may have open at once."
    }
    mcp Mcp McpFlags {
        caps: Groups = Groups::default(), "core only",
            "DRAGOMAN_MCP_CAPS" "--caps" Free
            "Groups of tools that MCP clients are offered besides the core."
        output_budget: UpTo<200_000> = UpTo::or_most(Options::BUDGET as u32), "",
            "DRAGOMAN_MCP_OUTPUT_BUDGET" "--output-budget" Free
            "Most tokens of an answer to an MCP client."
        save_dir: Option<PathBuf> = None, "among the temporary files",
            "DRAGOMAN_MCP_SAVE_DIR" "--save-dir" Never
            "Where files are written that an MCP client names."
        secrets: Option<PathBuf> = None, "none",
            "DRAGOMAN_MCP_SECRETS" "--secrets" Never
            "A file of secrets that MCP clients know by name only; see docs/mcp.md."
    }
    command Command CommandFlags {
        max_tabs: UpTo<32> = UpTo::or_most(3), "",
            "DRAGOMAN_COMMAND_MAX_TABS" "" Free
            "How many tabs an operator that speaks `command/1` may have open at once."
        redact: bool = true, "",
            "DRAGOMAN_COMMAND_REDACT" "" Tighten
            "Take out what looks like a secret before an operator that speaks `command/1` sees it."
    }
}
