//! What a learner is.

use discretion::noise::{NotPrivate, Sensitive};
use discretion_table::PlainRows;
use std::io;

/// Trains models and asks them.
///
/// A model is bytes, so that it can be kept in a [`Cache`](crate::Cache) whatever made it. What
/// `train` returns may depend on the rows it is given, on the seed and on public facts, and on
/// nothing else: not on other chunks, on the time, or on how many threads there are.
pub trait Learner: Sync {
    /// A model of these rows, of which there is at least one.
    fn train(&self, rows: &PlainRows, seed: u64) -> Result<Vec<u8>, ChunkFailure>;

    /// Makes queries ready, once for all models. An error ends the run, so it must not depend on
    /// the table: it is for a system that refuses files or memory, and assumes that no chunk's
    /// training has used them up.
    fn prepare<'a>(&'a self, queries: &'a PlainRows) -> io::Result<Box<dyn PreparedQueries + 'a>>;
}

/// Queries that a learner has made ready.
pub trait PreparedQueries: Sync {
    /// The class that the model gives to each query.
    fn classes(&self, model: &[u8]) -> Result<Vec<u16>, ChunkFailure>;

    /// For two classes: the model's score in [0, 1] for the second one, for each query.
    fn scores(&self, model: &[u8]) -> Result<Vec<f32>, ChunkFailure>;
}

/// A learner failed on a chunk, which then votes a fixed class. Why it did may depend on rows: only
/// the custodian may read it.
pub struct ChunkFailure(String);

impl ChunkFailure {
    /// A failure for this reason.
    pub fn because(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }

    /// Why.
    pub fn reason(&self) -> NotPrivate<String> {
        Sensitive::new(self.0.clone()).not_private()
    }
}
