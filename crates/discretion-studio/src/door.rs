//! Who is let in: the token, and nobody who comes by way of another site.
//!
//! Other programs on this machine can reach the port, and so can any page in the user's browser.
//! The first do not know the token. The second are told by what the browser says: a name that was
//! made to point here is in `Host`, another site is in `Origin` or `Sec-Fetch-Site`, and neither
//! can send a header of its own without a permission that nobody gives.

use axum::http::{HeaderMap, StatusCode, header};
use discretion_disk::hex::hex;
use sha2::{Digest, Sha256};
use std::net::SocketAddr;
use subtle::ConstantTimeEq;

/// The header that carries the token.
pub const HEADER: &str = "x-discretion-token";

/// Where released files are: behind a key, because a link cannot carry a header.
pub const FILES: &str = "/files/";

pub struct Door {
    token: String,
    /// Opens files of the folder to read, and nothing else.
    files_key: String,
    /// What this address may be called.
    hosts: [String; 2],
}

/// Why somebody is not let in.
pub type Closed = (StatusCode, &'static str);

impl Door {
    pub fn new(token: String, address: SocketAddr) -> Door {
        let digest = Sha256::new().chain_update("files ").chain_update(&token).finalize();
        let files_key = hex(&digest);
        let port = address.port();
        Door { token, files_key, hosts: [format!("127.0.0.1:{port}"), format!("localhost:{port}")] }
    }

    pub fn token(&self) -> &str {
        &self.token
    }

    /// The beginning of the path of every file.
    pub fn files(&self) -> String {
        format!("{FILES}{}/", self.files_key)
    }

    /// Lets a request in, or says why not.
    pub fn check(&self, path: &str, headers: &HeaderMap) -> Result<(), Closed> {
        let of = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let host = of(header::HOST.as_str()).unwrap_or_default();
        if !self.hosts.iter().any(|known| known == host) {
            return Err((StatusCode::FORBIDDEN, "this page is for the machine that it runs on"));
        }
        let origin = headers.get(header::ORIGIN).map(|value| value.to_str().unwrap_or("?"));
        let is_own =
            |origin: &str| self.hosts.iter().any(|host| origin == format!("http://{host}"));
        if origin.is_some_and(|origin| !is_own(origin)) {
            return Err((StatusCode::FORBIDDEN, "another site asks; only this page may"));
        }
        if path.starts_with("/api/") {
            if of("sec-fetch-site").is_some_and(|site| !["same-origin", "none"].contains(&site)) {
                return Err((StatusCode::FORBIDDEN, "another site asks; only this page may"));
            }
            if !same(of(HEADER).unwrap_or_default(), &self.token) {
                return Err((
                    StatusCode::UNAUTHORIZED,
                    "the token is missing or of another run; open the address that `discretion studio` printed",
                ));
            }
        } else if let Some(rest) = path.strip_prefix(FILES)
            && !same(rest.split('/').next().unwrap_or_default(), &self.files_key)
        {
            return Err((
                StatusCode::UNAUTHORIZED,
                "this link is of another run; open it from the page",
            ));
        }
        Ok(())
    }
}

fn same(one: &str, other: &str) -> bool {
    one.as_bytes().ct_eq(other.as_bytes()).into()
}
