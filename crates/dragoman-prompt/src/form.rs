//! Fields that are filled in: of a form that names them, of one in HTML, of a template with gaps.

use crate::edit::Text;
use crate::spec::{Choice, FieldSpec};
use html5gum::{Token, Tokenizer};

#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    pub name: String,
    pub label: String,
    pub placeholder: String,
    pub required: bool,
    pub content: Content,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    Text {
        text: Text,
        /// As HTML names it: text, password, email, number…
        kind: String,
    },
    Check {
        on: bool,
        /// What it is worth when it is on.
        value: String,
    },
    Pick {
        options: Vec<Choice>,
        picked: usize,
    },
}

impl Field {
    pub fn text(name: &str, text: Text, kind: &str) -> Self {
        Self {
            name: name.into(),
            label: String::new(),
            placeholder: String::new(),
            required: false,
            content: Content::Text {
                text,
                kind: kind.into(),
            },
        }
    }

    /// What a person reads beside it.
    pub fn label(&self) -> &str {
        let words = [&self.label, &self.name, &self.placeholder];
        words
            .into_iter()
            .find(|w| !w.is_empty())
            .map_or("", String::as_str)
    }

    pub fn is_secret(&self) -> bool {
        matches!(&self.content, Content::Text { kind, .. } if kind == "password")
    }

    pub fn value(&self) -> &str {
        match &self.content {
            Content::Text { text, .. } => text.as_str(),
            Content::Check { on: true, value } => value,
            Content::Check { on: false, .. } => "",
            Content::Pick { options, picked } => options.get(*picked).map_or("", |o| &o.value),
        }
    }
}

impl From<&FieldSpec> for Field {
    fn from(spec: &FieldSpec) -> Self {
        let content = match spec.kind.as_str() {
            "checkbox" | "switch" => Content::Check {
                on: matches!(spec.value.as_str(), "true" | "on" | "1" | "yes"),
                value: "true".into(),
            },
            "select" if !spec.options.is_empty() => Content::Pick {
                picked: spec
                    .options
                    .iter()
                    .position(|o| o.value == spec.value)
                    .unwrap_or(0),
                options: spec.options.clone(),
            },
            "textarea" => Content::Text {
                text: Text::lines(&spec.value),
                kind: "textarea".into(),
            },
            kind => Content::Text {
                text: Text::line(&spec.value),
                kind: match kind {
                    "" => "text".into(),
                    kind => kind.into(),
                },
            },
        };
        Self {
            name: spec.name.clone(),
            label: spec.label.clone(),
            placeholder: spec.placeholder.clone(),
            required: spec.required,
            content,
        }
    }
}

/// The fields of a form in HTML, in their order.
pub fn of_html(html: &str) -> Vec<Field> {
    let mut reading = Reading::default();
    for Ok(token) in Tokenizer::new(html) {
        match token {
            Token::StartTag(tag) => {
                let attribute = |name: &str| {
                    let value = tag.attributes.get(name.as_bytes());
                    value.map(|v| String::from_utf8_lossy(v).into_owned())
                };
                reading.start(&String::from_utf8_lossy(&tag.name), attribute);
            }
            Token::EndTag(tag) => reading.end(&String::from_utf8_lossy(&tag.name)),
            Token::String(text) => reading.words.push_str(&String::from_utf8_lossy(&text)),
            _ => {}
        }
    }
    reading.fields
}

#[derive(Default)]
struct Reading {
    fields: Vec<Field>,
    /// Text since the last tag that counts: a label, an option, what a textarea holds.
    words: String,
    label: String,
    /// What is open: its options, or its text, come next.
    open: Option<FieldSpec>,
    option: Option<(Option<String>, bool)>,
}

