//! A program in a terminal of its own, inside of ours.

use anyhow::Context;
use portable_pty::{ChildKiller, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use tokio::sync::mpsc;

const CHUNK: usize = 16 * 1024;
const STACK: usize = 128 * 1024;
/// Chunks that have been read and not yet been shown.
const AHEAD: usize = 16;

/// Ends its program when it is dropped.
pub struct Pty {
    master: Box<dyn MasterPty + Send>,
    keys: std::sync::mpsc::Sender<Vec<u8>>,
    killer: Box<dyn ChildKiller + Send + Sync>,
}

impl Pty {
    /// Run this, or a shell; what it writes comes through the channel, which ends with it.
    pub fn start(
        command: Option<&str>,
        size: (u16, u16),
    ) -> anyhow::Result<(Self, mpsc::Receiver<Vec<u8>>)> {
        let pair = native_pty_system().openpty(in_cells(size))?;
        let mut child = pair
            .slave
            .spawn_command(shell(command))
            .context("the program could not be started")?;
        drop(pair.slave);
        let killer = child.clone_killer();
        let mut reader = pair.master.try_clone_reader()?;
        let mut writer = pair.master.take_writer()?;
        let (keys, typed) = std::sync::mpsc::channel::<Vec<u8>>();
        let (sender, output) = mpsc::channel(AHEAD);
        thread("pty-out", move || {
            let mut chunk = vec![0; CHUNK];
            while let Ok(length @ 1..) = reader.read(&mut chunk) {
                if sender.blocking_send(chunk[..length].to_vec()).is_err() {
                    break;
                }
            }
            let _ = child.wait();
        })?;
        thread("pty-in", move || {
            while let Ok(bytes) = typed.recv() {
                if writer.write_all(&bytes).is_err() {
                    return;
                }
            }
        })?;
        let pty = Self {
            master: pair.master,
            keys,
            killer,
        };
        Ok((pty, output))
    }

    pub fn write(&self, bytes: Vec<u8>) {
        let _ = self.keys.send(bytes);
    }

    pub fn resize(&self, size: (u16, u16)) {
        if let Err(error) = self.master.resize(in_cells(size)) {
            tracing::debug!(%error, "the terminal keeps its size");
        }
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        let _ = self.killer.kill();
    }
}

fn in_cells((rows, cols): (u16, u16)) -> PtySize {
    PtySize {
        rows,
        cols,
        ..PtySize::default()
    }
}

fn shell(command: Option<&str>) -> CommandBuilder {
    let shell = std::env::var("SHELL").unwrap_or_else(|_| "/bin/sh".into());
    let mut builder = CommandBuilder::new(shell);
    if let Some(command) = command.filter(|command| !command.is_empty()) {
        builder.args(["-c", command]);
    }
    builder.env("TERM", "xterm-256color");
    if let Ok(here) = std::env::current_dir() {
        builder.cwd(here);
    }
    builder
}

fn thread(name: &str, work: impl FnOnce() + Send + 'static) -> anyhow::Result<()> {
    let thread = std::thread::Builder::new().name(name.into());
    thread.stack_size(STACK).spawn(work)?;
    Ok(())
}
