//! Having a browser: found, or installed through the system's package manager, or the exact
//! command for a person to type.

use super::options::BrowserArgs;
use crate::config::{Config, Source};
use crate::term::plain;
use crate::trouble::Trouble;
use clap::Args;
use dragoman_browser::install::Plan;
use dragoman_browser::{Hands, Vault, find, install};
use dragoman_model::{SessionId, SurfaceEvent};
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use tokio::sync::mpsc::UnboundedSender;

#[derive(Debug, Args)]
pub struct InstallBrowser {
    /// Do nothing if there is a browser already
    #[arg(long)]
    if_missing: bool,
    /// Do not ask first
    #[arg(short, long)]
    yes: bool,
}

impl InstallBrowser {
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        if self.if_missing
            && let Ok(found) = find::find_browser()
        {
            println!("There is a browser: {}", found.path.display());
            return Ok(ExitCode::SUCCESS);
        }
        let plan = install::plan();
        if !plan.may_run {
            return Err(by_hand("a browser cannot be installed from here", &plan).into());
        }
        println!("This would be run:\n  {}", plan.say);
        if !self.yes && !agreed("Run it?")? {
            return Err(Trouble::new(
                Trouble::FAILED,
                "nothing was installed",
                "Run it again with --yes, or type the line above yourself.",
            )
            .into());
        }
        run_plan(&plan)?;
        println!("Installed. `dragoman demo` shows it at work.");
        Ok(ExitCode::SUCCESS)
    }
}

/// The hands on a browser that there is, with the secrets that operators know by name only.
pub fn hands(
    args: &BrowserArgs,
    config: &Config,
    events: UnboundedSender<(SessionId, SurfaceEvent)>,
) -> anyhow::Result<Hands> {
    have_browser(args, config)?;
    let secrets = config.mcp.secrets.value.as_deref();
    let vault = secrets.map_or(Ok(Vault::default()), crate::secrets::read)?;
    Ok(Hands::with_secrets(
        args.launch_options(config),
        events,
        vault,
    ))
}

/// Make sure there is a browser before somebody needs it; says so when that takes installing.
pub fn have_browser(args: &BrowserArgs, config: &Config) -> anyhow::Result<()> {
    if args.cdp.is_some() {
        return Ok(());
    }
    if let Some(path) = config.named_browser() {
        return match (&config.browser.path.from, path.is_file()) {
            (from @ Source::File(_), false) => Err(Trouble::new(
                Trouble::NO_BROWSER,
                format!(
                    "`browser.path` is {}, which is no program ({from})",
                    path.display()
                ),
                "Correct that line, or take it out: then the first browser found is used.",
            )
            .into()),
            _ => Ok(()),
        };
    }
    let missing = match find::find_browser() {
        Ok(_) => return Ok(()),
        Err(missing) => missing,
    };
    if let find::NotFound::NotUsable(_) = missing {
        let fault = dragoman_model::Fault::from(missing);
        return Err(Trouble::new(Trouble::NO_BROWSER, fault.message, fault.suggestion).into());
    }
    let plan = install::plan();
    if !plan.may_run {
        return Err(by_hand("there is no Chromium on this machine", &plan).into());
    }
    eprintln!(
        "There is no Chromium on this machine; installing it:\n  {}",
        plan.say
    );
    run_plan(&plan)
}

fn run_plan(plan: &Plan) -> anyhow::Result<()> {
    let mut progress = |line: &str| eprintln!("  {}", plain(line));
    install::run(plan, &mut progress)
        .map_err(|fault| Trouble::new(Trouble::NO_BROWSER, fault.message, fault.suggestion))?;
    match find::find_browser() {
        Ok(_) => Ok(()),
        Err(missing) => Err(Trouble::new(
            Trouble::NO_BROWSER,
            format!("the installation went through, but {missing}"),
            "`dragoman doctor` says what is found; --browser PATH names one.",
        )
        .into()),
    }
}

fn by_hand(what: &str, plan: &Plan) -> Trouble {
    let next = match plan.command.is_empty() {
        true => format!("{}.", plan.say),
        false => format!("Type: {}", plan.say),
    };
    Trouble::new(Trouble::NO_BROWSER, what, next)
}

/// Only a person at a terminal can agree.
pub fn agreed(question: &str) -> anyhow::Result<bool> {
    if !std::io::stdin().is_terminal() {
        return Ok(false);
    }
    print!("{question} [y/N] ");
    std::io::stdout().flush()?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
