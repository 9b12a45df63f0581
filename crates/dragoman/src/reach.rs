//! Reaching a running gateway from the command line: its status, and a seat in one of its sessions. The token goes
//! into a header and nowhere else.

use crate::status::Report;
use crate::trouble::Trouble;
use http_body_util::{BodyExt, Empty, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::{Request, StatusCode, Uri, header};
use hyper_util::rt::TokioIo;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{WebSocketStream, client_async_with_config, tungstenite};

const PATIENCE: Duration = Duration::from_secs(5);
const MOST_BYTES: usize = 16 << 20;

/// What bytes travel on, encrypted or not.
pub trait Wire: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Wire for T {}

/// A gateway, and what lets us in.
pub struct Gateway {
    /// As it was given, for people.
    pub url: String,
    host: String,
    port: u16,
    tls: Option<TlsConnector>,
    token: String,
}

impl std::fmt::Debug for Gateway {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gateway")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

impl Gateway {
    pub fn new(url: &str, authority: Option<&Path>, token: String) -> Result<Self, Trouble> {
        let wrong = || {
            Trouble::new(
                Trouble::USAGE,
                format!("{url} is no address of a gateway"),
                "Write it as `dragoman serve` prints it, such as http://127.0.0.1:8480.",
            )
        };
        let parsed: Uri = url.parse().map_err(|_| wrong())?;
        let encrypted = match parsed.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => return Err(wrong()),
        };
        let host = parsed.host().ok_or_else(wrong)?.to_owned();
        let usual = if encrypted { 443 } else { 80 };
        Ok(Self {
            url: url.trim_end_matches('/').to_owned(),
            port: parsed.port_u16().unwrap_or(usual),
            tls: encrypted.then(|| connector(authority)).transpose()?,
            host,
            token,
        })
    }

    pub async fn ask(&self) -> Result<Report, Trouble> {
        let asked = timeout(PATIENCE, self.ask_at_leisure()).await;
        asked.unwrap_or_else(|_| Err(self.unreachable("it does not answer")))
    }

    async fn ask_at_leisure(&self) -> Result<Report, Trouble> {
        let stream = self.stream().await?;
        self.talk(stream).await
    }

    /// A seat in a session, where JSON lines are spoken.
    pub async fn join(&self, session: &str) -> Result<WebSocketStream<Box<dyn Wire>>, Trouble> {
        let joined = timeout(PATIENCE, self.join_at_leisure(session)).await;
        joined.unwrap_or_else(|_| Err(self.unreachable("it does not answer")))
    }

    async fn join_at_leisure(
        &self,
        session: &str,
    ) -> Result<WebSocketStream<Box<dyn Wire>>, Trouble> {
        let stream = self.stream().await?;
        let address = format!("ws://{}:{}/native?session={session}", self.host, self.port);
        let wrong = |error: tungstenite::Error| match &error {
            tungstenite::Error::Http(answer) => self.turned_away(answer.status()),
            other => self.unreachable(&other.to_string()),
        };
        let mut request = address.into_client_request().map_err(wrong)?;
        let bearer = format!("Bearer {}", self.token);
        let bearer = header::HeaderValue::from_str(&bearer).map_err(|_| bad_token())?;
        request.headers_mut().insert(header::AUTHORIZATION, bearer);
        let config = WebSocketConfig::default().max_message_size(Some(MOST_BYTES));
        let (socket, _) = client_async_with_config(request, stream, Some(config))
            .await
            .map_err(wrong)?;
        Ok(socket)
    }

    async fn stream(&self) -> Result<Box<dyn Wire>, Trouble> {
        let at = (self.host.trim_matches(['[', ']']), self.port);
        let stream = TcpStream::connect(at).await;
        let stream = stream.map_err(|error| self.unreachable(&error.to_string()))?;
        match &self.tls {
            None => Ok(Box::new(stream)),
            Some(tls) => {
                let name = self.host.trim_matches(['[', ']']).to_owned();
                let name = ServerName::try_from(name)
                    .map_err(|error| self.unreachable(&error.to_string()))?;
                let stream = tls.connect(name, stream).await;
                let stream = stream.map_err(|error| self.unreachable(&error.to_string()))?;
                Ok(Box::new(stream))
            }
        }
    }

    async fn talk(&self, stream: Box<dyn Wire>) -> Result<Report, Trouble> {
        let broke_off = |error: hyper::Error| self.unreachable(&error.to_string());
        let request = Request::get("/status")
            .header(header::HOST, format!("{}:{}", self.host, self.port))
            .header(header::AUTHORIZATION, format!("Bearer {}", self.token))
            .body(Empty::<Bytes>::new())
            .map_err(|_| bad_token())?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
            .await
            .map_err(broke_off)?;
        tokio::spawn(async move { drop(connection.await) });
        let answer = sender.send_request(request).await.map_err(broke_off)?;
        if answer.status() != StatusCode::OK {
            return Err(self.turned_away(answer.status()));
        }
        let body = Limited::new(answer.into_body(), MOST_BYTES).collect().await;
        let bytes = body
            .map_err(|error| self.unreachable(&error.to_string()))?
            .to_bytes();
        serde_json::from_slice(&bytes).map_err(|error| {
            let why = format!("it is no gateway, or of another version ({error})");
            self.unreachable(&why)
        })
    }

    fn turned_away(&self, status: StatusCode) -> Trouble {
        match status {
            StatusCode::UNAUTHORIZED => bad_token(),
            StatusCode::FORBIDDEN => self.forbidden(),
            status => self.unreachable(&format!("it answers {status}")),
        }
    }

    pub fn unreachable(&self, why: &str) -> Trouble {
        Trouble::new(
            Trouble::FAILED,
            format!("the gateway at {} cannot be asked: {why}", self.url),
            "See that `dragoman serve` runs there; --url names another address.",
        )
    }

    fn forbidden(&self) -> Trouble {
        Trouble::new(
            Trouble::FAILED,
            format!(
                "{} lets nobody in by that name, or not with that token",
                self.url
            ),
            "Name it as `dragoman serve` does (--host adds names), with a token that has the scope for this.",
        )
    }
}

fn bad_token() -> Trouble {
    Trouble::new(
        Trouble::FAILED,
        "the gateway does not know that token",
        "Make one: dragoman token new NAME --scope observe",
    )
}

/// Only the certificate that was named is trusted.
fn connector(authority: Option<&Path>) -> Result<TlsConnector, Trouble> {
    let next = "Name the certificate that the gateway shows, or the one that signed it, with --ca.";
    let Some(path) = authority else {
        let what = "an https address needs a certificate to trust";
        return Err(Trouble::new(Trouble::USAGE, what, next));
    };
    let unfit = |why: String| {
        let what = format!(
            "the certificate in {} cannot be used: {why}",
            path.display()
        );
        Trouble::new(Trouble::USAGE, what, next)
    };
    let mut roots = RootCertStore::empty();
    let found = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|_| unfit("it cannot be read as PEM".into()))?;
    if found.is_empty() {
        return Err(unfit("there is none in it".into()));
    }
    for certificate in found {
        roots
            .add(certificate)
            .map_err(|error| unfit(error.to_string()))?;
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| unfit(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}
