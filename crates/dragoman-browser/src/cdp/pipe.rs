//! Chromium's debugging pipe: messages end in NUL. No port is opened, and the browser exits by
//! itself when our end closes.
//!
//! Must not know: what a message says.

use super::Connection;
use super::connection::{Outlet, Shared};
use std::cell::RefCell;
use std::io;
use std::os::fd::OwnedFd;
use std::rc::Rc;
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;
use tokio::sync::Notify;
use tokio::task::spawn_local;

/// Bytes asked for per read: what a pipe holds on Linux. (A bigger pipe was no faster: the time of
/// a big answer goes into the browser's making of it.)
const CHUNK: usize = 64 << 10;

/// A read buffer that grew beyond this for one big answer is given back afterwards.
const KEEP: usize = 1 << 20;

impl Connection {
    /// Speaks CDP over two pipe ends: `write` leads to the browser's fd 3, `read` comes from its
    /// fd 4. Must be called inside a local runtime.
    pub fn over_pipe(read: OwnedFd, write: OwnedFd) -> io::Result<Self> {
        let receiver = pipe::Receiver::from_owned_fd(read)?;
        let pipe = Rc::new(PipeOutlet {
            sender: pipe::Sender::from_owned_fd(write)?,
            backlog: RefCell::default(),
            more: Notify::new(),
        });
        let shared = Shared::new(Box::new(pipe.clone()));
        let reader = spawn_local(read_messages(receiver, shared.clone()));
        let writer = spawn_local(write_backlog(pipe, shared.clone()));
        let tasks = vec![reader.abort_handle(), writer.abort_handle()];
        Ok(Self::new(shared, tasks))
    }
}

struct PipeOutlet {
    sender: pipe::Sender,
    /// What did not fit into the pipe yet, in order.
    backlog: RefCell<Vec<u8>>,
    more: Notify,
}

impl Outlet for Rc<PipeOutlet> {
    fn write(&self, mut message: Vec<u8>) -> io::Result<()> {
        message.push(0);
        let mut backlog = self.backlog.borrow_mut();
        let written = if backlog.is_empty() {
            match self.sender.try_write(&message) {
                Ok(written) => written,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
                Err(error) => return Err(error),
            }
        } else {
            0
        };
        if written < message.len() {
            backlog.extend_from_slice(&message[written..]);
            self.more.notify_one();
        }
        Ok(())
    }
}

async fn write_backlog(pipe: Rc<PipeOutlet>, shared: Rc<Shared>) {
    loop {
        pipe.more.notified().await;
        if let Err(error) = flush(&pipe).await {
            return shared.close(&format!("writing to it failed: {error}"));
        }
    }
}

async fn flush(pipe: &PipeOutlet) -> io::Result<()> {
    // `sent` is kept apart so that a big backlog is not moved for every piece that left.
    let mut sent = 0;
    loop {
        pipe.sender.writable().await?;
        let mut backlog = pipe.backlog.borrow_mut();
        match pipe.sender.try_write(&backlog[sent..]) {
            Ok(written) => sent += written,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
        if sent == backlog.len() {
            *backlog = Vec::new();
            return Ok(());
        }
    }
}

async fn read_messages(mut receiver: pipe::Receiver, shared: Rc<Shared>) {
    let mut incoming = Incoming::default();
    loop {
        incoming.bytes.reserve(CHUNK);
        match receiver.read_buf(&mut incoming.bytes).await {
            Ok(0) => return shared.close("it closed its end of the pipe"),
            Ok(_) => incoming.take_messages(|message| shared.receive(message)),
            Err(error) => return shared.close(&format!("reading from it failed: {error}")),
        }
    }
}

/// Bytes read so far that are not a whole message yet.
#[derive(Default)]
struct Incoming {
    bytes: Vec<u8>,
    /// No NUL before this: no byte is looked at twice, however big a message grows.
    scanned: usize,
}

impl Incoming {
    fn take_messages(&mut self, mut each: impl FnMut(&[u8])) {
        let mut start = 0;
        while let Some(found) = memchr::memchr(0, &self.bytes[self.scanned..]) {
            let end = self.scanned + found;
            each(&self.bytes[start..end]);
            start = end + 1;
            self.scanned = start;
        }
        if start > 0 {
            self.bytes.drain(..start);
            if self.bytes.capacity() > KEEP {
                self.bytes.shrink_to(CHUNK);
            }
        }
        self.scanned = self.bytes.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_found_however_they_are_cut() {
        let stream = b"{\"a\":1}\0{}\0\0{\"b\":2}\0rest";
        for size in 1..stream.len() {
            let mut incoming = Incoming::default();
            let mut seen = Vec::new();
            for piece in stream.chunks(size) {
                incoming.bytes.extend_from_slice(piece);
                incoming.take_messages(|message| {
                    seen.push(String::from_utf8(message.to_vec()).unwrap());
                });
            }
            assert_eq!(seen, ["{\"a\":1}", "{}", "", "{\"b\":2}"], "cut by {size}");
            assert_eq!(incoming.bytes, b"rest");
        }
    }
}
