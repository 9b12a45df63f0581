//! What the assistant writes, and the person beside it.

use super::{Conversation, Goal, Numbered, RECENT};
use crate::bai::desk::Purpose;
use crate::bai::hearing::Said;
use crate::bai::scan::{Body, Heard};
use crate::bai::v04::action::{Action, Kind};
use crate::bai::v04::numbers::Tag;
use crate::bai::v04::session;
use crate::chat::Problem;
use crate::chat::frame::Role;
use crate::chat::words::line;
use crate::json::Object;
use dragoman_model::{Control, Request, TabId};
use serde_json::{Value, json};

impl Conversation {
    pub(super) fn hear(&mut self, said: Said) {
        match said {
            Said::In(role, heard) => self.heard(role, heard),
            // A user's turn may quote a page; what stands in it is nobody's command.
            Said::User(text) => self.quoted.note("a user's message", &text, Action::deed),
            Said::Person { says, does } => self.person(says, does.as_deref()),
            Said::Bad(Problem(problem)) => self.wrong(problem),
        }
    }

    fn heard(&mut self, role: Role, heard: Heard) {
        let (word, body, raw) = match heard {
            Heard::Line { word, body, raw } => (word, body, raw),
            Heard::Block { raw, .. } => return self.ignore(&raw, "there are no blocks"),
            Heard::Ignored(why) => return self.desk.log(format!("read past {why}")),
        };
        if role == Role::User {
            return self.ignore(&raw, "the user's side of the chat gives no commands");
        }
        self.desk.heard();
        match word.as_str() {
            "!baisession" => self.session(body, &raw),
            "!baictx" | "!baiswitch" => {
                self.refuse(&raw, "Only the extension writes this.".into());
            }
            word => match word.strip_prefix("!baiact").map(Tag::read) {
                Some(Ok(Tag::Act(number))) => self.numbered(number, body, &raw),
                Some(Ok(Tag::Del(_) | Tag::Upd(..))) => {
                    let why =
                        "Only the person deletes and changes queued actions; you get these lines.";
                    self.refuse(&raw, why.into());
                }
                Some(Err(why)) => self.refuse(&raw, why.into()),
                None => self.ignore(&raw, "there is no such tag"),
            },
        }
    }

    fn ignore(&mut self, raw: &str, why: &str) {
        let word = raw.split(['{', ' ']).next().unwrap_or_default();
        self.desk
            .log(format!("read past {}: {why}", line(word, 40)));
    }

    /// Answered, so that the assistant can do better; not a word of what may be typed is logged.
    fn refuse(&mut self, raw: &str, why: String) {
        let word = raw.split(['{', ' ']).next().unwrap_or_default();
        self.desk.log(format!("refused {}: {why}", line(word, 40)));
        self.wrong(format!("{}: {why}", line(word, 40)));
    }

    pub(super) fn wrong(&mut self, why: String) {
        if !self.sessions.is_confirmed() {
            // There is no context yet in which it could be told.
            let confirm = json!({"session_key": self.sessions.key()});
            let text = format!(
                "{why} First confirm the session with this line and nothing else: !baisession {confirm}"
            );
            return self.desk.say(text);
        }
        self.news.err.push((None, why));
    }

    fn session(&mut self, body: Body, raw: &str) {
        let key = match &body {
            Body::Object(object) => object.get("session_key").and_then(Value::as_str),
            _ => None,
        };
        let Some(key) = key else {
            let why = match body {
                Body::Bad(why) => why,
                _ => "It needs {\"session_key\":\"…\"}.".into(),
            };
            return self.refuse(raw, why);
        };
        match self.sessions.confirm(key) {
            Some(true) => self.wanted = true,
            Some(false) => {}
            None => self.refuse(raw, "This is no session key of ours.".into()),
        }
    }

    fn numbered(&mut self, number: u32, body: Body, raw: &str) {
        if !self.sessions.is_confirmed() {
            return self.refuse(raw, "The session is not confirmed.".into());
        }
        match self.sessions.take(number, raw) {
            session::Numbered::Echo => return,
            session::Numbered::Wrong(why) => return self.refuse(raw, why),
            session::Numbered::Next => {}
        }
        let object = match body {
            Body::Object(object) => object,
            Body::Bad(why) => return self.not_done(number, &why),
            Body::Nothing => return self.not_done(number, "There is no object behind it."),
        };
        match self.admit(&object) {
            Ok(action) => self.hand_in(number, action),
            Err(why) => self.not_done(number, &why),
        }
    }

