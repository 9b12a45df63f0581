//! The lines between a script and us: what it says on its standard output, and what it hears on its
//! standard input.

use crate::layout::Size;
use crate::spec::{Action, Choice, Spec, or_default};
use dragoman_model::PromptKind;
use serde::Deserialize;
use serde_json::{Value, json};

/// What a script says.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// Ask this; it waits for the answer.
    Ask(Box<Spec>),
    Do(Deed),
    /// One JSON object, but none that we know.
    Unknown(String),
}

/// What is done at once, mostly without an answer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Deed {
    SetInput {
        #[serde(default, deserialize_with = "or_default")]
        text: String,
    },
    ForceSubmit {
        #[serde(default)]
        value: Option<Value>,
    },
    SetActions {
        #[serde(default, deserialize_with = "or_default")]
        actions: Vec<Action>,
    },
    SetChoices {
        #[serde(default, deserialize_with = "or_default")]
        choices: Vec<Choice>,
    },
    Show,
    Hide,
    Hud {
        #[serde(default, deserialize_with = "or_default")]
        text: String,
        #[serde(default, alias = "durationMs")]
        duration_ms: Option<u64>,
    },
    Notify {
        #[serde(default, deserialize_with = "or_default")]
        title: String,
        #[serde(default, deserialize_with = "or_default")]
        body: String,
    },
    Say {
        #[serde(default, deserialize_with = "or_default")]
        text: String,
    },
    Beep,
    Browse {
        #[serde(default, deserialize_with = "or_default")]
        url: String,
    },
    Exit {
        #[serde(default)]
        code: Option<i32>,
    },
    Clipboard {
        #[serde(default, deserialize_with = "or_default")]
        id: String,
        #[serde(default, deserialize_with = "or_default")]
        action: String,
        #[serde(default)]
        content: Option<String>,
    },
    #[serde(rename_all = "camelCase")]
    CaptureScreenshot {
        #[serde(default, deserialize_with = "or_default")]
        request_id: String,
    },
}

/// One line. What is no JSON object is the script's own output; why something else cannot be understood is said.
pub fn read(line: &str) -> Option<Result<Said, String>> {
    let value: Value = serde_json::from_str(line).ok().filter(Value::is_object)?;
    let kind = value.get("type")?.as_str()?.to_owned();
    let asked = PromptKind::deserialize(&value["type"]).is_ok_and(|kind| kind != PromptKind::None);
    Some(if asked {
        let spec = serde_json::from_value(value);
        spec.map(|spec| Said::Ask(Box::new(spec)))
            .map_err(|error| format!("{kind}: {error}"))
    } else {
        match serde_json::from_value(value) {
            Ok(deed) => Ok(Said::Do(deed)),
            Err(error) if error.to_string().starts_with("unknown variant") => {
                Ok(Said::Unknown(kind))
            }
            Err(error) => Err(format!("{kind}: {error}")),
        }
    })
}

/// The answer to what was asked; `None`: it was cancelled.
pub fn submit(id: &str, value: Option<&str>) -> String {
    json!({"type": "submit", "id": id, "value": value}).to_string()
}

pub fn action_triggered(action: &str, value: Option<&str>, input: &str) -> String {
    let mut told = json!({"type": "actionTriggered", "action": action, "input": input});
    if let Some(value) = value {
        told["value"] = value.into();
    }
    told.to_string()
}

/// What is on the screen, as text; width and height in characters.
pub fn screenshot(request_id: &str, text: &str, size: Size) -> String {
    let Size { width, height } = size;
    json!({
        "type": "screenshotResult", "requestId": request_id, "mime": "text/plain",
        "data": text, "width": width, "height": height,
    })
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_script() {
        let said = |line: &str| read(line).map(|said| said.unwrap());
        assert_eq!(said("hello"), None);
        assert_eq!(said("3"), None);
        assert_eq!(said(r#"{"a":1}"#), None);
        let show = said(r#"{"type":"show"}"#);
        assert_eq!(show, Some(Said::Do(Deed::Show)));
        let set = said(r#"{"type":"setInput","text":"a","more":1}"#);
        assert_eq!(set, Some(Said::Do(Deed::SetInput { text: "a".into() })));
        let unknown = said(r#"{"type":"dance"}"#);
        assert_eq!(unknown, Some(Said::Unknown("dance".into())));
        assert!(
            matches!(said(r#"{"type":"select","id":"1"}"#), Some(Said::Ask(spec)) if spec.kind == PromptKind::Select)
        );
        assert!(read(r#"{"type":"arg","choices":3}"#).unwrap().is_err());
        assert!(read(r#"{"type":"hud","text":3}"#).unwrap().is_err());
    }

    #[test]
    fn what_a_script_hears() {
        assert_eq!(
            submit("1", None),
            r#"{"id":"1","type":"submit","value":null}"#
        );
        let told: Value =
            serde_json::from_str(&action_triggered("Copy", Some("c"), "app")).unwrap();
        assert_eq!(
            (&told["value"], &told["input"]),
            (&json!("c"), &json!("app"))
        );
    }
}
