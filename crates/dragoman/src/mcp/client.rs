//! One client: its calls, step by step. A call that its client takes back is cancelled, and one that
//! takes too long is answered before the client gives up on it.
//!
//! Must not know: how a call came here, how its answer travels.

use super::files::Files;
use super::page::{Changes, Page};
use super::sessions::{Sessions, new_session};
use crate::direct::{self, Asked, Direct};
use dragoman_dialects::mcp::{
    Answer, Call, Conversation, Options, SessionAsk, SessionInfo, Step, Told,
};
use dragoman_model::{Code, Control, EventKind, Fault, Request, SessionId, Subscribe};
use serde_json::{Map, Value};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{OnceCell, watch};
use tokio::time::{Instant, sleep_until};

/// Most clients wait a minute for an answer, some of them longer if they hear of progress.
const PATIENCE: Duration = Duration::from_secs(55);

/// What holds for every client.
#[derive(Debug, Clone)]
pub struct Terms {
    pub options: Options,
    pub files: Files,
    pub people: People,
    /// Offer what the conformance suite wants to find, too.
    pub fixtures: bool,
}

/// Who else can come to a client's queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum People {
    /// Whoever has a token for it.
    Gateway,
    /// The client has the program for itself.
    Nobody,
}

impl People {
    /// How something that waits is approved.
    fn how_to_approve(self) -> &'static str {
        match self {
            Self::Gateway => {
                "A person approves it with `dragoman queue`, or on another connection whose token has \
                 the scope `approve`; queue_list shows what became of it."
            }
            Self::Nobody => {
                "Nobody else can reach a program that speaks by standard input. For a person to \
                 approve: `dragoman serve --approve writes`, the client at its /mcp, and the person \
                 with `dragoman queue`. Or start `dragoman mcp` with `--approve none`."
            }
        }
    }
}

#[derive(Debug)]
pub struct Client {
    direct: Direct,
    talk: Mutex<Conversation>,
    sessions: Mutex<Sessions>,
    files: Files,
    people: People,
    patience: Duration,
    page: Arc<Page>,
    /// Somebody asked to hear of changes.
    subscribed: OnceCell<()>,
    /// Nobody waits for answers any more.
    left: watch::Sender<bool>,
}

/// What changes what a snapshot would show.
const CHANGES: &[EventKind] = &[
    EventKind::Changes,
    EventKind::Navigation,
    EventKind::Tabs,
    EventKind::Dialogs,
    EventKind::Trouble,
];

impl Client {
    pub fn new(direct: Direct, talk: Conversation, own: Option<SessionId>, terms: &Terms) -> Self {
        let asked = terms.options.timeout_ms.map(Duration::from_millis);
        Self {
            direct,
            talk: Mutex::new(talk),
            sessions: Mutex::new(Sessions::new(own)),
            files: terms.files.clone(),
            people: terms.people,
            patience: PATIENCE.max(asked.unwrap_or_default()),
            page: Arc::default(),
            subscribed: OnceCell::new(),
            left: watch::Sender::new(false),
        }
    }

    /// It has gone: what is under way for it ends, and nothing more is begun.
    pub fn leave(&self) {
        self.left.send_replace(true);
    }

    async fn has_left(&self) {
        // An error: the sender is gone, which is ourselves.
        drop(self.left.subscribe().wait_for(|left| *left).await);
    }

    pub fn instructions(&self) -> String {
        lock(&self.talk).instructions()
    }

    pub fn page(&self) -> &Page {
        &self.page
    }

    /// What is on the page.
    pub async fn look(&self) -> Result<String, Fault> {
        let answer = self.call("browser_snapshot", Map::new(), false).await?;
        match answer.is_error {
            false => Ok(answer.text),
            true => Err(Fault::new(Code::NotFound, answer.text)),
        }
    }

    /// Follow what changes on the page of the client's own session.
    pub async fn changes(&self) -> Result<Changes, Fault> {
        self.subscribed.get_or_try_init(|| self.subscribe()).await?;
        Ok(self.page.follow())
    }

