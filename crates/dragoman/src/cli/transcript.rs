//! What needs no browser of a chat: the prompt to paste into one, and the check of a transcript.

use super::chat::{PromptArgs, end_keyword, tools};
use super::options::settle;
use super::pipe::Dialect;
use crate::term::{plain, say};
use crate::trouble::Trouble;
use clap::{Args, ValueEnum};
use dragoman_dialects::bai;
use dragoman_dialects::command::{check, prompt};
use dragoman_dialects::ux;
use std::io::Read;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Args)]
#[command(after_help = "Example:
  dragoman prompt-text command --goal 'Find the cheapest train to Graz' --url https://www.oebb.at")]
pub struct PromptText {
    /// The language the assistant is to speak
    dialect: ChatDialect,
    /// The first page
    #[arg(long)]
    url: Option<String>,
    /// How many tabs may be targets at once (default: command.max_tabs, 3)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    max_tabs: Option<u32>,
    #[command(flatten)]
    chat: PromptArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ChatDialect {
    /// Commands in <tool_code> tags (command/1)
    Command,
    /// Lines that begin with BAI_ACTION (bai/0.3)
    #[value(name = "bai-0.3")]
    Bai03,
    /// Lines that begin with !baiact (bai/0.4)
    #[value(name = "bai-0.4")]
    Bai04,
}

impl PromptText {
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        let config = settle(&[])?;
        let version = match self.dialect {
            ChatDialect::Command => None,
            ChatDialect::Bai03 => Some(bai::Version::V03),
            ChatDialect::Bai04 => Some(bai::Version::V04),
        };
        if let Some(version) = version {
            let options = self.chat.bai(&config, self.url.as_deref())?;
            say!("{}", bai::prompt(version, &options));
            return Ok(ExitCode::SUCCESS);
        }
        let mut options = self.chat.options(&config, self.url.as_deref());
        if let Some(max_tabs) = self.max_tabs {
            options.max_tabs = max_tabs as usize;
        }
        say!("{}", prompt(&options));
        Ok(ExitCode::SUCCESS)
    }
}

#[derive(Debug, Args)]
#[command(
    after_help = "FILE holds an assistant's replies one after the other, each ending with the keyword; or lines of
JSON, {\"role\":\"assistant\",\"text\":\"…\"}, of which only the assistant's are read. Of ux/2.0, it holds an
agent's messages, one a line, or a test for `dragoman test`. What is wrong is told as
FILE:LINE:COLUMN: reason; the exit code is 1 if anything is."
)]
pub struct Check {
    /// The language of the transcript
    #[arg(long, value_name = "NAME", default_value = "command")]
    dialect: Dialect,
    /// What ends every reply (default: the first [END:…] in the file)
    #[arg(long, value_name = "TEXT", value_parser = end_keyword)]
    keyword: Option<String>,
    /// The transcript; - is standard input
    file: PathBuf,
}

impl Check {
    pub fn run(&self) -> anyhow::Result<ExitCode> {
        if matches!(self.dialect, Dialect::Native | Dialect::Action) {
            let next = "Use --dialect command, bai-0.3, bai-0.4 or ux; for the others, pipe the lines into `dragoman pipe`.";
            return Err(Trouble::new(
                Trouble::USAGE,
                "this dialect has no transcripts to check",
                next,
            )
            .into());
        }
        let config = settle(&[])?;
        let name = plain(&self.file.display().to_string());
        let cannot = |why: String| {
            let next = "Name a file with a transcript, as text or as lines of JSON.";
            Trouble::new(
                Trouble::FAILED,
                format!("{name} cannot be read: {why}"),
                next,
            )
        };
        let read = match self.file.as_os_str() == "-" {
            true => read_stdin(),
            false => std::fs::read(&self.file),
        };
        let bytes = read.map_err(|error| cannot(error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            cannot(format!("byte {at} is not UTF-8"))
        })?;
        let checked = match (self.dialect, self.dialect.bai()) {
            (Dialect::Ux, _) => ux::check(&text),
            (_, Some(version)) => bai::check(version, &text),
            (_, None) => check(&text, self.keyword.as_deref(), &tools(&config)),
        };
        for finding in &checked.findings {
            say!(
                "{name}:{}:{}: {}",
                finding.line,
                finding.column,
                plain(&finding.reason)
            );
        }
        let (replies, commands, wrong) =
            (checked.replies, checked.commands, checked.findings.len());
        let what = match self.dialect {
            Dialect::Ux => "messages",
            _ => "replies",
        };
        match wrong {
            0 => say!("{name}: {replies} {what} with {commands} commands, nothing wrong"),
            _ => say!("{name}: {replies} {what} with {commands} commands, {wrong} wrong"),
        }
        Ok(match wrong {
            0 => ExitCode::SUCCESS,
            _ => ExitCode::FAILURE,
        })
    }
}

fn read_stdin() -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}
