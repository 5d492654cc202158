//! https, with a certificate and a key from files.

use std::io;
use std::path::Path;
use std::sync::Arc;

use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::server::TlsStream;

use crate::listener::Handshake;

/// https.
#[derive(Clone)]
pub struct TlsHandshake(TlsAcceptor);

impl std::fmt::Debug for TlsHandshake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TlsHandshake(not shown)")
    }
}

impl TlsHandshake {
    /// Reads a certificate chain and its private key, PEM files.
    ///
    /// # Errors
    ///
    /// A sentence that names the file.
    pub fn load(certificate: &Path, key: &Path) -> Result<Self, String> {
        let at = |path: &Path, error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let chain = CertificateDer::pem_file_iter(certificate)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|error| at(certificate, &error))?;
        let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| at(key, &error))?;
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(chain, secret)
            .map_err(|error| at(certificate, &error))?;
        Ok(Self(TlsAcceptor::from(Arc::new(config))))
    }
}

impl Handshake for TlsHandshake {
    type Stream = TlsStream<TcpStream>;

    const SCHEME: &'static str = "https";

    async fn shake(&self, socket: TcpStream) -> io::Result<Self::Stream> {
        self.0.accept(socket).await
    }
}
