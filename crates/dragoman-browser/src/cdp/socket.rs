//! CDP over a WebSocket: a browser somebody else started, here or elsewhere.
//!
//! Must not know: what a message says.

use super::connection::{Outlet, Shared};
use super::{CdpError, Connection, version};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use std::io;
use std::rc::Rc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::spawn_local;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Nobody waits longer than this for a browser that does not pick up.
const PATIENCE: Duration = Duration::from_secs(10);

/// As much as Chromium itself allows over its pipe.
const LARGEST_MESSAGE: usize = 256 << 20;

/// Connects to a running browser: `ws://…/devtools/browser/…`, or `http://host:port`, which is
/// asked for its socket. Must be called inside a local runtime.
pub async fn connect(url: &str) -> Result<Connection, CdpError> {
    let opened = tokio::time::timeout(PATIENCE, open(url)).await;
    let seconds = PATIENCE.as_secs();
    opened.unwrap_or_else(|_| Err(unreachable(url, format!("no answer in {seconds} s"))))
}

async fn open(url: &str) -> Result<Connection, CdpError> {
    let socket_url = if url.starts_with("http://") {
        version::socket_url(url)
            .await
            .map_err(|error| unreachable(url, error))?
    } else if url.starts_with("ws://") {
        url.to_owned()
    } else {
        return Err(unreachable(url, "only ws:// and http:// are understood"));
    };
    let config = WebSocketConfig::default()
        .max_message_size(Some(LARGEST_MESSAGE))
        .max_frame_size(Some(LARGEST_MESSAGE));
    // Calls are small and latency is all that counts: no waiting for more to send.
    let no_delay = true;
    let (socket, _) =
        tokio_tungstenite::connect_async_with_config(socket_url, Some(config), no_delay)
            .await
            .map_err(|error| unreachable(url, error))?;
    Ok(over_socket(socket))
}

fn unreachable(url: &str, why: impl std::fmt::Display) -> CdpError {
    CdpError::Closed(format!("no connection to {url}: {why}"))
}

fn over_socket(socket: Socket) -> Connection {
    let (sink, stream) = socket.split();
    let (sender, calls) = mpsc::unbounded_channel();
    let shared = Shared::new(Box::new(SocketOutlet(sender)));
    let reader = spawn_local(read_messages(stream, shared.clone()));
    let writer = spawn_local(write_calls(sink, calls, shared.clone()));
    let tasks = vec![reader.abort_handle(), writer.abort_handle()];
    Connection::new(shared, tasks)
}

struct SocketOutlet(mpsc::UnboundedSender<Utf8Bytes>);

impl Outlet for SocketOutlet {
    fn write(&self, message: Vec<u8>) -> io::Result<()> {
        let text = String::from_utf8(message).map_err(io::Error::other)?;
        self.0
            .send(text.into())
            .map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

async fn write_calls(
    mut sink: SplitSink<Socket, Message>,
    mut calls: mpsc::UnboundedReceiver<Utf8Bytes>,
    shared: Rc<Shared>,
) {
    while let Some(call) = calls.recv().await {
        if let Err(error) = write_burst(&mut sink, call, &mut calls).await {
            return shared.close(&format!("writing to it failed: {error}"));
        }
    }
}

/// Calls sent together travel together: one flush for all that are queued.
async fn write_burst(
    sink: &mut SplitSink<Socket, Message>,
    first: Utf8Bytes,
    calls: &mut mpsc::UnboundedReceiver<Utf8Bytes>,
) -> Result<(), tokio_tungstenite::tungstenite::Error> {
    sink.feed(Message::Text(first)).await?;
    while let Ok(next) = calls.try_recv() {
        sink.feed(Message::Text(next)).await?;
    }
    sink.flush().await
}

async fn read_messages(mut stream: SplitStream<Socket>, shared: Rc<Shared>) {
    loop {
        match stream.next().await {
            Some(Ok(Message::Text(text))) => shared.receive(text.as_bytes()),
            Some(Ok(Message::Binary(bytes))) => shared.receive(&bytes),
            Some(Ok(Message::Close(_))) | None => return shared.close("it closed the socket"),
            Some(Ok(_)) => {} // pings are answered by the library
            Some(Err(error)) => {
                return shared.close(&format!("reading from it failed: {error}"));
            }
        }
    }
}
