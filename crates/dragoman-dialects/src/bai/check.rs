//! A transcript on trial: every line of ours as it would be read, and what is wrong with it, where.
//!
//! Bare text is the assistant's, with the lines that only we write in between. Framed text has both sides. Must not
//! know: files, which tabs there are.

use super::Version;
use super::scan::{Body, Heard, Marks, Scanner};
use super::v03::{self, Handshake, Protocol};
use super::v04::{self, Numbered, Sessions, Tag};
use crate::chat::frame::{Frame, Role, Turn};
use crate::chat::{Checked, Finding, Problem};
use crate::json::Object;
use serde_json::Value;
use std::collections::BTreeMap;

pub fn check(version: Version, text: &str) -> Checked {
    let mut trial = Trial {
        judge: match version {
            Version::V03 => Judge::V03(Workflow::default()),
            Version::V04 => Judge::V04(None),
        },
        checked: Checked::default(),
    };
    let marks = match version {
        Version::V03 => v03::MARKS,
        Version::V04 => v04::MARKS,
    };
    match text.trim_start().starts_with("{\"role\"")
        || text.trim_start().starts_with("{\"transcript\"")
    {
        true => trial.framed(marks, text),
        false => trial.message(marks, None, text, |line| line),
    }
    trial.checked
}

struct Trial {
    judge: Judge,
    checked: Checked,
}

enum Judge {
    V03(Workflow),
    V04(Option<Sessions>),
}

#[derive(Default)]
struct Workflow {
    handshake: Option<Handshake>,
    nonce: Option<String>,
    last: u64,
    lines: BTreeMap<u64, String>,
}

impl Trial {
    fn framed(&mut self, marks: Marks, text: &str) {
        let mut pieces = String::new();
        for (index, line) in text.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let at = index + 1;
            match Frame::read(line.as_bytes().to_vec()) {
                Ok(Frame::Assistant { text, more: true }) => pieces.push_str(&text),
                Ok(Frame::Assistant { text, more: false }) => {
                    let text = std::mem::take(&mut pieces) + &text;
                    self.message(marks, Some(Role::Assistant), &text, |_| at);
                }
                Ok(Frame::User { text }) => self.message(marks, Some(Role::User), &text, |_| at),
                Ok(Frame::Transcript(turns)) => {
                    for Turn { role, text } in turns {
                        self.message(marks, Some(role), &text, |_| at);
                    }
                }
                Ok(Frame::Person { .. }) => {}
                Err(Problem(why)) => self.wrong(at, why),
            }
        }
    }

    /// `role`: none is known, so what only we write is ours.
    fn message(
        &mut self,
        marks: Marks,
        role: Option<Role>,
        text: &str,
        at: impl Fn(usize) -> usize,
    ) {
        if role != Some(Role::User) {
            self.checked.replies += 1;
        }
        let mut scanner = Scanner::new(marks);
        let mut last = 1;
        for (index, line) in text.lines().enumerate() {
            last = index + 1;
            for heard in scanner.feed(&format!("{line}\n")) {
                self.heard(role, heard, at(last));
            }
        }
        for heard in scanner.end() {
            self.heard(role, heard, at(last));
        }
    }

    fn heard(&mut self, role: Option<Role>, heard: Heard, at: usize) {
        let verdict = match (heard, role) {
            (Heard::Ignored(_), Some(Role::User)) => Ok(()),
            (Heard::Ignored(why), _) => Err(format!("This is not read: {why}.")),
            (Heard::Block { body, .. }, _) => self.judge.block(body),
            (Heard::Line { word, body, raw }, role) => {
                let ours = is_ours(&word);
                let from_us = role == Some(Role::User) || role.is_none() && ours;
                if !from_us && !ours {
                    self.checked.commands +=
                        usize::from(word.contains("act") || word.contains("ACTION"));
                }
                match (from_us, ours) {
                    (true, _) => {
                        self.judge.told(&word, &body);
                        Ok(())
                    }
                    (false, true) => Err(format!("{word} is the extension's to write.")),
                    (false, false) => self.judge.line(&word, body, &raw),
                }
            }
        };
        if let Err(why) = verdict {
            self.wrong(at, why);
        }
    }

    fn wrong(&mut self, line: usize, reason: String) {
        self.checked.findings.push(Finding {
            line,
            column: 1,
            reason,
        });
    }
}

