//! Asking a gateway for its status. The token goes into a header and nowhere else.

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

const PATIENCE: Duration = Duration::from_secs(5);
const MOST_BYTES: usize = 16 << 20;

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
        let at = (self.host.trim_matches(['[', ']']), self.port);
        let stream = TcpStream::connect(at).await;
        let stream = stream.map_err(|error| self.unreachable(&error.to_string()))?;
        match &self.tls {
            None => self.talk(stream).await,
            Some(tls) => {
                let name = self.host.trim_matches(['[', ']']).to_owned();
                let name = ServerName::try_from(name)
                    .map_err(|error| self.unreachable(&error.to_string()))?;
                let stream = tls.connect(name, stream).await;
                self.talk(stream.map_err(|error| self.unreachable(&error.to_string()))?)
                    .await
            }
        }
    }

    async fn talk<S>(&self, stream: S) -> Result<Report, Trouble>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
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
        match answer.status() {
            StatusCode::OK => {}
            StatusCode::UNAUTHORIZED => return Err(bad_token()),
            StatusCode::FORBIDDEN => return Err(self.forbidden()),
            status => return Err(self.unreachable(&format!("it answers {status}"))),
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

    fn unreachable(&self, why: &str) -> Trouble {
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
            "Name it as `dragoman serve` does (--host adds names), with a token for `observe`.",
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
