//! `dragoman mcp`: a browser for MCP clients, on standard input and output.

use super::options::{BrowserArgs, Flagged, JournalArgs, PolicyArgs};
use super::options::{open_journal, read, settle};
use crate::clock::new_name;
use crate::config::{Config, Flags, Groups, UpTo};
use crate::direct::Direct;
use crate::driver::Driver;
use crate::mcp::{About, Client, Files, Lines, People, Server, Terms};
use crate::trouble::Trouble;
use crate::{run, secrets};
use clap::Args;
use dragoman_browser::{Hands, LaunchOptions, Vault};
use dragoman_dialects::mcp::Options;
use dragoman_engine::Rights;
use dragoman_model::Request;
use rmcp::ServiceExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::sleep;

/// How long what is under way at the end of input may still take to be answered.
const LAST_WORDS: Duration = Duration::from_millis(900);

#[derive(Debug, Args)]
pub struct Mcp {
    /// Print the tools as Markdown: this is how docs/mcp-tools.md is made
    #[arg(long, hide = true)]
    markdown: bool,
    #[command(flatten)]
    tools: ToolArgs,
    #[command(flatten)]
    policy: PolicyArgs,
    #[command(flatten)]
    journal: JournalArgs,
    #[command(flatten)]
    browser: BrowserArgs,
}

/// What is said about the tools, by pipe and by HTTP alike.
#[derive(Debug, Args)]
#[command(next_help_heading = "Tools")]
pub struct ToolArgs {
    /// Further groups of tools, with commas between: vision, pdf, testing, storage, network,
    /// devtools, or all
    #[arg(long, value_name = "GROUPS", value_parser = read::<Groups>)]
    caps: Option<Groups>,
    /// Most tokens of an answer (default: 2000)
    #[arg(long, value_name = "TOKENS", value_parser = read::<UpTo<200_000>>)]
    output_budget: Option<UpTo<200_000>>,
    /// How long a command may take, in milliseconds (default: as `dragoman commands` says)
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=Request::MAX_TIMEOUT_MS))]
    timeout: Option<u64>,
    /// Where files are written: screenshots, downloads, whatever a call gives a name to
    /// (default: a folder of its own among the temporary files)
    #[arg(long, value_name = "DIR")]
    save_dir: Option<PathBuf>,
    /// Let pages have files from this folder; may be given several times (default: the
    /// working directory, unless that is your home or the root)
    #[arg(long, value_name = "DIR")]
    upload_root: Vec<PathBuf>,
    /// Passwords by name, typed where {{secret:NAME}} is written and only into their own origin
    /// (.toml or .env; docs/mcp.md)
    #[arg(long, value_name = "FILE")]
    secrets: Option<PathBuf>,
}

impl Flagged for ToolArgs {
    fn say(&self, flags: &mut Flags) {
        flags.mcp.caps = self.caps.clone();
        flags.mcp.output_budget = self.output_budget;
        flags.mcp.save_dir = self.save_dir.clone().map(Some);
        flags.mcp.secrets = self.secrets.clone().map(Some);
    }
}

impl ToolArgs {
    pub fn terms(&self, config: &Config, people: People) -> Terms {
        let set = &config.mcp;
        let made = || std::env::temp_dir().join(new_name("dragoman"));
        let save = set.save_dir.value.clone().unwrap_or_else(made);
        Terms {
            options: Options {
                caps: set.caps.value.0.iter().copied().collect(),
                budget: set.output_budget.value.get() as usize,
                timeout_ms: self.timeout,
                ..Options::new("")
            },
            files: Files::new(save, self.upload_roots()),
            people,
            fixtures: false,
        }
    }

    /// What the browser has to know besides: where downloads go, and the secrets.
    pub fn equip(&self, options: &mut LaunchOptions, config: &Config) -> Result<Vault, Trouble> {
        let save = config.mcp.save_dir.value.as_ref();
        options.downloads = save.map(|folder| folder.join("downloads"));
        let file = config.mcp.secrets.value.as_deref();
        file.map_or(Ok(Vault::default()), secrets::read)
    }

    fn upload_roots(&self) -> Vec<PathBuf> {
        if !self.upload_root.is_empty() {
            return self.upload_root.clone();
        }
        let here = std::env::current_dir().ok();
        here.filter(|here| is_a_project(here)).into_iter().collect()
    }
}

/// A folder that somebody works in: neither a home, which has everything in it, nor above one.
fn is_a_project(folder: &Path) -> bool {
    let home = std::env::home_dir();
    folder.parent().is_some() && home.is_none_or(|home| !home.starts_with(folder))
}

impl Mcp {
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        if self.markdown {
            print!("{}", crate::mcp::markdown());
            return Ok(ExitCode::SUCCESS);
        }
        run::on_this_thread(self.serve())
    }

    async fn serve(&self) -> anyhow::Result<ExitCode> {
        let config = settle(&[&self.tools, &self.policy, &self.journal, &self.browser])?;
        // Whether there is a browser shows with the first call: a server that does not even start
        // could not say what is missing.
        let journal = open_journal(&config)?;
        let mut options = self.browser.launch_options(&config);
        let vault = self.tools.equip(&mut options, &config)?;
        let (events, surface_events) = mpsc::unbounded_channel();
        let hands = Hands::with_secrets(options, events, vault);
        let policy = config.given_policy().unwrap_or_default();
        let mut driver = Driver::new(journal, hands, surface_events, policy);
        driver.listen_for_signals()?;

        let terms = self.tools.terms(&config, People::Nobody);
        let session = terms.session()?;
        driver.open(&session, None).await?;
        driver.close_at_end(&session);
        let (link, conversation, direct) = Direct::new();
        let client = driver.join(link, conversation, &session);
        // What waits for a person is not the model's to approve.
        let rights = Rights {
            approve_own: false,
            ..Rights::ALL
        };
        driver.admit(client, rights);
        let talk = terms.talk()?;
        let instructions = talk.instructions();
        let client = Arc::new(Client::new(direct, talk, Some(session), &terms));
        let about = About::new(&terms);
        let (lines, ended) = Lines::new(crate::stdio::link()?);
        let leaving = Arc::downgrade(&client);
        tokio::spawn(async move {
            if ended.await.is_ok() {
                sleep(LAST_WORDS).await;
                // Gone by itself, if there was nothing left to answer.
                if let Some(client) = leaving.upgrade() {
                    client.leave();
                }
            }
        });
        tokio::spawn(async move {
            let server = Server::new(client, about, instructions);
            match server.serve(lines).await {
                Ok(running) => drop(running.waiting().await),
                Err(error) => tracing::info!(%error, "the client left before it began"),
            }
        });
        let ending = driver.run().await;
        Ok(ExitCode::from(ending.exit_code()))
    }
}