fn is_ours(word: &str) -> bool {
    let tag = word.strip_prefix("!baiact").map(Tag::read);
    matches!(word, "BAI_ACK" | "BAI_RESULT" | "!baictx" | "!baiswitch")
        || matches!(tag, Some(Ok(Tag::Del(_) | Tag::Upd(..))))
}

fn object(body: Body) -> Result<Object, String> {
    match body {
        Body::Object(object) => Ok(object),
        Body::Bad(why) => Err(why),
        Body::Nothing => Err("There is no object behind it.".into()),
    }
}

impl Judge {
    fn block(&mut self, body: Body) -> Result<(), String> {
        let Self::V03(workflow) = self else {
            return Ok(());
        };
        let handshake = Handshake::read(&object(body)?)?;
        match &workflow.handshake {
            Some(known) if *known != handshake => {
                Err("This is another handshake; only one counts.".into())
            }
            _ => {
                workflow.handshake = Some(handshake);
                Ok(())
            }
        }
    }

    /// A line of ours: it gives the keys that the assistant repeats.
    fn told(&mut self, word: &str, body: &Body) {
        let Body::Object(object) = body else {
            return;
        };
        if let (Self::V03(workflow), "BAI_ACK") = (self, word) {
            let nonce = object.get("ack_nonce").and_then(Value::as_str);
            workflow.nonce = workflow.nonce.take().or(nonce.map(str::to_owned));
        }
    }

    fn line(&mut self, word: &str, body: Body, raw: &str) -> Result<(), String> {
        match self {
            Self::V03(workflow) => match word {
                "BAI_ACTION" => workflow.action(&object(body)?, raw),
                _ => Err("There is no such line.".into()),
            },
            Self::V04(sessions) => session_line(sessions, word, body, raw),
        }
    }
}

impl Workflow {
    fn action(&mut self, object: &Object, raw: &str) -> Result<(), String> {
        let protocol = Protocol::read(object)?;
        if let Some(handshake) = &self.handshake
            && (handshake.protocol != protocol
                || object.get("workflow_id").and_then(Value::as_str) != Some(&handshake.workflow))
        {
            return Err("It belongs to another workflow than the handshake.".into());
        }
        let action = v03::Action::read(object, protocol)?;
        if protocol == Protocol::V03 {
            let nonce = object.get("ack_nonce").and_then(Value::as_str);
            match (nonce, &self.nonce) {
                (None, _) => return Err("\"ack_nonce\" is missing.".into()),
                (Some(nonce), Some(known)) if nonce != known => {
                    return Err("\"ack_nonce\" is not the one in BAI_ACK.".into());
                }
                (Some(nonce), _) => self.nonce = Some(nonce.to_owned()),
            }
        }
        match self.lines.get(&action.id) {
            Some(known) if known == raw => return Ok(()),
            Some(_) => return Err("This action_id was used before for something else.".into()),
            None if protocol == Protocol::V03 && action.id <= self.last => {
                return Err(format!("action_id must go up; the last was {}.", self.last));
            }
            None => {}
        }
        self.last = self.last.max(action.id);
        self.lines.insert(action.id, raw.to_owned());
        action.meaning().map(|_| ())
    }
}

fn session_line(
    sessions: &mut Option<Sessions>,
    word: &str,
    body: Body,
    raw: &str,
) -> Result<(), String> {
    if word == "!baisession" {
        let object = object(body)?;
        let key = object.get("session_key").and_then(Value::as_str);
        let key = key.ok_or("It needs {\"session_key\":\"…\"}.")?;
        sessions.get_or_insert_with(|| Sessions::new(key)).meet(key);
        return Ok(());
    }
    let tag = word
        .strip_prefix("!baiact")
        .ok_or("There is no such tag.")?;
    let Tag::Act(number) = Tag::read(tag)? else {
        return Ok(());
    };
    let Some(sessions) = sessions else {
        return Err("The session is not confirmed: !baisession comes first.".into());
    };
    match sessions.take(number, raw) {
        Numbered::Echo => Ok(()),
        Numbered::Wrong(why) => Err(why),
        Numbered::Next => v04::Action::read(&object(body)?)?.request().map(|_| ()),
    }
}
