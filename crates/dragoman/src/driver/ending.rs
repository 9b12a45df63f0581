//! How it ends. Quietly: every client has said all it had to say, and what was queued is done. Or
//! early: a signal, or nobody listens; then what runs is stopped and recorded as interrupted, and
//! nothing new begins. Either way the browser is closed before we are gone.

use super::{Driver, Event};
use crate::journal::Journal;
use crate::link::Farewell;
use crate::surface::Surface;
use dragoman_engine::{ClientId, Effect, Input, Message, Record};
use dragoman_model::{Code, Fault, Outcome, SessionId};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};

/// How long the last records, answers and the browser may take.
const PATIENCE: Duration = Duration::from_secs(3);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    Interrupt,
    Terminate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// All was done.
    Done,
    /// A client stopped listening.
    Deaf,
    Signal(Signal),
}

impl Ending {
    /// What a shell expects of a program that ended so.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Done | Self::Deaf => 0,
            Self::Signal(Signal::Interrupt) => 130,
            Self::Signal(Signal::Terminate) => 143,
        }
    }
}

/// Ends the driver from outside: what runs is stopped, and all that was said is still told.
#[derive(Debug, Clone)]
pub struct Stop(mpsc::UnboundedSender<Event>);

impl Stop {
    pub fn enough(&self) {
        let _ = self.0.send(Event::Enough);
    }
}

/// We are ending early; the last words are on their way.
#[derive(Debug)]
pub struct Closing {
    ending: Ending,
    until: Instant,
}

impl Closing {
    pub fn patience_ends(&self) -> Instant {
        self.until
    }
}

impl<J: Journal + 'static, S: Surface> Driver<J, S> {
    /// Signals come in as events. The last one does not wait for anything: it is the second, or
    /// with a door the third.
    #[cfg(unix)]
    pub fn listen_for_signals(&self) -> std::io::Result<()> {
        use tokio::signal::unix::{SignalKind, signal};
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let mut hangup = signal(SignalKind::hangup())?;
        let events = self.events.clone();
        let mut patience = if self.has_door() { 2 } else { 1 };
        tokio::task::spawn_local(async move {
            loop {
                let signal = tokio::select! {
                    Some(()) = interrupt.recv() => Signal::Interrupt,
                    Some(()) = terminate.recv() => Signal::Terminate,
                    // The terminal was closed.
                    Some(()) = hangup.recv() => Signal::Terminate,
                };
                if patience == 0 {
                    std::process::exit(Ending::Signal(signal).exit_code().into());
                }
                patience -= 1;
                let _ = events.send(Event::Signal(signal));
            }
        });
        Ok(())
    }

    #[cfg(not(unix))]
    pub fn listen_for_signals(&self) -> std::io::Result<()> {
        let events = self.events.clone();
        let mut patience = if self.has_door() { 2 } else { 1 };
        tokio::task::spawn_local(async move {
            while tokio::signal::ctrl_c().await.is_ok() {
                if patience == 0 {
                    std::process::exit(Ending::Signal(Signal::Interrupt).exit_code().into());
                }
                patience -= 1;
                let _ = events.send(Event::Signal(Signal::Interrupt));
            }
        });
        Ok(())
    }

    pub fn stop(&self) -> Stop {
        Stop(self.events.clone())
    }

    /// Stop now: no more input, nothing new, and what runs is interrupted and recorded so.
    pub(super) fn close(&mut self, ending: Ending) {
        self.closing = Some(Closing {
            ending,
            until: Instant::now() + PATIENCE,
        });
        self.runs.drain().for_each(|(_, task)| task.abort());
        let clients: Vec<ClientId> = self.clients.keys().copied().collect();
        let sessions: Vec<SessionId> = self.lanes.keys().cloned().collect();
        for session in sessions {
            let Some(lane) = self.lanes.get_mut(&session) else {
                continue;
            };
            lane.keep_only_words();
            for (number, open) in lane.running() {
                let outcome = interrupted();
                lane.push(Effect::Record(Record::Ended {
                    session: session.clone(),
                    number,
                    outcome: outcome.clone(),
                    took_ms: 0,
                }));
                for client in &clients {
                    lane.push(Effect::Tell {
                        client: *client,
                        message: Message::Outcome {
                            session: session.clone(),
                            id: open.id.clone(),
                            number,
                            command: open.name,
                            outcome: outcome.clone(),
                            took_ms: 0,
                        },
                    });
                }
            }
            self.advance(&session);
        }
    }

    /// Only records are still waited for.
    pub(super) fn handle_closing(&mut self, event: Event) {
        let Event::Durable { session, result } = event else {
            return;
        };
        let Some(lane) = self.lanes.get_mut(&session) else {
            return;
        };
        match result {
            Ok(()) => {
                lane.durable();
                self.advance(&session);
            }
            // What was not recorded is not told; the next start reports it as interrupted.
            Err(error) => {
                tracing::error!(%session, %error, "the journal failed at the end");
                lane.failed();
            }
        }
    }

    /// Whether it is time to go.
    pub(super) fn ending(&mut self) -> Option<Ending> {
        if let Some(closing) = &self.closing {
            let said = self.lanes.values().all(|lane| lane.is_empty());
            return (said || closing.until <= Instant::now()).then_some(closing.ending);
        }
        if self.has_door() {
            return None;
        }
        let listened = self.clients.values().all(|client| client.is_done());
        let idle = listened && !self.is_opening() && !self.lanes.values().any(|l| l.is_busy());
        if !idle {
            return None;
        }
        match self.passing.pop_first() {
            Some(session) => {
                let left = self.lanes.get(&session).is_some_and(|l| l.open_count() > 0);
                if !left {
                    self.input(Input::CloseSession { session });
                }
                self.ending()
            }
            None => Some(Ending::Done),
        }
    }

    pub(super) async fn finish(mut self, ending: Ending) -> Ending {
        self.flush();
        for client in self.clients.values() {
            client.say_farewell(Farewell::GoingAway);
            let _ = timeout(PATIENCE, client.heard_all()).await;
        }
        if timeout(PATIENCE, self.surface.shutdown()).await.is_err() {
            tracing::warn!("the browser did not end in time; it goes when its pipe closes");
        }
        ending
    }
}

fn interrupted() -> Outcome {
    Outcome::Interrupted {
        fault: Fault::new(Code::Interrupted, "The program was ended while it ran"),
    }
}
