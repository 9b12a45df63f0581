//! What is said about a conversation with a chat on the command line.

use crate::clock::{self, new_name};
use crate::config::{self, Config, Setting};
use crate::fresh;
use anyhow::Context;
use clap::Args;
use dragoman_dialects::bai;
use dragoman_dialects::command::{Options, Tool, keyword};
use std::path::PathBuf;

/// What the assistant is told first.
#[derive(Debug, Args)]
#[command(next_help_heading = "Chat (--dialect command, bai-0.3 or bai-0.4)")]
pub struct PromptArgs {
    /// What the assistant is to do
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true
    )]
    pub goal: String,
    /// What ends every reply of command/1 (default: [END:<host>-<host>-<ms>])
    #[arg(long, value_name = "TEXT", value_parser = end_keyword)]
    pub keyword: Option<String>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Chat (--dialect command, bai-0.3 or bai-0.4)")]
pub struct ChatArgs {
    #[command(flatten)]
    prompt: PromptArgs,
    /// One JSON object a line, {"role":"assistant","text":"…"}, instead of bare text
    #[arg(long)]
    pub framed: bool,
    /// Show the tabs and execute nothing, until the person says so (command/1)
    #[arg(long)]
    pub observe: bool,
    /// Show values and request bodies as they are, with personal data
    #[arg(long)]
    pub no_redact: bool,
    /// Play the assistant's replies from this file, instead of reading them from standard input (command/1)
    #[arg(long, value_name = "FILE")]
    pub replies: Option<PathBuf>,
}

impl ChatArgs {
    /// Something was said that only a chat can use.
    pub fn given(&self) -> Option<&'static str> {
        let given = [
            ("--goal", !self.prompt.goal.is_empty()),
            ("--keyword", self.prompt.keyword.is_some()),
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

    /// Something was said that means nothing in `bai`.
    pub fn given_for_command(&self) -> Option<&'static str> {
        let given = [
            ("--keyword", self.prompt.keyword.is_some()),
            ("--observe", self.observe),
            ("--replies", self.replies.is_some()),
        ];
        given
            .into_iter()
            .find(|(_, said)| *said)
            .map(|(flag, _)| flag)
    }

    pub fn bai(&self, config: &Config, url: Option<&str>) -> anyhow::Result<bai::Options> {
        let told = self.prompt.bai(config, url)?;
        Ok(bai::Options {
            redact: told.redact && !self.no_redact,
            framed: self.framed,
            ..told
        })
    }

    pub fn options(&self, config: &Config, url: Option<&str>) -> Options {
        let told = self.prompt.options(config, url);
        Options {
            redact: told.redact && !self.no_redact,
            framed: self.framed,
            observe: self.observe,
            ..told
        }
    }
}

impl PromptArgs {
    pub fn bai(&self, config: &Config, url: Option<&str>) -> anyhow::Result<bai::Options> {
        let options = fresh::bai(&self.goal, url, config.command.redact.value);
        options.context("the system gives no random numbers")
    }

    pub fn options(&self, config: &Config, url: Option<&str>) -> Options {
        let made = || keyword(url.unwrap_or_default(), "localhost", clock::now_ms());
        Options {
            goal: self.goal.clone(),
            keyword: self.keyword.clone().unwrap_or_else(made),
            tools: tools(config),
            max_tabs: config.command.max_tabs.value.get() as usize,
            url: url.map(str::to_owned),
            redact: config.command.redact.value,
            joins: false,
            framed: false,
            observe: false,
            nonce: new_name("command"),
        }
    }
}

/// The person's saved tools, as the dialect knows them.
pub fn tools(config: &Config) -> Vec<Tool> {
    let tool = |tool: &Setting<config::Tool>| Tool {
        name: tool.value.name().to_owned(),
        url: tool.value.url().to_owned(),
    };
    config.tools.iter().map(tool).collect()
}

pub fn end_keyword(text: &str) -> Result<String, String> {
    let fits = (4..=200).contains(&text.len());
    match fits && !text.contains(char::is_control) && text.trim() == text {
        true => Ok(text.to_owned()),
        false => Err("a keyword is 4 to 200 characters on one line".into()),
    }
}
