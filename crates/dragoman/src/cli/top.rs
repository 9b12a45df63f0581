//! `dragoman top`: how a running gateway is doing.

use super::reach::Reach;
use crate::run;
use crate::term::{Paint, say};
use crate::top;
use clap::Args;
use std::io::IsTerminal;
use std::process::ExitCode;

#[derive(Debug, Args)]
#[command(
    after_help = "The token needs the scope observe, and is read from a file or from DRAGOMAN_TOKEN:
  dragoman token new watcher --scope observe > watcher.token
  dragoman top --token-file watcher.token"
)]
pub struct Top {
    #[command(flatten)]
    gateway: Reach,
    /// Print it once, as plain text; so it is where standard output is no terminal
    #[arg(long)]
    once: bool,
}

impl Top {
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        run::on_this_thread(self.show())
    }

    async fn show(&self) -> anyhow::Result<ExitCode> {
        let gateway = self.gateway.gateway()?;
        if self.once || !std::io::stdout().is_terminal() {
            let report = gateway.ask().await?;
            say!("{}", top::table(&report).trim_end());
        } else {
            top::watch(gateway, Paint::for_stdout().is_on()).await?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
