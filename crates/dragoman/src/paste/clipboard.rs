//! The person's clipboard, by the programs that a system has for it.
//!
//! Must not know: what is on it.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

#[derive(Debug)]
pub struct Clipboard(&'static Tool);

/// How to put something on it and how to get it back.
#[derive(Debug)]
struct Tool {
    /// It works only where this is set.
    needs: Option<&'static str>,
    copy: &'static [&'static str],
    paste: &'static [&'static str],
}

/// The first that is there is used.
const TOOLS: &[Tool] = &[
    Tool {
        needs: Some("WAYLAND_DISPLAY"),
        copy: &["wl-copy"],
        paste: &["wl-paste", "--no-newline"],
    },
    Tool {
        needs: Some("DISPLAY"),
        copy: &["xclip", "-selection", "clipboard"],
        paste: &["xclip", "-selection", "clipboard", "-out"],
    },
    Tool {
        needs: Some("DISPLAY"),
        copy: &["xsel", "--clipboard", "--input"],
        paste: &["xsel", "--clipboard", "--output"],
    },
    Tool {
        needs: None,
        copy: &["pbcopy"],
        paste: &["pbpaste"],
    },
    Tool {
        needs: None,
        copy: &["clip.exe"],
        paste: &["powershell.exe", "-NoProfile", "-Command", "Get-Clipboard"],
    },
    Tool {
        needs: None,
        copy: &["termux-clipboard-set"],
        paste: &["termux-clipboard-get"],
    },
];

/// What to install where there is none.
pub const ADVICE: &str = "wl-clipboard (Wayland), xclip or xsel (X11)";

impl Clipboard {
    pub fn find() -> Option<Self> {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let works = |tool: &&Tool| {
            tool.needs.is_none_or(set) && is_program(tool.copy[0]) && is_program(tool.paste[0])
        };
        TOOLS.iter().find(works).map(Self)
    }

    pub fn copy(&self, text: &str) -> std::io::Result<()> {
        // Some stay behind to serve what was copied: they must not keep our terminal.
        let mut child = command(self.0.copy)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(text.as_bytes())?;
        }
        match child.wait()? {
            status if status.success() => Ok(()),
            status => Err(failed(self.0.copy, &status.to_string())),
        }
    }

    pub fn paste(&self) -> std::io::Result<String> {
        let done = command(self.0.paste)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()?;
        match done.status.success() {
            true => Ok(String::from_utf8_lossy(&done.stdout).replace("\r\n", "\n")),
            false => Err(failed(self.0.paste, &done.status.to_string())),
        }
    }
}

fn command(words: &[&str]) -> Command {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]);
    command
}

fn failed(words: &[&str], why: &str) -> std::io::Error {
    std::io::Error::other(format!("{} ended with {why}", words[0]))
}

fn is_program(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder: PathBuf| folder.join(name).is_file())
}
