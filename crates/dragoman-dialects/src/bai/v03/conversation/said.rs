//! What the two sides of the chat say, and the person beside them.

use super::{Conversation, Job, State};
use crate::bai::desk::Purpose;
use crate::bai::hearing::Said;
use crate::bai::scan::{Body, Heard};
use crate::bai::told::object_line;
use crate::bai::v03::action::{Action, Handshake, Meaning, Protocol};
use crate::chat::frame::Role;
use crate::chat::words::line;
use crate::chat::{Act, Problem};
use crate::json::Object;
use dragoman_model::{Control, Request};
use serde::Serialize;
use serde_json::Value;

#[derive(Serialize)]
struct Ack<'a> {
    protocol: &'a str,
    workflow_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'a str>,
    state: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    ack_nonce: Option<&'a str>,
}

impl Conversation {
    pub(super) fn hear(&mut self, said: Said) {
        match said {
            Said::In(role, heard) => self.heard(role, heard),
            Said::User(text) => self.quoted.note("a user's message", &text, Action::deed),
            Said::Person { says, does } => self.person(says, does.as_deref()),
            Said::Bad(Problem(problem)) => self.refuse(None, "bad_input", &problem),
        }
    }

    fn heard(&mut self, role: Role, heard: Heard) {
        match (role, heard) {
            (_, Heard::Ignored(why)) => self.desk.log(format!("read past {why}")),
            // Either side may open the workflow: the prompt stands in the user's turn.
            (role, Heard::Block { body, raw }) => self.shake_hands(role, body, &raw),
            (Role::User, Heard::Line { raw, .. }) => {
                self.ignore(&raw, "the user's side of the chat gives no commands");
            }
            (Role::Assistant, Heard::Line { word, body, raw }) => match word.as_str() {
                "BAI_ACTION" => {
                    self.desk.heard();
                    self.acts(body, &raw);
                }
                "BAI_ACK" | "BAI_RESULT" => self.ignore(&raw, "only the extension writes it"),
                _ => self.ignore(&raw, "there is no such line"),
            },
        }
    }

    fn ignore(&mut self, raw: &str, why: &str) {
        let word = raw.split('{').next().unwrap_or_default().trim();
        self.desk
            .log(format!("read past {}: {why}", line(word, 40)));
    }

    fn shake_hands(&mut self, role: Role, body: Body, raw: &str) {
        let read = match body {
            Body::Object(object) => Handshake::read(&object),
            Body::Bad(why) => Err(why),
            Body::Nothing => return self.ignore(raw, "an empty block"),
        };
        let ours = |handshake: &Handshake| handshake.workflow == self.desk.options.key;
        match (read, &self.handshake) {
            // A user's turn may quote a page; only what we gave out ourselves counts there.
            (read, _) if role == Role::User && !read.as_ref().is_ok_and(ours) => {
                self.ignore(
                    "a bai block",
                    "the user's side opens no other workflow than ours",
                );
            }
            (Err(why), _) => self.refuse(None, "bad_handshake", &why),
            (Ok(handshake), Some(known)) if handshake == *known => {}
            (Ok(_), Some(known)) => {
                let known = line(&known.workflow, 60);
                let why = format!(
                    "There is a handshake already, for {known}; it stays the one that counts."
                );
                self.refuse(None, "second_handshake", &why);
            }
            (Ok(handshake), None) => self.acknowledge(handshake),
        }
    }

    fn acknowledge(&mut self, handshake: Handshake) {
        let newer = handshake.protocol == Protocol::V03;
        let nonce = self.desk.options.ack_nonce.clone();
        let ack = Ack {
            protocol: handshake.protocol.name(),
            workflow_id: &handshake.workflow,
            kind: newer.then_some("ack"),
            state: "extension_acknowledged",
            ack_nonce: newer.then_some(&nonce),
        };
        let ack = object_line("BAI_ACK", &ack);
        self.handshake = Some(handshake);
        self.state = State::Active;
        self.desk.say(ack);
    }

