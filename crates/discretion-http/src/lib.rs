//! Sockets of discretion's services: TLS, how many connections there are, how long they may take,
//! and how they end.
//!
//! [`ListenOptions::listen`] says early what cannot be used; [`HttpListener::serve`] lets people in
//! until it is told to stop.
//!
//! A service that answers once and ends:
//!
//! ```
//! use discretion_http::ListenOptions;
//! use std::io::{Read, Write};
//! use std::time::Duration;
//!
//! let options = ListenOptions {
//!     listen: "127.0.0.1:0".parse()?,
//!     tls: None,
//!     patience: Duration::from_secs(5),
//!     most_connections: 16,
//!     last_answers: Duration::from_secs(5),
//! };
//! let listener = options.listen()?;
//! let address = listener.address();
//! let router = axum::Router::new().route("/", axum::routing::get(|| async { "here" }));
//! let (stop, stopped) = tokio::sync::watch::channel(false);
//!
//! let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
//! let service = std::thread::spawn(move || runtime.block_on(listener.serve(router, stopped)));
//! let mut client = std::net::TcpStream::connect(address)?;
//! client.write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
//! let mut said = String::new();
//! client.read_to_string(&mut said)?;
//! assert!(said.ends_with("here"));
//! stop.send(true)?;
//! service.join().expect("it ends in good order");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod crowd;
mod token;
mod write_timeout;

pub use crowd::Visitor;
pub use token::random_token;

use axum::Router;
use crowd::Crowd;
use discretion_privacy::{Refusal, RefusalKind};
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use write_timeout::WriteTimeout;

/// Where and how a service listens.
#[derive(Clone, Debug)]
pub struct ListenOptions {
    /// The address.
    pub listen: SocketAddr,
    /// Certificate chain and private key, as PEM files: https.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// How long a client may take for its headers, and for taking what is written to it.
    pub patience: Duration,
    /// Connections at a time. A newcomer takes the place of one that has shown no key, or waits if
    /// there is none.
    pub most_connections: usize,
    /// How long an end waits for answers that are under way.
    pub last_answers: Duration,
}

/// Why a service cannot listen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ListenError {
    /// A certificate or a key that is none.
    #[error("{path}: this is no PEM file for TLS ({problem})")]
    Pem {
        /// The file.
        path: String,
        /// What is wrong.
        problem: String,
    },
    /// An address that is taken, or is not this machine's.
    #[error(
        "--listen {address}: this address cannot be used ({problem}); choose another; nothing was charged"
    )]
    Address {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        problem: String,
    },
    /// What else the system says.
    #[error("{0}")]
    System(String),
}

/// A socket that listens, and what is needed to serve there.
pub struct HttpListener {
    options: ListenOptions,
    tls: Option<TlsAcceptor>,
    listener: TcpListener,
    address: SocketAddr,
}

impl ListenOptions {
    /// Takes the address, before anything is charged.
    pub fn listen(self) -> Result<HttpListener, ListenError> {
        let tls = self.acceptor()?;
        let listener = self.bind()?;
        let address =
            listener.local_addr().map_err(|error| ListenError::System(error.to_string()))?;
        Ok(HttpListener { options: self, tls, listener, address })
    }

    /// Refuses certificates and keys that are none.
    pub fn check(&self) -> Result<(), ListenError> {
        self.acceptor().map(drop)
    }

