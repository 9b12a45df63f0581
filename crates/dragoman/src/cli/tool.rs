//! `dragoman tool`: the saved tools. They are kept in the user's configuration file.

mod import;

use crate::config::{self, Config, Flags, Places, Put, Setting, Surroundings};
use crate::term::{Paint, one_line, plain, say};
use crate::trouble::Trouble;
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  dragoman tool add Wiki https://en.wikipedia.org/
  dragoman tool import tools.json")]
pub struct Tool {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Save an address under a name; one of that name, whatever its case, is replaced
    Add { name: String, url: String },
    /// Print every tool, its address and the file it stands in
    List {
        /// As one JSON array
        #[arg(long)]
        json: bool,
    },
    /// Forget a tool
    Remove { name: String },
    /// Save many at once, all or none
    #[command(
        after_help = "The file is JSON, [{\"name\": …, \"url\": …}, …] or {name: url, …}, or TOML with a \
                      section [tools]."
    )]
    Import {
        /// - is standard input
        file: PathBuf,
    },
}

impl Tool {
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        match &self.what {
            What::Add { name, url } => add(name.trim(), url.trim())?,
            What::List { json } => list(*json)?,
            What::Remove { name } => remove(name)?,
            What::Import { file } => import::run(file)?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

pub fn as_json(tool: &Setting<config::Tool>) -> Value {
    json!({
        "name": tool.value.name(),
        "url": tool.value.url(),
        "from": tool.from.to_string(),
        "kind": tool.from.kind(),
    })
}

fn places() -> Places {
    Places::of(&Surroundings::of_this_process())
}

fn add(name: &str, url: &str) -> anyhow::Result<()> {
    let tool = config::Tool::new(name, url)
        .map_err(|wrong| Trouble::new(Trouble::USAGE, wrong, config::TOOL_ADVICE))?;
    let places = places();
    let path = places.to_write()?;
    for put in config::save_tools(path, std::slice::from_ref(&tool))? {
        say!("{}", plain(&what_became(&tool, &put)));
    }
    Ok(())
}

fn what_became(tool: &config::Tool, put: &Put) -> String {
    let (name, url) = (tool.name(), tool.url());
    match put {
        Put::Added => format!("Added {name}: {url}"),
        Put::Same => format!("{name} is {url} already; nothing changed."),
        Put::Replaced(old) if old.name() == name => {
            format!("Replaced {name}: {url} (was {})", old.url())
        }
        Put::Replaced(old) => {
            format!(
                "Replaced {} by {name}: {url} (was {})",
                old.name(),
                old.url()
            )
        }
    }
}

fn list(json: bool) -> anyhow::Result<()> {
    let config = Config::load(&Flags::default())?;
    if json {
        let tools: Vec<Value> = config.tools.iter().map(as_json).collect();
        say!("{}", serde_json::to_string_pretty(&tools)?);
        return Ok(());
    }
    super::options::tell_notes(&config);
    if config.tools.is_empty() {
        say!("No tool is saved yet; `dragoman tool add NAME URL` saves one.");
    }
    let paint = Paint::for_stdout();
    let names = config
        .tools
        .iter()
        .map(|tool| tool.value.name().chars().count());
    let width = names.max().unwrap_or(0);
    for tool in &config.tools {
        let name = format!("{:<width$}", tool.value.name());
        let from = paint.dim(&plain(&tool.from.to_string()));
        say!(
            "{}  {}  {from}",
            paint.bold(&name),
            one_line(tool.value.url(), 500)
        );
    }
    Ok(())
}

fn remove(name: &str) -> anyhow::Result<()> {
    let places = places();
    let removed = config::remove_tool(places.to_write()?, name);
    if let Err(trouble) = removed {
        return Err(in_the_project(&places, name).unwrap_or(trouble).into());
    }
    let tool = removed?;
    say!("Removed {}: {}", tool.name(), plain(tool.url()));
    Ok(())
}

/// A name that is not in the user's file may be in the project's, which is not ours to write.
fn in_the_project(places: &Places, name: &str) -> Option<Trouble> {
    let file = places.read_project().ok()??;
    let (tool, at) = file.tools.iter().find(|(tool, _)| tool.is_called(name))?;
    Some(Trouble::new(
        Trouble::FAILED,
        format!("the tool `{}` is not yours: it is in {at}", tool.name()),
        "Take it out of that file by hand.",
    ))
}