impl Reading {
    fn start(&mut self, tag: &str, attribute: impl Fn(&str) -> Option<String>) {
        match tag {
            "label" => self.words.clear(),
            "input" | "textarea" | "select" => {
                self.take_label();
                let kind = match tag {
                    "input" => attribute("type").unwrap_or_default().to_lowercase(),
                    tag => tag.into(),
                };
                if matches!(
                    kind.as_str(),
                    "submit" | "button" | "reset" | "image" | "hidden"
                ) {
                    return;
                }
                let on = attribute("checked").is_some();
                let spec = FieldSpec {
                    name: attribute("name")
                        .or_else(|| attribute("id"))
                        .unwrap_or_default(),
                    label: std::mem::take(&mut self.label),
                    placeholder: attribute("placeholder").unwrap_or_default(),
                    value: attribute("value").unwrap_or_default(),
                    required: attribute("required").is_some(),
                    options: Vec::new(),
                    kind,
                };
                match tag {
                    "input" => self.add(&spec, on),
                    _ => self.open = Some(spec),
                }
                self.words.clear();
            }
            "option" => {
                self.end("option");
                self.words.clear();
                self.option = Some((attribute("value"), attribute("selected").is_some()));
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: &str) {
        match (tag, self.open.take()) {
            ("option", Some(mut select)) => {
                if let Some((value, selected)) = self.option.take() {
                    let name = squeeze(&std::mem::take(&mut self.words));
                    let value = value.unwrap_or_else(|| name.clone());
                    if selected {
                        select.value.clone_from(&value);
                    }
                    select.options.push(Choice {
                        value,
                        ..Choice::plain(name)
                    });
                }
                self.open = Some(select);
            }
            ("select", Some(select)) => {
                self.open = Some(select);
                self.end("option");
                if let Some(select) = self.open.take() {
                    self.add(&select, false);
                }
            }
            ("textarea", Some(mut area)) => {
                area.value = std::mem::take(&mut self.words);
                self.add(&area, false);
            }
            ("label", open) => {
                self.open = open;
                self.take_label();
                // A label around its field, whose words come last.
                let last = self
                    .fields
                    .last_mut()
                    .filter(|field| field.label.is_empty());
                if let Some(field) = last {
                    field.label = std::mem::take(&mut self.label);
                }
            }
            (_, open) => self.open = open,
        }
    }

    fn take_label(&mut self) {
        let words = squeeze(&std::mem::take(&mut self.words));
        if !words.is_empty() {
            self.label = words.trim_end_matches(':').into();
        }
    }

    fn add(&mut self, spec: &FieldSpec, on: bool) {
        let mut field = Field::from(spec);
        if let Content::Check { on: is, value } = &mut field.content {
            *is = on;
            *value = match spec.value.is_empty() {
                true => "on".into(),
                false => spec.value.clone(),
            };
        }
        self.fields.push(field);
    }
}

fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A template: text with gaps `{{name}}`, `${name}` or `$1`.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    Words(String),
    /// The field that stands here.
    Gap(usize),
}

pub fn of_template(template: &str) -> (Vec<Piece>, Vec<Field>) {
    let mut pieces = Vec::new();
    let mut fields: Vec<Field> = Vec::new();
    let mut rest = template;
    while let Some((before, name, behind)) = next_gap(rest) {
        pieces.push(Piece::Words(before.into()));
        // `${1:name}`: the name says more than the number.
        let (name, value) = match name.split_once(':') {
            Some((number, word)) if number.bytes().all(|b| b.is_ascii_digit()) => (word, ""),
            Some((name, value)) => (name, value),
            None => (name, ""),
        };
        let known = fields.iter().position(|field| field.name == name);
        pieces.push(Piece::Gap(known.unwrap_or(fields.len())));
        if known.is_none() {
            fields.push(Field::text(name, Text::line(value), "text"));
        }
        rest = behind;
    }
    pieces.push(Piece::Words(rest.into()));
    (pieces, fields)
}

fn next_gap(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(at) = text[from..].find(['$', '{']).map(|at| from + at) {
        let rest = &text[at..];
        let found = match rest {
            _ if rest.starts_with("{{") => between(&rest[2..], "}}"),
            _ if rest.starts_with("${") => between(&rest[2..], "}"),
            _ if rest.starts_with('$') => {
                let digits = rest[1..].bytes().take_while(u8::is_ascii_digit).count();
                (digits > 0).then(|| (&rest[1..=digits], &rest[1 + digits..]))
            }
            _ => None,
        };
        if let Some((name, behind)) = found {
            return Some((&text[..at], name, behind));
        }
        from = at + 1;
    }
    None
}

fn between<'t>(text: &'t str, end: &str) -> Option<(&'t str, &'t str)> {
    let (name, behind) = text.split_once(end)?;
    let name = name.trim();
    (!name.is_empty() && !name.contains('\n')).then_some((name, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_in_html() {
        let fields = of_html(
            "<form><label for=n>Name:</label><input id=n name=name value='Ada &amp; co' required>
             <label><input type=checkbox name=news checked> News please</label>
             <p>Size <select name=size><option value=s>Small<option value=l selected>Large</select>
             <textarea name=note>one\ntwo</textarea><input type=password name=pw>
             <input type=hidden name=h value=1><button>Go</button></form>",
        );
        let told: Vec<_> = fields
            .iter()
            .map(|f| (f.name.as_str(), f.label(), f.value()))
            .collect();
        let want = [
            ("name", "Name", "Ada & co"),
            ("news", "News please", "on"),
            ("size", "Size", "l"),
            ("note", "note", "one\ntwo"),
            ("pw", "pw", ""),
        ];
        assert_eq!(told, want);
        assert!(fields[0].required && fields[4].is_secret());
    }

    #[test]
    fn a_template_has_gaps() {
        let (pieces, fields) = of_template("Dear {{name}}, $1 ${2:city} {{name}} costs $ {x} ${");
        let names: Vec<_> = fields.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(names, ["name", "1", "city"]);
        let gaps: Vec<_> = pieces
            .iter()
            .filter(|p| matches!(p, Piece::Gap(_)))
            .collect();
        assert_eq!(gaps.len(), 4);
        assert_eq!(pieces.last(), Some(&Piece::Words(" costs $ {x} ${".into())));
    }
}
