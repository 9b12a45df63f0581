//! `cargo xtask bench`: builds the program as it ships and hands over to `bench/run.py`, which
//! measures it beside raw CDP.

use crate::metadata::Metadata;
use crate::suites::python_with_packages;
use crate::{MISSING, shell};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

const FOLDER_VAR: &str = "DRAGOMAN_BENCH";
/// A folder of Node modules with the servers that we are compared with.
const PEERS_VAR: &str = "BENCH_PEERS";
const PEERS: &[&str] = &[
    "@playwright/mcp@0.0.83",
    "chrome-devtools-mcp@1.11.0",
    "agent-browser@0.41.0",
];
/// Tokens are counted as models count them.
const TIKTOKEN: &str = "tiktoken==0.14.0";
const VOCABULARY: &str = "litellm==1.108.4";
const VOCABULARY_VAR: &str = "TIKTOKEN_CACHE_DIR";
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
    let metadata = Metadata::read()?;
    let program = metadata.program("release", "dragoman");
    let mut python = PathBuf::from("python3");
    let mut with = Vec::new();
    if args.iter().any(|arg| arg == "--peers") {
        let place = metadata.target_directory.join("bench-peers");
        with.push((PEERS_VAR, install_peers(&place)?));
        python = python_with_packages(&place.join("venv"), &[TIKTOKEN])?;
        with.push((VOCABULARY_VAR, install_vocabulary(&place, &python)?));
    }
    let status = Command::new(python)
        .arg("-B")
        .arg(shell::root().join("bench/run.py"))
        .args(args)
        .env(FOLDER_VAR, folder)
        .env("DRAGOMAN_BIN", program)
        .env("PYTHONUNBUFFERED", "1")
        .envs(with)
        .stdin(Stdio::null())
        .status()
        .context("Python 3 is needed")?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(ExitCode::from(code.unwrap_or(1)))
}

/// Installed once, unless somebody names those they have.
fn install_peers(folder: &Path) -> Result<PathBuf> {
    if let Some(named) = std::env::var_os(PEERS_VAR) {
        return Ok(named.into());
    }
    let modules = folder.join("node_modules");
    let made = folder.join("made-for");
    let wanted = PEERS.join(" ");
    if fs::read_to_string(&made).is_ok_and(|had| had == wanted) {
        return Ok(modules);
    }
    println!("Installing {wanted} …");
    fs::create_dir_all(folder)?;
    fs::write(folder.join("package.json"), "{\"private\": true}\n")?;
    let mut install = Command::new("npm");
    install
        .args([
            "install",
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
            "--save-exact",
        ])
        .args(PEERS)
        .current_dir(folder);
    shell::run(&mut install).context("npm is needed (on Debian: apt install npm)")?;
    make_executable(&modules.join("agent-browser/bin"))?;
    fs::write(&made, wanted)?;
    Ok(modules)
}

/// What an install script of its own would do; none of them is run.
#[cfg(unix)]
fn make_executable(folder: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    for program in fs::read_dir(folder)? {
        fs::set_permissions(program?.path(), fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> Result<()> {
    Ok(())
}

/// The tokenizer's own words, which it would fetch from elsewhere; a package of somebody else's brings
/// them along.
fn install_vocabulary(place: &Path, python: &Path) -> Result<PathBuf> {
    if let Some(named) = std::env::var_os(VOCABULARY_VAR) {
        return Ok(named.into());
    }
    let unpacked = place.join("vocabulary");
    let words = unpacked.join("litellm/litellm_core_utils/tokenizers");
    if words.is_dir() {
        return Ok(words);
    }
    let wheels = place.join("wheels");
    let pip = ["-m", "pip", "download", "--no-deps", VOCABULARY, "-d"];
    shell::run(Command::new(python).args(pip).arg(&wheels))?;
    let mut files = fs::read_dir(&wheels)?.filter_map(Result::ok);
    let wheel = files.next().context("pip brought no file")?.path();
    let unpack = ["-m", "zipfile", "-e"];
    shell::run(Command::new(python).args(unpack).arg(wheel).arg(&unpacked))?;
    Ok(words)
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
