//! Which element a target means. What the filter has taken away is not there.

use super::Prompt;
use super::refs::Part;
use dragoman_model::{Candidate, Code, Fault, Target, id_matches};

const MOST_CANDIDATES: usize = 10;

impl Prompt {
    /// The one element that is meant; several are a fault that lists them.
    pub(super) fn one(&self, target: &Target) -> Result<Part, Fault> {
        match self.all(target)?.as_slice() {
            [only] => Ok(*only),
            [] => Err(self.not_found(target)),
            several => {
                let message = format!("{} elements match {target}", several.len());
                let some = several.iter().take(MOST_CANDIDATES);
                let candidates = some.map(|part| self.candidate(*part)).collect();
                Err(Fault::new(Code::Ambiguous, message).with_candidates(candidates))
            }
        }
    }

    /// Everything a target may mean.
    pub(super) fn all(&self, target: &Target) -> Result<Vec<Part>, Fault> {
        Ok(match target {
            Target::Ref(number) => match self.refs.part(*number) {
                Some(part) if self.is_there(part) => vec![part],
                Some(_) => return Err(filtered(&number.to_string())),
                None => {
                    let (code, what) = match number.0 < self.refs.next() {
                        true => (Code::StaleRef, "is not there any more"),
                        false => (Code::UnknownRef, "was never given"),
                    };
                    return Err(Fault::new(code, format!("{number} {what}")));
                }
            },
            Target::Semantic(pattern) => self.by_id(pattern),
            Target::Text(words) | Target::Label(words) => self.named(None, words),
            Target::Role {
                role,
                name: Some(name),
            } => self.named(Some(role), name),
            Target::Role { role, name: None } => self
                .every()
                .filter(|part| self.role(*part) == role)
                .collect(),
            Target::Focused => self.focused_part().into_iter().collect(),
            Target::Point(point) => {
                let cell = |at: f64| at.clamp(0.0, f64::from(u16::MAX)) as u16;
                self.part_at(cell(point.x), cell(point.y))
                    .into_iter()
                    .collect()
            }
            Target::Css(_) | Target::XPath(_) => {
                let message = format!("A prompt has no {target}");
                return Err(Fault::new(Code::Unsupported, message).suggest(
                    "Name the element by its ref, its semantic id, its role and name, or its text.",
                ));
            }
        })
    }

    pub(super) fn focused_part(&self) -> Option<Part> {
        match (self.focused, self.menu) {
            (false, _) => None,
            (true, Some(at)) => Some(Part::Action(at)),
            (true, None) if !self.fields.is_empty() => Some(Part::Field(self.at)),
            (true, None) => self.list.as_ref().map(|_| Part::List),
        }
    }

