//! Listening: every connection is taken up, encrypted if it is to be, and given to the router. Who
//! takes too long before a request has arrived is hung up on.
//!
//! Must not know: what is asked, who may ask.

use super::lines::{Caller, Line, Lines};
use super::tls::Tls;
use axum::Router;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// For encryption to be agreed upon.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// For a request's head to arrive, also the next one on a connection that is kept, while no token was shown.
const HEAD: Duration = Duration::from_secs(15);
/// The same for those who have shown one: between two calls a model thinks and a person reads, and not every client
/// notices that it was hung up on.
const KEPT: Duration = Duration::from_secs(15 * 60);
/// As much as a head may have, its address included.
const HEAD_BYTES: usize = 16 << 10;
/// There is no event for "files can be opened again".
const BREATH: Duration = Duration::from_millis(100);

/// Until it is dropped.
pub async fn listen(listener: TcpListener, mut tls: Option<Tls>, lines: Lines, router: Router) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let tls = tls.as_mut().map(Tls::acceptor);
                take_up(stream, tls, &lines, router.clone());
            }
            Err(error) if is_theirs(&error) => {}
            Err(error) => {
                tracing::warn!(%error, "no connection can be taken up");
                sleep(BREATH).await;
            }
        }
    }
}

/// Whoever called has gone again.
fn is_theirs(error: &std::io::Error) -> bool {
    use std::io::ErrorKind as Kind;
    matches!(
        error.kind(),
        Kind::ConnectionAborted | Kind::ConnectionReset | Kind::Interrupted
    )
}

fn take_up(
    stream: TcpStream,
    tls: Option<tokio_rustls::TlsAcceptor>,
    lines: &Lines,
    router: Router,
) {
    // Answers are small and awaited.
    let _ = stream.set_nodelay(true);
    let Some(line) = lines.take(stream) else {
        return;
    };
    let caller = line.caller();
    let task = tokio::spawn(answer(line, caller.clone(), tls, router));
    caller.may_end(task.abort_handle());
}

async fn answer(
    line: Line,
    caller: Caller,
    tls: Option<tokio_rustls::TlsAcceptor>,
    router: Router,
) {
    let Some(tls) = tls else {
        return talk(line, caller, router).await;
    };
    match timeout(HANDSHAKE, tls.accept(line)).await {
        Ok(Ok(line)) => talk(line, caller, router).await,
        Ok(Err(error)) => tracing::debug!(%error, "encryption could not be agreed upon"),
        Err(_) => tracing::debug!("encryption was not agreed upon in time"),
    }
}

async fn talk<L>(line: L, caller: Caller, router: Router)
where
    L: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let router = TowerToHyperService::new(router);
    let (waiting, known) = (Waiting::default(), caller.clone());
    let waits = waiting.clone();
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(caller.clone());
        waits.set(None);
        let (answer, waits) = (router.call(request), waits.clone());
        async move {
            let answer = answer.await;
            waits.set(Some(Instant::now()));
            answer
        }
    });
    let talking = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(KEPT)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(line), service)
        .with_upgrades();
    tokio::select! {
        talked = talking => if let Err(error) = talked {
            tracing::debug!(%error, "a connection ended early");
        },
        () = waiting.overdue(&known) => tracing::debug!("a stranger asked for nothing in time"),
    }
}

/// Since when the next request is waited for; `None` while one is in hand.
#[derive(Debug, Clone)]
struct Waiting(Arc<Mutex<Option<Instant>>>);

impl Default for Waiting {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Some(Instant::now()))))
    }
}

impl Waiting {
    fn set(&self, since: Option<Instant>) {
        if let Ok(mut waiting) = self.0.lock() {
            *waiting = since;
        }
    }

    /// Until a stranger has been waited for too long.
    async fn overdue(&self, caller: &Caller) {
        loop {
            let since = self.0.lock().map_or(None, |waiting| *waiting);
            let until = since.unwrap_or_else(Instant::now) + HEAD;
            if since.is_some() && until <= Instant::now() {
                return;
            }
            sleep_until(until).await;
            if !caller.is_stranger() {
                return std::future::pending().await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::Extension;
    use axum::routing::get;
    use std::net::SocketAddr;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::time::Instant;

    async fn listening(tls: Option<Tls>) -> SocketAddr {
        answering(tls, Router::new()).await
    }

    async fn answering(tls: Option<Tls>, router: Router) -> SocketAddr {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let at = listener.local_addr().unwrap();
        tokio::spawn(listen(listener, tls, Lines::default(), router));
        at
    }

    /// How long it takes until we are hung up on, after we said this. The clock stands still and
    /// jumps to whatever is waited for.
    async fn hung_up_after(at: SocketAddr, said: &[u8]) -> Duration {
        let began = Instant::now();
        let mut stream = TcpStream::connect(at).await.unwrap();
        stream.write_all(said).await.unwrap();
        let _ = stream.read_to_end(&mut Vec::new()).await;
        began.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn a_head_that_does_not_come_is_not_waited_for() {
        let at = listening(None).await;
        let slow = Duration::from_secs(1);
        for said in ["", "GET / HT", "GET / HTTP/1.1\r\nHost: x\r\n"] {
            let waited = hung_up_after(at, said.as_bytes()).await;
            assert!(
                waited >= HEAD && waited < HEAD + slow,
                "{said:?} {waited:?}"
            );
        }
        // A connection that is kept may not sit there for ever either.
        let kept = hung_up_after(at, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
        assert!(kept >= HEAD && kept < HEAD + slow, "{kept:?}");
        // One byte now and then does not help.
        let began = Instant::now();
        let mut stream = TcpStream::connect(at).await.unwrap();
        while stream.write_all(b"G").await.is_ok() {
            assert!(began.elapsed() < HEAD * 2, "it may go on for ever");
            sleep(slow).await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn who_was_let_in_may_think_between_two_requests() {
        let let_in = async |Extension(caller): Extension<Caller>| caller.admit();
        let at = answering(None, Router::new().route("/", get(let_in))).await;
        let kept = hung_up_after(at, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
        assert!(kept >= KEPT && kept < KEPT * 2, "{kept:?}");
    }

    /// However long the answer takes, it is not the caller who is late.
    #[tokio::test(start_paused = true)]
    async fn a_long_answer_is_no_delay_of_the_caller() {
        let long = async || sleep(HEAD * 3).await;
        let at = answering(None, Router::new().route("/", get(long))).await;
        let waited = hung_up_after(at, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
        assert!(waited >= HEAD * 4 && waited < HEAD * 6, "{waited:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn encryption_that_is_not_agreed_upon_is_not_waited_for() {
        let made = rcgen::generate_simple_self_signed(vec!["localhost".into()]).unwrap();
        let folder = std::env::temp_dir().join(format!("dragoman-listen-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (certificate, key) = (folder.join("a.crt"), folder.join("a.key"));
        std::fs::write(&certificate, made.cert.pem()).unwrap();
        std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
        let at = listening(Some(Tls::read(&certificate, &key).unwrap())).await;
        std::fs::remove_dir_all(&folder).unwrap();
        for said in [&b""[..], &[0x16, 0x03, 0x01]] {
            let waited = hung_up_after(at, said).await;
            assert!(waited >= HANDSHAKE && waited < HEAD, "{waited:?}");
        }
    }
}
