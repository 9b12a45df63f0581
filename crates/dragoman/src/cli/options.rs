//! Flags that several subcommands share.

use crate::journal::{Place, SqliteJournal};
use clap::{Args, ValueEnum};
use dragoman_browser::launch::LaunchOptions;
use dragoman_model::{Approval, OriginPattern, OriginRules, Policy};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(next_help_heading = "Browser")]
pub struct BrowserArgs {
    /// Show the browser's window
    #[arg(long)]
    pub headed: bool,
    /// Keep cookies and logins in this folder (default: a throw-away profile)
    #[arg(long, value_name = "DIR")]
    pub profile: Option<PathBuf>,
    /// The Chromium to use (default: $DRAGOMAN_BROWSER, else the first one found)
    #[arg(long, value_name = "PATH")]
    pub browser: Option<PathBuf>,
    /// Use a browser that runs already, by the WebSocket address of its debugging port
    #[arg(long, value_name = "URL", conflicts_with_all = ["headed", "profile", "browser"])]
    pub cdp: Option<String>,
    /// Size of the viewport
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = size)]
    pub viewport: (u32, u32),
}

impl BrowserArgs {
    pub fn launch_options(&self) -> LaunchOptions {
        LaunchOptions {
            executable: self.browser.clone(),
            headed: self.headed,
            profile: self.profile.clone(),
            viewport: self.viewport,
            cdp_url: self.cdp.clone(),
            ..LaunchOptions::default()
        }
    }
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let parse = || {
        let (width, height) = text.split_once(['x', 'X'])?;
        Some((width.parse().ok()?, height.parse().ok()?))
    };
    match parse() {
        Some((width @ 1..=10_000, height @ 1..=10_000)) => Ok((width, height)),
        _ => Err("write it as WIDTHxHEIGHT, each from 1 to 10000, such as 1280x720".into()),
    }
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Policy")]
pub struct PolicyArgs {
    /// What waits for a person's approval before it runs (default: none)
    #[arg(long, value_name = "WHAT")]
    approve: Option<Approve>,
    /// Allow only these origins; may be given several times (https://example.com, *.example.com)
    #[arg(long, value_name = "PATTERN")]
    allow_origin: Vec<String>,
    /// Block these origins; wins over --allow-origin. Both hold for pages, frames, workers and
    /// WebSockets, redirects too
    #[arg(long, value_name = "PATTERN")]
    block_origin: Vec<String>,
    /// How many tabs may be open at once (default: 32)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    max_tabs: Option<u32>,
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
    /// `None` when nothing was said about it: a session that is gone on with keeps its own.
    pub fn given(&self) -> Option<Policy> {
        let silent = self.approve.is_none()
            && self.allow_origin.is_empty()
            && self.block_origin.is_empty()
            && self.max_tabs.is_none();
        if silent {
            return None;
        }
        let patterns = |list: &[String]| list.iter().cloned().map(OriginPattern).collect();
        Some(Policy {
            approval: match self.approve {
                None | Some(Approve::None) => Approval::None,
                Some(Approve::Writes) => Approval::Writes,
                Some(Approve::All) => Approval::All,
            },
            origins: OriginRules {
                allow: patterns(&self.allow_origin),
                block: patterns(&self.block_origin),
            },
            max_tabs: self.max_tabs.unwrap_or(Policy::default().max_tabs),
        })
    }
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Journal")]
pub struct JournalArgs {
    /// Where everything is recorded (default: in your data folder); :memory: keeps nothing
    #[arg(long, value_name = "PATH", env = "DRAGOMAN_JOURNAL")]
    journal: Option<Place>,
}

impl JournalArgs {
    pub fn place(&self) -> anyhow::Result<Place> {
        Ok(match &self.journal {
            Some(place) => place.clone(),
            None => Place::usual()?,
        })
    }

    pub fn open(&self) -> anyhow::Result<SqliteJournal> {
        Ok(SqliteJournal::open(&self.place()?)?)
    }
}
