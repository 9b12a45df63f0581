//! What a prompt of each kind is made of.

use crate::edit::Text;
use crate::form::{self, Field, Piece};
use crate::list::List;
use crate::spec::{Choice, Spec};
use dragoman_model::PromptKind;

pub(super) fn list_of(spec: &mut Spec) -> Option<List> {
    let choices = std::mem::take(&mut spec.choices);
    match spec.kind {
        PromptKind::Arg | PromptKind::Mini | PromptKind::Micro | PromptKind::Path => {
            Some(List::new(choices, false))
        }
        PromptKind::Select => Some(List::new(choices, spec.multiple.unwrap_or(true))),
        PromptKind::Confirm if choices.is_empty() => {
            let answer = |name: &str, value: &str| Choice {
                value: value.into(),
                ..Choice::plain(name)
            };
            let both = vec![answer("Yes", "true"), answer("No", "false")];
            Some(List::new(both, false))
        }
        PromptKind::Confirm => Some(List::new(choices, false)),
        _ => None,
    }
}

pub(super) fn fields_of(spec: &Spec) -> (Vec<Piece>, Vec<Field>) {
    let one = |field: Field| (Vec::new(), vec![field]);
    let filter = |kind: &str| {
        let mut field = Field::text("filter", Text::line(""), kind);
        field.placeholder.clone_from(&spec.placeholder);
        field
    };
    match spec.kind {
        PromptKind::Arg
        | PromptKind::Mini
        | PromptKind::Micro
        | PromptKind::Path
        | PromptKind::Select => one(filter("search")),
        PromptKind::Env => one(Field {
            label: spec.key.clone(),
            ..filter(if spec.secret { "password" } else { "text" })
        }),
        PromptKind::Chat | PromptKind::Drop => one(filter("text")),
        PromptKind::Editor => one(Field {
            placeholder: spec.placeholder.clone(),
            ..Field::text("editor", Text::lines(&spec.content), "textarea")
        }),
        PromptKind::Fields => (Vec::new(), spec.fields.iter().map(Field::from).collect()),
        PromptKind::Form => (Vec::new(), form::of_html(&spec.html)),
        PromptKind::Template => {
            let text = match spec.template.is_empty() {
                true => &spec.content,
                false => &spec.template,
            };
            form::of_template(text)
        }
        PromptKind::Div
        | PromptKind::Hotkey
        | PromptKind::Term
        | PromptKind::Confirm
        | PromptKind::None => (Vec::new(), Vec::new()),
    }
}
