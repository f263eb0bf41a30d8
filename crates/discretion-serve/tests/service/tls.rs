//! TLS, with a certificate that was made for this test.

use crate::client::read;
use crate::place::{Place, tick};
use discretion::RefusalKind;
use discretion_serve::{Options, PreparedService};
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

fn pem(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/service").join(name)
}

#[test]
fn a_certificate_makes_it_https() {
    let place = Place::new(100, 10);
    let tls = Some((pem("test-certificate.pem"), pem("test-key.pem")));
    let running = place.start(Options { tls, ..place.options(tick(20)) }, Duration::ZERO);
    assert!(running.url().starts_with("https://127.0.0.1:"));
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(pem("test-certificate.pem")).unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let address = running.address();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let bytes = runtime.block_on(async {
        let stream = tokio::net::TcpStream::connect(address).await.unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        let mut stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await.unwrap();
        stream
            .write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            .await
            .unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).await.unwrap();
        bytes
    });
    let response = read(&mut BufReader::new(&bytes[..])).unwrap();
    assert_eq!((response.status, response.body.as_str()), (200, r#"{"status":"ok"}"#));
    running.stop().unwrap();
}

#[test]
fn others_are_not_listened_to_in_the_clear_by_accident() {
    let place = Place::new(100, 10);
    let options = Options { listen: "0.0.0.0:0".parse().unwrap(), ..place.options(tick(20)) };
    let refused = PreparedService::new(place.study(), options.clone()).err();
    let refused = refused.unwrap();
    assert_eq!(refused.kind(), RefusalKind::BadInput);
    assert!(refused.to_string().contains("--plain-http"));
    assert!(
        PreparedService::new(place.study(), Options { plain_http: true, ..options.clone() })
            .is_ok()
    );
    let swapped = Some((pem("test-key.pem"), pem("test-certificate.pem")));
    assert!(matches!(
        PreparedService::new(place.study(), Options { tls: swapped, ..options }),
        Err(refusal) if refusal.kind() == RefusalKind::BadInput
    ));
}
