//! The terminal's keys, and the word to end. They are awaited; while somebody else, such as an editor, has the
//! terminal, nobody here reads it.

use crate::driver::{Ending, Signal};
use crossterm::event::{self, Event, EventStream};
use futures_util::StreamExt;
use std::time::Duration;

/// With no time at all nothing is read.
const AT_HAND: Duration = Duration::from_millis(1);

/// `None`: there is no terminal to read, or it is somebody else's.
#[derive(Debug)]
pub struct Keys(Option<EventStream>);

impl Keys {
    pub fn read() -> Self {
        // Where nothing can be read, a stream could not even be made.
        let readable = event::poll(Duration::ZERO).is_ok();
        Self(readable.then(EventStream::new))
    }

    pub async fn next(&mut self) -> Option<Event> {
        self.0.as_mut()?.next().await?.ok()
    }

    /// When this is over, nobody reads the terminal any more.
    pub fn stand_aside(&mut self) {
        if self.0.take().is_some() {
            // Made only when the old one has let go; and it reads nothing before it is asked.
            self.0 = Some(EventStream::new());
        }
    }

    /// What came in between was not for us.
    pub fn go_on(&mut self) {
        while let Ok(true) = event::poll(AT_HAND) {
            let _ = event::read();
        }
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
