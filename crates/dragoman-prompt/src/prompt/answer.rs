//! What is answered: the value of a choice, what was typed, what stands in the fields.

use super::{Out, Prompt};
use crate::form::{Field, Piece};
use dragoman_model::{Code, Fault, PromptEvent, PromptKind};
use serde_json::{Map, Value, json};

impl Prompt {
    /// Answer with what is typed or selected.
    pub fn submit(&mut self) -> Result<String, Fault> {
        self.check_open()?;
        match self.value() {
            Ok(value) => {
                self.answer(Some(value.clone()));
                Ok(value)
            }
            Err(fault) => {
                if fault.code == Code::NoOption && !self.expects_more {
                    self.out.push(Out::NoMatch);
                }
                self.fail(&fault.message);
                Err(fault)
            }
        }
    }

    /// Answer with this, whatever is typed or selected.
    pub fn submit_with(&mut self, value: String) -> Result<(), Fault> {
        self.check_open()?;
        self.answer(Some(value));
        Ok(())
    }

    pub fn cancel(&mut self) {
        if !self.answered {
            self.answer(None);
        }
    }

    /// The program in the terminal has ended; what it wrote is the answer.
    pub fn ended(&mut self) {
        if self.answered {
            return;
        }
        let value = self.written();
        self.answer(Some(value));
    }

    pub(super) fn trigger(&mut self, at: usize) -> Result<(), Fault> {
        self.check_open()?;
        let Some(action) = self.actions.get(at).cloned() else {
            return Ok(());
        };
        self.change(|prompt| prompt.menu = None);
        self.event(PromptEvent::ActionTriggered {
            action: action.name.clone(),
            value: action.value.clone(),
        });
        if !action.has_action {
            return self.submit_with(action.value.unwrap_or(action.name));
        }
        let input = self.input().to_owned();
        self.out.push(Out::Action {
            action: action.name,
            value: action.value,
            input,
        });
        if action.close == Some(true) {
            self.set_visible(false);
        }
        Ok(())
    }

    pub(super) fn check_open(&self) -> Result<(), Fault> {
        match self.answered {
            false => Ok(()),
            true => Err(
                Fault::new(Code::WrongState, "Nothing is asked at the moment")
                    .suggest("Wait for the next prompt."),
            ),
        }
    }

    fn answer(&mut self, value: Option<String>) {
        self.answered = true;
        self.version += 1;
        let secret = self.fields.iter().any(Field::is_secret);
        let told = value.clone().map(|value| match secret {
            true => String::new(),
            false => value,
        });
        self.event(PromptEvent::Submitted { value: told });
        self.out.push(Out::Answer(value));
    }

    fn value(&self) -> Result<String, Fault> {
        let typed = self.fields.first().map_or("", Field::value);
        Ok(match self.kind() {
            PromptKind::Select => {
                let list = self.list.as_ref();
                let chosen = list.map(|list| list.chosen()).unwrap_or_default();
                let could_be = self.expects_more || list.is_some_and(|list| list.total() > 0);
                if chosen.is_empty() && could_be {
                    return Err(self.nothing_fits(typed));
                }
                json!(chosen).to_string()
            }
            PromptKind::Arg | PromptKind::Mini | PromptKind::Micro | PromptKind::Confirm => {
                self.choice_or(typed)?
            }
            PromptKind::Path => match self.choice_or("") {
                Ok(path) if !path.is_empty() => path,
                _ if typed.starts_with('/') => typed.into(),
                _ if typed.is_empty() => self.folder.clone(),
                _ => format!("{}/{typed}", self.folder.trim_end_matches('/')),
            },
            PromptKind::Fields => {
                self.required()?;
                json!(self.fields.iter().map(Field::value).collect::<Vec<_>>()).to_string()
            }
            PromptKind::Form => {
                self.required()?;
                let pairs = self.fields.iter();
                let object: Map<String, Value> =
                    pairs.map(|f| (f.name.clone(), f.value().into())).collect();
                Value::Object(object).to_string()
            }
            PromptKind::Template => {
                let text = |piece: &Piece| match piece {
                    Piece::Words(words) => words.clone(),
                    Piece::Gap(at) => self.fields.get(*at).map_or("", Field::value).to_owned(),
                };
                self.pieces.iter().map(text).collect()
            }
            PromptKind::Drop => json!(
                paths(typed)
                    .map(|path| json!({
                        "path": path,
                        "name": path.rsplit('/').next().unwrap_or(&path),
                    }))
                    .collect::<Vec<_>>()
            )
            .to_string(),
            PromptKind::Term => self.written(),
            PromptKind::Editor | PromptKind::Env | PromptKind::Chat => typed.into(),
            PromptKind::Div | PromptKind::Hotkey | PromptKind::None => String::new(),
        })
    }

    /// With no choice left, what was typed is the answer, unless only a choice will do.
    fn choice_or(&self, typed: &str) -> Result<String, Fault> {
        let Some(list) = &self.list else {
            return Ok(typed.into());
        };
        match list.selected() {
            Some((_, choice)) => Ok(choice.value.clone()),
            None if self.spec.strict => Err(self.nothing_fits(typed)),
            None if typed.is_empty() && (self.expects_more || list.total() > 0) => {
                Err(self.nothing_fits(typed))
            }
            None => Ok(typed.into()),
        }
    }

    fn nothing_fits(&self, typed: &str) -> Fault {
        match self.expects_more {
            true => Fault::new(Code::NoOption, "Still reading, nothing fits yet")
                .suggest("Wait for more choices, or change the filter."),
            false => Fault::new(Code::NoOption, format!("Nothing fits {typed:?}")),
        }
    }

    fn required(&self) -> Result<(), Fault> {
        let missing = self
            .fields
            .iter()
            .find(|f| f.required && f.value().is_empty());
        match missing {
            None => Ok(()),
            Some(field) => {
                let message = format!("{} must not be empty", field.label());
                Err(Fault::new(Code::BadArgument, message).suggest("Fill it in, then submit."))
            }
        }
    }

    fn written(&self) -> String {
        let screen = self.screen();
        screen.map_or_else(String::new, |screen| {
            screen.contents().trim_end().to_owned()
        })
    }
}

/// Paths as a terminal passes them on when files are dropped: apart by spaces, quoted where they have some.
fn paths(text: &str) -> impl Iterator<Item = String> {
    let mut paths = Vec::new();
    let mut path = String::new();
    let mut quote = None;
    let mut letters = text.chars();
    while let Some(c) = letters.next() {
        match (c, quote) {
            ('\\', None) => path.extend(letters.next()),
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            (c, None) if c.is_whitespace() => paths.push(std::mem::take(&mut path)),
            (c, _) => path.push(c),
        }
    }
    paths.push(path);
    paths
        .into_iter()
        .filter(|path| !path.is_empty())
        .map(|path| {
            let plain = path.strip_prefix("file://").map(str::to_owned);
            plain.unwrap_or(path)
        })
}

#[cfg(test)]
mod tests {
    use super::paths;

    #[test]
    fn files_that_are_dropped() {
        let check =
            |text: &str, want: &[&str]| assert_eq!(paths(text).collect::<Vec<_>>(), want, "{text}");
        check("/a/b", &["/a/b"]);
        check(r"'/a b/c' /d\ e  file:///f ", &["/a b/c", "/d e", "/f"]);
        check("", &[]);
    }
}
