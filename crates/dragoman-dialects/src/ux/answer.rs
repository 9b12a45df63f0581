//! How what became of a message is told.

use super::batch::millis;
use super::capabilities::negotiate;
use super::conversation::{Act, Conversation};
use super::run::{Answered, named};
use super::streams::News;
use super::task::Task;
use super::trouble::{Kind, Trouble};
use super::wire::{Ask, BatchResult, Did, EventName, WaitForResult};
use super::{MAX_MESSAGE, short};
use serde::Serialize;
use serde_json::Value;

impl Conversation {
    pub(super) fn answer(&mut self, task: &Task, answer: Result<Answered, Trouble>) {
        let id = task.id.as_deref();
        let Some(run) = task.run() else { return };
        let elapsed = millis(self.clock.now().saturating_sub(run.began));
        let waits = matches!(run.ask, Ask::WaitFor(_));
        match answer {
            Ok(Answered::State(body)) => self.send("stateResult", id, &body),
            Ok(Answered::Elements(all)) => {
                for body in all {
                    self.send("elementsResult", id, &body);
                }
            }
            Ok(Answered::Tree(body)) => self.send("accessibilityTreeResult", id, &body),
            Ok(Answered::Dom(body)) => self.send("virtualDOMResult", id, &body),
            Ok(Answered::Picture(body)) => self.send("screenshotResult", id, &body),
            Ok(Answered::Assert(body)) => self.send("assertResult", id, &body),
            Ok(Answered::Capabilities(body)) => self.send("capabilitiesResult", id, &body),
            Ok(Answered::Welcome(body)) => {
                if let Ask::AgentHello(hello) = &run.ask
                    && let Ok((_, version)) = negotiate(hello)
                {
                    self.version = version;
                }
                self.send("agentWelcome", id, &body);
            }
            Ok(Answered::Waited) => {
                let body = WaitForResult {
                    success: true,
                    elapsed,
                    wrong: None,
                };
                self.send("waitForResult", id, &body);
            }
            Ok(Answered::Did { value, receipt }) => {
                let body = Did {
                    success: true,
                    value,
                    wrong: None,
                    receipt,
                };
                self.send(&format!("{}Result", task.name), id, &body);
                self.acted(&run.ask);
            }
            Err(trouble) if waits => {
                let body = WaitForResult {
                    success: false,
                    elapsed,
                    wrong: Some(named(&run.ask, trouble).wrong()),
                };
                self.send("waitForResult", id, &body);
            }
            Err(trouble) if task.asks_to_see() => self.error(id, trouble),
            Err(trouble) => {
                let body = Did {
                    wrong: Some(trouble.wrong()),
                    ..Did::default()
                };
                self.send(&format!("{}Result", task.name), id, &body);
            }
        }
    }

    pub(super) fn batch_result(&mut self, task: &Task, body: &BatchResult) {
        self.send("batchResult", task.id.as_deref(), body);
    }

    /// A prompt tells by itself that something was done to it; for a page we do.
    fn acted(&mut self, ask: &Ask) {
        let (Ask::Action(ask), Some(false)) = (ask, self.is_prompt) else {
            return;
        };
        let data = [("action", &ask.action), ("target", &ask.target)];
        let data = data.map(|(key, value)| (key.to_owned(), Value::from(short(value))));
        self.happened(News {
            event: EventName::ActionTriggered,
            data: data.into_iter().collect(),
        });
    }

    pub(super) fn error(&mut self, id: Option<&str>, trouble: Trouble) {
        self.send("error", id, &trouble.error());
    }

    pub(super) fn send(&mut self, name: &str, id: Option<&str>, body: &impl Serialize) {
        let line = line(name, id, body);
        if line.len() <= MAX_MESSAGE {
            self.acts.push(Act::Send(line));
            return;
        }
        let message = format!("The answer would have {} bytes", line.len());
        self.error(id, Trouble::new(Kind::ResponseTooLarge, message));
    }
}

fn line(name: &str, id: Option<&str>, body: &impl Serialize) -> String {
    #[derive(Serialize)]
    struct Told<'a, T> {
        r#type: &'a str,
        #[serde(rename = "requestId", skip_serializing_if = "Option::is_none")]
        id: Option<&'a str>,
        #[serde(flatten)]
        body: &'a T,
    }
    let told = Told {
        r#type: name,
        id,
        body,
    };
    serde_json::to_string(&told).unwrap_or_default()
}
