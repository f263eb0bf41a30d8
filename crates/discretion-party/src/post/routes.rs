//! The coordinator's door.

use super::office::Office;
use super::{LONG_POLL, MOST_BYTES};
use crate::Stop;
use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use discretion_http::Door;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};

/// An office that can be called.
pub struct Opened {
    address: SocketAddr,
    scheme: &'static str,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

/// Opens an office's door.
pub fn open(office: Arc<Office>, door: Door) -> Result<Opened, Stop> {
    let tls = door.acceptor().map_err(|error| Stop::BadInput(error.to_string()))?;
    let listener = door.bind().map_err(|error| Stop::Refused(error.to_string()))?;
    let refused = |error: std::io::Error| Stop::Refused(error.to_string());
    let address = listener.local_addr().map_err(refused)?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(refused)?;
    let (stop, stopped) = watch::channel(false);
    let router = Router::new()
        .route("/v1/hello", post(hello))
        .route("/v1/send", post(send))
        .route("/v1/collect", post(collect))
        .with_state(office);
    let thread = thread::spawn(move || {
        runtime.block_on(async move {
            if let Ok(listener) = tokio::net::TcpListener::from_std(listener) {
                door.serve(listener, tls, router, stopped).await;
            }
        });
    });
    Ok(Opened { address, scheme, stop, thread: Some(thread) })
}

impl Opened {
    /// Where members call.
    pub fn url(&self) -> String {
        format!("{}://{}", self.scheme, self.address)
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        let _ = self.stop.send(true);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// For whoever is neither the coordinator's nor on its way here by mistake: no more than that.
fn refused() -> Response {
    (StatusCode::FORBIDDEN, "this request does not belong here\n").into_response()
}

/// How long a body may take: whoever has no business here must not hold a place for ever.
const SLOWEST_BODY: Duration = Duration::from_secs(120);

async fn read(body: Body) -> Option<Bytes> {
    timeout(SLOWEST_BODY, to_bytes(body, MOST_BYTES)).await.ok()?.ok()
}

async fn hello(State(office): State<Arc<Office>>, body: Body) -> Response {
    let Some(body) = read(body).await else { return refused() };
    let answer = |signed: crate::wire::SignedText| signed.to_bytes().into_response();
    if let Some(signed) = office.greet(&body, false) {
        return answer(signed);
    }
    let _waiting = office.wait(&body, true);
    let end = Instant::now() + LONG_POLL;
    let mut news = office.news();
    loop {
        let is_last_look = timeout_at(end, news.changed()).await.is_err();
        if let Some(signed) = office.greet(&body, is_last_look) {
            return answer(signed);
        }
    }
}

async fn send(State(office): State<Arc<Office>>, body: Body) -> Response {
    let Some(body) = read(body).await else { return refused() };
    office.send(&body).map_or_else(refused, IntoResponse::into_response)
}

async fn collect(State(office): State<Arc<Office>>, body: Body) -> Response {
    let Some(body) = read(body).await else { return refused() };
    let mut news = office.news();
    match office.collect(&body, false) {
        None => return refused(),
        Some(Some(reply)) => return reply.into_response(),
        Some(None) => {}
    }
    let _waiting = office.wait(&body, false);
    let end = Instant::now() + LONG_POLL;
    loop {
        let is_last_look = timeout_at(end, news.changed()).await.is_err();
        match office.collect(&body, is_last_look) {
            None => return refused(),
            Some(Some(reply)) => return reply.into_response(),
            Some(None) => {}
        }
    }
}