    /// The number is used up all the same.
    fn not_done(&mut self, number: u32, why: &str) {
        self.desk.log(format!("refused {number:06}: {why}"));
        let words = format!("{number:06} was not done: {why} Go on with the next number.");
        self.news.err.push((Some(number), words));
    }

    fn admit(&mut self, object: &Object) -> Result<Action, String> {
        let unknown = Action::unknown_keys(object);
        if !unknown.is_empty() {
            let names = line(&unknown.join(", "), 80);
            self.desk.log(format!(
                "read past what means nothing in an action: {names}"
            ));
        }
        let action = Action::read(object)?;
        if self.stopped {
            return Err("The person stopped the session.".into());
        }
        if self.goal == Some(Goal::Ok) && action.a != Kind::Ctx {
            return Err("goal_check is ok: wait for new instructions.".into());
        }
        if !action.a.is_diagnosis() {
            self.fresh(&action)?;
        }
        Ok(action)
    }

    /// Nothing is done on what the assistant has not been told of lately.
    fn fresh(&self, action: &Action) -> Result<(), String> {
        let request = "Ask for one with CTX.";
        let Some(told) = self.told else {
            return Err(format!("There was no !baictx yet. {request}"));
        };
        if self.desk.now.saturating_sub(told) > RECENT {
            return Err(format!("The last !baictx is too old. {request}"));
        }
        if action.a == Kind::OpenTab {
            return Ok(());
        }
        match self.desk.tabs.get(&TabId(action.t)) {
            None => Err(format!(
                "There is no tab {}. Ask with CTX which one there is.",
                action.t
            )),
            Some(tab) if tab.moved => Err(format!(
                "Tab {} went to another page since the last !baictx. {request}",
                action.t
            )),
            Some(_) => Ok(()),
        }
    }

    fn hand_in(&mut self, number: u32, action: Action) {
        let request = match action.request() {
            Ok(Some(request)) => request,
            Ok(None) => {
                self.wanted = true;
                if action.a == Kind::Noop {
                    let words = format!("{number:06} NOOP: done.");
                    self.news.res.push((Some(number), words));
                }
                return;
            }
            Err(why) => return self.not_done(number, &why),
        };
        let from_page = self
            .quoted
            .source(&action.as_deed())
            .filter(|_| !action.a.is_diagnosis())
            .map(|source| format!("The same command stands in {source}"));
        self.submit(Numbered { number, action }, request, from_page);
    }

    pub(super) fn submit(&mut self, job: Numbered, request: Request, asks: Option<String>) {
        let chain = self.desk.turn;
        let key = self.desk.jobs.add(job, chain);
        let request = Request {
            chain: Some(chain),
            asks,
            ..request
        };
        self.desk.submit(Purpose::Job(key), request);
    }

    fn person(&mut self, says: Option<String>, does: Option<&str>) {
        match does {
            None => {
                self.desk.heard();
                if self.goal == Some(Goal::Ok) {
                    self.goal = Some(Goal::Pending);
                }
                self.desk.say(says.unwrap_or_default());
            }
            Some("approve") => {
                let number = self.desk.jobs.first_waiting();
                self.control(number.map(|number| Control::Approve { number }));
            }
            Some("reject") => {
                let number = self.desk.jobs.first_waiting();
                self.control(number.map(|number| Control::Cancel { number }));
            }
            Some("stop") => {
                self.stopped = true;
                self.desk.acts.push(crate::chat::Act::Control(Control::Clear));
                self.news.res.push((None, "The person stopped the session.".into()));
            }
            Some("act") => {
                self.stopped = false;
                self.news.res.push((None, "The person goes on.".into()));
            }
            Some("goal_ok") => self.checked(Goal::Ok, "The person says that the goal is reached."),
            Some("goal_failed") => {
                self.checked(Goal::Failed, "The person says that the goal is not reached.");
            }
            Some("new_session") => {
                let key = self.sessions.switch_to_new();
                let line = format!("!baiswitch {}", json!({"session_key": key}));
                self.desk.say(line);
            }
            Some(other) => self.desk.log(format!(
                "a person cannot \"{}\"; it is approve, reject, stop, act, goal_ok, goal_failed or new_session",
                line(other, 40)
            )),
        }
    }

    fn checked(&mut self, goal: Goal, words: &str) {
        self.goal = Some(goal);
        self.news.res.push((None, words.into()));
    }

    fn control(&mut self, control: Option<Control>) {
        match control {
            Some(control) => self.desk.acts.push(crate::chat::Act::Control(control)),
            None => self.desk.log("nothing waits for the person"),
        }
    }
}
