//! What happened between two calls, one JSON object a line: each call's commands and its answer.
//! What was typed is not in it.
//!
//! Must not know: where it is written to, a clock.

use super::call::{Call, Step};
use dragoman_model::Control;
use serde_json::{Value, json};

/// What comes after so much is counted.
const MOST: usize = 8 << 20;

#[derive(Debug, Default)]
pub(super) struct Trace {
    text: String,
    omitted: u64,
}

impl Trace {
    pub fn note(&mut self, call: &Call, step: &Step) {
        let mut line = match step {
            Step::Submit(request) => json!({ "command": request.command.without_text() }),
            Step::Control(control) => json!({ "control": without_text(control) }),
            Step::Answer(answer) => json!({ "answer": answer.text, "failed": answer.is_error }),
            Step::Session(_) | Step::Save(_) | Step::Load { .. } => return,
        };
        line["call"] = call.number.into();
        line["tool"] = call.tool.into();
        self.push(&line);
    }

    fn push(&mut self, line: &Value) {
        let line = line.to_string();
        match self.text.len() + line.len() <= MOST {
            true => {
                self.text.push_str(&line);
                self.text.push('\n');
            }
            false => self.omitted += 1,
        }
    }

    pub fn written(mut self) -> String {
        if self.omitted > 0 {
            self.text
                .push_str(&json!({ "omitted": self.omitted }).to_string());
            self.text.push('\n');
        }
        self.text
    }
}

fn without_text(control: &Control) -> Control {
    match control {
        Control::Replace { number, command } => Control::Replace {
            number: *number,
            command: Box::new(command.without_text()),
        },
        other => other.clone(),
    }
}
