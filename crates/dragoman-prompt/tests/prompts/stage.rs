//! A prompt without anything around it.

use dragoman_model::{Code, Command, Done, Reply, Snapshot, SnapshotId, TabId};
use dragoman_prompt::{Key, Look, Out, Prompt, Size, Spec};
use serde_json::{Value, json};

pub fn prompt(spec: Value) -> Prompt {
    sized(spec, 60, 12)
}

pub fn sized(spec: Value, width: u16, height: u16) -> Prompt {
    let spec: Spec = serde_json::from_value(spec).unwrap();
    Prompt::new(spec, Size { width, height }, 1)
}

pub fn fruit() -> Value {
    json!({
        "type": "arg", "id": "p1", "placeholder": "Pick a fruit",
        "choices": [
            {"name": "Apple", "value": "apple", "description": "A red fruit"},
            {"name": "Banana", "value": "banana"},
            {"name": "Pineapple", "value": "pineapple"},
        ],
    })
}

/// Keys by name, apart by spaces.
pub fn press(prompt: &mut Prompt, keys: &str) {
    for key in keys.split(' ').filter(|key| !key.is_empty()) {
        prompt.key(Key::parse(key).unwrap());
    }
}

/// What was answered: `None`, it still stands; `Some(None)`, it was cancelled.
pub fn answer(prompt: &mut Prompt) -> Option<Option<String>> {
    let out = prompt.take_out();
    out.into_iter().find_map(|out| match out {
        Out::Answer(value) => Some(value),
        _ => None,
    })
}

pub fn look() -> Look {
    Look {
        tab: TabId(1),
        id: SnapshotId(1),
    }
}

pub fn command(command: Value) -> Command {
    serde_json::from_value(command).unwrap()
}

#[track_caller]
pub fn done(prompt: &mut Prompt, asked: Value) -> Done {
    prompt.perform(&command(asked), look()).unwrap()
}

#[track_caller]
pub fn fails(prompt: &mut Prompt, asked: Value) -> Code {
    prompt
        .perform(&command(asked), look())
        .unwrap_err()
        .fault
        .code
}

#[track_caller]
pub fn snapshot(prompt: &mut Prompt, mut asked: Value) -> Snapshot {
    asked["cmd"] = "snapshot".into();
    match done(prompt, asked).reply {
        Reply::Snapshot(snapshot) => *snapshot,
        other => panic!("{other:?}"),
    }
}
