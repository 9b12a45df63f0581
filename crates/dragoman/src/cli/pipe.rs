//! `dragoman pipe`: an operator on standard input and output.

use super::browser::hands;
use super::chat::ChatArgs;
use super::options::{BrowserArgs, JournalArgs, PolicyArgs, open_journal, settle};
use crate::clock::new_name;
use crate::config::Config;
use crate::conversation::Conversation;
use crate::driver::{Driver, Ending, SurfaceEvents};
use crate::journal::Journal;
use crate::prompts::{Prompts, hosted};
use crate::replies::{self, Line, Player};
use crate::run;
use crate::surface::Surface;
use crate::term::{plain, say};
use crate::trouble::Trouble;
use anyhow::Context;
use clap::{Args, ValueEnum};
use dragoman_dialects::bai::Version;
use dragoman_dialects::command::Options;
use dragoman_model::{Navigate, Policy, Request, SessionId};
use dragoman_prompt::Spec;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tokio::sync::mpsc;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  echo '{\"id\":1,\"cmd\":\"snapshot\"}' | dragoman pipe --url https://example.com
  dragoman pipe --session shopping --approve writes --allow-origin '*.example.com'
  dragoman pipe --surface prompt --ask '{\"type\":\"arg\",\"choices\":[\"a\",\"b\"]}'
  dragoman pipe --dialect command --goal 'Find a train to Graz' --url https://www.oebb.at
  dragoman pipe --dialect bai-0.4 --framed --approve writes --url https://www.oebb.at