    async fn subscribe(&self) -> Result<(), Fault> {
        let mut events = self.direct.listen();
        let page = Arc::downgrade(&self.page);
        tokio::spawn(async move {
            while events.recv().await.is_some() {
                let Some(page) = page.upgrade() else { return };
                page.changed();
            }
        });
        self.follow_own().await
    }

    /// Hear of what changes in the session that is the client's own now.
    async fn follow_own(&self) -> Result<(), Fault> {
        let own = lock(&self.sessions).of(None)?;
        let ask = Subscribe {
            events: CHANGES.to_vec(),
            since: None,
        };
        let mut asked = self.direct.ask(Some(&own), Request::new(ask.into()));
        asked.told().await.done().map(drop)
    }

    /// From the call to its answer. Dropped before that, what it set going is cancelled. `patient`: the
    /// client hears of progress and waits as long as the call itself may take.
    pub async fn call(
        &self,
        tool: &str,
        args: Map<String, Value>,
        patient: bool,
    ) -> Result<Answer, Fault> {
        tokio::select! {
            biased;
            answer = self.steps(tool, args, patient) => answer,
            () = self.has_left() => Err(Fault::new(Code::Cancelled, "The client has gone")),
        }
    }

    async fn steps(
        &self,
        tool: &str,
        args: Map<String, Value>,
        patient: bool,
    ) -> Result<Answer, Fault> {
        let (mut call, mut step) = lock(&self.talk).call(tool, args)?;
        self.page.looked();
        let until = (!patient).then(|| Instant::now() + self.patience);
        loop {
            let told = match step {
                Step::Answer(answer) => return Ok(answer),
                step => self.take(&call, step, until).await,
            };
            let told = told.unwrap_or_else(Told::Refused);
            step = lock(&self.talk).told(&mut call, told);
        }
    }

    async fn take(&self, call: &Call, step: Step, until: Option<Instant>) -> Result<Told, Fault> {
        match step {
            Step::Submit(request) => {
                let session = lock(&self.sessions).of(call.session.as_ref())?;
                self.submit(&session, request, until).await
            }
            Step::Control(mut control) => {
                let session = lock(&self.sessions).of(call.session.as_ref())?;
                // What takes another's place must not do what it could not do by itself.
                if let Control::Replace { command, .. } = &mut control {
                    self.files.admit(command)?;
                }
                let approves = matches!(control, Control::Approve { .. });
                let told = match approves && self.people == People::Nobody {
                    true => Err(Fault::new(
                        Code::NotAllowed,
                        "Nobody approves what came from the same connection",
                    )),
                    false => self.direct.control(Some(&session), control).await,
                };
                let told = told.map_err(|fault| match (approves, fault.code) {
                    (true, Code::NotAllowed) => fault.suggest(self.people.how_to_approve()),
                    _ => fault,
                })?;
                Ok(match told {
                    Some(view) => Told::Queue(view),
                    None => Told::Controlled,
                })
            }
            Step::Session(ask) => self.session(ask).await.map(Told::Sessions),
            Step::Save(save) => Ok(Told::Saved {
                path: self.files.save(save)?,
            }),
            Step::Load { name } => Ok(Told::File {
                text: self.files.load(&name)?,
            }),
            Step::Answer(_) => Ok(Told::Controlled),
        }
    }

    async fn submit(
        &self,
        session: &SessionId,
        mut request: Request,
        until: Option<Instant>,
    ) -> Result<Told, Fault> {
        self.files.admit(&mut request.command)?;
        let name = request.command.name();
        let mut asked = self.direct.ask(Some(session), request);
        let told = match self.until_told(&mut asked, until).await {
            Some(told) => return Ok(Told::Outcome(told.outcome)),
            None => asked.proposed(),
        };
        Err(match told {
            Some(number) => {
                let message = format!("Command {number} ({name}) waits for a person's approval");
                if self.people == People::Gateway {
                    // A person may still approve it.
                    asked.leave();
                }
                Fault::new(Code::Timeout, message).suggest(self.people.how_to_approve())
            }
            None => {
                let waited = self.patience.as_secs();
                let message = format!("{name} was stopped after {waited} s");
                Fault::new(Code::Timeout, message)
                    .suggest("Look at the page, then ask for less at once.")
            }
        })
    }

