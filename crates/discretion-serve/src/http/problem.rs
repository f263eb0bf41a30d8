//! Refusals as problem+json (RFC 9457): each says what to do.

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// Why a request was refused. Nothing in it depends on rows, but that a session has ended, which
/// follows from the answers that have left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    status: StatusCode,
    code: &'static str,
    detail: String,
    header: Option<(HeaderName, HeaderValue)>,
}

impl Problem {
    fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Problem {
        Problem { status, code, detail: detail.into(), header: None }
    }

    fn with(mut self, name: HeaderName, value: &'static str) -> Problem {
        self.header = Some((name, HeaderValue::from_static(value)));
        self
    }

    /// No token, a wrong one or a revoked one: the same in all three cases.
    pub fn unauthorized() -> Problem {
        let detail =
            "send the token that the custodian gave you, as \"Authorization: Bearer TOKEN\"";
        Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", detail)
            .with(header::WWW_AUTHENTICATE, "Bearer")
    }

    /// A token of the other role.
    pub fn forbidden(wanted: &str) -> Problem {
        Problem::new(StatusCode::FORBIDDEN, "forbidden", format!("this needs {wanted}'s token"))
    }

    /// Not JSON.
    pub fn malformed(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, "malformed", detail)
    }

    /// JSON that is not what the schema wants.
    pub fn unprocessable(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "unprocessable", detail)
    }

    /// An idempotency key that came with another body before.
    pub fn other_body() -> Problem {
        let detail =
            "this Idempotency-Key came with another body before; use a new key for a new request";
        Problem::new(StatusCode::CONFLICT, "key-reused", detail)
    }

    /// Some other type of content.
    pub fn not_json() -> Problem {
        let detail = "send JSON, with \"Content-Type: application/json\"";
        Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not-json", detail)
    }

    /// A body beyond the limit.
    pub fn too_large(most: usize) -> Problem {
        let detail = format!("a body may have {most} bytes; send the queries in several requests");
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", detail)
    }

    /// A body that does not come.
    pub fn too_slow() -> Problem {
        let detail = "the body did not arrive in time; send it again";
        Problem::new(StatusCode::REQUEST_TIMEOUT, "too-slow", detail)
            .with(header::CONNECTION, "close")
    }

    /// More queries than the token may still ask.
    pub fn over_limit(room: u64) -> Problem {
        let detail = format!(
            "your token may ask {room} more queries; send fewer, or ask the custodian for more"
        );
        Problem::new(StatusCode::TOO_MANY_REQUESTS, "over-limit", detail)
    }

    /// More requests at a time than a token may have.
    pub fn too_many_waiting() -> Problem {
        let detail = "too many requests of your token are waiting for their answers; send this one again when they have left";
        Problem::new(StatusCode::TOO_MANY_REQUESTS, "too-many-waiting", detail)
            .with(header::RETRY_AFTER, "1")
    }

    /// T unstable answers or m queries were answered.
    pub fn session_ended() -> Problem {
        let detail = "the session has answered all that its budget pays for; only queries that were answered before are \
                      answered again. Ask the custodian for another session";
        Problem::new(StatusCode::GONE, "session-ended", detail)
    }

    /// The machine's fault, or the queue is full.
    pub fn unavailable() -> Problem {
        let detail = "the service cannot answer now; send the same request again later, with the same Idempotency-Key";
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", detail)
            .with(header::RETRY_AFTER, "5")
    }

    /// No such address.
    pub fn not_found() -> Problem {
        Problem::new(
            StatusCode::NOT_FOUND,
            "not-found",
            "there is nothing here; /openapi.json lists what there is",
        )
    }

    /// Another method.
    pub fn wrong_method() -> Problem {
        let detail = "this address takes another method; /openapi.json lists them";
        Problem::new(StatusCode::METHOD_NOT_ALLOWED, "wrong-method", detail)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let title = self.status.canonical_reason().unwrap_or("Refused");
        let body = json!({
            "type": "about:blank",
            "title": title,
            "status": self.status.as_u16(),
            "code": self.code,
            "detail": self.detail,
        });
        let kind = [(header::CONTENT_TYPE, "application/problem+json")];
        let mut response = (self.status, kind, body.to_string()).into_response();
        if let Some((name, value)) = self.header {
            response.headers_mut().insert(name, value);
        }
        response
    }
}
