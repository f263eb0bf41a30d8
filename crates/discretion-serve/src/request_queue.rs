//! Where requests wait for the next tick.

use crate::http::problem::Problem;
use discretion::vote::Bins;
use discretion_table::PlainRows;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::oneshot;

/// A request whose every refusal for public reasons is behind it, but for those that the writer
/// alone can know.
pub struct PendingRequest {
    /// The token's number.
    pub token: i64,
    /// What is asked about: at least one.
    pub queries: PlainRows,
    /// For scores: the bins of all of them, if not those of the study.
    pub bins: Option<Bins>,
    /// Whether it came as a list.
    pub is_batch: bool,
    /// Its idempotency key.
    pub key: Option<IdempotencyKey>,
    /// Whether it still waits.
    pub claim: Claim,
    /// Where the answer goes.
    pub reply: oneshot::Sender<Reply>,
}

/// Either the writer takes a request, or its route takes it back when the service stops; never
/// both.
#[derive(Clone, Default)]
pub struct Claim(Arc<AtomicBool>);

impl Claim {
    /// Whether it is the caller's from now on.
    pub fn take(&self) -> bool {
        !self.0.swap(true, Ordering::SeqCst)
    }
}

/// What makes a request the same when it is sent again.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct IdempotencyKey {
    /// What the client calls it.
    pub name: String,
    /// SHA-256 of the session's name and its body.
    pub body: [u8; 32],
}

/// A whole response, ready to leave at the next boundary.
#[derive(Clone)]
pub enum Reply {
    /// The body of a 200, as JSON.
    Answers(String),
    /// A refusal.
    Refused(Problem),
}
