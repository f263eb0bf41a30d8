//! Sockets: TLS, how many connections there are, how long they may take, and how they end.

use crate::failure::Failure;
use crate::options::Options;
use crate::patient::Patient;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, watch};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// How long an end waits for answers that are under way, beyond the two ticks that they take.
const LAST_ANSWERS: Duration = Duration::from_secs(20);

/// The certificate and its key, if there are any.
pub fn tls(options: &Options) -> Result<Option<TlsAcceptor>, Failure> {
    let Some((certificate, key)) = &options.tls else {
        if options.listen.ip().is_loopback() || options.plain_http {
            return Ok(None);
        }
        return Err(Failure::BadInput(format!(
            "--listen {}: others can reach this address, and tokens would travel in the clear; give --tls-cert and \
             --tls-key, or say --plain-http if something in front does TLS",
            options.listen
        )));
    };
    let bad = |path: &Path, problem: &dyn std::fmt::Display| {
        Failure::BadInput(format!("{}: this is no PEM file for TLS ({problem})", path.display()))
    };
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| bad(certificate, &error))?;
    let private = PrivateKeyDer::from_pem_file(key).map_err(|error| bad(key, &error))?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, private))
        .map_err(|error| bad(certificate, &error))?;
    Ok(Some(TlsAcceptor::from(Arc::new(config))))
}

/// Takes the address, before anything is charged.
pub fn bind(options: &Options) -> Result<TcpListener, Failure> {
    let bound = TcpListener::bind(options.listen).and_then(|listener| {
        listener.set_nonblocking(true)?;
        Ok(listener)
    });
    bound.map_err(|error| {
        Failure::Refused(format!(
            "--listen {}: this address cannot be used ({error}); choose another; nothing was charged",
            options.listen
        ))
    })
}

/// Serves until told to stop, and then until the answers that are under way have left.
pub async fn serve(
    listener: tokio::net::TcpListener,
    tls: Option<TlsAcceptor>,
    router: Router,
    options: &Options,
    mut stop: watch::Receiver<bool>,
) {
    let places = Arc::new(Semaphore::new(options.most_connections));
    let graceful = GracefulShutdown::new();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(options.patience).max_buf_size(64 << 10);
    loop {
        let place = tokio::select! {
            place = places.clone().acquire_owned() => place.expect("the semaphore is never closed"),
            _ = stop.wait_for(|stop| *stop) => break,
        };
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                // Out of files, or a client that left at once.
                Err(_) => { tokio::time::sleep(Duration::from_millis(20)).await; continue }
            },
            _ = stop.wait_for(|stop| *stop) => break,
        };
        let _ = stream.set_nodelay(true);
        let stream = Patient::new(stream, options.patience);
        let service = TowerToHyperService::new(router.clone());
        match &tls {
            None => {
                let connection = graceful.watch(http.serve_connection(TokioIo::new(stream), service));
                tokio::spawn(async move {
                    let _ = connection.await;
                    drop(place);
                });
            }
            Some(tls) => {
                let (tls, http, patience, watcher) =
                    (tls.clone(), http.clone(), options.patience, graceful.watcher());
                tokio::spawn(async move {
                    if let Some(stream) = handshake(&tls, stream, patience).await {
                        let _ = watcher.watch(http.serve_connection(TokioIo::new(stream), service)).await;
                    }
                    drop(place);
                });
            }
        }
    }
    drop(listener);
    let _ =
        tokio::time::timeout(LAST_ANSWERS + 2 * options.tick.unwrap_or_default(), graceful.shutdown()).await;
}

async fn handshake(
    tls: &TlsAcceptor,
    stream: Patient<TcpStream>,
    patience: Duration,
) -> Option<tokio_rustls::server::TlsStream<Patient<TcpStream>>> {
    tokio::time::timeout(patience, tls.accept(stream)).await.ok()?.ok()
}

/// SIGTERM and Ctrl-C, caught from the moment this is made.
pub struct Signals {
    #[cfg(unix)]
    caught: [tokio::signal::unix::Signal; 2],
}

impl Signals {
    /// Catches them. Called within a runtime.
    #[cfg(unix)]
    pub fn catch() -> std::io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        let caught = [signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?];
        // From here on an end lets answers out, and the learners that make them have to live until then.
        discretion_learn::leave_signals_to_others();
        Ok(Signals { caught })
    }

    /// Waits for one of them.
    #[cfg(unix)]
    pub async fn wait(mut self) {
        let [terminate, interrupt] = &mut self.caught;
        tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} }
    }

    /// Elsewhere there is Ctrl-C.
    #[cfg(not(unix))]
    pub fn catch() -> std::io::Result<Signals> {
        Ok(Signals {})
    }

    /// Waits for it.
    #[cfg(not(unix))]
    pub async fn wait(self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}
