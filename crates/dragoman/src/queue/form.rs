//! A command as a form: one field a line, each as a person would write it.

use super::edit::{read, set};
use dragoman_model::{Command, QueueItem};
use serde_json::Value;

#[derive(Debug)]
pub struct Form {
    pub number: u64,
    command: Command,
    pub fields: Vec<Field>,
    pub chosen: usize,
    pub wrong: Option<String>,
}

#[derive(Debug)]
pub struct Field {
    pub name: &'static str,
    pub doc: &'static str,
    pub text: String,
    before: String,
}

impl Form {
    pub fn new(item: &QueueItem) -> Self {
        let whole = serde_json::to_value(&item.command).unwrap_or_default();
        let args = item.command.row().args.iter();
        let fields = args.map(|arg| {
            let text = match &whole[arg.name] {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            Field {
                name: arg.name,
                doc: arg.doc,
                before: text.clone(),
                text,
            }
        });
        let fields: Vec<Field> = fields.collect();
        // What one most likely wants to change.
        let text = ["text", "url", "keys", "script"];
        let likely = fields.iter().position(|field| text.contains(&field.name));
        Self {
            number: item.number,
            command: item.command.clone(),
            chosen: likely.unwrap_or(0),
            fields,
            wrong: None,
        }
    }

    pub fn choose(&mut self, by: isize) {
        let last = self.fields.len().saturating_sub(1);
        self.chosen = self.chosen.saturating_add_signed(by).min(last);
    }

    pub fn write(&mut self, change: impl FnOnce(&mut String)) {
        self.wrong = None;
        if let Some(field) = self.fields.get_mut(self.chosen) {
            change(&mut field.text);
        }
    }

    /// The command as it is now written; `None`, and said why, when it is none.
    pub fn command(&mut self) -> Option<Command> {
        let mut whole = serde_json::to_value(&self.command).unwrap_or_default();
        let changed = self
            .fields
            .iter()
            .filter(|field| field.text != field.before);
        let mut written = Ok(());
        for field in changed {
            written =
                written.and_then(|()| set(&self.command, &mut whole, field.name, &field.text));
        }
        match written.and_then(|()| read(whole)) {
            Ok(command) => Some(command),
            Err(trouble) => {
                self.wrong = Some(trouble.what);
                None
            }
        }
    }
}
