//! Flags that several subcommands share. Each has a setting of the same meaning, which holds where
//! the flag was not given.

use crate::config::{Allowed, Blocked, Config, Flags, Kind, UpTo, Viewport};
use crate::config::{origin_expected, origin_pattern};
use crate::journal::{Place, SqliteJournal};
use crate::term::plain;
use clap::{Args, ValueEnum};
use dragoman_browser::launch::LaunchOptions;
use dragoman_model::{Approval, OriginPattern};
use std::path::PathBuf;

/// Flags that a setting stands behind.
pub trait Flagged {
    fn say(&self, flags: &mut Flags);
}

/// What holds: these flags, and where they are silent, the environment and the files.
pub fn settle(given: &[&dyn Flagged]) -> anyhow::Result<Config> {
    let config = Config::load(&flags_of(given))?;
    tell_notes(&config);
    Ok(config)
}

pub fn flags_of(given: &[&dyn Flagged]) -> Flags {
    let mut flags = Flags::default();
    given.iter().for_each(|part| part.say(&mut flags));
    flags
}

pub fn tell_notes(config: &Config) {
    for note in &config.notes {
        eprintln!("dragoman: note: {}", plain(note));
    }
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Browser")]
pub struct BrowserArgs {
    /// Show the browser's window; --headed=false does not, whatever the configuration says
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true,
          default_missing_value = "true", hide_possible_values = true)]
    headed: Option<bool>,
    /// Show no window, whatever the configuration says
    #[arg(long, conflicts_with = "headed")]
    headless: bool,
    /// Keep cookies and logins in this folder (default: a throw-away profile)
    #[arg(long, value_name = "DIR")]
    profile: Option<PathBuf>,
    /// A throw-away profile, whatever the configuration says
    #[arg(long, conflicts_with = "profile")]
    isolated: bool,
    /// The Chromium to use (default: $DRAGOMAN_BROWSER, else the first one found)
    #[arg(long, value_name = "PATH")]
    browser: Option<PathBuf>,
    /// Use a browser that runs already, by the WebSocket address of its debugging port
    #[arg(long, value_name = "URL", conflicts_with_all = ["headed", "profile", "browser"])]
    pub cdp: Option<String>,
    /// Size of the viewport (default: 1280x720)
    #[arg(long, value_name = "WxH", value_parser = read::<Viewport>)]
    viewport: Option<Viewport>,
}

impl BrowserArgs {
    pub fn launch_options(&self, config: &Config) -> LaunchOptions {
        let set = &config.browser;
        LaunchOptions {
            executable: config.named_browser().map(Into::into),
            headed: set.headed.value,
            profile: set.profile.value.clone(),
            viewport: (set.viewport.value.0, set.viewport.value.1),
            cdp_url: self.cdp.clone(),
            ..LaunchOptions::default()
        }
    }
}

impl Flagged for BrowserArgs {
    fn say(&self, flags: &mut Flags) {
        flags.browser.headed = self.headed.or(self.headless.then_some(false));
        let profile = self.profile.clone().map(Some);
        flags.browser.profile = profile.or(self.isolated.then_some(None));
        flags.browser.path = self.browser.clone().map(Some);
        flags.browser.viewport = self.viewport;
    }
}

/// A flag is read as the setting behind it is.
pub fn read<T: Kind>(text: &str) -> Result<T, String> {
    T::from_text(text).ok_or_else(|| format!("write it as {}", T::expected()))
}

pub fn origin(text: &str) -> Result<OriginPattern, String> {
    origin_pattern(text).ok_or_else(|| format!("write it {}", origin_expected()))
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Policy")]
pub struct PolicyArgs {
    /// What waits for a person's approval before it runs (default: none)
    #[arg(long, value_name = "WHAT")]
    approve: Option<Approve>,
    /// Under --approve: let run what would wait, except what could carry to another site what was
    /// read; --auto=false does not, whatever the configuration says
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true,
          default_missing_value = "true", hide_possible_values = true)]
    auto: Option<bool>,
    /// Do so on these sites, and trust what is read there; may be given several times
    #[arg(long, alias = "auto-origins", value_name = "PATTERN", value_delimiter = ',', value_parser = origin)]
    auto_origin: Vec<OriginPattern>,
    /// Allow only these origins; may be given several times (https://example.com, *.example.com)
    #[arg(long, alias = "allow-origins", value_name = "PATTERN", value_delimiter = ',', value_parser = origin)]
    allow_origin: Vec<OriginPattern>,
    /// Block these origins; wins over --allow-origin. Both hold for pages, frames, workers and
    /// WebSockets, redirects too
    #[arg(long, alias = "block-origins", value_name = "PATTERN", value_delimiter = ',', value_parser = origin)]
    block_origin: Vec<OriginPattern>,
    /// How many tabs may be open at once (default: 32; in a chat: 3, and the
    /// oldest is let go)
    #[arg(long, value_name = "N", value_parser = read::<UpTo<1000>>)]
    max_tabs: Option<UpTo<1000>>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Approve {
    /// Everything runs at once
    None,
    /// What only reads runs at once, the rest waits
    Writes,
    /// Everything waits
    All,
}

impl PolicyArgs {
    /// What `--max-tabs` says, for a chat, which has a limit of its own.
    pub fn max_tabs(&self) -> Option<usize> {
        self.max_tabs.map(|most| most.get() as usize)
    }
}

impl Flagged for PolicyArgs {
    fn say(&self, flags: &mut Flags) {
        let some = |list: &[OriginPattern]| (!list.is_empty()).then(|| list.to_vec());
        flags.policy.approve = self.approve.map(|approve| match approve {
            Approve::None => Approval::None,
            Approve::Writes => Approval::Writes,
            Approve::All => Approval::All,
        });
        flags.policy.auto = self.auto;
        flags.policy.auto_origins = some(&self.auto_origin).map(Allowed);
        flags.policy.allow_origins = some(&self.allow_origin).map(Allowed);
        flags.policy.block_origins = some(&self.block_origin).map(Blocked);
        flags.policy.max_tabs = self.max_tabs;
    }
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Journal")]
pub struct JournalArgs {
    /// Where everything is recorded (default: $DRAGOMAN_JOURNAL, else in your data folder);
    /// :memory: keeps nothing
    #[arg(long, value_name = "PATH")]
    journal: Option<Place>,
}

impl Flagged for JournalArgs {
    fn say(&self, flags: &mut Flags) {
        flags.journal.path = self.journal.clone().map(Some);
    }
}

pub fn journal_place(config: &Config) -> anyhow::Result<Place> {
    Ok(match &config.journal.path.value {
        Some(place) => place.clone(),
        None => Place::usual()?,
    })
}

pub fn open_journal(config: &Config) -> anyhow::Result<SqliteJournal> {
    Ok(SqliteJournal::open(&journal_place(config)?)?)
}
