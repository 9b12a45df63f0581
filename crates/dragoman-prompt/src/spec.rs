//! What is asked, as a script says it: the kind of prompt, its choices, its fields, its actions.
//! Unknown fields are ignored and missing ones have a meaning: scripts are of many versions.

use dragoman_model::PromptKind;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Spec {
    #[serde(rename = "type")]
    pub kind: PromptKind,
    /// The asker's name for it; comes back with the answer.
    #[serde(default, deserialize_with = "or_default")]
    pub id: String,
    #[serde(default, alias = "message", deserialize_with = "or_default")]
    pub placeholder: String,
    #[serde(default, deserialize_with = "or_default")]
    pub hint: String,
    #[serde(default, deserialize_with = "or_default")]
    pub choices: Vec<Choice>,
    #[serde(default, deserialize_with = "or_default")]
    pub actions: Vec<Action>,
    /// Of a select: several may be chosen (default true).
    #[serde(default)]
    pub multiple: Option<bool>,
    #[serde(default, deserialize_with = "or_default")]
    pub fields: Vec<FieldSpec>,
    #[serde(default, deserialize_with = "or_default")]
    pub html: String,
    /// The same in markdown.
    #[serde(default, alias = "md", deserialize_with = "or_default")]
    pub markdown: String,
    /// What an editor begins with.
    #[serde(default, deserialize_with = "or_default")]
    pub content: String,
    #[serde(default, deserialize_with = "or_default")]
    pub language: String,
    #[serde(default, deserialize_with = "or_default")]
    pub start_path: String,
    /// What a terminal runs (default: a shell).
    #[serde(default)]
    pub command: Option<String>,
    /// The name of the environment variable that is asked for.
    #[serde(default, deserialize_with = "or_default")]
    pub key: String,
    #[serde(default, deserialize_with = "or_default")]
    pub secret: bool,
    #[serde(default, deserialize_with = "or_default")]
    pub template: String,
    /// Only one of the choices will do, no other text.
    #[serde(default, deserialize_with = "or_default")]
    pub strict: bool,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Choice {
    pub name: String,
    pub value: String,
    pub description: String,
    /// Never changes while others of the same name come and go.
    pub key: Option<String>,
    /// HTML or markdown, shown beside the list.
    pub preview: String,
    pub group: String,
}

impl Choice {
    /// Name and value in one.
    pub fn plain(text: impl Into<String>) -> Self {
        let name = text.into();
        Self {
            value: name.clone(),
            name,
            ..Self::default()
        }
    }
}

/// A bare string, or an object of which only the name is needed.
impl<'de> Deserialize<'de> for Choice {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Parts {
            #[serde(default, deserialize_with = "or_default")]
            name: String,
            #[serde(default)]
            value: Option<Value>,
            #[serde(default, deserialize_with = "or_default")]
            description: String,
            #[serde(default)]
            key: Option<String>,
            #[serde(default, deserialize_with = "or_default")]
            preview: String,
            #[serde(default, deserialize_with = "or_default")]
            group: String,
        }
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Name(String),
            Whole(Parts),
        }
        Ok(match Either::deserialize(from)? {
            Either::Name(name) => Self::plain(name),
            Either::Whole(parts) => {
                let value = parts.value.map(text_of);
                let name = match (parts.name.is_empty(), &value) {
                    (true, Some(value)) => value.clone(),
                    _ => parts.name,
                };
                Self {
                    value: value.unwrap_or_else(|| name.clone()),
                    name,
                    description: parts.description,
                    key: parts.key,
                    preview: parts.preview,
                    group: parts.group,
                }
            }
        })
    }
}

/// Something else that can be done in a prompt.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Action {
    pub name: String,
    #[serde(default, deserialize_with = "or_default")]
    pub description: String,
    #[serde(default, deserialize_with = "or_default")]
    pub shortcut: String,
    #[serde(default)]
    pub value: Option<String>,
    /// The script wants to be told; else its value is the answer.
    #[serde(default, deserialize_with = "or_default")]
    pub has_action: bool,
    /// Whether the menu lists it (default true); its shortcut works all the same.
    #[serde(default)]
    pub visible: Option<bool>,
    #[serde(default)]
    pub close: Option<bool>,
}

/// One field of a form: its name, or more than that.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FieldSpec {
    pub name: String,
    pub label: String,
    pub kind: String,
    pub placeholder: String,
    pub value: String,
    pub required: bool,
    pub options: Vec<Choice>,
}

impl<'de> Deserialize<'de> for FieldSpec {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Parts {
            #[serde(default, deserialize_with = "or_default")]
            name: String,
            #[serde(default, deserialize_with = "or_default")]
            label: String,
            #[serde(default, rename = "type", deserialize_with = "or_default")]
            kind: String,
            #[serde(default, deserialize_with = "or_default")]
            placeholder: String,
            #[serde(default)]
            value: Option<Value>,
            #[serde(default, deserialize_with = "or_default")]
            required: bool,
            #[serde(default, deserialize_with = "or_default")]
            options: Vec<Choice>,
        }
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Name(String),
            Whole(Parts),
        }
        Ok(match Either::deserialize(from)? {
            Either::Name(name) => Self {
                name,
                ..Self::default()
            },
            Either::Whole(parts) => Self {
                name: match parts.name.is_empty() {
                    true => parts.label.clone(),
                    false => parts.name,
                },
                label: parts.label,
                kind: parts.kind,
                placeholder: parts.placeholder,
                value: parts.value.map(text_of).unwrap_or_default(),
                required: parts.required,
                options: parts.options,
            },
        })
    }
}

/// What stands for nothing in a script's language is nothing in ours.
pub(crate) fn or_default<'de, D, T>(from: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Option::<T>::deserialize(from).map(Option::unwrap_or_default)
}

fn text_of(value: Value) -> String {
    match value {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_come_in_many_shapes() {
        let check = |json: &str, name: &str, value: &str| {
            let choice: Choice = serde_json::from_str(json).unwrap();
            assert_eq!((choice.name.as_str(), choice.value.as_str()), (name, value));
        };
        check(r#""apple""#, "apple", "apple");
        check(r#"{"name":"Apple"}"#, "Apple", "Apple");
        check(r#"{"name":"Apple","value":"a","key":"k"}"#, "Apple", "a");
        check(
            r#"{"name":"Apple","value":3,"description":null}"#,
            "Apple",
            "3",
        );
        check(r#"{"value":"a","extra":[1]}"#, "a", "a");
        assert!(serde_json::from_str::<Choice>("[1]").is_err());
    }

    #[test]
    fn what_is_missing_has_a_meaning() {
        let spec: Spec = serde_json::from_str(
            r#"{"type":"arg","placeholder":null,"choices":["a"],"actions":[{"name":"Copy","hasAction":true}],"new":1}"#,
        )
        .unwrap();
        assert_eq!((spec.kind, spec.id.as_str()), (PromptKind::Arg, ""));
        assert!(spec.actions[0].has_action && spec.actions[0].visible.is_none());
        assert!(serde_json::from_str::<Spec>(r#"{"type":"dance"}"#).is_err());
    }
}
