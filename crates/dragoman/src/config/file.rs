//! One configuration file: read with a bound, parsed, and every name in it checked. What the
//! values mean comes later; each is kept with its place.
//!
//! Must not know: other files, or which of them wins.

use super::keys::{KEYS, Key};
use super::source::{At, Whose};
use super::tools::{self, Tool};
use crate::term::one_line;
use crate::trouble::Trouble;
use dragoman_model::nearest;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml_edit::{Document, Item, TableLike, Value};

/// No configuration is as long as this.
const MOST_BYTES: u64 = 512 * 1024;

/// Operators are told of every one.
const MOST_TOOLS: usize = 500;

/// The section that is no setting: names and addresses.
pub const TOOLS: &str = "tools";

#[derive(Debug)]
pub struct File {
    pub path: PathBuf,
    pub whose: Whose,
    text: String,
    values: Vec<(&'static Key, Value, Range<usize>)>,
    pub tools: Vec<(Tool, At)>,
}

impl File {
    /// `None` when there is no such file.
    pub fn read(path: &Path, whose: Whose) -> Result<Option<Self>, Trouble> {
        let regular = match std::fs::metadata(path) {
            Ok(found) => found.is_file(),
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => return Err(unreadable(path, &error)),
        };
        // The user may point at anything that can be read; a project may not make us wait.
        if !regular && whose == Whose::Project {
            return Err(no_file(path, "is no file"));
        }
        Self::parse(path, whose, read_capped(path)?).map(Some)
    }

