//! A real terminal, and what is on its screen.

use super::SOON;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::num::NonZero;
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

/// Between these, a terminal shows nothing new.
const DRAWING: &[u8] = b"\x1b[?2026h";
const DRAWN: &[u8] = b"\x1b[?2026l";

/// A terminal with a program in it.
pub struct Terminal {
    pub screen: vt100::Parser,
    /// What was written of a picture that is not whole yet.
    unseen: Vec<u8>,
    output: Receiver<Vec<u8>>,
    keys: Box<dyn Write + Send>,
    master: Box<dyn MasterPty + Send>,
    pub child: Box<dyn Child + Send + Sync>,
}

impl Terminal {
    pub fn start(arguments: &[&str], environment: &[(&str, &str)], rows: u16, cols: u16) -> Self {
        let program = env!("CARGO_BIN_EXE_dragoman");
        Self::with(program, arguments, environment, rows, cols)
    }

    pub fn with(
        program: &str,
        arguments: &[&str],
        environment: &[(&str, &str)],
        rows: u16,
        cols: u16,
    ) -> Self {
        let size = PtySize {
            rows,
            cols,
            ..PtySize::default()
        };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        command.env("TERM", "xterm-256color");
        for (name, value) in environment {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(length @ 1..) = reader.read(&mut chunk) {
                if sender.send(chunk[..length].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self {
            screen: vt100::Parser::new(some(rows), some(cols), 0),
            unseen: Vec::new(),
            output,
            keys: pair.master.take_writer().unwrap(),
            master: pair.master,
            child,
        }
    }

    /// Until the screen is as it should be.
    pub fn until(&mut self, what: &str, is_so: impl Fn(&vt100::Screen) -> bool) {
        let until = Instant::now() + SOON;
        while !is_so(self.screen.screen()) {
            let left = until.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.written(&bytes),
                Err(_) => panic!("no {what} on:\n{}", self.text()),
            }
        }
    }

    fn written(&mut self, bytes: &[u8]) {
        self.unseen.extend(bytes);
        let last = |mark: &[u8]| self.unseen.windows(mark.len()).rposition(|at| at == mark);
        let seen = match (last(DRAWING), last(DRAWN)) {
            (Some(begun), ended) if ended.is_none_or(|ended| ended < begun) => begun,
            _ => {
                // The mark itself may have come in two parts.
                let part = |length: &usize| self.unseen.ends_with(&DRAWING[..*length]);
                self.unseen.len() - (1..DRAWING.len()).rev().find(part).unwrap_or(0)
            }
        };
        let seen: Vec<u8> = self.unseen.drain(..seen).collect();
        self.screen.process(&seen);
    }

    pub fn until_shown(&mut self, text: &str) {
        self.until(text, |screen| screen.contents().contains(text));
    }

    pub fn text(&self) -> String {
        self.screen.screen().contents()
    }

    pub fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    pub fn resize(&mut self, rows: u16, cols: u16) {
        self.screen.screen_mut().set_size(some(rows), some(cols));
        let size = PtySize {
            rows,
            cols,
            ..PtySize::default()
        };
        self.master.resize(size).unwrap();
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn some(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap()
}
