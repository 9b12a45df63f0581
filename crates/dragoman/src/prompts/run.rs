//! An asker together with whoever takes part: a person at the terminal, agents, or both.

use super::agent::{Agents, At, Speaks};
pub use super::show::Signal;
use super::show::show;
use super::supply::{Came, Supply};
use super::{Prompts, Told};
use crate::keys::told_to_end;
use crate::trouble::Trouble;
use dragoman_model::SessionId;
use dragoman_prompt::{Prompt, Spec};
use std::future::Future;
use tokio::sync::mpsc;

/// Who takes part.
#[derive(Debug, Clone, Default)]
pub struct Company {
    /// Nobody at the terminal.
    pub headless: bool,
    pub agents: Vec<At>,
    pub speaks: Speaks,
}

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End<T> {
    Done(T),
    /// By a signal, or because nobody is there to answer; with this exit code.
    Early(u8),
}

/// What an asker works with.
#[derive(Debug, Clone)]
pub struct Asker {
    pub prompts: Prompts,
    pub session: SessionId,
    pub signals: mpsc::UnboundedSender<Signal>,
    /// The terminal is ours meanwhile: nobody else may write on it.
    pub on_screen: bool,
}

impl Company {
    /// Let somebody ask. When this comes back, the terminal is as it was.
    pub async fn with<T, W>(self, work: impl FnOnce(Asker) -> W) -> anyhow::Result<End<T>>
    where
        W: Future<Output = anyhow::Result<T>>,
    {
        self.check()?;
        let session = SessionId::new("prompt").expect("a plain word is a valid name");
        let (events, surface_events) = mpsc::unbounded_channel();
        let prompts = Prompts::new(events);
        let alone = self.headless && self.agents == [At::Stdio];
        let mut agents = Agents::let_in(
            &prompts,
            &session,
            surface_events,
            &self.agents,
            self.speaks,
            alone,
        )
        .await?;
        let (signals, hears) = mpsc::unbounded_channel();
        let work = work(Asker {
            prompts: prompts.clone(),
            session: session.clone(),
            signals,
            on_screen: !self.headless,
        });
        let gone = async {
            match &mut agents {
                Some(agents) if alone => agents.gone().await,
                _ => std::future::pending().await,
            }
        };
        let ended = tokio::select! {
            biased;
            done = work => done.map(End::Done),
            // Before the terminal is touched.
            code = told_to_end() => Ok(End::Early(code)),
            shown = show(&prompts, &session, hears), if !self.headless => match shown {
                Ok(()) => Ok(End::Early(CANCELLED)),
                Err(error) => Err(error),
            },
            () = gone => Ok(End::Early(CANCELLED)),
        };
        if let Some(agents) = agents {
            agents.leave().await;
        }
        ended
    }

    fn check(&self) -> Result<(), Trouble> {
        if self.headless && self.agents.is_empty() {
            return Err(Trouble::new(
                Trouble::USAGE,
                "Without a terminal and without an agent nobody could answer",
                "Leave --headless away, or add --agent stdio, --agent unix:PATH or --agent ws.",
            ));
        }
        Ok(())
    }
}

/// What a shell is told when nobody answered.
pub const CANCELLED: u8 = 130;

impl Asker {
    /// Ask one thing and wait for the answer. Choices may come while it is asked.
    pub async fn ask(&self, spec: Spec, mut supply: Option<Supply>) -> Told {
        let mut told = self.prompts.ask(&self.session, spec);
        if supply.is_some() {
            self.with(|prompt| prompt.expect_more(true));
        }
        loop {
            tokio::select! {
                biased;
                told = told.recv() => match told {
                    Some(Told::Action { .. }) => {}
                    Some(last) => return last,
                    None => return Told::Answer(None),
                },
                came = next(&mut supply) => {
                    self.supplied(came, &mut supply);
                    // Whoever types comes before what is still to come.
                    tokio::task::yield_now().await;
                }
            }
        }
    }

    /// All that has come by now, at once: then it costs the less, the more there is.
    fn supplied(&self, came: Option<Came>, supply: &mut Option<Supply>) {
        if came.is_none() {
            *supply = None;
            return self.with(|prompt| prompt.expect_more(false));
        }
        let mut choices = Vec::new();
        let mut came = came;
        while let Some(next) = came {
            match next {
                Came::More(some) => choices.extend(some),
                Came::Trouble(why) => self.with(|prompt| prompt.say(&why)),
            }
            came = supply.as_mut().and_then(|supply| supply.try_recv().ok());
        }
        self.with(|prompt| prompt.more_choices(choices));
    }

    fn with(&self, what: impl FnOnce(&mut Prompt)) {
        self.prompts.with(&self.session, what);
    }
}

/// `None`: that was all.
async fn next(supply: &mut Option<Supply>) -> Option<Came> {
    match supply {
        Some(supply) => supply.recv().await,
        None => std::future::pending().await,
    }
}
