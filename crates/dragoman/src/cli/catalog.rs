//! `dragoman commands`: the catalog, for a terminal and as docs/commands.md.

use crate::term::Paint;
use clap::Args;
use dragoman_model::{Access, Arg, CATALOG, Code, Dialogs, Row, find_row, nearest};
use std::fmt::Write;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub struct Commands {
    /// Only this command, with its arguments
    name: Option<String>,
    /// As Markdown: this is how docs/commands.md is made
    #[arg(long, conflicts_with = "name")]
    markdown: bool,
}

impl Commands {
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        let text = match &self.name {
            _ if self.markdown => markdown(),
            None => list(Paint::for_stdout()),
            Some(name) => match find_row(name) {
                Some(row) => details(row, Paint::for_stdout()),
                None => return Err(unknown(name).into()),
            },
        };
        print!("{text}");
        Ok(ExitCode::SUCCESS)
    }
}

fn unknown(name: &str) -> crate::trouble::Trouble {
    let next = match nearest(name, CATALOG.iter().map(|row| row.name)) {
        Some(like) => format!("Did you mean `{like}`? `dragoman commands` lists them all."),
        None => "`dragoman commands` lists them all.".into(),
    };
    let what = format!("there is no command `{name}`");
    crate::trouble::Trouble::new(crate::trouble::Trouble::USAGE, what, next)
}

fn list(paint: Paint) -> String {
    let mut text = String::new();
    for row in CATALOG {
        let name = paint.bold(&format!("{:<17}", row.name));
        let _ = writeln!(text, "{name} {}", row.summary);
    }
    text
}

fn details(row: &Row, paint: Paint) -> String {
    let mut text = format!("{}: {}\n", paint.bold(row.name), row.summary);
    let _ = writeln!(
        text,
        "  {}; may take {} s unless timeout_ms says otherwise",
        access(row),
        row.deadline_ms / 1000
    );
    for arg in row.args {
        let need = if arg.required { "" } else { ", optional" };
        let _ = writeln!(text, "  {:<14} {} ({}{need})", arg.name, arg.doc, kind(arg));
    }
    text
}

fn access(row: &Row) -> &'static str {
    match row.access {
        Access::Reads => "only reads",
        Access::Writes => "may change something",
    }
}

/// A Rust type as someone would say it who writes JSON.
fn kind(arg: &Arg) -> String {
    arg.kind.replace(' ', "")
}

fn markdown() -> String {
    let mut text = String::from(
        "# Commands\n\n\
         Generated from the catalog by `dragoman commands --markdown`; do not edit.\n\n\
         In `native/1` a command is one JSON object on one line, its arguments beside `cmd`:\n\n\
         ```json\n\
         {\"id\":1,\"cmd\":\"navigate\",\"url\":\"https://example.com\"}\n\
         {\"id\":2,\"cmd\":\"click\",\"target\":{\"role\":{\"role\":\"link\",\"name\":\"More\"}},\"timeout_ms\":5000}\n\
         ```\n\n\
         Any command may also carry `id` (the operator's own name for the request; used once), `tab` \
         (default: the current one) and `timeout_ms` (default: the deadline below).\n\n\
         A *target* is one of `{\"ref\":12}`, `{\"semantic\":\"button:submit\"}`, `{\"css\":\"…\"}`, \
         `{\"xpath\":\"…\"}`, `{\"text\":\"…\"}`, `{\"label\":\"…\"}`, \
         `{\"role\":{\"role\":\"button\",\"name\":\"…\"}}`, `{\"point\":{\"x\":1,\"y\":2}}`, `\"focused\"`.\n\n\
         | command | what it does | reads only | deadline |\n|---|---|---|---|\n",
    );
    for row in CATALOG {
        let reads = if row.access == Access::Reads {
            "yes"
        } else {
            ""
        };
        let _ = writeln!(
            text,
            "| [`{0}`](#{0}) | {1} | {reads} | {2} s |",
            row.name,
            row.summary,
            row.deadline_ms / 1000
        );
    }
    for row in CATALOG {
        let _ = write!(text, "\n## {}\n\n{}", row.name, row.summary);
        if row.dialogs == Dialogs::Ignore {
            text.push_str(" Runs also while a dialog is open.");
        }
        text.push('\n');
        if row.args.is_empty() {
            continue;
        }
        text.push_str("\n| argument | | what it is |\n|---|---|---|\n");
        for arg in row.args {
            let name = if arg.required {
                format!("**{}**", arg.name)
            } else {
                arg.name.to_owned()
            };
            let _ = writeln!(text, "| {name} | `{}` | {} |", kind(arg), arg.doc);
        }
    }
    text.push_str("\n# Faults\n\nA code never changes its meaning.\n\n| code | what to do next |\n|---|---|\n");
    for code in Code::ALL {
        let _ = writeln!(text, "| `{}` | {} |", code.as_str(), code.suggestion());
    }
    text
}
