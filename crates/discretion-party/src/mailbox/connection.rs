//! A member's connection to the coordinator.

use super::{LONG_POLL, MOST_BYTES, MailboxError};
use crate::wire::Clock;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};
use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

/// Where the coordinator is, and how long it may be silent.
#[derive(Clone, Debug)]
pub struct ConnectionOptions {
    /// The coordinator: http:// or https://.
    pub url: String,
    /// A PEM file with the certificate of the authority that vouches for an https coordinator, if
    /// it is none of the usual ones.
    pub authority: Option<PathBuf>,
    /// So long.
    pub patience: Duration,
    /// The time.
    pub clock: Clock,
}

impl ConnectionOptions {
    fn agent(&self) -> Result<Agent, MailboxError> {
        if !self.url.starts_with("http://") && !self.url.starts_with("https://") {
            return Err(MailboxError::NotHttp(self.url.clone()));
        }
        let mut tls = TlsConfig::builder();
        if let Some(path) = &self.authority {
            let unreadable = |problem: String| MailboxError::Certificate {
                path: path.display().to_string(),
                problem,
            };
            let text = discretion_disk::files::read(path)
                .map_err(|error| unreadable(error.to_string()))?;
            let certificate =
                Certificate::from_pem(&text).map_err(|error| unreadable(error.to_string()))?;
            tls = tls.root_certs(RootCerts::from(vec![certificate]));
        }
        let config = Agent::config_builder()
            .tls_config(tls.build())
            .timeout_connect(Some(Duration::from_secs(10)))
            .timeout_global(Some(
                LONG_POLL + self.patience.clamp(Duration::from_secs(1), Duration::from_secs(60)),
            ))
            .max_redirects(0)
            // Members call one address; a proxy from the environment would be a surprise.
            .proxy(None)
            .http_status_as_error(false)
            .build();
        Ok(Agent::new_with_config(config))
    }
}

/// How much of the coordinator's words is shown.
pub(super) const MOST_WORDS: usize = 600;

/// A connection to the coordinator: sends a request until there is a response, or patience ends.
#[derive(Clone)]
pub(super) struct Connection {
    agent: Agent,
    options: ConnectionOptions,
}

impl Connection {
    pub(super) fn new(options: &ConnectionOptions) -> Result<Connection, MailboxError> {
        Ok(Connection { agent: options.agent()?, options: options.clone() })
    }

    pub(super) fn request(
        &self,
        path: &str,
        body: &[u8],
        is_wanted: impl Fn() -> bool,
    ) -> Result<Vec<u8>, MailboxError> {
        let url = format!("{}{path}", self.options.url.trim_end_matches('/'));
        let began = Instant::now();
        loop {
            let problem = match self
                .agent
                .post(&url)
                .header("content-type", "application/octet-stream")
                .send(body)
            {
                Ok(mut response) if response.status() == 200 => {
                    match response
                        .body_mut()
                        .with_config()
                        .limit(2 * MOST_BYTES as u64)
                        .read_to_vec()
                    {
                        Ok(bytes) => return Ok(bytes),
                        Err(error) => error.to_string(),
                    }
                }
                // It answers, and will answer the same again.
                Ok(response) if response.status().is_client_error() => {
                    return Err(MailboxError::RequestRefused {
                        url,
                        status: response.status().to_string(),
                    });
                }
                Ok(response) => format!("it says {}", response.status()),
                Err(ureq::Error::Tls(why)) => {
                    return Err(MailboxError::Tls { url, problem: why.to_owned() });
                }
                // What TLS refuses, it will refuse again.
                Err(ureq::Error::Io(why)) if why.kind() == std::io::ErrorKind::InvalidData => {
                    return Err(MailboxError::Untrusted { url, problem: why.to_string() });
                }
                Err(ureq::Error::BadUri(problem)) => {
                    return Err(MailboxError::Address { url, problem });
                }
                Err(error) => error.to_string(),
            };
            if !is_wanted() {
                return Err(MailboxError::NotNeeded);
            }
            if began.elapsed() > self.options.patience {
                return Err(MailboxError::Silent {
                    url: self.options.url.clone(),
                    seconds: self.options.patience.as_secs_f64(),
                    problem,
                });
            }
            thread::sleep(Duration::from_millis(200));
        }
    }
}
