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
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

/// For encryption to be agreed upon.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// For a request's head to arrive, also the next one on a connection that is kept.
const HEAD: Duration = Duration::from_secs(15);
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
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(caller.clone());
        router.call(request)
    });
    let talked = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(line), service)
        .with_upgrades()
        .await;
    if let Err(error) = talked {
        tracing::debug!(%error, "a connection ended early");
    }
}
