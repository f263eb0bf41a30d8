//! Routes. What is refused for public reasons is refused at once; everything else waits for the
//! tick.

mod body;
mod openapi;
mod page;
pub mod problem;
mod views;

use crate::app::App;
use crate::log;
use crate::request_queue::{Claim, IdempotencyKey, PendingRequest, Reply};
use crate::tokens::{self, Role, Token};
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use discretion_http::Visitor;
use discretion_table::{PlainRows, QueryReader};
use problem::Problem;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use tokio::sync::oneshot;

type AppState = State<Arc<App>>;

/// The addresses there are, as logs and metrics name them.
const ROUTES: [&str; 10] = [
    "/",
    "/page.js",
    "/page.css",
    "/healthz",
    "/metrics",
    "/openapi.json",
    "/v1/answers",
    "/v1/schema",
    "/v1/budget",
    "/v1/custodian",
];

/// A door for `discretion-fuzz`: what a body asks, or the status that it is refused with.
#[doc(hidden)]
pub fn check_body(bytes: &[u8], reader: &QueryReader) -> Result<PlainRows, u16> {
    let request = body::queries(bytes, reader);
    request
        .map(|request| request.queries)
        .map_err(|problem| problem.into_response().status().as_u16())
}

/// All routes of a service.
pub fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/", get(page::html))
        .route("/page.js", get(page::script))
        .route("/page.css", get(page::style))
        .route("/healthz", get(health))
        .route("/metrics", get(metrics))
        .route("/openapi.json", get(openapi))
        .route("/v1/answers", post(answers))
        .route("/v1/schema", get(schema))
        .route("/v1/budget", get(budget))
        .route("/v1/custodian", get(custodian))
        .fallback(|| async { Problem::not_found() })
        .method_not_allowed_fallback(|| async { Problem::wrong_method() })
        .layer(middleware::from_fn_with_state(app.clone(), around))
        .with_state(app)
}

/// What every response has, and what is noted about it: route, status and whose token it was.
async fn around(State(app): AppState, request: Request, next: Next) -> Response {
    let method = request.method().clone();
    let route = ROUTES.into_iter().find(|route| *route == request.uri().path()).unwrap_or("other");
    // Who shows a token is not pushed out by those who do not.
    if let (Some(visitor), Ok(token)) =
        (request.extensions().get::<Visitor>(), authenticate(&app, request.headers()))
    {
        visitor.has_shown_key(token.id.unsigned_abs());
    }
    let mut response = next.run(request).await;
    app.metrics.count(route, response.status().as_u16());
    if app.options.log {
        let about = response.extensions_mut().remove::<LogFields>();
        let (token, queries) =
            about.map_or((None, None), |about| (Some(about.token), about.queries));
        let status = response.status().as_u16();
        let fields = json!({ "method": method.as_str(), "route": route, "status": status, "token": token, "queries": queries });
        log::line("request", fields);
    }
    const ALWAYS: [(HeaderName, &str); 5] = [
        (header::CONTENT_SECURITY_POLICY, page::POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in ALWAYS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// What a log may say about a request.
#[derive(Clone)]
struct LogFields {
    token: String,
    queries: Option<usize>,
}

/// Whose token this is.
fn authenticate(app: &App, headers: &HeaderMap) -> Result<Token, Problem> {
    let presented = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let presented = presented.and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
    });
    let tokens = app.tokens().ok_or_else(Problem::unavailable)?;
    tokens::find(&tokens, presented).cloned().ok_or_else(Problem::unauthorized)
}

fn json_response(body: String) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}

async fn answers(State(app): AppState, request: Request) -> Response {
    let token = match authenticate(&app, request.headers()) {
        Ok(token) => token,
        Err(problem) => return problem.into_response(),
    };
    let name = token.name.clone();
    let (queries, outcome) = ask(&app, &token, request).await;
    let mut response = match outcome {
        Ok(Reply::Answers(body)) => json_response(body),
        Ok(Reply::Refused(problem)) | Err(problem) => problem.into_response(),
    };
    response.extensions_mut().insert(LogFields { token: name, queries });
    response
}

