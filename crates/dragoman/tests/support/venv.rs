//! Python with a package: the machine's, or one in an environment of our own that is made once.
#![allow(clippy::unwrap_used)]

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// `import` is what must work.
pub fn python(name: &str, package: &str, import: &str) -> PathBuf {
    let usual = PathBuf::from("python3");
    if has_package(&usual, import) {
        return usual;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("python-{name}"));
    let made = folder.join("bin/python");
    // Tests run side by side, and only one of them should make it.
    let lock = File::create(folder.with_extension("lock")).unwrap();
    lock.lock().unwrap();
    if !has_package(&made, import) {
        run(Command::new(&usual)
            .args(["-m", "venv", "--clear"])
            .arg(&folder));
        let install = ["-m", "pip", "install", "--quiet"];
        run(Command::new(&made)
            .args(install)
            .args(["--disable-pip-version-check", package]));
        assert!(has_package(&made, import), "{package} was not installed");
    }
    made
}

fn has_package(python: &Path, import: &str) -> bool {
    let tried = Command::new(python)
        .args(["-c", &format!("import {import}")])
        .stderr(Stdio::null())
        .status();
    tried.is_ok_and(|status| status.success())
}

fn run(command: &mut Command) {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
}
