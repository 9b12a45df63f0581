//! `dragoman setup`: a client's configuration with our entry in it, and all else as it was.
#![allow(clippy::unwrap_used)]

mod support;

use std::path::PathBuf;
use std::process::{Output, Stdio};
use support::{Folder, dragoman};

fn setup(home: &Folder, arguments: &[&str]) -> Output {
    dragoman()
        .arg("setup")
        .args(arguments)
        .env("HOME", &home.0)
        .env("APPDATA", &home.0)
        .env_remove("XDG_CONFIG_HOME")
        .current_dir(&home.0)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The file that it names in its first line.
fn file(output: &Output) -> PathBuf {
    let said = text(output);
    let line = said.lines().next().unwrap();
    let path = line.split_once(" reads ").unwrap().1;
    path.trim_end_matches(':').into()
}

#[test]
fn every_client() {
    let home = Folder::new("setup");
    for client in [
        "claude-code",
        "claude-desktop",
        "cursor",
        "vscode",
        "codex",
        "gemini",
    ] {
        let printed = setup(&home, &[client, "--print"]);
        assert!(printed.status.success(), "{}", text(&printed));
        let path = file(&printed);
        assert!(path.starts_with(&home.0), "{client}: {}", path.display());
        assert!(!path.exists(), "{client}");

        let refused = setup(&home, &[client]);
        assert_eq!(
            refused.status.code(),
            Some(1),
            "nobody could agree: {client}"
        );
        assert!(!path.exists(), "{client}");

        let done = setup(
            &home,
            &[client, "--yes", "--", "--headed", "--caps", "vision"],
        );
        assert!(done.status.success(), "{}", text(&done));
        let written = std::fs::read_to_string(&path).unwrap();
        for word in ["dragoman", "mcp", "--headed", "vision"] {
            assert!(written.contains(word), "{client}: {written}");
        }
        let again = setup(
            &home,
            &[client, "--yes", "--", "--headed", "--caps", "vision"],
        );
        assert!(text(&again).contains("already"), "{}", text(&again));
        let backup = PathBuf::from(format!("{}.bak", path.display()));
        assert!(!backup.exists(), "nothing was changed");
        let other = setup(&home, &[client, "--yes"]);
        assert!(other.status.success(), "{}", text(&other));
        assert_eq!(
            std::fs::read_to_string(&backup).unwrap(),
            written,
            "{client}"
        );
    }
}

#[test]
fn a_projects_file() {
    let home = Folder::new("setup-project");
    let done = setup(&home, &["vscode", "--project", "--yes"]);
    assert!(done.status.success(), "{}", text(&done));
    assert!(home.0.join(".vscode/mcp.json").exists());
    let refused = setup(&home, &["codex", "--project", "--yes"]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn a_broken_file_is_left_alone() {
    let home = Folder::new("setup-broken");
    std::fs::create_dir(home.0.join(".cursor")).unwrap();
    let path = home.0.join(".cursor/mcp.json");
    std::fs::write(&path, "{ not json").unwrap();
    let refused = setup(&home, &["cursor", "--yes"]);
    assert_eq!(refused.status.code(), Some(1), "{}", text(&refused));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "{ not json");
    assert_eq!(
        std::fs::read_dir(home.0.join(".cursor")).unwrap().count(),
        1
    );
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link() {
    let home = Folder::new("setup-link");
    std::fs::write(home.0.join("real.json"), "{}").unwrap();
    std::fs::create_dir(home.0.join(".cursor")).unwrap();
    let link = home.0.join(".cursor/mcp.json");
    std::os::unix::fs::symlink(home.0.join("real.json"), &link).unwrap();
    assert!(setup(&home, &["cursor", "--yes"]).status.success());
    assert!(link.is_symlink());
    let written = std::fs::read_to_string(home.0.join("real.json")).unwrap();
    assert!(written.contains("dragoman"), "{written}");
}
