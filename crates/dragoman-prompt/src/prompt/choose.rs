//! Choosing: by label, by value, by place; and ticking.

use super::Prompt;
use super::refs::Part;
use crate::form::{Content, Field};
use dragoman_model::{Choice, Code, Fault, Select, Target};

impl Prompt {
    pub(super) fn chosen(&mut self, ask: &Select) -> Result<Part, Fault> {
        let part = self.one(&ask.target)?;
        match part {
            Part::List => self.choose(&ask.options)?,
            Part::Field(at) => self.pick(at, &ask.options)?,
            other => {
                let message = format!("A {} has no options", self.role(other));
                return Err(Fault::new(Code::NoOption, message).suggest("Use list:choices."));
            }
        }
        Ok(part)
    }

    fn choose(&mut self, options: &[Choice]) -> Result<(), Fault> {
        let found: Result<Vec<u32>, Fault> =
            options.iter().map(|option| self.option(option)).collect();
        let found = found?;
        let multiple = self.list.as_ref().is_some_and(|list| list.multiple);
        if !multiple && found.len() != 1 {
            return Err(Fault::new(
                Code::BadArgument,
                "Exactly one choice can be selected here",
            ));
        }
        let place = found.last().and_then(|index| self.place_of(*index));
        self.change(|prompt| {
            prompt.focused = true;
            if let Some(place) = place {
                prompt.select_place(place);
            }
            if let Some(list) = prompt.list.as_mut().filter(|list| list.multiple) {
                list.at.marked = found.into_iter().collect();
            }
        });
        Ok(())
    }

    /// By its place in the whole list. An index counts those shown.
    fn option(&self, option: &Choice) -> Result<u32, Fault> {
        let list = self
            .list
            .as_ref()
            .ok_or_else(|| no_option("There are no choices".into()))?;
        let shown = || list.shown().iter().copied();
        let is = |index: &u32, fits: &dyn Fn(&crate::Choice) -> bool| {
            list.choice(*index).is_some_and(fits)
        };
        match option {
            Choice::Index(at) => list
                .shown_at(*at as usize)
                .map(|(index, _)| index)
                .ok_or_else(|| {
                    no_option(format!(
                        "{} choices are shown, so there is no {at}",
                        list.shown().len()
                    ))
                }),
            Choice::Value(value) => shown()
                .find(|index| is(index, &|choice| choice.value == *value))
                .ok_or_else(|| {
                    no_option(format!("No choice that is shown has the value {value:?}"))
                }),
            Choice::Label(label) => {
                let folded = label.to_lowercase();
                let stages: [&dyn Fn(&crate::Choice) -> bool; 3] = [
                    &|choice| choice.name == *label,
                    &|choice| choice.name.to_lowercase() == folded,
                    &|choice| choice.name.to_lowercase().contains(&folded),
                ];
                let mut found = stages
                    .iter()
                    .map(|fits| shown().filter(|i| is(i, *fits)).collect::<Vec<u32>>());
                match found.find(|found| !found.is_empty()).as_deref() {
                    None => Err(no_option(format!(
                        "No choice that is shown is called {label:?}"
                    ))),
                    Some([only]) => Ok(*only),
                    Some(several) => {
                        let message = format!("{} choices are called {label:?}", several.len());
                        let some = several
                            .iter()
                            .take(10)
                            .map(|i| self.candidate(Part::Choice(*i)));
                        Err(Fault::new(Code::Ambiguous, message).with_candidates(some.collect()))
                    }
                }
            }
        }
    }

    fn pick(&mut self, at: usize, wanted: &[Choice]) -> Result<(), Fault> {
        let Some(Field {
            content: Content::Pick { options, .. },
            ..
        }) = self.fields.get(at)
        else {
            return Err(no_option("This field has no options".into()));
        };
        let [wanted] = wanted else {
            return Err(Fault::new(
                Code::BadArgument,
                "Exactly one option can be picked here",
            ));
        };
        let place = match wanted {
            Choice::Index(at) => Some(*at as usize).filter(|at| *at < options.len()),
            Choice::Value(value) => options.iter().position(|option| option.value == *value),
            Choice::Label(label) => options.iter().position(|option| option.name == *label),
        };
        let place = place.ok_or_else(|| no_option("The field has no such option".into()))?;
        self.change(|prompt| {
            prompt.at = at;
            if let Content::Pick { picked, .. } = &mut prompt.fields[at].content {
                *picked = place;
            }
        });
        Ok(())
    }

    pub(super) fn set_checked(&mut self, target: &Target, wanted: bool) -> Result<Part, Fault> {
        let part = self.one(target)?;
        let multiple = self.list.as_ref().is_some_and(|list| list.multiple);
        match part {
            Part::Choice(index) if multiple => self.change(|prompt| {
                if let Some(list) = &mut prompt.list {
                    list.mark(index, wanted);
                }
            }),
            Part::Field(at) if matches!(self.fields[at].content, Content::Check { .. }) => self
                .change(|prompt| {
                    prompt.at = at;
                    if let Content::Check { on, .. } = &mut prompt.fields[at].content {
                        *on = wanted;
                    }
                }),
            other => {
                let message = format!("A {} cannot be ticked here", self.role(other));
                return Err(
                    Fault::new(Code::Unsupported, message).suggest("Use select, or click it.")
                );
            }
        }
        Ok(part)
    }
}

fn no_option(message: String) -> Fault {
    Fault::new(Code::NoOption, message).suggest("Empty the filter, or choose among what is shown.")
}
