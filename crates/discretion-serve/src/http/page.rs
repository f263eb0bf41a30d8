//! The page: one file of each kind, from the binary. It asks for nothing else.

use axum::http::header;
use axum::response::{IntoResponse, Response};

/// Nothing from elsewhere, nothing inline.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
                          base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

pub async fn html() -> Response {
    file("text/html; charset=utf-8", include_str!("page.html"))
}

pub async fn script() -> Response {
    file("text/javascript; charset=utf-8", include_str!("page.js"))
}

pub async fn style() -> Response {
    file("text/css; charset=utf-8", include_str!("page.css"))
}

fn file(kind: &'static str, text: &'static str) -> Response {
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}
