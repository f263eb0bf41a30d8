//! HTTP as tests need it: one connection, one request after another. Shared with the tests of the
//! binary and with examples/load.rs.

use serde_json::Value;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// A connection that is opened when it is needed.
pub struct Client {
    address: SocketAddr,
    stream: Option<BufReader<TcpStream>>,
}

/// A response.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Response {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

impl Client {
    pub fn new(address: SocketAddr) -> Client {
        Client { address, stream: None }
    }

    pub fn get(&mut self, path: &str, token: Option<&str>) -> io::Result<Response> {
        self.send("GET", path, token, None, b"")
    }

    /// Asks, with an idempotency key if there is one.
    pub fn ask(
        &mut self,
        token: &str,
        key: Option<&str>,
        body: impl AsRef<[u8]>,
    ) -> io::Result<Response> {
        self.send("POST", "/v1/answers", Some(token), key, body.as_ref())
    }

    pub fn send(
        &mut self,
        method: &str,
        path: &str,
        token: Option<&str>,
        key: Option<&str>,
        body: &[u8],
    ) -> io::Result<Response> {
        let mut head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n",
            self.address,
            body.len()
        );
        if !body.is_empty() {
            head += "Content-Type: application/json\r\n";
        }
        if let Some(token) = token {
            head += &format!("Authorization: Bearer {token}\r\n");
        }
        if let Some(key) = key {
            head += &format!("Idempotency-Key: {key}\r\n");
        }
        let mut bytes = (head + "\r\n").into_bytes();
        bytes.extend_from_slice(body);
        let sent = self.exchange(&bytes);
        if sent.as_ref().map_or(true, |response| response.header("connection") == Some("close")) {
            self.stream = None;
        }
        sent
    }

    fn exchange(&mut self, bytes: &[u8]) -> io::Result<Response> {
        if self.stream.is_none() {
            let stream = TcpStream::connect(self.address)?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(Duration::from_secs(60)))?;
            self.stream = Some(BufReader::new(stream));
        }
        let stream = self.stream.as_mut().expect("just opened");
        stream.get_mut().write_all(bytes)?;
        read(stream)
    }
}

/// Reads a response with a length.
pub fn read(stream: &mut impl BufRead) -> io::Result<Response> {
    let broken = || io::Error::new(io::ErrorKind::UnexpectedEof, "the response broke off");
    let mut line = String::new();
    stream.read_line(&mut line)?;
    let status =
        line.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(broken)?;
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.push((name.to_lowercase(), value.to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.and_then(|(_, value)| value.parse().ok()).ok_or_else(broken)?;
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    Ok(Response { status, headers, body: String::from_utf8_lossy(&body).into_owned() })
}
