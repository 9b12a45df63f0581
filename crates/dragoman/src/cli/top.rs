//! `dragoman top`: how a running gateway is doing.

use crate::run;
use crate::term::{Paint, say};
use crate::top::{self, Gateway};
use crate::trouble::Trouble;
use clap::Args;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const VARIABLE: &str = "DRAGOMAN_TOKEN";

#[derive(Debug, Args)]
#[command(
    after_help = "The token needs the scope observe, and is read from a file or from DRAGOMAN_TOKEN:
  dragoman token new watcher --scope observe > watcher.token
  dragoman top --token-file watcher.token"
)]
pub struct Top {
    /// Where the gateway is, as `dragoman serve` prints it
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8480")]
    url: String,
    /// The file with the token (default: what DRAGOMAN_TOKEN holds)
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// For https: the certificate to trust, a PEM file
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// Print it once, as plain text; so it is where standard output is no terminal
    #[arg(long)]
    once: bool,
}

impl Top {
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        run::on_this_thread(self.show())
    }

    async fn show(&self) -> anyhow::Result<ExitCode> {
        let token = token(self.token_file.as_deref())?;
        let gateway = Gateway::new(&self.url, self.ca.as_deref(), token)?;
        if self.once || !std::io::stdout().is_terminal() {
            let report = gateway.ask().await?;
            say!("{}", top::table(&report).trim_end());
        } else {
            top::watch(gateway, Paint::for_stdout().is_on()).await?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Never from the command line, where every user of the machine could read it.
fn token(file: Option<&Path>) -> Result<String, Trouble> {
    let text = match file {
        Some(path) => std::fs::read_to_string(path).map_err(|error| {
            Trouble::new(
                Trouble::USAGE,
                format!("the token in {} cannot be read: {error}", path.display()),
                "Name the file that `dragoman token new NAME > FILE` wrote.",
            )
        })?,
        None => std::env::var(VARIABLE).unwrap_or_default(),
    };
    let token = text.trim();
    match token.is_empty() || token.contains(|c: char| c.is_whitespace() || c.is_control()) {
        false => Ok(token.to_owned()),
        true => Err(Trouble::new(
            Trouble::USAGE,
            "there is no token to come in with",
            format!("Name its file with --token-file, or put it into {VARIABLE}."),
        )),
    }
}
