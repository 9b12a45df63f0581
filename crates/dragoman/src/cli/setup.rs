//! `dragoman setup`: our entry in an MCP client's configuration, shown first, then written.

use super::browser::agreed;
use crate::config::write_whole;
use crate::setup::{CLIENTS, Change, Client, Entry};
use crate::term::{plain, say};
use crate::trouble::Trouble;
use clap::Args;
use clap::builder::PossibleValuesParser;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Debug, Args)]
#[command(after_help = "What follows -- is said to `dragoman mcp`:
  dragoman setup cursor -- --headed --caps vision")]
pub struct Setup {
    /// Which client
    #[arg(value_name = "CLIENT", value_parser = names())]
    client: String,
    /// What the server is called there
    #[arg(long, default_value = "dragoman", value_parser = name)]
    name: String,
    /// Into the project's file in this folder, for everybody who works on it
    #[arg(long)]
    project: bool,
    /// Only print what would be written
    #[arg(long, conflicts_with = "yes")]
    print: bool,
    /// Do not ask first
    #[arg(short, long)]
    yes: bool,
    /// Options of `dragoman mcp`
    #[arg(last = true, value_name = "OPTIONS")]
    options: Vec<String>,
}

fn names() -> PossibleValuesParser {
    CLIENTS
        .iter()
        .map(|client| client.name)
        .collect::<Vec<_>>()
        .into()
}

fn name(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    match (1..=64).contains(&text.len()) && text.chars().all(plain) {
        true => Ok(text.to_owned()),
        false => Err("a name is 1 to 64 letters, digits, '-' or '_'".into()),
    }
}

impl Setup {
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        let client = Client::named(&self.client).ok_or_else(|| {
            Trouble::new(Trouble::USAGE, "there is no such client", "Try --help.")
        })?;
        let file = self.file(client)?;
        let entry = self.entry()?;
        say!("{} reads {}:\n", client.title, file.display());
        say!("{}", plain(entry.alone(client.format).trim_end()));
        if self.print {
            return Ok(ExitCode::SUCCESS);
        }
        let before = read(&file)?;
        let text = before.as_deref().unwrap_or("");
        let change = entry
            .put_into(text, client.format)
            .map_err(|wrong| not_understood(&file, &wrong))?;
        let (after, what) = match change {
            Change::Same => {
                say!("\nIt stands there already.");
                return Ok(ExitCode::SUCCESS);
            }
            Change::Added(after) => (after, "This is added; all else stays."),
            Change::Replaced(after) => (
                after,
                "This takes the place of an older entry; all else stays.",
            ),
        };
        say!("\n{what}");
        if !self.yes && !agreed("Write it?")? {
            return Err(Trouble::new(
                Trouble::FAILED,
                "nothing was written",
                "Run it again with --yes, or put the lines above into the file yourself.",
            )
            .into());
        }
        let kept = before.map(|before| keep(&file, &before)).transpose()?;
        write(&file, &after)?;
        if let Some(kept) = kept {
            say!("The file as it was: {}", kept.display());
        }
        say!(
            "Written. Start {} again, and it has a browser.",
            client.title
        );
        Ok(ExitCode::SUCCESS)
    }

    fn file(&self, client: &Client) -> Result<PathBuf, Trouble> {
        if self.project {
            return client.project_file().ok_or_else(|| {
                let what = format!("{} has no file in a project's folder", client.title);
                Trouble::new(Trouble::USAGE, what, "Leave --project out.")
            });
        }
        client.user_file().ok_or_else(|| {
            let next = "Set HOME, or put the lines of --print where they belong.";
            Trouble::new(Trouble::FAILED, "there is no home folder to look in", next)
        })
    }

    /// By its whole path: programs with windows often have another PATH than a shell.
    fn entry(&self) -> anyhow::Result<Entry> {
        let program = std::env::current_exe()?;
        let mut args = vec!["mcp".to_owned()];
        args.extend(self.options.iter().cloned());
        Ok(Entry {
            name: self.name.clone(),
            command: program.display().to_string(),
            args,
        })
    }
}

fn read(file: &Path) -> Result<Option<String>, Trouble> {
    match std::fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(cannot(file, &error)),
    }
}

/// A link stays one: what it leads to is written.
fn write(file: &Path, text: &str) -> Result<(), Trouble> {
    let real = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let folder = real
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)
        .and_then(|()| write_whole(folder, &real, text))
        .map_err(|error| cannot(file, &error))
}

/// A copy beside it, under a name that nothing has yet.
fn keep(file: &Path, text: &str) -> Result<PathBuf, Trouble> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let named = |nth: u32| match nth {
        1 => file.with_file_name(format!("{name}.bak")),
        nth => file.with_file_name(format!("{name}.bak{nth}")),
    };
    let mut free = (1..1_000).map(named).filter(|path| !path.exists());
    let path = free.next().unwrap_or_else(|| named(1));
    write(&path, text)?;
    Ok(path)
}

fn not_understood(file: &Path, wrong: &str) -> Trouble {
    Trouble::new(
        Trouble::FAILED,
        format!("{}: {wrong}", file.display()),
        "Correct the file; nothing was written.",
    )
}

fn cannot(file: &Path, error: &std::io::Error) -> Trouble {
    Trouble::new(
        Trouble::FAILED,
        format!("{}: {error}", file.display()),
        "Put the lines above into the file yourself.",
    )
}
