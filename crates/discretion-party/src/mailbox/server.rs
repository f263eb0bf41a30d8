//! The coordinator's mailboxes behind HTTP.

use super::mailboxes::{Mailboxes, State};
use super::request::Request;
use super::{LONG_POLL, MOST_BYTES, MailboxError, admission, delivery};
use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use discretion_http::{ListenOptions, Visitor};
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
pub fn serve(
    mailboxes: Arc<Mailboxes>,
    options: ListenOptions,
) -> Result<MailboxServer, MailboxError> {
    let listener = options.listen()?;
    let url = listener.url();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
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

/// A greeting is a signed page of text.
const MOST_OF_A_GREETING: usize = 64 << 10;

async fn read(body: Body, most: usize) -> Option<Bytes> {
    timeout(SLOWEST_BODY, to_bytes(body, most)).await.ok()?.ok()
}

type Shared = extract::State<Arc<Mailboxes>>;
type From = Option<extract::Extension<Visitor>>;

/// Strangers do not push out who is a member.
fn is_member(from: &From, member: Option<usize>) {
    if let (Some(extract::Extension(visitor)), Some(member)) = (from, member) {
        visitor.has_shown_key(member as u64);
    }
}

async fn greet(extract::State(mailboxes): Shared, from: From, body: Body) -> Response {
    let Some(body) = read(body, MOST_OF_A_GREETING).await else { return refused() };
    let greet = |is_last_look| {
        mailboxes.greet(&body, is_last_look).map(|signed| signed.to_bytes().into_response())
    };
    let sender = |state: &State| {
        let member = admission::sender(state, &body);
        is_member(&from, member);
        member
    };
    long_poll(&mailboxes, sender, greet).await
}

async fn send(extract::State(mailboxes): Shared, from: From, body: Body) -> Response {
    let Some(body) = read(body, MOST_BYTES).await else { return refused() };
    let Some(response) = mailboxes.send(&body) else { return refused() };
    is_member(&from, Request::read(&body).map(|request| request.member));
    response.into_response()
}

async fn collect(extract::State(mailboxes): Shared, from: From, body: Body) -> Response {
    let Some(body) = read(body, MOST_BYTES).await else { return refused() };
    let collect = |is_last_look| match mailboxes.collect(&body, is_last_look) {
        None => Some(refused()),
        Some(response) => response.map(IntoResponse::into_response),
    };
    let sender = |state: &State| {
        let member = delivery::sender(state, &body);
        is_member(&from, member);
        member
    };
    long_poll(&mailboxes, sender, collect).await
}

/// Looks for a response: at once, at every change, and for the last time when a long poll ends.
/// Then there is one.
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
