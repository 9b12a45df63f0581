//! What `cargo metadata` says, as far as we ask.

use crate::shell;
use anyhow::{Context, Result};
use serde::Deserialize;
use std::path::PathBuf;

#[derive(Debug, Deserialize)]
pub struct Metadata {
    pub packages: Vec<Package>,
    pub workspace_members: Vec<String>,
    pub resolve: Resolve,
    pub target_directory: PathBuf,
}

#[derive(Debug, Deserialize)]
pub struct Package {
    pub id: String,
    pub name: String,
    /// Absent for packages of this workspace.
    pub source: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct Resolve {
    pub nodes: Vec<Node>,
}

#[derive(Debug, Deserialize)]
pub struct Node {
    pub id: String,
    pub deps: Vec<Dep>,
}

#[derive(Debug, Deserialize)]
pub struct Dep {
    pub pkg: String,
    pub dep_kinds: Vec<DepKind>,
}

#[derive(Debug, Deserialize)]
pub struct DepKind {
    /// `None`: an ordinary dependency; else `dev` or `build`.
    pub kind: Option<String>,
}

impl Metadata {
    pub fn read() -> Result<Self> {
        let text = shell::read(&mut shell::cargo(&["metadata", "--format-version", "1"]))?;
        serde_json::from_str(&text).context("cargo metadata said something unexpected")
    }

    /// Where cargo puts the program of this name.
    pub fn program(&self, profile: &str, name: &str) -> PathBuf {
        let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        self.target_directory.join(profile).join(file)
    }
}
