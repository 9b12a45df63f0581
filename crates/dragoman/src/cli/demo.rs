//! `dragoman demo`: the built-in site, a scripted operator on it, and the check of what it did.

use super::browser::have_browser;
use super::options::{BrowserArgs, settle};
use super::pipe::Dialect;
use crate::demo::{self, Task};
use crate::run;
use crate::site::Site;
use crate::term::Paint;
use anyhow::Context;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

#[derive(Debug, Args)]
pub struct Demo {
    /// Leave browser and site open afterwards, until Ctrl+C
    #[arg(long)]
    keep: bool,
    /// The language the operator speaks: native, or command (a chat, with both sides shown)
    #[arg(long, value_name = "NAME", default_value = "native")]
    dialect: Dialect,
    /// Only serve the site, for you to look at
    #[arg(long, conflicts_with = "keep")]
    serve: bool,
    /// Where to save the picture
    #[arg(short, long, value_name = "FILE", default_value = "dragoman-demo.png")]
    output: PathBuf,
    #[command(flatten)]
    browser: BrowserArgs,
}

impl Demo {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        run::on_this_thread(async move {
            match self.serve {
                true => serve().await,
                false => self.show().await,
            }
        })
    }

    async fn show(self) -> anyhow::Result<ExitCode> {
        let config = settle(&[&self.browser])?;
        have_browser(&self.browser, &config)?;
        let site = Site::start().await?;
        let paint = Paint::for_stdout();
        crate::term::say!("A small shop is open at {}", paint.bold(site.url()));
        crate::term::say!("{}", paint.dim("Starting Chromium…"));
        let options = self.browser.launch_options(&config);
        if let Dialect::Command = self.dialect {
            return demo::chat(options, site, paint).await;
        }
        let slowly = config.browser.headed.value;
        run::with_operator(options, move |operator| async move {
            let began = Instant::now();
            let task = Task::new(operator, site.url().to_owned(), paint, slowly);
            let mut done = task.run(&self.output).await?;
            let wrong = demo::compare(&site.ledger());
            for line in &wrong {
                crate::term::say!("{} {line}", paint.red("✗"));
            }
            if wrong.is_empty() {
                crate::term::say!(
                    "\n{} The shop received exactly one order, and every detail of it is right.",
                    paint.green("✓")
                );
            }
            crate::term::say!(
                "  {} steps in {:.1} s · picture: {}",
                done.steps,
                began.elapsed().as_secs_f64(),
                self.output.display()
            );
            if self.keep {
                crate::term::say!("  Browser and site stay open: {} (Ctrl+C ends)", site.url());
                done.stay().await;
            }
            Ok(match wrong.is_empty() {
                true => ExitCode::SUCCESS,
                false => ExitCode::FAILURE,
            })
        })
        .await
    }
}

async fn serve() -> anyhow::Result<ExitCode> {
    let site = Site::start().await?;
    crate::term::say!("The demo's shop is open at {} (Ctrl+C ends)", site.url());
    crate::term::say!("  User name: ada   Password: lamplight   Voucher: HARBOUR10");
    tokio::signal::ctrl_c()
        .await
        .context("Ctrl+C cannot be waited for")?;
    Ok(ExitCode::SUCCESS)
}
