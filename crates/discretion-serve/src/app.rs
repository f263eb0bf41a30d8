//! What the routes know, and what the writer shows them.

use crate::desk::Asking;
use crate::metrics::Metrics;
use crate::options::Options;
use crate::store::Store;
use crate::tokens::Token;
use discretion_table::{QueryReader, Study, VoteSettings};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;

/// What clients may see of how far things are. It changes at boundaries of the tick alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Published {
    pub queries_left: u64,
    pub unstable_left: u64,
    /// Answered since the start.
    pub queries: u64,
    /// By each token in all its life.
    pub used: HashMap<i64, u64>,
}

/// What the writer shows.
#[derive(Default)]
pub(crate) struct Shared {
    published: Mutex<Published>,
}

impl Shared {
    pub fn published(&self) -> Published {
        locked(&self.published).clone()
    }

    pub fn publish(&self, change: impl FnOnce(&mut Published)) {
        change(&mut locked(&self.published));
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
    pub charge: u64,
    pub chunks: usize,
    pub desk: mpsc::Sender<Asking>,
    pub shared: Arc<Shared>,
    pub metrics: Metrics,
    pub tokens: Mutex<Arc<Vec<Token>>>,
}

impl App {
    /// The tokens, as they were at the last look.
    pub fn tokens(&self) -> Arc<Vec<Token>> {
        locked(&self.tokens).clone()
    }
}

/// Looks at the tokens again and again, on a schedule of its own that no work changes: what was revoked opens nothing
/// half a second later.
pub async fn look(app: Arc<App>, store: Store) {
    let mut every = tokio::time::interval(Duration::from_millis(500));
    loop {
        every.tick().await;
        if let Ok(tokens) = store.tokens() {
            *locked(&app.tokens) = Arc::new(tokens);
        }
    }
}
