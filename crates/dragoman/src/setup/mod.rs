//! Where MCP clients keep the list of their servers, and one entry in it. All else in such a file
//! stays as it is.
//!
//! Must not know: who asks, whether it is written.

mod entry;

pub use entry::{Change, Entry, Format};

use std::path::PathBuf;

/// An MCP client whose configuration we know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Client {
    pub name: &'static str,
    pub title: &'static str,
    place: Place,
    /// In a project's folder, where there is such a file.
    project: Option<&'static str>,
    pub format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Home(&'static str),
    /// Where programs with windows keep their settings.
    Settings(&'static str),
}

pub const CLIENTS: &[Client] = &[
    Client {
        name: "claude-code",
        title: "Claude Code",
        place: Place::Home(".claude.json"),
        project: Some(".mcp.json"),
        format: Format::Json {
            list: "mcpServers",
            kind: Some("stdio"),
        },
    },
    Client {
        name: "claude-desktop",
        title: "Claude Desktop",
        place: Place::Settings("Claude/claude_desktop_config.json"),
        project: None,
        format: Format::Json {
            list: "mcpServers",
            kind: None,
        },
    },
    Client {
        name: "cursor",
        title: "Cursor",
        place: Place::Home(".cursor/mcp.json"),
        project: Some(".cursor/mcp.json"),
        format: Format::Json {
            list: "mcpServers",
            kind: None,
        },
    },
    Client {
        name: "vscode",
        title: "VS Code",
        place: Place::Settings("Code/User/mcp.json"),
        project: Some(".vscode/mcp.json"),
        format: Format::Json {
            list: "servers",
            kind: Some("stdio"),
        },
    },
    Client {
        name: "codex",
        title: "Codex",
        place: Place::Home(".codex/config.toml"),
        project: None,
        format: Format::Toml {
            list: "mcp_servers",
        },
    },
    Client {
        name: "gemini",
        title: "Gemini CLI",
        place: Place::Home(".gemini/settings.json"),
        project: Some(".gemini/settings.json"),
        format: Format::Json {
            list: "mcpServers",
            kind: None,
        },
    },
];

impl Client {
    pub fn named(name: &str) -> Option<&'static Self> {
        CLIENTS.iter().find(|client| client.name == name)
    }

    /// The user's own file; `None`: there is no home to look in.
    pub fn user_file(&self) -> Option<PathBuf> {
        match self.place {
            Place::Home(path) => Some(std::env::home_dir()?.join(path)),
            Place::Settings(path) => Some(settings()?.join(path)),
        }
    }

    /// In the working directory; `None`: this client has no such file.
    pub fn project_file(&self) -> Option<PathBuf> {
        self.project.map(PathBuf::from)
    }
}

fn settings() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    if cfg!(windows) {
        return set("APPDATA").map(PathBuf::from);
    }
    let home = std::env::home_dir()?;
    Some(match cfg!(target_os = "macos") {
        true => home.join("Library/Application Support"),
        false => set("XDG_CONFIG_HOME").map_or_else(|| home.join(".config"), PathBuf::from),
    })
}
