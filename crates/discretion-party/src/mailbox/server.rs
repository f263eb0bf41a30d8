//! The coordinator's mailboxes behind HTTP.

use super::mailboxes::{Mailboxes, State};
use super::{LONG_POLL, MOST_BYTES, MailboxError, admission, delivery};
use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use discretion_http::ListenOptions;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};

/// Mailboxes that can be called, in a thread of their own until this is dropped.
pub struct MailboxServer {
    url: String,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

/// Serves mailboxes.
pub fn serve(mailboxes: Arc<Mailboxes>, options: ListenOptions) -> Result<MailboxServer, MailboxError> {
    let listener = options.listen()?;
    let url = listener.url();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| MailboxError::System(error.to_string()))?;
    let (stop, stopped) = watch::channel(false);
    let router = Router::new()
        .route("/v1/hello", post(greet))
        .route("/v1/send", post(send))
        .route("/v1/collect", post(collect))
        .with_state(mailboxes);
    let thread = thread::spawn(move || {
        runtime.block_on(listener.serve(router, stopped));
    });
    Ok(MailboxServer { url, stop, thread: Some(thread) })
}

impl MailboxServer {
    /// Where members call.
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for MailboxServer {
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

type Shared = extract::State<Arc<Mailboxes>>;

async fn greet(extract::State(mailboxes): Shared, body: Body) -> Response {
    let Some(body) = read(body).await else { return refused() };
    let greet =
        |is_last_look| mailboxes.greet(&body, is_last_look).map(|signed| signed.to_bytes().into_response());
    long_poll(&mailboxes, |state| admission::sender(state, &body), greet).await
}

async fn send(extract::State(mailboxes): Shared, body: Body) -> Response {
    let Some(body) = read(body).await else { return refused() };
    mailboxes.send(&body).map_or_else(refused, IntoResponse::into_response)
}

async fn collect(extract::State(mailboxes): Shared, body: Body) -> Response {
    let Some(body) = read(body).await else { return refused() };
    let collect = |is_last_look| match mailboxes.collect(&body, is_last_look) {
        None => Some(refused()),
        Some(response) => response.map(IntoResponse::into_response),
    };
    long_poll(&mailboxes, |state| delivery::sender(state, &body), collect).await
}

/// Looks for a response: at once, at every change, and for the last time when a long poll ends. Then there is one.
async fn long_poll(
    mailboxes: &Mailboxes,
    sender: impl FnOnce(&State) -> Option<usize>,
    look: impl Fn(bool) -> Option<Response>,
) -> Response {
    let mut changes = mailboxes.changes();
    if let Some(response) = look(false) {
        return response;
    }
    let _waiting = mailboxes.wait(sender);
    let end = Instant::now() + LONG_POLL;
    loop {
        let is_last_look = timeout_at(end, changes.changed()).await.is_err();
        if let Some(response) = look(is_last_look) {
            return response;
        }
    }
}
