//! Connections as they come from the network: how many there may be, and which of them have not
//! shown a token yet. Where there are too many of those, the one that has had the most time makes
//! room: who comes to work needs only a moment, who comes to sit does not get to stay.

use std::collections::BTreeMap;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::task::AbortHandle;

/// Connections at once: all of them, and those that have shown no token.
pub const LINES: usize = 2_048;
pub const STRANGERS: usize = 256;

/// All connections that are open.
#[derive(Debug, Clone, Default)]
pub struct Lines(Arc<All>);

#[derive(Debug, Default)]
struct All {
    table: Mutex<Table>,
    received: AtomicU64,
    sent: AtomicU64,
}

#[derive(Debug, Default)]
struct Table {
    last: u64,
    open: usize,
    /// The oldest first. `None`: its task is just being started.
    strangers: BTreeMap<u64, Option<AbortHandle>>,
    turned_away: u64,
}

/// How many there are, and what went through them.
#[derive(Debug, Clone, Copy)]
pub struct Traffic {
    pub open: usize,
    pub strangers: usize,
    pub turned_away: u64,
    pub received: u64,
    pub sent: u64,
}

/// One of them, as its requests know it.
#[derive(Debug, Clone)]
pub struct Caller {
    number: u64,
    all: Arc<All>,
}

/// One of them as bytes; it counts until it is dropped.
#[derive(Debug)]
pub struct Line {
    stream: TcpStream,
    caller: Caller,
}

impl Lines {
    /// `None`: there is no room, and nobody who would have to make some.
    pub fn take(&self, stream: TcpStream) -> Option<Line> {
        let mut table = self.0.table.lock().ok()?;
        if table.open >= LINES || table.strangers.len() >= STRANGERS {
            table.turned_away += 1;
            let (_, oldest) = table.strangers.pop_first()?;
            tracing::debug!("too many connections: the oldest without a token is ended");
            oldest?.abort();
        }
        table.open += 1;
        table.last += 1;
        let number = table.last;
        table.strangers.insert(number, None);
        let all = self.0.clone();
        Some(Line {
            stream,
            caller: Caller { number, all },
        })
    }

    pub fn traffic(&self) -> Traffic {
        let table = self.0.table.lock();
        let (open, strangers, turned_away) = table
            .map(|t| (t.open, t.strangers.len(), t.turned_away))
            .unwrap_or_default();
        Traffic {
            open,
            strangers,
            turned_away,
            received: self.0.received.load(Ordering::Relaxed),
            sent: self.0.sent.load(Ordering::Relaxed),
        }
    }
}

impl Caller {
    /// It has shown a token.
    pub fn admit(&self) {
        if let Ok(mut table) = self.all.table.lock() {
            table.strangers.remove(&self.number);
        }
    }

    pub fn is_stranger(&self) -> bool {
        let table = self.all.table.lock();
        table.is_ok_and(|table| table.strangers.contains_key(&self.number))
    }

    /// While it is a stranger, this task ends when others need its place.
    pub fn may_end(&self, task: AbortHandle) {
        if let Ok(mut table) = self.all.table.lock()
            && let Some(stranger) = table.strangers.get_mut(&self.number)
        {
            *stranger = Some(task);
        }
    }
}

impl Line {
    pub fn caller(&self) -> Caller {
        self.caller.clone()
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if let Ok(mut table) = self.caller.all.table.lock() {
            table.open -= 1;
            table.strangers.remove(&self.caller.number);
        }
    }
}

impl AsyncRead for Line {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(cx, buffer);
        let read = buffer.filled().len() - before;
        self.caller
            .all
            .received
            .fetch_add(read as u64, Ordering::Relaxed);
        polled
    }
}

impl AsyncWrite for Line {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.note_sent(&polled);
        polled
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.note_sent(&polled);
        polled
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

impl Line {
    fn note_sent(&self, polled: &Poll<io::Result<usize>>) {
        if let Poll::Ready(Ok(sent)) = polled {
            let all = &self.caller.all;
            all.sent.fetch_add(*sent as u64, Ordering::Relaxed);
        }
    }
}
