//! `cargo xtask test`: what CI runs and what a person types before handing work over.
//!
//! The workspace is built once, with all targets and one set of features, and every later step uses
//! what was built.

use crate::metadata::Metadata;
use crate::steps::{self, Step};
use crate::{generated, runtimes, shell, walls};
use anyhow::{Result, ensure};
use std::path::Path;
use std::process::{Command, ExitCode};

pub fn run(args: &[String]) -> Result<ExitCode> {
    let (chosen, runner_args) = match args.iter().position(|arg| arg == "--") {
        Some(at) => (&args[..at], &args[at + 1..]),
        None => (args, &[][..]),
    };
    let program = Metadata::read()?.program("debug", "dragoman");
    let all = the_steps(&program, runner_args);
    if chosen.iter().any(|arg| arg == "--list") {
        for step in &all {
            println!("  {:<10} {}", step.name, step.what);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let report = steps::run(&steps::choose(&all, chosen)?);
    println!("\n{}", report.render("cargo xtask test"));
    Ok(if report.passed() {
        println!("All is well.");
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn the_steps<'a>(program: &'a Path, runner_args: &'a [String]) -> Vec<Step<'a>> {
    vec![
        Step {
            name: "fmt",
            what: "the code is formatted",
            needs: &[],
            run: Box::new(|| cargo(&["fmt", "--all", "--check"])),
        },
        Step {
            name: "walls",
            what: "no crate knows what it must not",
            needs: &[],
            run: Box::new(walls::run),
        },
        Step {
            name: "clippy",
            what: "clippy has nothing to say",
            needs: &[],
            run: Box::new(|| {
                let args = [
                    "clippy",
                    "--workspace",
                    "--all-targets",
                    "--",
                    "-D",
                    "warnings",
                ];
                cargo(&args)
            }),
        },
        Step {
            name: "build",
            what: "the program and every test, once",
            needs: &[],
            run: Box::new(|| cargo(&["build", "--workspace", "--all-targets"])),
        },
        Step {
            name: "browser",
            what: "Chromium is there, or is installed now",
            needs: &["build"],
            run: Box::new(|| {
                let args = ["install-browser", "--if-missing", "--yes"];
                shell::run(built(program)?.args(args))
            }),
        },
        Step {
            name: "runtimes",
            what: "Python 3 and Node are there, or are installed now",
            needs: &[],
            run: Box::new(runtimes::have),
        },
        Step {
            name: "tests",
            what: "unit, property, conformance and browser tests",
            needs: &["browser", "runtimes"],
            run: Box::new(|| tests(runner_args)),
        },
        Step {
            name: "generated",
            what: "generated files are current",
            needs: &["build"],
            run: Box::new(|| built(program).and_then(|_| generated::check(program))),
        },
    ]
}

fn cargo(args: &[&str]) -> Result<()> {
    shell::run(&mut shell::cargo(args))
}

/// cargo-nextest runs tests side by side, each in a process of its own, by the rules in
/// `.config/nextest.toml`; plain `cargo test` does where it is not installed.
fn tests(runner_args: &[String]) -> Result<()> {
    let nextest = shell::is_there(&mut shell::cargo(&["nextest", "--version"]));
    let mut command = if nextest {
        shell::cargo(&["nextest", "run", "--workspace", "--all-targets"])
    } else {
        println!("(cargo-nextest is not installed: cargo test does the same, less clearly)");
        // Browser tests are hungry: no more of them at once than nextest would run.
        let mut command = shell::cargo(&["test", "--workspace", "--all-targets"]);
        if std::env::var_os("RUST_TEST_THREADS").is_none() {
            command.env("RUST_TEST_THREADS", "2");
        }
        command
    };
    shell::run(command.args(runner_args))
}

fn built(program: &Path) -> Result<Command> {
    ensure!(
        program.is_file(),
        "{} was not built: does the workspace have a program `dragoman`?",
        program.display()
    );
    let mut command = Command::new(program);
    command.current_dir(shell::root());
    Ok(command)
}
