//! Encryption: the certificate and its key, read from their files, and again when these change.
//!
//! Must not know: who comes in, what is said.

use crate::trouble::Trouble;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};

/// The two files, and what was read from them.
pub struct Tls {
    certificate: PathBuf,
    key: PathBuf,
    read_at: Stamp,
    acceptor: TlsAcceptor,
}

/// What changes when one of the files is replaced.
type Stamp = [Option<(SystemTime, u64)>; 2];

impl Tls {
    pub fn read(certificate: &Path, key: &Path) -> Result<Self, Trouble> {
        Ok(Self {
            read_at: stamp(certificate, key),
            acceptor: acceptor(certificate, key)?,
            certificate: certificate.to_owned(),
            key: key.to_owned(),
        })
    }

    /// With the certificate as it is now. New files that do not work change nothing, and are told
    /// of once.
    pub fn acceptor(&mut self) -> TlsAcceptor {
        let now = stamp(&self.certificate, &self.key);
        if now != self.read_at {
            self.read_at = now;
            match acceptor(&self.certificate, &self.key) {
                Ok(acceptor) => {
                    tracing::info!("the certificate was read again");
                    self.acceptor = acceptor;
                }
                Err(trouble) => {
                    tracing::error!("{}; the old one holds. {}", trouble.what, trouble.next);
                }
            }
        }
        self.acceptor.clone()
    }
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tls")
            .field("certificate", &self.certificate)
            .finish_non_exhaustive()
    }
}

fn stamp(certificate: &Path, key: &Path) -> Stamp {
    [certificate, key].map(|path| {
        let about = std::fs::metadata(path).ok()?;
        Some((about.modified().ok()?, about.len()))
    })
}

fn acceptor(certificate: &Path, key: &Path) -> Result<TlsAcceptor, Trouble> {
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| unreadable(certificate, "certificate", &error))?;
    if chain.is_empty() {
        return Err(empty(certificate, "certificate"));
    }
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| match error {
        rustls::pki_types::pem::Error::NoItemsFound => empty(key, "private key"),
        error => unreadable(key, "private key", &error),
    })?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|config| config.with_no_client_auth().with_single_cert(chain, secret))
        .map_err(|error| unfit(certificate, key, &error))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn unreadable(path: &Path, what: &str, error: &rustls::pki_types::pem::Error) -> Trouble {
    use rustls::pki_types::pem::Error;
    let why = match error {
        Error::Io(error) => error.to_string(),
        // The library quotes what it read, which may be half of a key.
        _ => "it is not in the PEM format".into(),
    };
    Trouble::new(
        Trouble::USAGE,
        format!("the {what} in {} cannot be read: {why}", path.display()),
        "Name a PEM file that you may read: --tls-cert the certificate with its chain, --tls-key \
         its private key.",
    )
}

fn empty(path: &Path, what: &str) -> Trouble {
    Trouble::new(
        Trouble::USAGE,
        format!("there is no {what} in {}", path.display()),
        "--tls-cert names a PEM file with the certificate and its chain, --tls-key one with its \
         private key.",
    )
}

fn unfit(certificate: &Path, key: &Path, error: &rustls::Error) -> Trouble {
    let (certificate, key) = (certificate.display(), key.display());
    if matches!(error, rustls::Error::InconsistentKeys(_)) {
        return Trouble::new(
            Trouble::USAGE,
            format!("the key in {key} is not the one of the certificate in {certificate}"),
            "Name the two files that were made together; the server's own certificate stands first \
             in its file.",
        );
    }
    Trouble::new(
        Trouble::USAGE,
        format!("the certificate in {certificate} and the key in {key} cannot be used: {error}"),
        "Make them anew, for example with RSA (2048 bits or more), ECDSA P-256 or Ed25519.",
    )
}
