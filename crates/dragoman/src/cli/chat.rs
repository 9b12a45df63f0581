//! What is said about a `command/1` conversation on the command line.

use crate::clock::{self, new_name};
use clap::Args;
use dragoman_dialects::command::{Options, keyword};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(next_help_heading = "Chat (--dialect command)")]
pub struct ChatArgs {
    /// What the assistant is to do
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true
    )]
    pub goal: String,
    /// What ends every reply (default: [END:<host>-<host>-<ms>])
    #[arg(long, value_name = "TEXT", value_parser = end_keyword)]
    pub keyword: Option<String>,
    /// One JSON object a line, {"role":"assistant","text":"…"}, instead of bare text
    #[arg(long)]
    pub framed: bool,
    /// Show the tabs and execute nothing, until the person says so
    #[arg(long)]
    pub observe: bool,
    /// Show values and request bodies as they are, with personal data
    #[arg(long)]
    pub no_redact: bool,
    /// Play the assistant's replies from this file, instead of reading them from standard input
    #[arg(long, value_name = "FILE")]
    pub replies: Option<PathBuf>,
}

impl ChatArgs {
    /// Something was said that only a chat can use.
    pub fn given(&self) -> Option<&'static str> {
        let given = [
            ("--goal", !self.goal.is_empty()),
            ("--keyword", self.keyword.is_some()),
            ("--framed", self.framed),
            ("--observe", self.observe),
            ("--no-redact", self.no_redact),
            ("--replies", self.replies.is_some()),
        ];
        given
            .into_iter()
            .find(|(_, said)| *said)
            .map(|(flag, _)| flag)
    }

    pub fn options(&self, url: Option<&str>) -> Options {
        let given = self.keyword.clone();
        let keyword =
            given.unwrap_or_else(|| keyword(url.unwrap_or_default(), "localhost", clock::now_ms()));
        Options {
            goal: self.goal.clone(),
            keyword,
            tools: Vec::new(),
            max_tabs: 3,
            url: url.map(str::to_owned),
            redact: !self.no_redact,
            framed: self.framed,
            observe: self.observe,
            nonce: new_name("command"),
        }
    }
}

fn end_keyword(text: &str) -> Result<String, String> {
    let fits = (4..=200).contains(&text.len());
    match fits && !text.contains(char::is_control) && text.trim() == text {
        true => Ok(text.to_owned()),
        false => Err("a keyword is 4 to 200 characters on one line".into()),
    }
}
