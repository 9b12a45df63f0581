//! `dragoman test`: tests written down as lines of ux/2.0.

use super::browser::have_browser;
use super::options::{BrowserArgs, settle};
use super::pipe::{ask_all, asked};
use crate::clock::new_name;
use crate::config::Config;
use crate::conversation::Conversation;
use crate::driver::{Driver, SurfaceEvents};
use crate::journal::{Place, SqliteJournal};
use crate::prompts::Prompts;
use crate::run;
use crate::surface::Surface;
use crate::term::say;
use crate::testing::{self, Failed, On, Player, Ran, TestFile};
use crate::trouble::Trouble;
use anyhow::Context;
use clap::Args;
use dragoman_model::{Policy, SessionId};
use dragoman_prompt::Spec;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use tokio::sync::mpsc;

#[derive(Debug, Args)]
#[command(
    after_help = "FILE holds messages of ux/2.0, one a line: batches, waits, actions, assertions. testMode with recordActions
makes such lines. The first line may say what is tested:
  {\"type\":\"open\",\"url\":\"https://example.com\"}
  {\"type\":\"open\",\"ask\":[{\"type\":\"arg\",\"placeholder\":\"Pick\",\"choices\":[\"a\",\"b\"]}]}
Each file has a browser, or a prompt, of its own. The exit code is 1 if anything failed."
)]
pub struct Test {
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Go to this address first, where the file does not say
    #[arg(long)]
    url: Option<String>,
    /// Ask this, as a script would say it, where the file does not say; then it is prompts that are tested
    #[arg(long, value_name = "JSON", value_parser = asked, conflicts_with = "url")]
    ask: Vec<Spec>,
    /// Write a report as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Where pictures of pages are put when something fails
    #[arg(long, value_name = "DIR", default_value = "test-results")]
    pictures: PathBuf,
    #[command(flatten)]
    browser: BrowserArgs,
}

impl Test {
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        run::on_this_thread(self.test())
    }

    async fn test(&self) -> anyhow::Result<ExitCode> {
        let config = settle(&[&self.browser])?;
        let on = On {
            url: self.url.clone(),
            ask: self.ask.clone(),
        };
        let mut all = Vec::new();
        for path in &self.files {
            let ran = match TestFile::read(path, &on) {
                Ok(file) => self.one(&config, file).await?,
                Err(why) => unreadable(path, why),
            };
            say!("{}", testing::text(&ran));
            all.push(ran);
        }
        if let Some(path) = &self.junit {
            let written = std::fs::write(path, testing::junit(&all));
            written.map_err(|error| {
                Trouble::new(
                    Trouble::FAILED,
                    format!("{} cannot be written: {error}", path.display()),
                    "Name another file for the report.",
                )
            })?;
        }
        let failed = all.iter().filter(|ran| ran.failed.is_some()).count();
        say!("{} passed, {failed} failed", all.len() - failed);
        Ok(match failed {
            0 => ExitCode::SUCCESS,
            _ => ExitCode::FAILURE,
        })
    }

    async fn one(&self, config: &Config, file: TestFile) -> anyhow::Result<Ran> {
        let (events, surface_events) = mpsc::unbounded_channel();
        let session = SessionId::new(new_name("test")).context("a name for the session")?;
        if file.on.ask.is_empty() {
            have_browser(&self.browser, config)?;
            let options = self.browser.launch_options(config);
            let hands = dragoman_browser::Hands::new(options, events);
            return self.play(hands, surface_events, session, file).await;
        }
        let prompts = Prompts::new(events);
        let asks = file.on.ask.clone();
        tokio::task::spawn_local(ask_all(prompts.clone(), session.clone(), asks));
        self.play(prompts, surface_events, session, file).await
    }

    async fn play<S: Surface>(
        &self,
        surface: S,
        surface_events: SurfaceEvents,
        session: SessionId,
        file: TestFile,
    ) -> anyhow::Result<Ran> {
        let journal = SqliteJournal::open(&Place::Memory)?;
        let mut driver = Driver::new(journal, surface, surface_events, Policy::default());
        driver.open(&session, None).await?;
        driver.close_at_end(&session);
        driver.listen_for_signals()?;
        let (link, player) = Player::new();
        let conversation = Conversation::ux(new_name("ux"), file.on.url.clone());
        driver.join(link, conversation, &session);
        let playing = tokio::task::spawn_local(player.play(file, self.pictures.clone()));
        driver.run().await;
        playing.await.context("the test broke off")
    }
}

fn unreadable(path: &Path, why: String) -> Ran {
    Ran {
        file: path.to_owned(),
        steps: 0,
        took: Duration::ZERO,
        failed: Some(Failed {
            message: why,
            ..Failed::default()
        }),
    }
}
