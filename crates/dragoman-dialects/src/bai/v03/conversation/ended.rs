//! What became of the actions.

use super::{Conversation, Job, Trouble};
use crate::bai::desk::Ended;
use crate::bai::password;
use crate::bai::told::{self, cap};
use crate::bai::v03::action::Action;
use crate::chat::Act;
use crate::chat::words::line;
use crate::outline;
use dragoman_model::{Code, Done, Fault, Reply};
use serde_json::Value;

/// What a command that reads brings back, in characters.
const MOST_DATA: usize = 8_000;

impl Conversation {
    pub(super) fn ended(&mut self, ended: Ended) {
        match ended {
            Ended::Job(key, result) => {
                let Some(job) = self.desk.jobs.end(key).map(|job| job.action) else {
                    return;
                };
                match result {
                    Ok(done) => self.done(&job.action, done),
                    Err(fault) => self.failed(job, &fault),
                }
            }
            Ended::Deleted(key) => {
                if let Some(job) = self.desk.jobs.end(key) {
                    let id = job.action.action.id;
                    self.tell(
                        id,
                        "deleted",
                        "It was taken out of the queue.".into(),
                        None,
                        None,
                    );
                }
            }
            Ended::Tabs => self.say(),
            Ended::Said(line) => {
                let line = self.line(None, "note", line, None, None);
                self.results.push((None, line));
            }
            // A person must decide where we would have done so by ourselves.
            Ended::Failed(fault) if fault.code == Code::NotAllowed => self.desk.log(fault.message),
            Ended::Failed(fault) => {
                let trouble = trouble(&fault);
                let line = self.line(None, "failed", String::new(), Some(trouble), None);
                self.results.push((None, line));
            }
            Ended::Nothing => {}
        }
    }

    fn done(&mut self, action: &Action, done: Done) {
        let data = match done.reply {
            Reply::Nothing | Reply::Waited { .. } | Reply::Steps(_) | Reply::Subscribed { .. } => {
                None
            }
            Reply::Snapshot(snapshot) => Some(Value::from(outline(&snapshot))),
            Reply::Text(text) => Some(Value::from(text.text)),
            Reply::Image(image) => {
                let name = format!(
                    "shot{}.{}",
                    action.id,
                    image.mime.rsplit('/').next().unwrap_or("png")
                );
                self.desk.acts.push(Act::Show {
                    name: name.clone(),
                    mime: image.mime,
                    data: image.data,
                });
                Some(Value::from(name))
            }
            Reply::Pdf { .. } => Some(Value::from("The document cannot be shown in a chat.")),
            other => serde_json::to_string(&other).ok().map(Value::from),
        };
        let data = data.map(|data| match data {
            Value::String(text) => {
                let text = self.desk.shown(&text);
                self.quoted.note("a page", &text, Action::deed);
                Value::from(cap(&text, MOST_DATA))
            }
            other => other,
        });
        let mut summary = told::receipt(done.receipt.as_deref());
        summary = self.desk.shown(&summary);
        self.quoted.note("a page", &summary, Action::deed);
        self.tell(action.id, "done", summary, None, data);
    }

    fn failed(&mut self, job: Job, fault: &Fault) {
        let mut job = job;
        let id = job.action.id;
        if fault.code == Code::NotAllowed && password::allow(&mut job.request.command) {
            let summary = format!(
                "{} It waits for the person. Name a secret instead.",
                told::fault(fault)
            );
            self.tell(id, "waiting", summary, None, None);
            return self.submit(job, Some(fault.message.clone()));
        }
        self.tell(id, "failed", String::new(), Some(trouble(fault)), None);
    }

    pub(super) fn nobody_left(&mut self) {
        if self.desk.jobs.is_empty() || !self.desk.jobs.are_quiet() {
            return;
        }
        for job in self.desk.jobs.take_all() {
            let summary = "Nobody is left to approve it.".to_owned();
            self.tell(job.action.action.id, "deleted", summary, None, None);
        }
    }
}

fn trouble(fault: &Fault) -> Trouble<'static> {
    Trouble {
        code: fault.code.as_str(),
        message: told::fault(fault),
        suggestion: line(&fault.suggestion, 300),
    }
}
