//! `dragoman queue`: what operators want to do, and a person's say in it.

use super::reach::Reach;
use crate::queue::{self, Seat};
use crate::reach::Gateway;
use crate::run;
use crate::term::{Paint, say};
use crate::trouble::Trouble;
use clap::{Args, Subcommand};
use dragoman_model::{Command, Control, OriginPattern, QueueItem, State};
use std::io::IsTerminal;
use std::process::ExitCode;

/// All that waits fits; so many that have ended come with it.
const RECENT: usize = 20;

#[derive(Debug, Args)]
#[command(
    after_help = "Without a subcommand, on a terminal: a live view with keys for all of this.

The token needs the scope approve, and is read from a file or from DRAGOMAN_TOKEN:
  dragoman token new me --scope observe,approve > me.token
  dragoman queue --token-file me.token"
)]
pub struct Queue {
    #[command(flatten)]
    gateway: Reach,
    /// Whose queue (default: the only session there is)
    #[arg(long, value_name = "NAME", global = true)]
    session: Option<String>,
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Debug, Subcommand)]
enum What {
    /// List what waits and what was done last
    List,
    /// Show a step in full
    Show { number: u64 },
    /// Let steps run
    Approve {
        #[arg(required_unless_present = "all")]
        numbers: Vec<u64>,
        /// Everything that waits
        #[arg(long, conflicts_with = "numbers")]
        all: bool,
    },
    /// Change a step: fields as name=value, or in $EDITOR
    Edit {
        number: u64,
        /// Such as text=Hello; an empty value takes a field away
        fields: Vec<String>,
    },
    /// Delete steps; one that runs is stopped
    Delete {
        #[arg(required = true)]
        numbers: Vec<u64>,
    },
    /// Move a step before another, or to the end
    Move {
        number: u64,
        #[arg(long, value_name = "NUMBER")]
        before: Option<u64>,
    },
    /// Start nothing more
    Pause,
    /// Go on
    Resume,
    /// While paused: let one step run
    Step,
    /// Delete everything that waits
    Clear,
    /// Let this session's steps run from now on, except those that could carry to another site what was read
    Allow {
        /// Only on this site, such as https://example.com or *.example.com, and trust what is read there
        #[arg(value_parser = super::options::origin)]
        site: Option<OriginPattern>,
    },
    /// Allow nothing ahead any more
    Ask,
}

impl Queue {
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        run::on_this_thread(self.answer())
    }

    async fn answer(&self) -> anyhow::Result<ExitCode> {
        let gateway = self.gateway.gateway()?;
        let session = self.session(&gateway).await?;
        let mut seat = Seat::take(&gateway, &session).await?;
        let paint = Paint::for_stdout();
        match &self.what {
            None if std::io::stdout().is_terminal() => {
                let title = format!("{session} at {}", gateway.url);
                queue::watch(seat, title, paint.is_on()).await?;
            }
            None | Some(What::List) => {
                let view = seat.list(RECENT).await?;
                say!("{}", queue::table(&view, paint).trim_end());
            }
            Some(What::Show { number }) => {
                let item = find(&mut seat, *number).await?;
                say!("{}", serde_json::to_string_pretty(&item)?);
            }
            Some(change) => {
                self.change(&mut seat, change).await?;
                let view = seat.list(0).await?;
                say!("{}", queue::table(&view, paint).trim_end());
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    async fn change(&self, seat: &mut Seat, what: &What) -> Result<(), Trouble> {
        let controls = match what {
            What::List | What::Show { .. } => Vec::new(),
            What::Approve { all: true, .. } => {
                let items = seat.list(0).await?.items.into_iter();
                let asks = items.filter(|item| item.state == State::Proposed);
                asks.map(|item| Control::Approve {
                    number: item.number,
                })
                .collect()
            }
            What::Approve { numbers, .. } => each(numbers, |number| Control::Approve { number }),
            What::Delete { numbers } => each(numbers, |number| Control::Cancel { number }),
            What::Edit { number, fields } => {
                let item = find(seat, *number).await?;
                let edited = match fields.is_empty() {
                    true => queue::in_editor(&item.command)?,
                    false => Some(queue::with_fields(&item.command, fields)?),
                };
                let replace = |command: Command| Control::Replace {
                    number: *number,
                    command: Box::new(command),
                };
                edited.map(replace).into_iter().collect()
            }
            What::Move { number, before } => vec![Control::Move {
                number: *number,
                before: *before,
            }],
            What::Pause => vec![Control::Pause],
            What::Resume => vec![Control::Resume],
            What::Step => vec![Control::Step],
            What::Clear => vec![Control::Clear],
            What::Allow { site } => vec![Control::Allow {
                origin: site.clone(),
            }],
            What::Ask => vec![Control::Ask],
        };
        for control in controls {
            seat.control(&control).await?;
        }
        Ok(())
    }

    /// The one that was named, or the only one there is.
    async fn session(&self, gateway: &Gateway) -> Result<String, Trouble> {
        if let Some(named) = &self.session {
            return Ok(named.clone());
        }
        let report = gateway.ask().await?;
        let names: Vec<String> = report.driver.sessions.into_iter().map(|s| s.name).collect();
        match names.as_slice() {
            [one] => Ok(one.clone()),
            [] => Err(Trouble::new(
                Trouble::FAILED,
                "no session is open on the gateway",
                "Start an operator, or name the session it will use: --session NAME",
            )),
            many => Err(Trouble::new(
                Trouble::USAGE,
                "several sessions are open on the gateway",
                format!("Name one with --session: {}", many.join(", ")),
            )),
        }
    }
}

fn each(numbers: &[u64], control: impl Fn(u64) -> Control) -> Vec<Control> {
    numbers.iter().copied().map(control).collect()
}

async fn find(seat: &mut Seat, number: u64) -> Result<QueueItem, Trouble> {
    let items = seat.list(usize::MAX).await?.items;
    let found = items.into_iter().find(|item| item.number == number);
    found.ok_or_else(|| {
        Trouble::new(
            Trouble::FAILED,
            format!("there is no step {number}"),
            "dragoman queue list says which there are.",
        )
    })
}
