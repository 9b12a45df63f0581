//! One WebSocket as a link: a text message is a line. It is read only when the driver takes more, so
//! a client that sends too fast waits; one that reads too slowly, or is no longer there, is let go.

use super::pace::Pace;
use crate::link::{Farewell, Outlet};
use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until, timeout};

/// A longer message ends the connection.
pub const MAX_MESSAGE: usize = 2 << 20;
/// Each socket has one, however idle it is.
pub const READ_BUFFER: usize = 8 << 10;
/// Between two pings, and how long nothing may be heard.
pub(super) const PING: Duration = Duration::from_secs(20);
pub(super) const SILENCE: Duration = Duration::from_secs(65);
/// For the other side to say goodbye too.
const GOODBYE: Duration = Duration::from_secs(1);
/// For one message to leave.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);
/// Close codes of our own.
const NO_SESSION: u16 = 4404;
const SESSION_CLOSED: u16 = 4410;

pub async fn carry(mut socket: WebSocket, lines: mpsc::Sender<Vec<u8>>, mut outlet: Outlet) {
    let mut read: Option<Vec<u8>> = None;
    let mut heard = Instant::now();
    let mut pace = Pace::new(heard);
    let mut ping = interval(PING);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            permit = lines.reserve(), if read.is_some() => match (permit, read.take()) {
                (Ok(permit), Some(bytes)) => permit.send(bytes),
                _ => return,
            },
            message = receive(&mut socket, &pace), if read.is_none() => {
                heard = Instant::now();
                pace.spend(heard);
                match message {
                    Some(Ok(Message::Text(text))) => read = Some(line(text.as_bytes())),
                    Some(Ok(Message::Binary(bytes))) => read = Some(line(&bytes)),
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                    // Gone, or something that is no WebSocket message: nobody reads any more what
                    // is still to be said.
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                }
            }
            chunk = outlet.next() => {
                let farewell = outlet.farewell();
                let Some(chunk) = chunk.filter(|_| farewell != Some(Farewell::TooSlow)) else {
                    return say_goodbye(socket, farewell).await;
                };
                if !send(&mut socket, &chunk).await {
                    return;
                }
                outlet.carried(chunk.len());
            }
            _ = ping.tick() => {
                let alive = heard.elapsed() < SILENCE;
                let sent = timeout(PATIENCE, socket.send(Message::Ping(Vec::new().into()))).await;
                if !alive || !matches!(sent, Ok(Ok(()))) {
                    return;
                }
            }
        }
    }
}

async fn receive(socket: &mut WebSocket, pace: &Pace) -> Option<Result<Message, axum::Error>> {
    if let Some(at) = pace.free_at(Instant::now()) {
        sleep_until(at).await;
    }
    socket.recv().await
}

/// What is still on its way to us is read, or the system would take back what we said last.
async fn say_goodbye(mut socket: WebSocket, farewell: Option<Farewell>) {
    let (code, reason) = match farewell {
        None => (close_code::NORMAL, ""),
        Some(Farewell::GoingAway) => (close_code::AWAY, "the gateway ends"),
        Some(Farewell::TooSlow) => (close_code::POLICY, "too slow: come back and look again"),
        Some(Farewell::Full) => (close_code::AGAIN, "too many sessions are open"),
        Some(Farewell::Closed) => (SESSION_CLOSED, "the session was closed"),
        Some(Farewell::NoSession) => (NO_SESSION, "there is no such session to watch"),
    };
    let reason = reason.into();
    let frame = Message::Close(Some(CloseFrame { code, reason }));
    if !matches!(timeout(PATIENCE, socket.send(frame)).await, Ok(Ok(()))) {
        return;
    }
    let _ = timeout(GOODBYE, async {
        while let Some(Ok(_)) = socket.recv().await {}
    })
    .await;
}

/// Line breaks in JSON are white space, and a message may be laid out for people.
fn line(bytes: &[u8]) -> Vec<u8> {
    let mut line: Vec<u8> = bytes
        .iter()
        .map(|b| if matches!(b, b'\n' | b'\r') { b' ' } else { *b })
        .collect();
    line.push(b'\n');
    line
}

async fn send(socket: &mut WebSocket, chunk: &[u8]) -> bool {
    for line in chunk.split(|b| *b == b'\n').filter(|line| !line.is_empty()) {
        let text = String::from_utf8_lossy(line).into_owned();
        let sent = timeout(PATIENCE, socket.send(Message::Text(text.into()))).await;
        if !matches!(sent, Ok(Ok(()))) {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gateway::{Lines, listen};
    use crate::link::output;
    use axum::Router;
    use axum::extract::WebSocketUpgrade;
    use axum::routing::get;
    use std::net::SocketAddr;
    use std::sync::{Arc, Mutex};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};

    /// Listens, and carries whoever comes; what they are to be told goes into what comes back.
    async fn carrying() -> (SocketAddr, crate::link::Output) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let at = listener.local_addr().unwrap();
        let (output, outlet) = output();
        let outlet = Arc::new(Mutex::new(Some(outlet)));
        let carry_one = move |up: WebSocketUpgrade| async move {
            let outlet = outlet.lock().unwrap().take().unwrap();
            let (lines, mut heard) = mpsc::channel(2);
            tokio::spawn(async move { while heard.recv().await.is_some() {} });
            up.on_upgrade(move |socket| carry(socket, lines, outlet))
        };
        let router = Router::new().route("/", get(carry_one));
        tokio::spawn(listen(listener, None, Lines::default(), router));
        (at, output)
    }

    async fn upgraded(at: SocketAddr) -> TcpStream {
        let mut stream = TcpStream::connect(at).await.unwrap();
        let request = "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                       Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
        stream.write_all(request.as_bytes()).await.unwrap();
        stream
    }

    /// The clock stands still and jumps to whatever is waited for.
    #[tokio::test(start_paused = true)]
    async fn one_that_is_no_longer_there_is_let_go() {
        let (at, _output) = carrying().await;
        let began = Instant::now();
        // It reads, so that pings leave, and never says anything.
        let mut silent = upgraded(at).await;
        let _ = silent.read_to_end(&mut Vec::new()).await;
        let waited = began.elapsed();
        assert!(waited >= SILENCE && waited < SILENCE + PING, "{waited:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_was_too_slow_is_told_so_and_spared_the_rest() {
        let (at, output) = carrying().await;
        let mut slow = upgraded(at).await;
        for _ in 0..64 {
            output.send([&vec![b'x'; 1 << 20][..], b"\n"].concat());
        }
        output.say_farewell(Farewell::TooSlow);
        drop(output);
        let mut read = Vec::new();
        slow.read_to_end(&mut read).await.unwrap();
        assert!(read.len() < 16 << 20, "{}", read.len());
        let code = close_code::POLICY.to_be_bytes();
        let said = read.windows(4).rev().find(|w| w.starts_with(&[0x88]));
        assert_eq!(said.map(|frame| &frame[2..]), Some(&code[..]));
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_does_not_read_is_not_waited_for() {
        let (at, output) = carrying().await;
        let began = Instant::now();
        let _deaf = upgraded(at).await;
        let mut line = vec![b'x'; 1 << 20];
        line.push(b'\n');
        for _ in 0..64 {
            output.send(line.clone());
        }
        output.closed().await;
        let waited = began.elapsed();
        assert!(waited >= PATIENCE && waited < SILENCE, "{waited:?}");
    }
}
