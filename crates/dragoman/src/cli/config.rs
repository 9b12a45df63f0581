//! `dragoman config`: every setting with its value and where it came from, for a person or as
//! JSON; the files; and docs/config.md.

use super::options::tell_notes;
use crate::config::{self, Flags, NAME, Places, Row, Surroundings, VARIABLE};
use crate::term::{Paint, one_line, plain, say};
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use std::process::ExitCode;

#[derive(Debug, Args)]
pub struct Config {
    #[command(subcommand)]
    what: Option<Look>,
    /// As one JSON object
    #[arg(long)]
    json: bool,
    /// All there is to set, as Markdown: this is how docs/config.md is made
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
}

#[derive(Debug, Subcommand)]
enum Look {
    /// Print the files that are looked for, and which of them are there
    Path {
        /// As one JSON object
        #[arg(long)]
        json: bool,
    },
}

impl Config {
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        if let Some(Look::Path { json }) = &self.what {
            show_files(self.json || *json)?;
        } else if self.markdown {
            say!("{}", config::markdown().trim_end());
        } else {
            let config = config::Config::load(&Flags::default())?;
            match self.json {
                true => say!("{}", serde_json::to_string_pretty(&as_json(&config))?),
                false => show(&config),
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn as_json(config: &config::Config) -> Value {
    let settings = config.rows().into_iter().map(|row| {
        json!({
            "key": row.key.name,
            "value": row.value,
            "from": row.from.to_string(),
            "kind": row.from.kind(),
        })
    });
    json!({
        "settings": settings.collect::<Vec<_>>(),
        "tools": config.tools.iter().map(super::tool::as_json).collect::<Vec<_>>(),
        "notes": config.notes,
    })
}

/// Columns; a long value does not push the others away.
const WIDEST: usize = 36;

fn show(config: &config::Config) {
    let mut lines: Vec<(String, String, String)> = Vec::new();
    for row in config.rows() {
        lines.push((row.key.name.into(), in_words(&row), row.from.to_string()));
    }
    for tool in &config.tools {
        let key = format!("tools.{}", tool.value.name());
        lines.push((key, tool.value.url().into(), tool.from.to_string()));
    }
    let width = |texts: &mut dyn Iterator<Item = &String>| {
        let longest = texts.map(|text| text.chars().count()).max();
        longest.unwrap_or(0).min(WIDEST)
    };
    let keys = width(&mut lines.iter().map(|line| &line.0));
    let values = width(&mut lines.iter().map(|line| &line.1));
    let paint = Paint::for_stdout();
    for (key, value, from) in &lines {
        // Padded before it is coloured: colours have no width.
        let key = format!("{:<keys$}", plain(key));
        let value = format!("{:<values$}", one_line(value, 500));
        let from = match from.as_str() {
            "default" => paint.dim(from),
            from => plain(from),
        };
        say!("{}  {value}  {from}", paint.bold(&key));
    }
    tell_notes(config);
}

fn in_words(row: &Row) -> String {
    match &row.value {
        Value::Null => row.key.unset.to_owned(),
        Value::Array(list) if list.is_empty() => row.key.unset.to_owned(),
        Value::Array(list) => {
            let texts = list.iter().map(|item| item.as_str().unwrap_or_default());
            texts.collect::<Vec<_>>().join(", ")
        }
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn show_files(json: bool) -> anyhow::Result<()> {
    let places = Places::of(&Surroundings::of_this_process());
    let there = places.user.as_ref().is_some_and(|path| path.exists());
    if json {
        let files = json!({
            "user": places.user.as_ref().map(|path| json!({
                "path": path.display().to_string(),
                "exists": there,
            })),
            "project": places.project.as_ref().map(|path| json!({
                "path": path.display().to_string(),
                "exists": true,
            })),
        });
        say!("{}", serde_json::to_string_pretty(&files)?);
        return Ok(());
    }
    let user = match &places.user {
        None => format!("none: set HOME, or let {VARIABLE} name a file"),
        Some(path) => format!(
            "{}{}{}",
            path.display(),
            if places.named {
                " ($DRAGOMAN_CONFIG)"
            } else {
                ""
            },
            if there { "" } else { " (not there)" }
        ),
    };
    let project = match &places.project {
        Some(path) => path.display().to_string(),
        None => format!("none: there is no {NAME} in this folder or above it"),
    };
    say!("user     {}", plain(&user));
    say!("project  {}", plain(&project));
    Ok(())
}
