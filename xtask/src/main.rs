//! `cargo xtask …`: everything one does with this project that is not the program itself.
//!
//! Must not know: any of our crates. It talks to them the way a person does, by running them.

mod bench;
mod generated;
mod mcp;
mod metadata;
mod runtimes;
mod shell;
mod steps;
mod suites;
mod test;
mod walls;

use anyhow::{Result, bail};
use std::process::ExitCode;

const HELP: &str = "\
cargo xtask <what>

  test [STEP…] [-- ARGS]   everything CI checks, or only the named steps and what they need;
                           ARGS go to the test runner (cargo xtask test tests -- click)
  test --list              the steps
  gen                      write the generated files
  walls                    check who depends on whom
  suites [--only NAME]     outside suites: accname, miniwob, command, mcp, ux  ($DRAGOMAN_SUITES: their folder)
  mcp [STEP…]              official checks of MCP servers: conformance, inspector, python
  bench [--quick] [--strict] [--only TEXT] [--peers]
                           ours against raw CDP  ($DRAGOMAN_BENCH: pages and floor drivers)
";

/// The exit status for "something is missing that you have to provide".
const MISSING: u8 = 2;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("\nxtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String]) -> Result<ExitCode> {
    let Some((what, rest)) = args.split_first() else {
        print!("{HELP}");
        return Ok(ExitCode::from(MISSING));
    };
    match what.as_str() {
        "test" => test::run(rest),
        "gen" => generated::write().map(|()| ExitCode::SUCCESS),
        "walls" => walls::run().map(|()| ExitCode::SUCCESS),
        "suites" => suites::run(rest),
        "bench" => bench::run(rest),
        "mcp" => mcp::run(rest),
        "help" | "--help" | "-h" => {
            print!("{HELP}");
            Ok(ExitCode::SUCCESS)
        }
        other => bail!("there is no {other:?}\n\n{HELP}"),
    }
}
