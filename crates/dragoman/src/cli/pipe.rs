//! `dragoman pipe`: an operator on standard input and output.

use super::browser::have_browser;
use super::options::{BrowserArgs, JournalArgs, PolicyArgs, open_journal, settle};
use crate::clock::new_name;
use crate::conversation::Conversation;
use crate::driver::Driver;
use crate::run;
use clap::{Args, ValueEnum};
use dragoman_model::{Navigate, Request, SessionId};
use std::process::ExitCode;
use tokio::sync::mpsc;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  echo '{\"id\":1,\"cmd\":\"snapshot\"}' | dragoman pipe --url https://example.com
  dragoman pipe --session shopping --approve writes --allow-origin '*.example.com'

One JSON object a line goes in, one a line comes out; `dragoman commands` lists what can be asked.
At the end of input, what is queued is done first. A session that has a name can be gone on with
later: nothing of it runs twice, and what was running when the program died is `interrupted`.")]
pub struct Pipe {
    /// The language spoken on standard input and output
    #[arg(long, value_name = "NAME", default_value = "native")]
    dialect: Dialect,
    /// Go to this address first
    #[arg(long)]
    url: Option<String>,
    /// The session's name, to go on with it later (default: a new one)
    #[arg(long, value_name = "NAME", value_parser = session_name)]
    session: Option<SessionId>,
    #[command(flatten)]
    policy: PolicyArgs,
    #[command(flatten)]
    journal: JournalArgs,
    #[command(flatten)]
    browser: BrowserArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Dialect {
    /// Our own model as JSON lines (native/1)
    Native,
}

impl Pipe {
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        run::on_this_thread(self.serve())
    }

    async fn serve(&self) -> anyhow::Result<ExitCode> {
        let config = settle(&[&self.policy, &self.journal, &self.browser])?;
        have_browser(&self.browser, &config)?;
        let journal = open_journal(&config)?;
        let (events, surface_events) = mpsc::unbounded_channel();
        let hands = dragoman_browser::Hands::new(self.browser.launch_options(&config), events);
        let given = config.given_policy();
        let mut driver = Driver::new(
            journal,
            hands,
            surface_events,
            given.clone().unwrap_or_default(),
        );
        let session = match &self.session {
            Some(session) => session.clone(),
            None => SessionId::new(new_name("pipe")).expect("a generated name is a valid one"),
        };
        driver.open(&session, given).await?;
        if self.session.is_none() {
            driver.close_at_end(&session);
        }
        driver.listen_for_signals()?;
        let conversation = match self.dialect {
            Dialect::Native => Conversation::native(&session),
        };
        let client = driver.join(crate::stdio::link()?, conversation, &session);
        if let Some(url) = &self.url {
            let go = Navigate {
                url: url.clone(),
                until: None,
            };
            driver.submit(&session, client, Request::new(go.into()));
        }
        let ending = driver.run().await;
        Ok(ExitCode::from(ending.exit_code()))
    }
}

fn session_name(text: &str) -> Result<SessionId, String> {
    SessionId::new(text)
        .ok_or_else(|| "a name is 1 to 64 letters, digits, '-', '_' or '.'".to_owned())
}