    /// What became of it; `None`: it took too long, or waits for somebody who cannot come.
    async fn until_told(&self, asked: &mut Asked, until: Option<Instant>) -> Option<direct::Told> {
        // In vain: nobody can let it go.
        let vain = asked.to_approve();
        let told = asked.told();
        let late = async {
            match until {
                Some(until) => sleep_until(until).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            told = told => Some(told),
            () = vain, if self.people == People::Nobody => None,
            () = late => None,
        }
    }

    async fn session(&self, ask: SessionAsk) -> Result<Vec<SessionInfo>, Fault> {
        let follows = matches!(ask, SessionAsk::Close { .. }) && self.subscribed.initialized();
        let before = lock(&self.sessions).own().cloned();
        let told = self.sessions_after(ask)?;
        // Whoever follows the client's own page follows the one that takes its place.
        if follows && lock(&self.sessions).own() != before.as_ref() {
            self.page.changed();
            self.follow_own().await?;
        }
        Ok(told)
    }

    fn sessions_after(&self, ask: SessionAsk) -> Result<Vec<SessionInfo>, Fault> {
        let mut sessions = lock(&self.sessions);
        match ask {
            SessionAsk::List => Ok(sessions.list()),
            SessionAsk::Open { session } => {
                let named = session.is_some();
                let session = sessions.open(session)?;
                // One that somebody named may be somebody else's too.
                if !named {
                    self.direct.own(&session);
                }
                Ok(vec![SessionInfo {
                    session,
                    own: false,
                }])
            }
            SessionAsk::Close { session } => {
                let closed = sessions.close(session.as_ref())?;
                self.direct.close(&closed, sessions.own());
                Ok(sessions.list())
            }
        }
    }
}

impl Terms {
    /// How a new client is spoken to. What marks the text of pages is its own.
    pub fn talk(&self) -> Result<Conversation, Fault> {
        let options = Options {
            nonce: nonce()?,
            ..self.options.clone()
        };
        Ok(Conversation::new(options))
    }

    /// A session for a new client.
    pub fn session(&self) -> Result<SessionId, Fault> {
        new_session()
    }
}

/// Nine digits that no page can guess.
fn nonce() -> Result<String, Fault> {
    let random = getrandom::u64();
    let random = random.map_err(|error| Fault::new(Code::Internal, error.to_string()))?;
    Ok(format!("{:09}", random % 1_000_000_000))
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client() -> (crate::link::Link, crate::conversation::Conversation, Client) {
        let (link, conversation, direct) = Direct::new();
        let terms = Terms {
            options: Options::new("1"),
            files: Files::new("/nowhere".into(), Vec::new()),
            people: People::Nobody,
            fixtures: false,
        };
        let talk = terms.talk().expect("randomness");
        let own = SessionId::new("own");
        (link, conversation, Client::new(direct, talk, own, &terms))
    }

    /// Nobody is there to do it; the clock stands still and jumps to whatever is waited for.
    #[tokio::test(start_paused = true)]
    async fn a_call_is_answered_before_its_client_gives_up() {
        let (_link, _conversation, client) = client();
        let began = Instant::now();
        let answer = client.call("browser_snapshot", Map::new(), false).await;
        let answer = answer.expect("an answer");
        assert!(
            answer.is_error && answer.text.contains("timeout"),
            "{}",
            answer.text
        );
        assert_eq!(began.elapsed().as_secs(), PATIENCE.as_secs());
    }

    #[tokio::test]
    async fn without_a_driver_there_is_an_answer_at_once() {
        let (link, conversation, client) = client();
        drop((link, conversation));
        let answer = client.call("browser_snapshot", Map::new(), true).await;
        assert!(answer.expect("an answer").is_error);
    }
}