    fn acts(&mut self, body: Body, raw: &str) {
        let object = match body {
            Body::Object(object) => object,
            Body::Bad(why) => return self.refuse(None, "bad_input", &why),
            Body::Nothing => {
                return self.refuse(None, "bad_input", "There is no object behind BAI_ACTION.");
            }
        };
        match self.admit(&object, raw) {
            Ok(Some(action)) => self.hand_in(action),
            // The chat was read once more.
            Ok(None) => {}
            Err((id, why)) => self.refuse(id, "refused", &why),
        }
    }

    fn admit(
        &mut self,
        object: &Object,
        raw: &str,
    ) -> Result<Option<Action>, (Option<u64>, String)> {
        let Some(handshake) = &self.handshake else {
            let why = "There was no handshake: write the bai block first and wait for BAI_ACK.";
            return Err((None, why.into()));
        };
        let protocol = handshake.protocol;
        let no = |why: String| (None, why);
        if Protocol::read(object).map_err(no)? != protocol {
            let why = format!("This workflow speaks {}.", protocol.name());
            return Err(no(why));
        }
        if object.get("workflow_id").and_then(Value::as_str) != Some(&handshake.workflow) {
            return Err(no("\"workflow_id\" is not this workflow's.".into()));
        }
        let action = Action::read(object, protocol).map_err(no)?;
        let id = action.id;
        let no = |why: &str| (Some(id), why.to_owned());
        let nonce = object.get("ack_nonce").and_then(Value::as_str);
        if protocol == Protocol::V03 && nonce != Some(&self.desk.options.ack_nonce) {
            return Err(no("\"ack_nonce\" is not the one in BAI_ACK."));
        }
        match self.lines.get(&id) {
            Some(known) if known == raw => return Ok(None),
            Some(_) => return Err(no("This action_id was used before for something else.")),
            None => {}
        }
        if protocol == Protocol::V03 && id <= self.last {
            let why = format!("action_id must go up; the last was {}.", self.last);
            return Err(no(&why));
        }
        self.last = self.last.max(id);
        self.lines.insert(id, raw.to_owned());
        match self.state {
            State::Done | State::Error => Err(no("The workflow has ended with done.")),
            _ if self.stopped => Err(no("The person stopped the workflow.")),
            _ => Ok(Some(action)),
        }
    }

    fn hand_in(&mut self, action: Action) {
        let id = action.id;
        match action.meaning() {
            Err(why) => self.refuse(Some(id), "bad_argument", &why),
            Ok(Meaning::Done { success, summary }) => {
                self.state = match success {
                    true => State::Done,
                    false => State::Error,
                };
                self.tell(id, "done", summary, None, None);
            }
            Ok(Meaning::Do(request)) => {
                let source = self.quoted.source(&action.as_deed());
                let asks = source
                    .filter(|_| !request.command.reads_only())
                    .map(|source| format!("The same command stands in {source}"));
                self.submit(
                    Job {
                        action,
                        request: *request,
                    },
                    asks,
                );
            }
        }
    }

    pub(super) fn submit(&mut self, job: Job, asks: Option<String>) {
        let chain = self.desk.turn;
        let request = Request {
            chain: Some(chain),
            asks,
            ..job.request.clone()
        };
        let key = self.desk.jobs.add(job, chain);
        self.desk.submit(Purpose::Job(key), request);
    }

    fn person(&mut self, says: Option<String>, does: Option<&str>) {
        let waiting = self.desk.jobs.first_waiting();
        let control = match does {
            None => {
                self.desk.heard();
                return self.desk.say(says.unwrap_or_default());
            }
            Some("approve") => waiting.map(|number| Control::Approve { number }),
            Some("reject") => waiting.map(|number| Control::Cancel { number }),
            Some("stop") => {
                self.stopped = true;
                Some(Control::Clear)
            }
            Some("act") => {
                self.stopped = false;
                return;
            }
            Some(other) => {
                let other = line(other, 40);
                let known = "approve, reject, stop or act";
                return self
                    .desk
                    .log(format!("a person cannot \"{other}\"; it is {known}"));
            }
        };
        match control {
            Some(control) => self.desk.acts.push(Act::Control(control)),
            None => self.desk.log("nothing waits for the person"),
        }
    }
}
