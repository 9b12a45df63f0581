//! `dragoman tool import`: many tools from one file, all or none.

use crate::config::{self, File, Put, Tool, Whose};
use crate::term::{one_line, plain, say};
use crate::trouble::Trouble;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::path::Path;

pub fn run(file: &Path) -> Result<(), Trouble> {
    let (text, file) = match file.as_os_str() == "-" {
        true => (config::read_stdin_capped()?, Path::new("standard input")),
        false => (config::read_capped(file)?, file),
    };
    let (tools, mut skipped) = without_twins(file, read(file, text)?)?;
    let places = super::places();
    let path = places.to_write()?;
    let puts = config::save_tools(path, &tools)?;
    let mut added = 0;
    let mut replaced = Vec::new();
    for (tool, put) in tools.iter().zip(&puts) {
        match put {
            Put::Added => added += 1,
            Put::Replaced(_) => replaced.push(super::what_became(tool, put)),
            Put::Same => skipped.push(format!("{} (saved already, just so)", tool.name())),
        }
    }
    say!(
        "{added} added, {} replaced, {} skipped; {}",
        replaced.len(),
        skipped.len(),
        path.display()
    );
    for line in &replaced {
        say!("  {}", plain(line));
    }
    for line in &skipped {
        say!("  Skipped {}", plain(line));
    }
    Ok(())
}

/// The same name twice in one file: with the same address it is skipped, with another one nobody
/// can say which is meant.
fn without_twins(file: &Path, tools: Vec<Tool>) -> Result<(Vec<Tool>, Vec<String>), Trouble> {
    let mut kept: Vec<Tool> = Vec::new();
    let mut skipped = Vec::new();
    for tool in tools {
        match kept.iter().find(|twin| twin.is_called(tool.name())) {
            None => kept.push(tool),
            Some(twin) if twin.url() == tool.url() => {
                skipped.push(format!("{} (twice in the file)", tool.name()));
            }
            Some(twin) => {
                let (name, one, other) = (tool.name(), twin.url(), tool.url());
                return Err(wrong(file, &format!("`{name}` is {one} and also {other}")));
            }
        }
    }
    Ok((kept, skipped))
}

fn read(file: &Path, text: String) -> Result<Vec<Tool>, Trouble> {
    if !looks_like_json(&text) {
        let parsed = File::parse(file, Whose::User, text)?;
        if parsed.tools.is_empty() {
            return Err(wrong(file, "there are no tools in it"));
        }
        return Ok(parsed.tools.into_iter().map(|(tool, _)| tool).collect());
    }
    let text = text.trim_start_matches('\u{feff}');
    let Entries(entries) =
        serde_json::from_str(text).map_err(|error| wrong(file, &error.to_string()))?;
    let mut tools = Vec::new();
    for (index, (name, url)) in entries.iter().enumerate() {
        let tool = Tool::new(name.trim(), url.trim());
        tools.push(tool.map_err(|why| wrong(file, &format!("entry {}: {why}", index + 1)))?);
    }
    Ok(tools)
}

/// `[` begins a list of JSON as well as a section of TOML; what follows it tells.
fn looks_like_json(text: &str) -> bool {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start().chars();
    match rest.next() {
        Some('{') => true,
        Some('[') => matches!(
            rest.as_str().trim_start().chars().next(),
            Some('{' | ']') | None
        ),
        _ => false,
    }
}

fn wrong(file: &Path, why: &str) -> Trouble {
    let what = format!("{}: {}", file.display(), one_line(why, 300));
    let next = format!(
        "Correct it and import again; nothing was changed. {}",
        config::TOOL_ADVICE
    );
    Trouble::new(Trouble::USAGE, what, next)
}

/// Names and addresses in the order of the file. An object keeps those that are in it twice.
struct Entries(Vec<(String, String)>);

#[derive(Deserialize)]
struct Entry {
    name: String,
    url: String,
}

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EntriesVisitor)
    }
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = Entries;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a list of {\"name\", \"url\"} or an object of names and addresses")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Entries, A::Error> {
        let mut entries = Vec::new();
        while let Some(Entry { name, url }) = list.next_element()? {
            entries.push((name, url));
        }
        Ok(Entries(entries))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Entries(entries))
    }
}