    /// The certificate and its key, if there are any.
    fn acceptor(&self) -> Result<Option<TlsAcceptor>, ListenError> {
        let Some((certificate, key)) = &self.tls else { return Ok(None) };
        let bad = |path: &Path, problem: &dyn std::fmt::Display| ListenError::Pem {
            path: path.display().to_string(),
            problem: problem.to_string(),
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

    fn bind(&self) -> Result<TcpListener, ListenError> {
        let bound = TcpListener::bind(self.listen).and_then(|listener| {
            listener.set_nonblocking(true)?;
            Ok(listener)
        });
        bound.map_err(|error| ListenError::Address {
            address: self.listen,
            problem: error.to_string(),
        })
    }
}

impl HttpListener {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The same as a URL, without a path.
    pub fn url(&self) -> String {
        format!("{}://{}", if self.tls.is_some() { "https" } else { "http" }, self.address)
    }

    /// Serves until told to stop, and then until the answers that are under way have left. Within a
    /// runtime of tokio.
    pub async fn serve(self, router: Router, mut stop: watch::Receiver<bool>) {
        let HttpListener { options, tls, listener, .. } = self;
        let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
        let crowd = Crowd::new(options.most_connections);
        let first_head = options.patience.min(FIRST_HEAD);
        let graceful = GracefulShutdown::new();
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(options.patience).max_buf_size(64 << 10);
        loop {
            let (stream, from) = tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok(accepted) => accepted,
                    // Out of files, or a client that left at once.
                    Err(_) => { tokio::time::sleep(Duration::from_millis(20)).await; continue }
                },
                _ = stop.wait_for(|stop| *stop) => break,
            };
            let place = tokio::select! {
                place = crowd.admit(from.ip()) => place,
                _ = stop.wait_for(|stop| *stop) => break,
            };
            let _ = stream.set_nodelay(true);
            let stream = WriteTimeout::new(stream, options.patience);
            let visitor = place.visitor().clone();
            let (greeted, first) = watch::channel(false);
            let service = Visited {
                service: TowerToHyperService::new(router.clone()),
                visitor: visitor.clone(),
                greeted,
            };
            let (tls, http, patience, watcher) =
                (tls.clone(), http.clone(), options.patience, graceful.watcher());
            let connection = async move {
                match tls {
                    None => answer(&http, stream, service, watcher).await,
                    Some(tls) => {
                        if let Some(stream) = handshake(&tls, stream, patience).await {
                            answer(&http, stream, service, watcher).await;
                        }
                    }
                }
            };
            let task = tokio::spawn(async move {
                tokio::select! {
                    () = connection => {}
                    () = says_nothing(first, first_head) => {}
                }
                drop(place);
            });
            crowd.begun(&visitor, task.abort_handle());
        }
        drop(listener);
        let _ = tokio::time::timeout(options.last_answers, graceful.shutdown()).await;
    }
}

/// How long a connection may take for its first head.
const FIRST_HEAD: Duration = Duration::from_secs(5);

/// Ends if there is no first head in time.
async fn says_nothing(mut greeted: watch::Receiver<bool>, patience: Duration) {
    let is_late =
        tokio::time::timeout(patience, greeted.wait_for(|greeted| *greeted)).await.is_err();
    if !is_late {
        // The connection ends by itself.
        std::future::pending::<()>().await;
    }
}

/// A service that knows who asks.
struct Visited {
    service: TowerToHyperService<Router>,
    visitor: Visitor,
    greeted: watch::Sender<bool>,
}

impl hyper::service::Service<Request<Incoming>> for Visited {
    type Response =
        <TowerToHyperService<Router> as hyper::service::Service<Request<Incoming>>>::Response;
    type Error = <TowerToHyperService<Router> as hyper::service::Service<Request<Incoming>>>::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        self.greeted.send_replace(true);
        self.visitor.set_busy(true);
        request.extensions_mut().insert(self.visitor.clone());
        let (answer, visitor) = (self.service.call(request), self.visitor.clone());
        Box::pin(async move {
            let answer = answer.await;
            visitor.set_busy(false);
            answer
        })
    }
}

/// Answers the requests of one connection.
async fn answer<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    http: &http1::Builder,
    stream: S,
    service: Visited,
    watcher: Watcher,
) {
    let _ = watcher.watch(http.serve_connection(TokioIo::new(stream), service)).await;
}

async fn handshake(
    tls: &TlsAcceptor,
    stream: WriteTimeout<TcpStream>,
    patience: Duration,
) -> Option<tokio_rustls::server::TlsStream<WriteTimeout<TcpStream>>> {
    tokio::time::timeout(patience, tls.accept(stream)).await.ok()?.ok()
}

impl From<ListenError> for Refusal {
    fn from(error: ListenError) -> Refusal {
        let kind = match error {
            ListenError::Pem { .. } => RefusalKind::BadInput,
            _ => RefusalKind::Refused,
        };
        Refusal::from_error(kind, error)
    }
}
