//! A client's two directions as the driver sees them: bytes that come in, bytes that go out.
//! What carries them (standard input and output, a program in this process, later a socket) is
//! somebody else's business.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{Notify, mpsc};

/// While more than this waits to be read by the client, we read nothing more from it.
const MUCH: usize = 4 << 20;
/// Read at once.
const CHUNK: usize = 16 * 1024;

#[derive(Debug)]
pub struct Link {
    /// Ends when the client has nothing more to say.
    pub input: mpsc::Receiver<Vec<u8>>,
    pub output: Output,
}

/// The end of a link where bytes leave.
#[derive(Debug, Clone)]
pub struct Output {
    chunks: mpsc::UnboundedSender<Vec<u8>>,
    backlog: Arc<Backlog>,
}

/// The other end: whatever takes the bytes away.
#[derive(Debug)]
pub struct Outlet {
    chunks: mpsc::UnboundedReceiver<Vec<u8>>,
    backlog: Arc<Backlog>,
}

/// Why a link ends, where it was not for having said all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Farewell {
    /// The program ends.
    GoingAway,
    /// Too much waited to be read.
    TooSlow,
    /// There is no room for another session.
    Full,
    /// Somebody closed their session.
    Closed,
    /// There is no such session, and they may not open one.
    NoSession,
}

#[derive(Debug, Default)]
struct Backlog {
    farewell: OnceLock<Farewell>,
    bytes: AtomicUsize,
    less: Notify,
}

pub fn output() -> (Output, Outlet) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let backlog = Arc::<Backlog>::default();
    let output = Output {
        chunks: sender,
        backlog: backlog.clone(),
    };
    let outlet = Outlet {
        chunks: receiver,
        backlog,
    };
    (output, outlet)
}

impl Output {
    /// Nothing happens if nobody takes the bytes any more: `closed` says so.
    pub fn send(&self, chunk: Vec<u8>) {
        self.backlog.bytes.fetch_add(chunk.len(), Ordering::SeqCst);
        let _ = self.chunks.send(chunk);
    }

    /// Said before the link is dropped; the first reason holds.
    pub fn say_farewell(&self, farewell: Farewell) {
        let _ = self.backlog.farewell.set(farewell);
    }

    /// Bytes that have not been taken away.
    pub fn backlog(&self) -> usize {
        self.backlog.bytes.load(Ordering::SeqCst)
    }

    pub async fn closed(&self) {
        self.chunks.closed().await;
    }

    /// Until the client has read enough that it may be asked for more.
    pub async fn not_too_much(&self) {
        self.at_most(MUCH).await;
    }

    /// Until everything has been taken away, or nobody is there to do so.
    pub async fn empty(&self) {
        tokio::select! {
            () = self.at_most(0) => {}
            () = self.closed() => {}
        }
    }

    async fn at_most(&self, bytes: usize) {
        loop {
            let changed = self.backlog.less.notified();
            if self.backlog.bytes.load(Ordering::SeqCst) <= bytes {
                return;
            }
            changed.await;
        }
    }
}

impl Outlet {
    /// Bytes to carry away; call `carried` when that is done. `None`: there will be no more.
    pub async fn next(&mut self) -> Option<Vec<u8>> {
        self.chunks.recv().await
    }

    /// The same, for a thread.
    pub fn blocking_next(&mut self) -> Option<Vec<u8>> {
        self.chunks.blocking_recv()
    }

    /// Why there will be no more, if it was said.
    pub fn farewell(&self) -> Option<Farewell> {
        self.backlog.farewell.get().copied()
    }

    pub fn carried(&self, bytes: usize) {
        self.backlog.bytes.fetch_sub(bytes, Ordering::SeqCst);
        self.backlog.less.notify_waiters();
    }
}

/// The other end as lines, for whoever sits there in this process.
#[derive(Debug)]
pub struct Told {
    outlet: Outlet,
    unread: Vec<u8>,
}

impl Told {
    pub fn new(outlet: Outlet) -> Self {
        Self {
            outlet,
            unread: Vec::new(),
        }
    }

    /// `None`: there will be no more.
    pub async fn next_line(&mut self) -> Option<Vec<u8>> {
        loop {
            if let Some(end) = self.unread.iter().position(|b| *b == b'\n') {
                let rest = self.unread.split_off(end + 1);
                return Some(std::mem::replace(&mut self.unread, rest));
            }
            let chunk = self.outlet.next().await?;
            self.outlet.carried(chunk.len());
            self.unread.extend(chunk);
        }
    }
}

/// What is read there comes in here, until one side ends.
pub async fn carry_in(mut from: impl AsyncRead + Unpin, sender: mpsc::Sender<Vec<u8>>) {
    let mut buffer = vec![0; CHUNK];
    loop {
        match from.read(&mut buffer).await {
            Ok(0) => return,
            Ok(n) if sender.send(buffer[..n].to_vec()).await.is_err() => return,
            Ok(_) => {}
            Err(error) => return tracing::warn!(%error, "input cannot be read"),
        }
    }
}

/// What leaves here is written there. Ending with an error drops the outlet, which is how the driver learns of it.
pub async fn carry_out(mut to: impl AsyncWrite + Unpin, mut outlet: Outlet) {
    while let Some(chunk) = outlet.next().await {
        let written = async {
            to.write_all(&chunk).await?;
            to.flush().await
        };
        if let Err(error) = written.await {
            return tracing::debug!(%error, "output is closed");
        }
        outlet.carried(chunk.len());
    }
}
