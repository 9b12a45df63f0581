//! `dragoman doctor`: is everything there that is needed, and if not, how to get it.

mod checks;

use super::options::{BrowserArgs, JournalArgs, flags_of};
use crate::config::Config;
use crate::run;
use crate::term::{Paint, plain};
use clap::Args;
use serde::Serialize;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub struct Doctor {
    /// As one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    journal: JournalArgs,
    #[command(flatten)]
    browser: BrowserArgs,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
pub struct Check {
    name: &'static str,
    verdict: Verdict,
    /// What was found.
    found: String,
    /// How to make it better; empty when it is good.
    #[serde(skip_serializing_if = "String::is_empty")]
    fix: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Ok,
    Warn,
    Fail,
}

#[derive(Serialize)]
struct Report<'a> {
    ok: bool,
    version: &'static str,
    checks: &'a [Check],
}

impl Check {
    fn ok(name: &'static str, found: impl Into<String>) -> Self {
        Self::new(name, Verdict::Ok, found, "")
    }

    fn new(
        name: &'static str,
        verdict: Verdict,
        found: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self {
            name,
            verdict,
            found: found.into(),
            fix: fix.into(),
        }
    }
}

impl Doctor {
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        run::on_this_thread(async {
            let flags = flags_of(&[&self.journal, &self.browser]);
            // What is wrong with a file is said, and the rest is looked at all the same.
            let loaded = Config::load(&flags);
            let mut checks = vec![checks::configuration(&loaded)];
            let config = loaded.unwrap_or_else(|_| Config::of_flags(&flags));
            let browser = checks::browser(&self.browser, &config);
            let usable = browser.verdict != Verdict::Fail;
            checks.push(browser);
            if usable {
                checks.push(checks::start(&self.browser, &config).await);
            }
            checks.push(checks::sandbox());
            checks.push(checks::journal(&config));
            checks.push(checks::fonts());
            checks.push(checks::temporary());
            checks.push(checks::shared_memory());
            let ok = !checks.iter().any(|check| check.verdict == Verdict::Fail);
            self.tell(&checks, ok)?;
            Ok(if ok {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            })
        })
    }

    fn tell(&self, checks: &[Check], ok: bool) -> anyhow::Result<()> {
        if self.json {
            let version = env!("CARGO_PKG_VERSION");
            let report = Report {
                ok,
                version,
                checks,
            };
            println!("{}", serde_json::to_string_pretty(&report)?);
            return Ok(());
        }
        let paint = Paint::for_stdout();
        for check in checks {
            let mark = match check.verdict {
                Verdict::Ok => paint.green("ok  "),
                Verdict::Warn => paint.yellow("warn"),
                Verdict::Fail => paint.red("fail"),
            };
            println!("{mark}  {:<14} {}", check.name, plain(&check.found));
            if !check.fix.is_empty() {
                println!("{:21}→ {}", "", plain(&check.fix));
            }
        }
        Ok(())
    }
}
