//! Whether a fact holds of the prompt now.

use super::Prompt;
use super::refs::Part;
use crate::form::Content;
use dragoman_model::{Code, Data, Fault, Leaf, Target};
use std::collections::BTreeMap;

impl Prompt {
    pub fn holds(&self, leaf: &Leaf) -> Result<bool, Fault> {
        Ok(match leaf {
            Leaf::Exists(target) => !self.present(target)?.is_empty(),
            Leaf::Visible(target) => self.any(target, |part| self.is_in_view(part))?,
            Leaf::Hidden(target) => !self.any(target, |part| self.is_in_view(part))?,
            Leaf::Focused(target) => self.any(target, |part| self.focused_part() == Some(part))?,
            Leaf::Enabled(target) => self.any(target, |_| !self.is_answered())?,
            Leaf::Checked(target) => self.any(target, |part| self.is_on(part))?,
            Leaf::Value { target, is } => self.any(target, |part| {
                self.value_of(part).is_some_and(|value| is.matches(&value))
            })?,
            Leaf::Text(words) => self.says(words),
            Leaf::Gone(words) => !self.says(words),
            Leaf::Url(is) => is.matches(&self.url()),
            Leaf::Title(is) => is.matches(&self.spec.placeholder),
            Leaf::Load(_) | Leaf::NetworkQuiet(_) => true,
            Leaf::State(fields) => self.matches(fields)?,
        })
    }

    /// What is gone is not there; that is no fault here.
    fn present(&self, target: &Target) -> Result<Vec<Part>, Fault> {
        match self.all(target) {
            Err(fault) if matches!(fault.code, Code::Hidden | Code::StaleRef) => Ok(Vec::new()),
            found => found,
        }
    }

    fn any(&self, target: &Target, is: impl Fn(Part) -> bool) -> Result<bool, Fault> {
        Ok(self.present(target)?.into_iter().any(is))
    }

    pub(super) fn is_in_view(&self, part: Part) -> bool {
        self.visible
            && self
                .area(part)
                .is_some_and(|area| area.width > 0 && area.height > 0)
    }

    pub(super) fn is_on(&self, part: Part) -> bool {
        match part {
            Part::Choice(index) => match &self.list {
                Some(list) if list.multiple => list.at.marked.contains(&index),
                Some(list) => list
                    .selected()
                    .is_some_and(|(selected, _)| selected == index),
                None => false,
            },
            Part::Field(at) => {
                matches!(
                    self.fields.get(at).map(|f| &f.content),
                    Some(Content::Check { on: true, .. })
                )
            }
            _ => false,
        }
    }

    pub(super) fn value_of(&self, part: Part) -> Option<String> {
        match part {
            Part::Field(at) => {
                let field = self.fields.get(at).filter(|field| !field.is_secret())?;
                Some(field.value().into())
            }
            Part::Choice(index) => {
                let choice = self.list.as_ref().and_then(|list| list.choice(index))?;
                Some(choice.value.clone())
            }
            Part::List => {
                let selected = self.list.as_ref().and_then(|list| list.selected());
                selected.map(|(_, choice)| choice.value.clone())
            }
            _ => None,
        }
    }

    fn says(&self, words: &str) -> bool {
        let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        plain(&crate::view::text(self)).contains(&plain(words))
    }

    fn matches(&self, fields: &BTreeMap<String, Data>) -> Result<bool, Fault> {
        let state = self.state();
        let count = |n: u64| Data::Int(i64::try_from(n).unwrap_or(i64::MAX));
        for (name, want) in fields {
            let have = match name.as_str() {
                "kind" => state.kind.as_str().into(),
                "id" => state.id.as_str().into(),
                "placeholder" => state.placeholder.as_str().into(),
                "input" => state.input.as_str().into(),
                "choices" => count(state.choices),
                "shown" => count(state.shown),
                "selected" => state.selected.map_or(Data::Null, count),
                "value" => state.value.clone().map_or(Data::Null, Data::Text),
                "focused" => state.focused.into(),
                "visible" => state.visible.into(),
                other => {
                    return Err(Fault::new(Code::BadArgument, format!("A prompt's state has no {other:?}"))
                        .suggest("Use kind, id, placeholder, input, choices, shown, selected, value, focused or visible."));
                }
            };
            if have != *want {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
