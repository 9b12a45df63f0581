//! `dragoman journal`: what was recorded, for a person or as JSON.

use super::options::{JournalArgs, journal_place, settle};
use crate::clock::utc;
use crate::journal::{Entry, Place, SqliteJournal};
use crate::receipt;
use crate::term::{Paint, one_line};
use crate::trouble::Trouble;
use clap::{Args, Subcommand};
use dragoman_model::{SessionId, State};
use std::process::ExitCode;

#[derive(Debug, Args)]
pub struct Journal {
    #[command(subcommand)]
    what: Look,
}

#[derive(Debug, Subcommand)]
enum Look {
    /// Every session, the newest first
    List {
        #[command(flatten)]
        journal: JournalArgs,
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// What was asked in a session and what became of it
    Show {
        session: String,
        #[command(flatten)]
        journal: JournalArgs,
        /// One JSON object a line
        #[arg(long)]
        json: bool,
        /// Show what was typed, too
        #[arg(long)]
        text: bool,
    },
}

impl Journal {
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        match &self.what {
            Look::List { journal, json } => list(journal, *json)?,
            Look::Show {
                session,
                journal,
                json,
                text,
            } => show(session, journal, *json, *text)?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn list(journal: &JournalArgs, json: bool) -> anyhow::Result<()> {
    let sessions = SqliteJournal::peek(&place(journal)?)?.list()?;
    if json {
        for session in &sessions {
            println!("{}", serde_json::to_string(session)?);
        }
        return Ok(());
    }
    if sessions.is_empty() {
        println!("No session was recorded yet.");
        return Ok(());
    }
    println!(
        "{:<19}  {:>8}  {:>4}  {:>6}  session",
        "last (UTC)", "commands", "open", "failed"
    );
    for s in &sessions {
        let closed = if s.closed { " (closed)" } else { "" };
        println!(
            "{}  {:>8}  {:>4}  {:>6}  {}{closed}",
            utc(s.last),
            s.commands,
            s.open,
            s.failed,
            s.session
        );
    }
    Ok(())
}

fn show(session: &str, journal: &JournalArgs, json: bool, text: bool) -> anyhow::Result<()> {
    let unknown = || {
        Trouble::new(
            Trouble::FAILED,
            format!("there is no session `{session}` in this journal"),
            "`dragoman journal list` names those there are.",
        )
    };
    let id = SessionId::new(session).ok_or_else(unknown)?;
    let peek = SqliteJournal::peek(&place(journal)?)?;
    let mut entries = peek.history(&id)?.ok_or_else(unknown)?;
    if !text {
        entries.iter_mut().for_each(hide_text);
    }
    let paint = Paint::for_stdout();
    for entry in &entries {
        if json {
            println!("{}", serde_json::to_string(entry)?);
        } else {
            println!("{}", line(entry, paint));
        }
    }
    Ok(())
}

fn place(journal: &JournalArgs) -> anyhow::Result<Place> {
    journal_place(&settle(&[journal])?)
}

fn hide_text(entry: &mut Entry) {
    entry.request.command = entry.request.command.without_text();
    for change in &mut entry.changes {
        if let Some(before) = &mut change.before {
            before.command = before.command.without_text();
        }
    }
}

fn line(entry: &Entry, paint: Paint) -> String {
    let state = match entry.state {
        State::Done => paint.green("done       "),
        State::Failed => paint.red("failed     "),
        State::Interrupted => paint.red("interrupted"),
        State::Deleted => paint.dim("deleted    "),
        State::Running => paint.yellow("running    "),
        State::Approved => paint.yellow("approved   "),
        State::Proposed => paint.yellow("proposed   "),
    };
    let took = entry
        .took_ms
        .map_or(String::new(), |ms| format!(" ({ms} ms)"));
    let outcome = entry.outcome.as_ref().map_or(String::new(), |outcome| {
        format!(" → {}", receipt::outcome_in_words(outcome))
    });
    let edited = match entry.edits {
        0 => "",
        _ => " (edited)",
    };
    format!(
        "{:>5}  {}  {state}  {}{edited}{outcome}{took}",
        entry.number,
        utc(entry.created),
        one_line(&receipt::command_in_words(&entry.request.command), 100)
    )
}
