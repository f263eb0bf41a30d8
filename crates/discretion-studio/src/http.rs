//! Routes: the page, its requests, files to look at, files that are dropped.

use crate::app::App;
use crate::door::FILES;
use crate::refusals::on_page;
use crate::{page, requests, results};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use discretion::{Refusal, RefusalKind};
use serde_json::{Value, json};
use std::sync::Arc;

/// A form of thousands of columns is smaller.
const LARGEST_REQUEST: usize = 8 << 20;

pub fn router(app: Arc<App>) -> Router {
    // One handler: who is let in is decided before anything else, for every path there is.
    Router::new().fallback(answer).with_state(app)
}

async fn answer(State(app): State<Arc<App>>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    let mut response = match app.door.check(&path, request.headers()) {
        Err((status, why)) => refused(status, why),
        Ok(()) => route(app, &path, request).await,
    };
    let policy = if path.starts_with(FILES) { page::OF_FILES } else { page::POLICY };
    const ALWAYS: [(HeaderName, &str); 5] = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    for (name, value) in ALWAYS.into_iter().chain([(header::CONTENT_SECURITY_POLICY, policy)]) {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

async fn route(app: Arc<App>, path: &str, request: Request) -> Response {
    let method = request.method().clone();
    if let Some(name) = path.strip_prefix("/api/upload/") {
        return match method {
            Method::PUT => said(results::upload(&app, name, request.into_body()).await),
            _ => refused(StatusCode::METHOD_NOT_ALLOWED, "a file is sent with PUT"),
        };
    }
    if let Some(name) = path.strip_prefix("/api/") {
        if method != Method::POST {
            return refused(StatusCode::METHOD_NOT_ALLOWED, "requests are sent with POST");
        }
        return ask(app, name.to_owned(), request.into_body()).await;
    }
    if method != Method::GET {
        return refused(StatusCode::METHOD_NOT_ALLOWED, "this is here to look at");
    }
    if let Some(name) = path.strip_prefix(&app.door.files()) {
        return match results::file(&app, name) {
            Ok((kind, content)) => ([(header::CONTENT_TYPE, kind)], content).into_response(),
            Err(refusal) => refused(StatusCode::NOT_FOUND, &on_page(&refusal).0),
        };
    }
    match page::part(path) {
        Some((kind, content)) => ([(header::CONTENT_TYPE, kind)], content).into_response(),
        None => refused(StatusCode::NOT_FOUND, "there is nothing here"),
    }
}

/// Work for which a thread may wait: files are read, ledgers are locked.
async fn ask(app: Arc<App>, name: String, body: Body) -> Response {
    let Ok(body) = to_bytes(body, LARGEST_REQUEST).await else {
        return refused(StatusCode::PAYLOAD_TOO_LARGE, "the request is too large");
    };
    match tokio::task::spawn_blocking(move || requests::answer(&app, &name, &body)).await {
        Ok(Some(outcome)) => said(outcome),
        Ok(None) => refused(StatusCode::NOT_FOUND, "there is no such request"),
        Err(_) => refused(
            StatusCode::INTERNAL_SERVER_ERROR,
            "a fault of this program; its terminal says more",
        ),
    }
}

fn said(outcome: Result<Value, Refusal>) -> Response {
    match outcome {
        Ok(value) => with_json(StatusCode::OK, &value),
        Err(refusal) => {
            let status = match refusal.kind() {
                RefusalKind::BadInput => StatusCode::UNPROCESSABLE_ENTITY,
                _ => StatusCode::CONFLICT,
            };
            let (sentence, allow) = on_page(&refusal);
            with_json(status, &json!({ "refused": sentence, "allow": allow }))
        }
    }
}

fn refused(status: StatusCode, why: &str) -> Response {
    with_json(status, &json!({ "refused": why }))
}

fn with_json(status: StatusCode, value: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}
