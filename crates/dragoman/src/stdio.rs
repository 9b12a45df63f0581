//! Standard input and output as a link. Both block, so each has a small thread of its own.

use crate::link::{Link, output};
use anyhow::Context;
use std::io::{ErrorKind, Read, Write};
use tokio::sync::mpsc;

const CHUNK: usize = 16 * 1024;
const STACK: usize = 128 * 1024;

pub fn link() -> anyhow::Result<Link> {
    let (sender, input) = mpsc::channel(2);
    let (output, mut outlet) = output();
    let read = move || {
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
    };
    // Ending with an error drops the outlet, which is how the driver learns that stdout is gone.
    let write = move || {
        let mut stdout = std::io::stdout().lock();
        while let Some(chunk) = outlet.blocking_next() {
            let written = stdout.write_all(&chunk).and_then(|()| stdout.flush());
            if let Err(error) = written {
                return tracing::debug!(%error, "standard output is closed");
            }
            outlet.carried(chunk.len());
        }
    };
    spawn("stdin", read)?;
    spawn("stdout", write)?;
    Ok(Link { input, output })
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> anyhow::Result<()> {
    std::thread::Builder::new()
        .name(name.into())
        .stack_size(STACK)
        .spawn(work)
        .map(drop)
        .context("a thread for standard input or output could not be started")
}