    fn every(&self) -> impl Iterator<Item = Part> + '_ {
        self.parts().into_iter().chain(self.shown_choices())
    }

    fn shown_choices(&self) -> impl Iterator<Item = Part> + '_ {
        let shown = self.list.iter().flat_map(|list| list.shown());
        shown.map(|index| Part::Choice(*index))
    }

    fn is_there(&self, part: Part) -> bool {
        match part {
            Part::Choice(index) => self.is_shown(index),
            part => self.parts().contains(&part),
        }
    }

    pub(super) fn is_shown(&self, index: u32) -> bool {
        self.list
            .as_ref()
            .is_some_and(|list| list.shown().contains(&index))
    }

    fn by_id(&self, pattern: &str) -> Vec<Part> {
        if let Some(rest) = pattern.strip_prefix("choice:") {
            let index = rest.split(':').next().and_then(|index| index.parse().ok());
            // Without an index they have to be compared one by one.
            return match index {
                Some(index) => {
                    let part = Part::Choice(index);
                    let fits = self.is_shown(index) && id_matches(pattern, &self.id_of(part));
                    fits.then_some(part).into_iter().collect()
                }
                None => self
                    .shown_choices()
                    .filter(|part| self.has_id(*part, pattern))
                    .collect(),
            };
        }
        let found: Vec<Part> = match pattern.starts_with('*') {
            true => self
                .every()
                .filter(|part| self.has_id(*part, pattern))
                .collect(),
            false => {
                let parts = self.parts().into_iter();
                parts.filter(|part| self.has_id(*part, pattern)).collect()
            }
        };
        // Whatever is typed into goes by this name where there is only one such thing.
        match (found.is_empty(), pattern, self.fields.len()) {
            (true, "input:filter", 1) => vec![Part::Field(0)],
            _ => found,
        }
    }

    fn has_id(&self, part: Part, pattern: &str) -> bool {
        id_matches(pattern, &self.id_of(part))
    }

    /// By name: exactly, then in any case, then as a part.
    fn named(&self, role: Option<&str>, words: &str) -> Vec<Part> {
        let wanted = words.trim();
        let folded = wanted.to_lowercase();
        if folded.is_empty() {
            return Vec::new();
        }
        let fits: [&dyn Fn(&str) -> bool; 3] = [
            &|name| name == wanted,
            &|name| name.to_lowercase() == folded,
            &|name| name.to_lowercase().contains(&folded),
        ];
        let of_role = |part: &Part| role.is_none_or(|role| self.role(*part) == role);
        let stage = |fits: &&dyn Fn(&str) -> bool| -> Vec<Part> {
            let parts = self.every().filter(of_role);
            parts.filter(|part| fits(self.name(*part).trim())).collect()
        };
        let mut stages = fits.iter().map(stage);
        stages.find(|found| !found.is_empty()).unwrap_or_default()
    }

    pub(super) fn role(&self, part: Part) -> &'static str {
        use crate::form::Content;
        match part {
            Part::Window => "window",
            Part::Header => "heading",
            Part::List => "listbox",
            Part::Preview => "region",
            Part::Submit | Part::Cancel | Part::Menu | Part::Action(_) => "button",
            Part::Choice(_) => "option",
            Part::Field(at) => match self.fields.get(at).map(|field| &field.content) {
                Some(Content::Check { .. }) => "checkbox",
                Some(Content::Pick { .. }) => "combobox",
                Some(Content::Text { kind, .. }) if kind == "search" => "searchbox",
                _ => "textbox",
            },
        }
    }

    pub(super) fn name(&self, part: Part) -> &str {
        match part {
            Part::Window => "Prompt",
            Part::Header => &self.spec.placeholder,
            Part::List => "Choices",
            Part::Preview => "Preview",
            Part::Submit => "Submit",
            Part::Cancel => "Cancel",
            Part::Menu => "Actions",
            Part::Field(at) => match self.fields.get(at) {
                Some(field) if field.name == "filter" && field.label.is_empty() => "Filter",
                Some(field) => field.label(),
                None => "",
            },
            Part::Action(at) => self.actions.get(at).map_or("", |action| &action.name),
            Part::Choice(index) => {
                let choice = self.list.as_ref().and_then(|list| list.choice(index));
                choice.map_or("", |choice| &choice.name)
            }
        }
    }

    pub(super) fn candidate(&self, part: Part) -> Candidate {
        Candidate {
            r#ref: Some(self.refs.number(part)),
            role: self.role(part).into(),
            name: self.name(part).into(),
            tag: self.id_of(part),
        }
    }

    fn not_found(&self, target: &Target) -> Fault {
        if let Target::Semantic(id) = target
            && let Some(rest) = id.strip_prefix("choice:")
            && let Some(index) = rest.split(':').next().and_then(|i| i.parse::<u32>().ok())
            && self
                .list
                .as_ref()
                .is_some_and(|list| (index as usize) < list.total())
            && !self.is_shown(index)
        {
            return filtered(id);
        }
        Fault::new(
            Code::NotFound,
            format!("There is no {target} in the prompt"),
        )
    }
}

fn filtered(what: &str) -> Fault {
    Fault::new(Code::Hidden, format!("The filter has taken {what} away"))
        .suggest("Empty the filter, or choose among what is shown.")
}
