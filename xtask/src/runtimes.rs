//! What the tests play other people's programs in: clients, executors and validators in Python, scripts in Python and Node.

use crate::shell;
use anyhow::{Context, Result};
use std::process::Command;

struct Runtime {
    name: &'static str,
    /// Ends well where it is there.
    check: &'static [&'static str],
    packages: &'static [&'static str],
}

const ALL: &[Runtime] = &[
    Runtime {
        name: "Python 3 with venv",
        check: &["python3", "-c", "import venv, ensurepip"],
        packages: &["python3", "python3-venv"],
    },
    Runtime {
        name: "Node",
        check: &["node", "--version"],
        packages: &["nodejs"],
    },
];

/// Have them, or install them through the system's package manager where we may.
pub fn have() -> Result<()> {
    ALL.iter()
        .filter(|r| !r.is_there())
        .try_for_each(Runtime::install)
}

impl Runtime {
    fn is_there(&self) -> bool {
        let (program, arguments) = (self.check[0], &self.check[1..]);
        shell::is_there(Command::new(program).args(arguments))
    }

    fn install(&self) -> Result<()> {
        let advice = || {
            let names = self.packages.join(" ");
            format!(
                "The tests need {}. Type: sudo apt-get install -y {names}",
                self.name
            )
        };
        println!("{} is missing: apt-get installs it now.", self.name);
        shell::run(Command::new("apt-get").arg("update")).with_context(advice)?;
        let install = ["install", "-y", "--no-install-recommends"];
        shell::run(
            Command::new("apt-get")
                .args(install)
                .args(self.packages)
                .env("DEBIAN_FRONTEND", "noninteractive"),
        )
        .with_context(advice)
    }
}
