//! What the routes know, and what the writer shows them.

use crate::log;
use crate::metrics::Metrics;
use crate::options::Options;
use crate::request_queue::PendingRequest;
use crate::store::Store;
use crate::tokens::Token;
use discretion_table::{QueryReader, Study, VoteSettings};
use serde_json::json;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, watch};

/// Tokens that were not looked at for so long open nothing.
const TOO_OLD: Duration = Duration::from_secs(5);

/// What clients may see of how far things are. It changes at boundaries of the tick alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct PublicCounts {
    pub queries_left: u64,
    pub unstable_left: u64,
    /// Answered since the start.
    pub queries: u64,
    /// By each token in all its life.
    pub used: HashMap<i64, u64>,
}

/// What the writer shows.
#[derive(Default)]
pub(crate) struct SharedCounts {
    current: Mutex<PublicCounts>,
}

impl SharedCounts {
    pub fn current(&self) -> PublicCounts {
        locked(&self.current).clone()
    }

    pub fn update(&self, change: impl FnOnce(&mut PublicCounts)) {
        change(&mut locked(&self.current));
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the routes know.
pub(crate) struct App {
    pub options: Options,
    pub study: Study,
    pub vote: VoteSettings,
    pub reader: QueryReader,
    /// The session's name.
    pub name: String,
    pub charge: u64,
    pub chunks: usize,
    pub queue: mpsc::Sender<PendingRequest>,
    pub counts: Arc<SharedCounts>,
    pub metrics: Metrics,
    pub tokens: Mutex<TokenList>,
    /// How many requests of each token wait.
    pub waiting: Mutex<HashMap<i64, usize>>,
    pub stopped: watch::Receiver<bool>,
}

/// The tokens, and when they were read.
pub(crate) struct TokenList {
    pub tokens: Arc<Vec<Token>>,
    pub read_at: Instant,
}

/// A request's place among those of its token that wait.
pub(crate) struct WaitingSlot<'a> {
    app: &'a App,
    token: i64,
}

impl Drop for WaitingSlot<'_> {
    fn drop(&mut self) {
        if let Some(count) = locked(&self.app.waiting).get_mut(&self.token) {
            *count -= 1;
        }
    }
}

impl App {
    /// The tokens, as they were at the last look; nothing if that was too long ago to know what was
    /// revoked since.
    pub fn tokens(&self) -> Option<Arc<Vec<Token>>> {
        let list = locked(&self.tokens);
        (list.read_at.elapsed() < TOO_OLD).then(|| list.tokens.clone())
    }

    /// A place for a request of this token, if not too many of its wait.
    pub fn waiting_slot(&self, token: i64) -> Option<WaitingSlot<'_>> {
        let mut waiting = locked(&self.waiting);
        let count = waiting.entry(token).or_default();
        let free = *count < self.options.most_waiting_each;
        *count += usize::from(free);
        // Not before it is known: dropping one takes the lock.
        free.then(|| WaitingSlot { app: self, token })
    }
}

/// Looks at the tokens again and again, on a schedule of its own that no work changes: what was
/// revoked opens nothing half a second later. If it cannot be read, nobody is answered soon after.
pub async fn refresh_tokens(app: Arc<App>, mut store: Store) {
    let mut every = tokio::time::interval(Duration::from_millis(500));
    loop {
        every.tick().await;
        // On a thread of its own: it waits for a commit, and no request may take longer because of
        // that.
        let reading = tokio::task::spawn_blocking(move || (store.tokens(), store)).await;
        let Ok((tokens, back)) = reading else { return };
        store = back;
        match tokens {
            Ok(tokens) => {
                *locked(&app.tokens) =
                    TokenList { tokens: Arc::new(tokens), read_at: Instant::now() }
            }
            Err(failure) => log::line("failed", json!({ "error": failure.to_string() })),
        }
    }
}
