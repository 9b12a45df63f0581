//! The command line: what can be asked of the program, and how it answers a person. Each
//! subcommand has a file; this one only says which there are.

mod browser;
mod catalog;
mod chat;
mod config;
mod demo;
mod doctor;
mod history;
mod look;
mod mcp;
mod options;
mod paste;
mod pipe;
mod prompt;
mod queue;
mod reach;
mod schema;
mod script;
mod serve;
mod setup;
mod test;
mod token;
mod tool;
mod top;
mod transcript;

use clap::{CommandFactory, Parser, Subcommand};
use std::process::ExitCode;

#[derive(Debug, Parser)]
#[command(
    name = "dragoman",
    version,
    about = "An interpreter between AI operators and real Chromium.",
    long_about = "An interpreter between AI operators and real Chromium: commands in, a real \
                  browser moves, and the truth about what happened comes back.",
    after_help = "First steps:
  dragoman demo                          watch a task being done in a real browser
  dragoman doctor                        what is found, what is wrong, how to fix it
  dragoman snapshot https://example.com  what an operator sees of a page
  echo '{\"id\":1,\"cmd\":\"snapshot\"}' | dragoman pipe --url https://example.com

Exit codes:
  0  done                                3  there is no browser
  1  it did not work                     4  the journal cannot be used
  2  the command line or the           130  interrupted (143: terminated)
     configuration was wrong",
    disable_help_subcommand = true,
    max_term_width = 100
)]
struct Arguments {
    /// Say more on stderr (-v what happens, -vv every detail); DRAGOMAN_LOG=debug does the same
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    verbose: u8,

    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Watch a scripted operator do a real task on a built-in site
    Demo(demo::Demo),
    /// Drive a browser by what comes on standard input: JSON lines, or a chat's replies
    Pipe(pipe::Pipe),
    /// Ask a person something, in the terminal; an agent may answer too
    Prompt(prompt::Prompt),
    /// Run a script that asks by the prompt protocol
    Script(script::Script),
    /// Serve a browser to an MCP client, on standard input and output
    Mcp(mcp::Mcp),
    /// Put `dragoman mcp` into an MCP client's configuration
    Setup(setup::Setup),
    /// Let operators in by WebSocket
    Serve(serve::Serve),
    /// Watch how a running gateway is doing
    Top(top::Top),
    /// See what operators want to do on a running gateway, and decide: approve, edit, delete, reorder
    Queue(queue::Queue),
    /// Let any chat drive a browser: you carry its words to and fro, by clipboard, and decide on each step
    Paste(paste::Paste),
    /// Print what an operator sees of a page
    Snapshot(look::Snapshot),
    /// Take a picture of a page
    Screenshot(look::Screenshot),
    /// Look at what was recorded: sessions, commands, outcomes
    Journal(history::Journal),
    /// List the commands an operator can give
    Commands(catalog::Commands),
    /// Print the prompt that teaches a chat its language
    PromptText(transcript::PromptText),
    /// Check a transcript of a chat, as a compiler would
    Check(transcript::Check),
    /// Run tests that are written down as lines of ux/2.0
    Test(test::Test),
    /// Print a dialect's messages as JSON Schemas
    Schema(schema::Schema),
    /// Print every setting, and where it came from
    Config(config::Config),
    /// Save, list and remove tools: names for addresses that are opened often
    Tool(tool::Tool),
    /// Make, list and revoke tokens: who may come in from outside, and what for
    Token(token::Token),
    /// Check that everything needed is there, and say how to fix what is not
    Doctor(doctor::Doctor),
    /// Install Chromium through the system's package manager
    InstallBrowser(browser::InstallBrowser),
    /// Print completions for a shell
    Completions { shell: clap_complete::Shell },
}

/// The whole program.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    start_log(arguments.verbose);
    let result = match arguments.what {
        What::Demo(demo) => demo.run(),
        What::Pipe(pipe) => pipe.run(),
        What::Prompt(prompt) => prompt.run(),
        What::Script(script) => script.run(),
        What::Mcp(mcp) => mcp.run(),
        What::Setup(setup) => setup.run(),
        What::Serve(serve) => serve.run(),
        What::Top(top) => top.run(),
        What::Queue(queue) => queue.run(),
        What::Paste(paste) => paste.run(),
        What::Snapshot(snapshot) => snapshot.run(),
        What::Screenshot(screenshot) => screenshot.run(),
        What::Journal(journal) => journal.run(),
        What::Commands(commands) => commands.run(),
        What::PromptText(text) => text.run(),
        What::Check(check) => check.run(),
        What::Test(test) => test.run(),
        What::Schema(schema) => schema.run(),
        What::Config(config) => config.run(),
        What::Tool(tool) => tool.run(),
        What::Token(token) => token.run(),
        What::Doctor(doctor) => doctor.run(),
        What::InstallBrowser(install) => install.run(),
        What::Completions { shell } => {
            let mut command = Arguments::command();
            clap_complete::generate(shell, &mut command, "dragoman", &mut std::io::stdout());
            Ok(ExitCode::SUCCESS)
        }
    };
    result.unwrap_or_else(|error| crate::trouble::report(&error))
}

/// Logs go to stderr: stdout is the operator's. What is typed never gets into them; see
/// `Command::without_text`.
fn start_log(verbose: u8) {
    use tracing_subscriber::filter::LevelFilter;
    use tracing_subscriber::fmt::writer::MakeWriterExt;
    let asked = std::env::var("DRAGOMAN_LOG").ok();
    let level = match verbose {
        0 => asked
            .and_then(|level| level.parse().ok())
            .unwrap_or(LevelFilter::WARN),
        1 => LevelFilter::INFO,
        2 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(std::io::stderr.with_filter(may_be_logged))
        .with_ansi(crate::term::colours_on_stderr())
        .with_target(false)
        // Whoever closed our standard error has heard enough; that is no reason to break.
        .log_internal_errors(false)
        .init();
}

/// The SDK of MCP logs every message as it is, with what is typed and what a page says; and a line on a screen
/// of ours would be a blot.
fn may_be_logged(what: &tracing::Metadata<'_>) -> bool {
    !what.target().starts_with("rmcp") && !crate::term::is_taken()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Arguments::command().debug_assert();
    }
}
