//! The terminal's keys, and the word to end. The terminal can only be read by waiting for it, so a thread does; it
//! stands aside while somebody else, such as an editor, has the terminal.

use crate::driver::{Ending, Signal};
use ratatui::crossterm::event::{self, Event};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;

/// So long the thread may need to notice that it is to stand aside.
const GLANCE: Duration = Duration::from_millis(50);

#[derive(Debug)]
pub struct Keys {
    events: mpsc::UnboundedReceiver<Event>,
    turn: Arc<Turn>,
}

#[derive(Debug, Default)]
struct Turn {
    stage: Mutex<Stage>,
    changed: Condvar,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Stage {
    #[default]
    Reads,
    /// Somebody else wants the terminal.
    Asked,
    StandsAside,
}

impl Keys {
    pub fn read() -> Self {
        let (sender, events) = mpsc::unbounded_channel();
        let turn = Arc::new(Turn::default());
        let its = turn.clone();
        std::thread::spawn(move || {
            while let Ok(ready) = event::poll(GLANCE) {
                if its.stood_aside() || !ready {
                    if sender.is_closed() {
                        return;
                    }
                    continue;
                }
                let told = event::read().map(|event| sender.send(event).is_ok());
                if !told.unwrap_or(false) {
                    return;
                }
            }
        });
        Self { events, turn }
    }

    pub async fn next(&mut self) -> Option<Event> {
        self.events.recv().await
    }

    /// When this is over, nobody reads the terminal any more.
    pub fn stand_aside(&self) {
        *self.turn.stage() = Stage::Asked;
        let asked = |stage: &mut Stage| *stage == Stage::Asked;
        let waited = self.turn.changed.wait_while(self.turn.stage(), asked);
        drop(waited);
    }

    pub fn go_on(&mut self) {
        while self.events.try_recv().is_ok() {}
        *self.turn.stage() = Stage::Reads;
        self.turn.changed.notify_all();
    }
}

impl Turn {
    fn stage(&self) -> MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the terminal was somebody else's meanwhile.
    fn stood_aside(&self) -> bool {
        let mut stage = self.stage();
        if *stage == Stage::Reads {
            return false;
        }
        *stage = Stage::StandsAside;
        self.changed.notify_all();
        let aside = |stage: &mut Stage| *stage == Stage::StandsAside;
        drop(self.changed.wait_while(stage, aside));
        true
    }
}

/// Until a signal says so, so that the terminal can be left as it was found; what a shell expects of a program that ended by it.
#[cfg(unix)]
pub async fn told_to_end() -> u8 {
    use tokio::signal::unix::{SignalKind, signal};
    let listen = |kind| signal(kind).ok();
    let (mut interrupt, mut terminate, mut hangup) = (
        listen(SignalKind::interrupt()),
        listen(SignalKind::terminate()),
        listen(SignalKind::hangup()),
    );
    let next = async |signal: &mut Option<tokio::signal::unix::Signal>| match signal {
        Some(signal) => drop(signal.recv().await),
        None => std::future::pending().await,
    };
    let signal = tokio::select! {
        () = next(&mut interrupt) => Signal::Interrupt,
        () = next(&mut terminate) => Signal::Terminate,
        () = next(&mut hangup) => Signal::Terminate,
    };
    Ending::Signal(signal).exit_code()
}

#[cfg(not(unix))]
pub async fn told_to_end() -> u8 {
    match tokio::signal::ctrl_c().await {
        Ok(()) => Ending::Signal(Signal::Interrupt).exit_code(),
        Err(_) => std::future::pending().await,
    }
}
