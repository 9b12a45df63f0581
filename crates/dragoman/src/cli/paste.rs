//! `dragoman paste`: any chat, carried to and fro by the person.

use super::browser::hands;
use super::chat::PromptArgs;
use super::options::{BrowserArgs, JournalArgs, PolicyArgs, open_journal, settle};
use crate::clock::new_name;
use crate::conversation::{bai_talk, command_talk};
use crate::direct::Direct;
use crate::driver::{Driver, Ending};
use crate::paste::{ADVICE, Clipboard, Person, Round, Table};
use crate::run;
use crate::trouble::Trouble;
use anyhow::Context;
use clap::{Args, ValueEnum};
use dragoman_dialects::bai::Version;
use dragoman_dialects::chat::Talk;
use dragoman_dialects::{bai, command};
use dragoman_model::{Approval, Policy, SessionId};
use std::process::ExitCode;
use tokio::sync::mpsc;

#[derive(Debug, Args)]
#[command(after_help = "Example:
  dragoman paste --goal 'Find a train to Graz' --url https://www.oebb.at --headed

What only reads runs at once; everything else is shown to you first, unless --auto lets it run.")]
pub struct Paste {
    /// The language that the chat is taught
    #[arg(long, value_name = "NAME", default_value = "bai-0.4")]
    dialect: Dialect,
    /// Go to this address first
    #[arg(long)]
    url: Option<String>,
    /// Print what is to be copied, and read replies from standard input only
    #[arg(long)]
    no_clipboard: bool,
    #[command(flatten)]
    prompt: PromptArgs,
    #[command(flatten)]
    policy: PolicyArgs,
    #[command(flatten)]
    journal: JournalArgs,
    #[command(flatten)]
    browser: BrowserArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Dialect {
    #[value(name = "bai-0.3")]
    Bai03,
    #[value(name = "bai-0.4")]
    Bai04,
    Command,
}

impl Paste {
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        run::on_this_thread(self.serve())
    }

    async fn serve(&self) -> anyhow::Result<ExitCode> {
        let config = settle(&[&self.policy, &self.journal, &self.browser])?;
        let given = config.given_policy().unwrap_or_default();
        // A person sits here: unless somebody said otherwise, they are asked.
        let policy = match config.policy.approve.is_default() {
            true => Policy {
                approval: Approval::Writes,
                ..given
            },
            false => given,
        };
        let (events, surface_events) = mpsc::unbounded_channel();
        let hands = hands(&self.browser, &config, events)?;
        let clipboard = Clipboard::find().filter(|_| !self.no_clipboard);
        if clipboard.is_none() && !self.no_clipboard {
            eprintln!(
                "dragoman: note: there is no program for the clipboard; with {ADVICE} there is less to copy"
            );
        }
        let round = Round::new(clipboard).context("standard input cannot be read")?;
        let mut driver = Driver::new(
            open_journal(&config)?,
            hands,
            surface_events,
            policy.clone(),
        );
        let session = SessionId::new(new_name("paste")).expect("a generated name is a valid one");
        driver.open(&session, Some(policy)).await?;
        driver.close_at_end(&session);
        driver.listen_for_signals()?;
        let (link, conversation, table) = Table::new(self.talk(&config)?);
        driver.join(link, conversation, &session);
        let (link, conversation, hand) = Direct::new();
        driver.join(link, conversation, &session);
        let person = Person::new(hand, session);
        let going = tokio::task::spawn_local(round.go(table, person));
        let ending = driver.run().await;
        if ending != Ending::Done {
            return Ok(ExitCode::from(ending.exit_code()));
        }
        let ended = going.await.context("the conversation broke off")?;
        ended.map_err(|fault| Trouble::new(Trouble::FAILED, fault.message, fault.suggestion))?;
        Ok(ExitCode::SUCCESS)
    }

    fn talk(&self, config: &crate::config::Config) -> anyhow::Result<Box<dyn Talk>> {
        let url = self.url.as_deref();
        let bai = || -> anyhow::Result<bai::Options> {
            Ok(bai::Options {
                framed: true,
                ..self.prompt.bai(config, url)?
            })
        };
        Ok(match self.dialect {
            Dialect::Bai03 => bai_talk(Version::V03, bai()?),
            Dialect::Bai04 => bai_talk(Version::V04, bai()?),
            Dialect::Command => command_talk(command::Options {
                framed: true,
                ..self.prompt.options(config, url)
            }),
        })
    }
}
