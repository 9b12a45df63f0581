//! Python 3 with `venv`: other people's clients and executors are played in it by the tests.

use crate::shell;
use anyhow::{Context, Result};
use std::process::Command;

const PACKAGES: &[&str] = &["python3", "python3-venv"];

/// Have it, or install it through the system's package manager where we may.
pub fn have() -> Result<()> {
    if is_there() {
        return Ok(());
    }
    let advice = || {
        let names = PACKAGES.join(" ");
        format!("The tests need Python 3 with venv. Type: sudo apt-get install -y {names}")
    };
    println!("Python 3 is missing: apt-get installs it now.");
    shell::run(Command::new("apt-get").arg("update")).with_context(advice)?;
    let install = ["install", "-y", "--no-install-recommends"];
    shell::run(
        Command::new("apt-get")
            .args(install)
            .args(PACKAGES)
            .env("DEBIAN_FRONTEND", "noninteractive"),
    )
    .with_context(advice)
}

fn is_there() -> bool {
    shell::is_there(Command::new("python3").args(["-c", "import venv, ensurepip"]))
}
