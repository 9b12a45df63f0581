//! A test file: what it is about, and its messages.

use dragoman_prompt::Spec;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone)]
pub struct TestFile {
    pub path: PathBuf,
    pub on: On,
    /// With the numbers of their lines, from 1.
    pub steps: Vec<(usize, Map<String, Value>)>,
}

/// What is tested.
#[derive(Debug, Clone, Default)]
pub struct On {
    pub url: Option<String>,
    /// What is asked; with any of these it is prompts that are tested.
    pub ask: Vec<Spec>,
}

/// The first line may say what the test is about.
#[derive(Debug, Deserialize)]
struct Open {
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    ask: Vec<Spec>,
}

impl TestFile {
    /// `on`: what it is about, where it does not say so itself.
    pub fn read(path: &Path, on: &On) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        let mut on = on.clone();
        let mut steps = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with("//") {
                continue;
            }
            let wrong = |error: &dyn std::fmt::Display| format!("line {}: {error}", at + 1);
            let message: Map<String, Value> =
                serde_json::from_str(line).map_err(|error| wrong(&error))?;
            if message.get("type").and_then(Value::as_str) != Some("open") {
                steps.push((at + 1, message));
                continue;
            }
            if !steps.is_empty() {
                return Err(wrong(&"`open` stands before everything else"));
            }
            let open: Open =
                serde_json::from_value(Value::Object(message)).map_err(|error| wrong(&error))?;
            on = On {
                url: open.url,
                ask: open.ask,
            };
        }
        let path = path.to_owned();
        match steps.is_empty() {
            true => Err("there is nothing in it".into()),
            false => Ok(Self { path, on, steps }),
        }
    }
}
