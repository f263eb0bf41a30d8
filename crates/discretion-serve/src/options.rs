//! How a service is run. Everything here is public, apart from where the custodian's files are.

use discretion::Refusal;
use discretion_http::ListenOptions;
use discretion_learn::Cache;
use discretion_ledger::Consent;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// The tick that is used where nothing else is said: more than three times the longest that the
/// work of a full tick took in `examples/tick.rs`, with forests, on two shared cores (docs/serve.md
/// has its numbers).
pub const DEFAULT_TICK: Duration = Duration::from_secs(1);

/// The longest tick: nobody waits longer for an answer.
pub const LONGEST_TICK: Duration = Duration::from_secs(3600);

/// The most queries that one tick takes; what is queued beyond them waits for the next.
pub const QUERIES_PER_TICK: usize = MOST_QUERIES;

/// The most queries in one request.
pub const MOST_QUERIES: usize = 128;

/// How long an end waits for answers that are under way, beyond the two ticks that they take.
const LAST_ANSWERS: Duration = Duration::from_secs(20);

/// How a service is run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where to listen.
    pub listen: SocketAddr,
    /// Whether a bind that others can reach may go without TLS.
    pub plain_http: bool,
    /// Certificate chain and private key, as PEM files.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// When answers leave. Nothing releases them at once, which shows how long they took: for tests
    /// alone.
    pub tick: Option<Duration>,
    /// What analysts are told about the session.
    pub budget_view: BudgetView,
    /// The largest body in bytes.
    pub most_bytes: usize,
    /// How long a client may take for its headers, and again for its body.
    pub patience: Duration,
    /// Connections at a time; others wait.
    pub most_connections: usize,
    /// Requests that may wait for a tick; more are told to come back.
    pub most_waiting: usize,
    /// Requests of one token that may wait at a time; more are told to wait for those.
    pub most_waiting_each: usize,
    /// Whether a token for an analyst and one for the custodian are made, once nothing can be
    /// refused any more.
    pub new_tokens: bool,
    /// Whether a session is charged although one is there.
    pub new_session: bool,
    /// What the custodian allows that looks like a mistake.
    pub consent: Consent,
    /// Whether the service starts although the table looks like a mistake.
    pub accept_check: bool,
    /// The ledger's file.
    pub ledger: PathBuf,
    /// Where trained models are kept. NOT PRIVATE.
    pub cache: PathBuf,
    /// Whether requests are logged, as lines of JSON on standard error.
    pub log: bool,
}

/// What analysts are told about the session, beside their own count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetView {
    /// Nothing.
    Nothing,
    /// How many queries and how many unstable answers are left.
    Left,
}

impl Options {
    /// The usual ones, on loopback.
    pub fn new(ledger: PathBuf) -> Options {
        Options {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            plain_http: false,
            tls: None,
            tick: Some(DEFAULT_TICK),
            budget_view: BudgetView::Left,
            most_bytes: 1 << 20,
            patience: Duration::from_secs(10),
            most_connections: 512,
            most_waiting: 1024,
            most_waiting_each: 8,
            new_tokens: false,
            new_session: false,
            consent: Consent::default(),
            accept_check: false,
            cache: Cache::beside(&ledger),
            ledger,
            log: true,
        }
    }

    /// The way in. Without TLS only where nobody else can reach it, or something in front does it.
    pub(crate) fn listen_options(&self) -> Result<ListenOptions, Refusal> {
        if self.tls.is_none() && !self.listen.ip().is_loopback() && !self.plain_http {
            return Err(Refusal::bad_input(format!(
                "--listen {}: others can reach this address, and tokens would travel in the clear; give --tls-cert and \
                 --tls-key, or say --plain-http if something in front does TLS",
                self.listen
            )));
        }
        Ok(ListenOptions {
            listen: self.listen,
            tls: self.tls.clone(),
            patience: self.patience,
            most_connections: self.most_connections,
            last_answers: LAST_ANSWERS + 2 * self.tick.unwrap_or_default(),
        })
    }
}