    pub fn parse(path: &Path, whose: Whose, text: String) -> Result<Self, Trouble> {
        let document = match Document::parse(text.as_str()) {
            Ok(document) => document.into_item(),
            Err(error) => {
                let start = error.span().map_or(0, |span| span.start);
                let place = place(path, &text, start);
                let what = format!("{place}: {}", error.message().replace('\n', ", "));
                let next = "Correct the line: the file is TOML, `key = value` below `[section]`.";
                return Err(Trouble::new(Trouble::USAGE, what, next));
            }
        };
        let mut file = Self {
            path: path.to_owned(),
            whose,
            text,
            values: Vec::new(),
            tools: Vec::new(),
        };
        if let Some(root) = document.as_table_like() {
            file.take_root(root)?;
        }
        Ok(file)
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn get(&self, key: &Key) -> Option<(&Value, At)> {
        let (_, value, span) = self.values.iter().find(|(k, ..)| k.name == key.name)?;
        Some((value, self.at(span.start)))
    }

    /// What is wrong at this place.
    pub fn wrong(
        &self,
        span: Option<Range<usize>>,
        what: &str,
        next: impl Into<String>,
    ) -> Trouble {
        let start = span.map_or(0, |span| span.start);
        let what = format!("{}: {what}", place(&self.path, &self.text, start));
        Trouble::new(Trouble::USAGE, what, next)
    }

    fn at(&self, offset: usize) -> At {
        At {
            path: self.path.clone(),
            whose: self.whose,
            line: position(&self.text, offset).0,
        }
    }

    fn take_root(&mut self, root: &dyn TableLike) -> Result<(), Trouble> {
        for (name, item) in root.iter() {
            let span = key_span(root, name);
            let is_section = name == TOOLS || KEYS.iter().any(|key| key.section == name);
            let Some(table) = item.as_table_like().filter(|_| is_section) else {
                return Err(match is_section {
                    true => self.wrong(
                        span,
                        &format!("`{name}` is a section, not {}", describe_item(item)),
                        format!("Write `[{name}]` on a line, and its keys below."),
                    ),
                    false => self.unknown_section(span, name, item),
                });
            };
            match name {
                TOOLS => self.take_tools(table)?,
                section => self.take_section(section, table)?,
            }
        }
        Ok(())
    }

    fn take_section(&mut self, section: &str, table: &dyn TableLike) -> Result<(), Trouble> {
        for (name, item) in table.iter() {
            let span = key_span(table, name);
            let known = KEYS
                .iter()
                .find(|key| key.section == section && key.leaf() == name);
            let Some(key) = known else {
                return Err(self.unknown_key(span, section, name));
            };
            let Some(value) = item.as_value() else {
                let expected = (key.expected)();
                let what = format!("`{}` is {expected}, not a section", key.name);
                return Err(self.wrong(span, &what, format!("Write `{name} = …`.")));
            };
            self.values
                .push((key, value.clone(), span.unwrap_or_default()));
        }
        Ok(())
    }

    fn take_tools(&mut self, table: &dyn TableLike) -> Result<(), Trouble> {
        for (name, item) in table.iter() {
            let span = key_span(table, name);
            let Some(url) = item.as_str() else {
                let what = format!(
                    "a tool is a name and an address, not {}",
                    describe_item(item)
                );
                let next = "Write `\"Its name\" = \"https://example.com/\"`; a name with a dot or a \
                            space needs the quotes.";
                return Err(self.wrong(item.span().or(span), &what, next));
            };
            let tool = Tool::new(name, url)
                .map_err(|wrong| self.wrong(span.clone(), &wrong, tools::ADVICE))?;
            if self.tools.len() == MOST_TOOLS {
                let what = format!("there are more than {MOST_TOOLS} tools");
                return Err(self.wrong(span, &what, "Take out those that nobody opens."));
            }
            if let Some((twin, at)) = self.tools.iter().find(|(t, _)| t.is_called(name)) {
                let what = format!("the tool `{}` is in line {} already", twin.name(), at.line);
                return Err(self.wrong(span, &what, "Names differ in more than case; keep one."));
            }
            let at = self.at(span.unwrap_or_default().start);
            self.tools.push((tool, at));
        }
        Ok(())
    }

    fn unknown_section(&self, span: Option<Range<usize>>, name: &str, item: &Item) -> Trouble {
        let is_table = item.as_table_like().is_some();
        let sections = KEYS.iter().map(|key| key.section).chain([TOOLS]);
        let leaves = KEYS.iter().map(Key::leaf);
        let like = match nearest(name, sections) {
            Some(section) if is_table => Some(format!("[{section}]")),
            _ => nearest(name, leaves).and_then(by_leaf).map(str::to_owned),
        };
        let what = match is_table {
            true => format!("there is no section `{}`", one_line(name, 60)),
            false => format!("there is no key `{}`", one_line(name, 60)),
        };
        self.wrong(span, &what, did_you_mean(like.as_deref()))
    }

    fn unknown_key(&self, span: Option<Range<usize>>, section: &str, name: &str) -> Trouble {
        let of_section = KEYS.iter().filter(|key| key.section == section);
        let full = format!("{section}.{name}");
        let like = nearest(name, of_section.map(Key::leaf))
            .map(|leaf| format!("{section}.{leaf}"))
            .or_else(|| by_leaf(name).map(str::to_owned))
            .or_else(|| nearest(&full, KEYS.iter().map(|key| key.name)).map(str::to_owned));
        let what = format!("there is no key `{}`", one_line(&full, 60));
        self.wrong(span, &what, did_you_mean(like.as_deref()))
    }
}

fn by_leaf(leaf: &str) -> Option<&'static str> {
    let key = KEYS.iter().find(|key| key.leaf() == leaf)?;
    Some(key.name)
}

fn did_you_mean(like: Option<&str>) -> String {
    let all = "`dragoman config --markdown` lists all there are.";
    match like {
        Some(like) => format!("Did you mean `{like}`? {all}"),
        None => all.into(),
    }
}

fn key_span(table: &dyn TableLike, name: &str) -> Option<Range<usize>> {
    table.key(name).and_then(|key| key.span())
}

/// A value as a person would call it.
pub fn describe(value: &Value) -> String {
    match value {
        Value::String(text) => format!("the text {:?}", one_line(text.value(), 60)),
        Value::Integer(number) => format!("the number {}", number.value()),
        Value::Float(number) => format!("the number {}", number.value()),
        Value::Boolean(yes) => format!("{}", yes.value()),
        Value::Datetime(_) => "a date".into(),
        Value::Array(_) => "a list".into(),
        Value::InlineTable(_) => "a table".into(),
    }
}

fn describe_item(item: &Item) -> String {
    match item.as_value() {
        Some(value) => describe(value),
        None if item.is_array_of_tables() => "a list of tables".into(),
        None => "a table".into(),
    }
}

/// The text of a file of reasonable size.
pub fn read_capped(path: &Path) -> Result<String, Trouble> {
    let read = || {
        let mut bytes = Vec::new();
        let file = std::fs::File::open(path)?;
        file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    match read() {
        Ok(bytes) => as_text(path, bytes),
        Err(_) if path.is_dir() => Err(no_file(path, "is a folder, not a file")),
        Err(error) => Err(unreadable(path, &error)),
    }
}

/// Bytes that may be anything, as text.
pub fn as_text(path: &Path, bytes: Vec<u8>) -> Result<String, Trouble> {
    if bytes.len() as u64 > MOST_BYTES {
        let most = MOST_BYTES / 1024;
        return Err(no_file(path, &format!("is larger than {most} KB")));
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(error.as_bytes());
        let what = format!("{}: this is not UTF-8", place(path, &text, good));
        Trouble::new(Trouble::USAGE, what, "Save the file as UTF-8.")
    })
}

/// Standard input is read with the same bound.
pub fn read_stdin_capped() -> Result<String, Trouble> {
    let mut bytes = Vec::new();
    let path = Path::new("standard input");
    match std::io::stdin()
        .take(MOST_BYTES + 1)
        .read_to_end(&mut bytes)
    {
        Ok(_) => as_text(path, bytes),
        Err(error) => Err(unreadable(path, &error)),
    }
}

fn is_absent(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

fn no_file(path: &Path, why: &str) -> Trouble {
    let what = format!("{} {why}", path.display());
    Trouble::new(
        Trouble::USAGE,
        what,
        "Put a file of text there, or name another one.",
    )
}

fn unreadable(path: &Path, error: &std::io::Error) -> Trouble {
    let next = match error.kind() {
        std::io::ErrorKind::PermissionDenied => {
            "Make it yours to read (chmod u+r), or name another."
        }
        _ => "Check the path, or name another file.",
    };
    let what = format!("{} cannot be read: {error}", path.display());
    Trouble::new(Trouble::USAGE, what, next)
}

fn place(path: &Path, text: &str, offset: usize) -> String {
    let (line, column) = position(text, offset);
    format!("{}:{line}:{column}", path.display())
}

/// Line and column, in characters, both from one.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    (line, column)
}