In native/1, one JSON object a line goes in, one a line comes out; `dragoman commands` lists what can be asked.
At the end of input, what is queued is done first. A session that has a name can be gone on with
later: nothing of it runs twice, and what was running when the program died is `interrupted`.")]
pub struct Pipe {
    /// The language spoken on standard input and output
    #[arg(long, value_name = "NAME", default_value = "native")]
    dialect: Dialect,
    /// What is driven
    #[arg(long, value_name = "WHAT", default_value = "browser")]
    surface: Driven,
    /// Of prompts: ask this, as a script would say it; several are asked one after the other
    #[arg(long, value_name = "JSON", value_parser = asked)]
    ask: Vec<Spec>,
    /// Go to this address first
    #[arg(long)]
    url: Option<String>,
    /// The session's name, to go on with it later (default: a new one)
    #[arg(long, value_name = "NAME", value_parser = session_name)]
    session: Option<SessionId>,
    /// Files may be looked for in this folder (ux/2.0; default: where the program is started); may be given several times
    #[arg(long, value_name = "DIR")]
    search_root: Vec<PathBuf>,
    #[command(flatten)]
    chat: ChatArgs,
    #[command(flatten)]
    policy: PolicyArgs,
    #[command(flatten)]
    journal: JournalArgs,
    #[command(flatten)]
    browser: BrowserArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Dialect {
    /// Our own model as JSON lines (native/1)
    Native,
    /// A backend's actions as JSON lines, with snapshots pushed (action/1)
    Action,
    /// An agent's questions, actions and waits as JSON lines (ux/2.0)
    Ux,
    /// A chat agent's replies, with commands in <tool_code> tags (command/1)
    Command,
    /// Any chat's replies, with lines that begin with BAI_ACTION (bai/0.3, also 0.2)
    #[value(name = "bai-0.3")]
    Bai03,
    /// Any chat's replies, with lines that begin with !baiact (bai/0.4)
    #[value(name = "bai-0.4")]
    Bai04,
}

impl Dialect {
    pub fn bai(self) -> Option<Version> {
        match self {
            Self::Bai03 => Some(Version::V03),
            Self::Bai04 => Some(Version::V04),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Driven {
    /// Our Chromium
    Browser,
    /// Prompts, without a terminal
    Prompt,
}

impl Pipe {
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        run::on_this_thread(self.serve())
    }

    async fn serve(&self) -> anyhow::Result<ExitCode> {
        self.check_flags()?;
        if self.surface == Driven::Browser && !self.ask.is_empty() {
            let what = "--ask is about prompts, and a browser has none";
            let next = "Add --surface prompt.";
            return Err(Trouble::new(Trouble::USAGE, what, next).into());
        }
        let config = settle(&[&self.policy, &self.journal, &self.browser])?;
        let (events, surface_events) = mpsc::unbounded_channel();
        match self.surface {
            Driven::Browser => {
                let hands = hands(&self.browser, &config, events)?;
                self.drive(&config, hands, surface_events, |_, _| ()).await
            }
            Driven::Prompt => {
                let prompts = Prompts::new(events);
                let ask = |prompts: Prompts, session| {
                    tokio::task::spawn_local(ask_all(prompts, session, self.ask.clone()));
                };
                self.drive(&config, prompts, surface_events, ask).await
            }
        }
    }

    async fn drive<S: Surface>(
        &self,
        config: &Config,
        surface: S,
        surface_events: SurfaceEvents,
        ready: impl FnOnce(S, SessionId),
    ) -> anyhow::Result<ExitCode> {
        let journal = open_journal(config)?;
        let given = match self.dialect {
            Dialect::Native | Dialect::Ux => config.given_policy(),
            _ => config.given_policy().map(for_chat),
        };
        let policy = given.clone().unwrap_or_default();
        let mut driver = Driver::new(journal, surface.clone(), surface_events, policy);
        let session = match &self.session {
            Some(session) => session.clone(),
            None => SessionId::new(new_name("pipe")).expect("a generated name is a valid one"),
        };
        driver.open(&session, given).await?;
        if self.session.is_none() {
            driver.close_at_end(&session);
        }
        driver.listen_for_signals()?;
        ready(surface, session.clone());
        let ending = match self.dialect {
            Dialect::Native => {
                let conversation = Conversation::native(&session);
                let client = driver.join(crate::stdio::link()?, conversation, &session);
                if let Some(url) = &self.url {
                    let go = Navigate {
                        url: url.clone(),
                        until: None,
                    };
                    driver.submit(&session, client, Request::new(go.into()));
                }
                driver.run().await
            }
            Dialect::Action => {
                let conversation = Conversation::action(new_name("action"), self.url.clone());
                driver.join(crate::stdio::link()?, conversation, &session);
                driver.run().await
            }
            Dialect::Ux => {
                let conversation = Conversation::ux(new_name("ux"), self.url.clone());
                driver.allow_search_in(self.search_roots());
                driver.join(crate::stdio::link()?, conversation, &session);
                driver.run().await
            }
            Dialect::Bai03 | Dialect::Bai04 => {
                let version = self.dialect.bai().unwrap_or(Version::V04);
                let options = self.chat.bai(config, self.url.as_deref())?;
                let conversation = Conversation::bai(version, options);
                driver.join(crate::stdio::link()?, conversation, &session);
                driver.run().await
            }
            Dialect::Command => {
                let mut options = self.chat.options(config, self.url.as_deref());
                if let Some(max_tabs) = self.policy.max_tabs() {
                    options.max_tabs = max_tabs;
                }
                if let Some(file) = &self.chat.replies {
                    return play(driver, &session, options, file).await;
                }
                let conversation = Conversation::command(options);
                driver.join(crate::stdio::link()?, conversation, &session);
                driver.run().await
            }
        };
        Ok(ExitCode::from(ending.exit_code()))
    }
}

impl Pipe {
    fn search_roots(&self) -> Vec<PathBuf> {
        match self.search_root.is_empty() {
            true => vec![PathBuf::from(".")],
            false => self.search_root.clone(),
        }
    }

    /// What is only about chats, or only about one kind of them.
    fn check_flags(&self) -> anyhow::Result<()> {
        let (flag, what, next) = match self.dialect {
            Dialect::Native | Dialect::Action | Dialect::Ux => (
                self.chat.given(),
                "is about a chat, and this dialect is none",
                "Add --dialect command.",
            ),
            Dialect::Bai03 | Dialect::Bai04 => (
                self.chat.given_for_command(),
                "means nothing in this dialect",
                "Leave it out, or use --dialect command.",
            ),
            Dialect::Command => return Ok(()),
        };
        match flag {
            Some(flag) => Err(Trouble::new(Trouble::USAGE, format!("{flag} {what}"), next).into()),
            None => Ok(()),
        }
    }
}

/// One after the other.
pub async fn ask_all(prompts: Prompts, session: SessionId, specs: Vec<Spec>) {
    let (sender, receiver) = mpsc::unbounded_channel();
    specs.into_iter().for_each(|spec| drop(sender.send(spec)));
    drop(sender);
    hosted::ask_all(prompts, session, receiver).await;
}

pub fn asked(text: &str) -> Result<Spec, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// The dialect keeps to the limit of tabs by itself, and lets go of one when it needs another.
fn for_chat(policy: Policy) -> Policy {
    Policy {
        max_tabs: policy.max_tabs.max(Policy::default().max_tabs),
        ..policy
    }
}

/// An assistant out of a file, in place of one on standard input.
async fn play<J: Journal + 'static, S: Surface>(
    mut driver: Driver<J, S>,
    session: &SessionId,
    options: Options,
    file: &Path,
) -> anyhow::Result<ExitCode> {
    let text = std::fs::read_to_string(file).map_err(|error| {
        Trouble::new(
            Trouble::FAILED,
            format!("{} cannot be read: {error}", file.display()),
            "Name a file with the assistant's replies, as text or as lines of JSON.",
        )
    })?;
    let replies = replies::read(&text, &options.keyword);
    let framed = options.framed;
    let (link, player) = Player::new(replies, options.url.is_some());
    let options = Options {
        framed: true,
        ..options
    };
    driver.join(link, Conversation::command(options), session);
    let playing = tokio::task::spawn_local(player.play(move |line| show(framed, &line)));
    let ending = driver.run().await;
    if ending != Ending::Done {
        return Ok(ExitCode::from(ending.exit_code()));
    }
    let played = playing.await.context("the replies broke off")??;
    match played.errors.len() {
        0 => Ok(ExitCode::SUCCESS),
        count => Err(Trouble::new(
            Trouble::FAILED,
            format!(
                "{count} of {} replies met an error: {}",
                played.replies,
                plain(&played.errors[0])
            ),
            "Compare the ids in the replies with those in the snapshots above.",
        )
        .into()),
    }
}

fn show(framed: bool, line: &Line) {
    let (role, text) = match line {
        Line::Assistant(text) => ("assistant", text),
        Line::User(text) => ("user", text),
    };
    match framed {
        true => say!("{}", serde_json::json!({"role": role, "text": text})),
        false => say!("{role}:\n{}\n", plain(text)),
    }
}

fn session_name(text: &str) -> Result<SessionId, String> {
    SessionId::new(text)
        .ok_or_else(|| "a name is 1 to 64 letters, digits, '-', '_' or '.'".to_owned())
}
