//! `cargo xtask bench`: builds the program as it ships and hands over to `bench/run.py`, which
//! measures it beside raw CDP.

use crate::metadata::Metadata;
use crate::{MISSING, shell};
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

const FOLDER_VAR: &str = "DRAGOMAN_BENCH";
const FLAGS: &[&str] = &["--quick", "--strict", "--peers", "--only", "--no-gate"];

pub fn run(args: &[String]) -> Result<ExitCode> {
    let unknown = |arg: &&String| arg.starts_with('-') && !FLAGS.contains(&arg.as_str());
    if let Some(wrong) = args.iter().find(unknown) {
        bail!("there is no {wrong:?}: {}", FLAGS.join(", "));
    }
    let Some(folder) = find_folder() else {
        eprintln!(
            "The benchmark needs its pages and floor drivers, which are not part of the project: \
             point ${FOLDER_VAR} at a folder that holds pages.py and drivers/floor.py."
        );
        return Ok(ExitCode::from(MISSING));
    };
    shell::run(&mut shell::cargo(&[
        "build",
        "--release",
        "--package",
        "dragoman",
    ]))?;
    let program = Metadata::read()?.program("release", "dragoman");
    let status = Command::new("python3")
        .arg("-B")
        .arg(shell::root().join("bench/run.py"))
        .args(args)
        .env(FOLDER_VAR, folder)
        .env("DRAGOMAN_BIN", program)
        .env("PYTHONUNBUFFERED", "1")
        .stdin(Stdio::null())
        .status()
        .context("Python 3 is needed")?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(ExitCode::from(code.unwrap_or(1)))
}

fn find_folder() -> Option<PathBuf> {
    let named = std::env::var_os(FOLDER_VAR).map(PathBuf::from);
    let beside = shell::root().join("../shared/bench");
    let complete = |folder: &PathBuf| {
        folder.join("pages.py").is_file() && folder.join("drivers/floor.py").is_file()
    };
    let folder = named.into_iter().chain([beside]).find(complete)?;
    folder.canonicalize().ok()
}
