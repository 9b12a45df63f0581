//! Writing to the user's file: tools come and go, and all else in it stays as it is, comments and
//! order included. The file is there whole before and whole after.
//!
//! Must not know: who asks for it.

use super::file::{File, TOOLS};
use super::source::Whose;
use super::tools::{Tool, same_name};
use crate::journal::private_folder;
use crate::trouble::Trouble;
use dragoman_model::nearest;
use std::io::Write;
use std::path::{Path, PathBuf};
use toml_edit::{Decor, DocumentMut, Item, Key, Table, TableLike, Value};

/// What became of a tool that was saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Put {
    Added,
    /// It had this name and address.
    Replaced(Tool),
    /// It was there, just so.
    Same,
}

/// Save these, all or none.
pub fn save_tools(path: &Path, tools: &[Tool]) -> Result<Vec<Put>, Trouble> {
    edit(path, |file, document| {
        let table = document
            .entry(TOOLS)
            .or_insert_with(|| Item::Table(Table::new()));
        let Some(table) = table.as_table_like_mut() else {
            return Ok(Vec::new());
        };
        let mut puts = Vec::new();
        for tool in tools {
            let old = file.iter().find(|old| old.is_called(tool.name()));
            puts.push(match old {
                Some(old) if old == tool => Put::Same,
                Some(old) => {
                    replace(table, old, tool);
                    Put::Replaced(old.clone())
                }
                None => {
                    table.insert(tool.name(), toml_edit::value(tool.url()));
                    Put::Added
                }
            });
        }
        Ok(puts)
    })
}

/// Take one out, and say what it was.
pub fn remove_tool(path: &Path, name: &str) -> Result<Tool, Trouble> {
    edit(path, |file, document| {
        let Some(old) = file.iter().find(|old| old.is_called(name)) else {
            return Err(unknown(path, name, file));
        };
        if let Some(tools) = document.get_mut(TOOLS) {
            remove(tools, old.name());
        }
        Ok(old.clone())
    })
}

fn unknown(path: &Path, name: &str, known: &[Tool]) -> Trouble {
    let lower: Vec<String> = known.iter().map(|t| t.name().to_lowercase()).collect();
    let like = nearest(&name.to_lowercase(), lower.iter().map(String::as_str))
        .and_then(|like| known.iter().find(|tool| same_name(tool.name(), like)));
    let all = "`dragoman tool list` names all there are.";
    let next = match like {
        Some(like) => format!("Did you mean `{}`? {all}", like.name()),
        None => all.to_owned(),
    };
    let what = format!("there is no tool `{name}` in {}", path.display());
    Trouble::new(Trouble::FAILED, what, next)
}

/// The same place in the table, with the comments around it; the name as it is written now.
fn replace(table: &mut dyn TableLike, old: &Tool, new: &Tool) {
    let mut entries: Vec<(Key, Item)> = Vec::new();
    for (name, item) in table.iter() {
        if let Some(key) = table.key(name) {
            entries.push((key.clone(), item.clone()));
        }
    }
    table.clear();
    for (key, item) in entries {
        if key.get() != old.name() {
            table.entry_format(&key).or_insert(item);
            continue;
        }
        let mut value = Value::from(new.url());
        if let Some(old) = item.as_value() {
            *value.decor_mut() = old.decor().clone();
        }
        let key = match key.get() == new.name() {
            true => key,
            false => Key::new(new.name())
                .with_leaf_decor(key.leaf_decor().clone())
                .with_dotted_decor(key.dotted_decor().clone()),
        };
        table.entry_format(&key).or_insert(Item::Value(value));
    }
}

/// A comment that stands directly above an entry goes with it. What is further up, behind an empty
/// line, stays: it moves to the next entry, or behind what is before.
fn remove(tools: &mut Item, name: &str) {
    let Some(table) = tools.as_table_like_mut() else {
        return;
    };
    let above = table
        .key(name)
        .map(|key| prefix(key.leaf_decor()))
        .unwrap_or_default();
    let stays = above.rfind("\n\n").map_or("", |at| &above[..at + 2]);
    let names: Vec<String> = table.iter().map(|(name, _)| name.to_owned()).collect();
    let at = names.iter().position(|n| n == name).unwrap_or(0);
    table.remove(name);
    if !stays.contains('#') {
        return;
    }
    if let Some(mut next) = names.get(at + 1).and_then(|next| table.key_mut(next)) {
        let decor = next.leaf_decor_mut();
        let joined = format!("{stays}{}", prefix(decor));
        decor.set_prefix(joined);
        return;
    }
    let last = at.checked_sub(1).and_then(|before| names.get(before));
    let before = match last {
        Some(last) => tools
            .get_mut(last)
            .and_then(Item::as_value_mut)
            .map(Value::decor_mut),
        None => tools.as_table_mut().map(Table::decor_mut),
    };
    if let Some(decor) = before {
        let suffix = decor.suffix().and_then(|suffix| suffix.as_str());
        let joined = format!("{}\n{}", suffix.unwrap_or_default(), stays.trim_end());
        decor.set_suffix(joined);
    }
}

fn prefix(decor: &Decor) -> String {
    let prefix = decor.prefix().and_then(|prefix| prefix.as_str());
    prefix.unwrap_or_default().to_owned()
}

/// Read, change, check, write. Nothing is written when nothing changed or anything is wrong.
fn edit<R>(
    path: &Path,
    change: impl FnOnce(&[Tool], &mut DocumentMut) -> Result<R, Trouble>,
) -> Result<R, Trouble> {
    // A link stays a link: what it points at is written.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
    let folder = folder.map_or_else(|| PathBuf::from("."), Path::to_owned);
    private_folder(&folder).map_err(|error| unwritable(&folder, &error))?;
    // Two at once would each lose the other's. Where a folder cannot be locked, they may.
    let _turn = std::fs::File::open(&folder).inspect(|folder| drop(folder.lock()));

    let file = match File::read(&path, Whose::User)? {
        Some(file) => file,
        None => File::parse(&path, Whose::User, String::new())?,
    };
    let tools: Vec<Tool> = file.tools.iter().map(|(tool, _)| tool.clone()).collect();
    let mut document: DocumentMut =
        file.text().parse().map_err(|error: toml_edit::TomlError| {
            let what = format!("{}: {}", path.display(), error.message());
            Trouble::new(Trouble::USAGE, what, "Correct the file first.")
        })?;
    let result = change(&tools, &mut document)?;
    let new = document.to_string();
    if new != file.text() {
        File::parse(&path, Whose::User, new.clone())?;
        write_whole(&folder, &path, &new).map_err(|error| unwritable(&path, &error))?;
    }
    Ok(result)
}

pub(crate) fn write_whole(folder: &Path, path: &Path, text: &str) -> std::io::Result<()> {
    let old = std::fs::metadata(path).ok().map(|old| old.permissions());
    if old.as_ref().is_some_and(|old| old.readonly()) {
        return Err(std::io::Error::other("it is read-only"));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = folder.join(crate::clock::new_name(&format!(".{name}")));
    let written = write_new(&beside, text, old).and_then(|()| std::fs::rename(&beside, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    written
}

/// For the user alone, unless the old one was not.
fn write_new(
    path: &Path,
    text: &str,
    permissions: Option<std::fs::Permissions>,
) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn unwritable(path: &Path, error: &std::io::Error) -> Trouble {
    Trouble::new(
        Trouble::FAILED,
        format!("{} cannot be written: {error}", path.display()),
        format!(
            "Make it yours to write, or let {} name another file.",
            super::VARIABLE
        ),
    )
}