async fn ask(
    app: &App,
    token: &Token,
    request: Request,
) -> (Option<usize>, Result<Reply, Problem>) {
    let checked = async {
        if token.role != Role::Analyst {
            return Err(Problem::forbidden("an analyst"));
        }
        let (parts, body) = request.into_parts();
        if !is_json(&parts.headers) {
            return Err(Problem::not_json());
        }
        let key_name = key_name(&parts.headers)?;
        let bytes = body::read(body, app.options.most_bytes, app.options.patience).await?;
        let query_request = body::queries(&bytes, &app.reader)?;
        if query_request.bins.is_some() && app.vote.score_bins.is_none() {
            return Err(Problem::unprocessable(
                "gamma is for scores, and this service answers with labels",
            ));
        }
        if query_request.bins.is_some() && !app.vote.bins_may_differ() {
            return Err(Problem::unprocessable(
                "gamma does nothing here: this service answers every query with a mean of scores; leave it out",
            ));
        }
        let key = key_name.map(|name| IdempotencyKey {
            name,
            body: Sha256::new()
                .chain_update(&app.name)
                .chain_update([0])
                .chain_update(&bytes)
                .finalize()
                .into(),
        });
        Ok((query_request, key))
    };
    let (query_request, key) = match checked.await {
        Ok(checked) => checked,
        Err(problem) => return (None, Err(problem)),
    };
    let count = query_request.queries.count();
    let Some(_slot) = app.waiting_slot(token.id) else {
        return (Some(count), Err(Problem::too_many_waiting()));
    };
    let (claim, mut stopped) = (Claim::default(), app.stopped.clone());
    let (reply, mut answer) = oneshot::channel();
    let request = PendingRequest {
        token: token.id,
        queries: query_request.queries,
        bins: query_request.bins,
        is_batch: query_request.is_batch,
        key,
        claim: claim.clone(),
        reply,
    };
    if app.queue.try_send(request).is_err() {
        return (Some(count), Err(Problem::unavailable()));
    }
    let taken_back = async {
        let _ = stopped.wait_for(|stopped| *stopped).await;
        if !claim.take() {
            // The writer has it: its answer leaves before the end.
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        reply = &mut answer => (Some(count), reply.map_err(|_| Problem::unavailable())),
        () = taken_back => (Some(count), Err(Problem::unavailable())),
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind =
        headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
    kind.split(';').next().unwrap_or("").trim().eq_ignore_ascii_case("application/json")
}

fn key_name(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let Some(value) = headers.get("idempotency-key") else { return Ok(None) };
    let allowed = value.to_str().ok();
    let allowed = allowed.filter(|name| {
        (1..=200).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_graphic())
    });
    let refusal = || {
        Problem::malformed(
            "an Idempotency-Key has 1 to 200 visible ASCII characters; a random UUID does",
        )
    };
    allowed.map(|name| Some(name.to_owned())).ok_or_else(refusal)
}

async fn schema(State(app): AppState) -> Response {
    json_response(views::schema(&app).to_string())
}

async fn openapi(State(app): AppState) -> Response {
    json_response(openapi::document(&app).to_string())
}

async fn budget(State(app): AppState, headers: HeaderMap) -> Response {
    match authenticate(&app, &headers) {
        Ok(token) => json_response(views::budget(&app, &token).to_string()),
        Err(problem) => problem.into_response(),
    }
}

async fn custodian(State(app): AppState, headers: HeaderMap) -> Response {
    match authenticate(&app, &headers) {
        Ok(token) if token.role == Role::Custodian => {
            let view = tokio::task::spawn_blocking(move || views::custodian(&app)).await;
            match view {
                Ok(Ok(view)) => json_response(view.to_string()),
                Ok(Err(failure)) => {
                    log::line("failed", json!({ "error": failure.to_string() }));
                    Problem::unavailable().into_response()
                }
                Err(_) => Problem::unavailable().into_response(),
            }
        }
        Ok(_) => Problem::forbidden("the custodian").into_response(),
        Err(problem) => problem.into_response(),
    }
}

async fn health(State(app): AppState) -> Response {
    match app.queue.is_closed() {
        false => json_response(json!({ "status": "ok" }).to_string()),
        true => Problem::unavailable().into_response(),
    }
}

async fn metrics(State(app): AppState) -> Response {
    let text = app.metrics.text(&app.options, app.counts.current().queries);
    (StatusCode::OK, [(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response()
}
