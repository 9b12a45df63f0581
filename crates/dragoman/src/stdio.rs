//! Standard input and output as a link. A pipe, which is what programs give us, is waited for by
//! the loop itself; anything else blocks, so it has a small thread of its own.

use crate::link::{Link, Outlet, carry_in, carry_out, output};
use anyhow::Context;
use std::io::{ErrorKind, Read, Write};
use tokio::sync::mpsc;

const CHUNK: usize = 16 * 1024;
const STACK: usize = 128 * 1024;

type Sender = mpsc::Sender<Vec<u8>>;

/// Must be called inside the runtime.
pub fn link() -> anyhow::Result<Link> {
    let (sender, input) = mpsc::channel(2);
    let (output, outlet) = output();
    match pipes::stdin() {
        Some(stdin) => drop(tokio::task::spawn_local(carry_in(stdin, sender))),
        None => spawn("stdin", move || read(&sender))?,
    }
    // Ending with an error drops the outlet, which is how the driver learns that stdout is gone.
    match pipes::stdout() {
        Some(stdout) => drop(tokio::task::spawn_local(carry_out(stdout, outlet))),
        None => spawn("stdout", move || write(outlet))?,
    }
    Ok(Link { input, output })
}

fn read(sender: &Sender) {
    let mut stdin = std::io::stdin().lock();
    let mut buffer = vec![0; CHUNK];
    loop {
        match stdin.read(&mut buffer) {
            Ok(0) => return,
            Ok(n) if sender.blocking_send(buffer[..n].to_vec()).is_err() => return,
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return tracing::warn!(%error, "standard input cannot be read"),
        }
    }
}

fn write(mut outlet: Outlet) {
    let mut stdout = std::io::stdout().lock();
    while let Some(chunk) = outlet.blocking_next() {
        let written = stdout.write_all(&chunk).and_then(|()| stdout.flush());
        if let Err(error) = written {
            return tracing::debug!(%error, "standard output is closed");
        }
        outlet.carried(chunk.len());
    }
}

/// Pipes without a thread between them and the loop. Opened anew by their name under `/proc`:
/// a pipe made non-blocking for us alone stays as it is for those who share it.
#[cfg(target_os = "linux")]
mod pipes {
    use tokio::net::unix::pipe;

    /// Room for a large answer, so that it does not take dozens of turns to leave.
    const ROOM: usize = 1 << 20;

    pub fn stdin() -> Option<pipe::Receiver> {
        pipe::OpenOptions::new()
            .open_receiver("/proc/self/fd/0")
            .ok()
    }

    pub fn stdout() -> Option<pipe::Sender> {
        let stdout = pipe::OpenOptions::new()
            .open_sender("/proc/self/fd/1")
            .ok()?;
        if let Err(error) = rustix::pipe::fcntl_setpipe_size(&stdout, ROOM) {
            tracing::debug!(%error, "standard output keeps its size");
        }
        Some(stdout)
    }
}

#[cfg(not(target_os = "linux"))]
mod pipes {
    /// There is none; it is never read or written.
    pub type No = tokio::io::Empty;

    pub fn stdin() -> Option<No> {
        None
    }

    pub fn stdout() -> Option<No> {
        None
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> anyhow::Result<()> {
    std::thread::Builder::new()
        .name(name.into())
        .stack_size(STACK)
        .spawn(work)
        .map(drop)
        .context("a thread for standard input or output could not be started")
}
