//! Encryption of its own, and what is said when its files are no good.

use crate::served::{Gateway, request, run};
use crate::support::{Folder, SOON, dragoman};
use futures_util::StreamExt;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use std::io::Read;
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto::ring};
use tokio_tungstenite::tungstenite::Message;

fn certificate(folder: &Folder, name: &str) -> (String, String) {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(vec!["localhost".into()]).unwrap();
    let (certificate, key) = (
        folder.path(&format!("{name}.crt")),
        folder.path(&format!("{name}.key")),
    );
    std::fs::write(&certificate, cert.pem()).unwrap();
    std::fs::write(&key, signing_key.serialize_pem()).unwrap();
    (certificate, key)
}

fn connector(certificate: &str) -> TlsConnector {
    let mut roots = RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_file(certificate).unwrap())
        .unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    TlsConnector::from(Arc::new(config))
}

/// Opens a socket over TLS, trusting this certificate alone, and reads the first message.
async fn greeting(gateway: &Gateway, certificate: &str) -> Result<String, std::io::Error> {
    let port = gateway.at.rsplit(':').next().unwrap();
    let stream = tokio::net::TcpStream::connect(&gateway.at).await?;
    let name = ServerName::try_from("localhost").unwrap();
    let stream = connector(certificate).connect(name, stream).await?;
    let request = request(&format!("wss://localhost:{port}/native"), &gateway.token);
    let (mut socket, _) = tokio_tungstenite::client_async(request, stream)
        .await
        .map_err(std::io::Error::other)?;
    loop {
        let message = timeout(SOON, socket.next()).await.unwrap().unwrap();
        if let Message::Text(text) = message.unwrap() {
            return Ok(text.to_string());
        }
    }
}

#[test]
fn what_is_said_is_encrypted_and_a_new_certificate_is_taken_up() {
    let folder = Folder::new("tls");
    let (certificate_file, key_file) = certificate(&folder, "now");
    let flags = ["--tls-cert", &certificate_file, "--tls-key", &key_file];
    let gateway = Gateway::start_with("tls-served", &flags, &[]);
    run(async {
        let first = folder.path("first.crt");
        std::fs::copy(&certificate_file, &first).unwrap();
        assert!(greeting(&gateway, &first).await.unwrap().contains("hello"));
        let (stranger, _) = certificate(&folder, "stranger");
        assert!(greeting(&gateway, &stranger).await.is_err());

        // A half written file changes nothing; a whole one does.
        std::fs::write(&key_file, "-----BEGIN PRIV").unwrap();
        assert!(greeting(&gateway, &first).await.unwrap().contains("hello"));
        certificate(&folder, "now");
        assert!(greeting(&gateway, &first).await.is_err());
        let now = greeting(&gateway, &certificate_file).await.unwrap();
        assert!(now.contains("hello"));
    });
    // Who does not encrypt gets no answer that could be read.
    let mut plain = TcpStream::connect(&gateway.at).unwrap();
    plain.set_read_timeout(Some(SOON)).unwrap();
    std::io::Write::write_all(&mut plain, b"GET /health HTTP/1.1\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP"), "{answer:?}");
}

#[test]
fn files_that_are_no_good_are_told_of() {
    let folder = Folder::new("tls-files");
    let (certificate_file, key_file) = certificate(&folder, "one");
    let (_, other_key) = certificate(&folder, "other");
    let rubbish = folder.path("rubbish.pem");
    std::fs::write(&rubbish, "SECRET-looking text").unwrap();
    let broken = folder.path("broken.pem");
    std::fs::write(
        &broken,
        "-----BEGIN PRIVATE KEY-----\nSECRET!!\n-----END PRIVATE KEY-----\n",
    )
    .unwrap();
    let missing = folder.path("missing.pem");
    let check = |arguments: &[&str], expected: &[&str]| {
        let out = dragoman()
            .args(["serve", "--port", "0", "--journal", ":memory:"])
            .args(arguments)
            .env("DRAGOMAN_TOKENS", folder.path("tokens.json"))
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(2), "{arguments:?}: {told}");
        for words in expected {
            assert!(told.contains(words), "{arguments:?}: {told}");
        }
        assert!(!told.contains("SECRET"), "{told}");
    };
    let pair = |certificate: &str, key: &str, expected: &[&str]| {
        check(&["--tls-cert", certificate, "--tls-key", key], expected);
    };
    pair(
        &missing,
        &key_file,
        &["cannot be read", "missing.pem", "to do:"],
    );
    pair(
        &certificate_file,
        &missing,
        &["cannot be read", "missing.pem"],
    );
    pair(&rubbish, &key_file, &["no certificate in", "rubbish.pem"]);
    pair(&certificate_file, &rubbish, &["no private key in"]);
    pair(&certificate_file, &certificate_file, &["no private key in"]);
    pair(&certificate_file, &broken, &["not in the PEM format"]);
    pair(
        &certificate_file,
        &other_key,
        &["is not the one of the certificate"],
    );
    let folder_itself = Path::new(&certificate_file).parent().unwrap();
    pair(
        folder_itself.to_str().unwrap(),
        &key_file,
        &["cannot be read"],
    );
    check(&["--tls-cert", &certificate_file], &["--tls-key"]);
    let both = [
        "--tls-cert",
        &certificate_file,
        "--tls-key",
        &key_file,
        "--unencrypted",
    ];
    check(&both, &["--unencrypted"]);
    check(&["--bind", "0.0.0.0"], &["--tls-cert", "--unencrypted"]);
}
