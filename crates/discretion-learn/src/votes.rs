//! What the models say about each query. It depends on rows and leaves as `Sensitive` values alone.

use discretion::noise::{NotPrivate, Sensitive};

/// The class that each chunk's model gives to each query.
pub struct Votes {
    pub(crate) classes: usize,
    pub(crate) queries: usize,
    /// By chunk; within a chunk by query.
    pub(crate) votes: Vec<Vec<u16>>,
    pub(crate) failed: usize,
}

impl Votes {
    /// How many chunks vote for each class at this query. They sum to the number of chunks.
    pub fn counts(&self, query: usize) -> Sensitive<Vec<u32>> {
        let mut counts = vec![0; self.classes];
        for chunk in &self.votes {
            counts[usize::from(chunk[query])] += 1;
        }
        Sensitive::new(counts)
    }

    /// How many queries there are.
    pub fn queries(&self) -> usize {
        self.queries
    }

    /// How many chunks vote class 0 because their learner failed, in training or now.
    pub fn failed(&self) -> NotPrivate<usize> {
        Sensitive::new(self.failed).not_private()
    }
}

/// The score in [0, 1] that each chunk's model gives to each query.
pub struct Scores {
    pub(crate) queries: usize,
    /// By chunk; within a chunk by query.
    pub(crate) scores: Vec<Vec<f32>>,
    pub(crate) failed: usize,
}

impl Scores {
    /// The chunks' scores of this query, in the order of the chunks. Each is in [0, 1].
    pub fn scores(&self, query: usize) -> Sensitive<Vec<f32>> {
        Sensitive::new(self.scores.iter().map(|chunk| chunk[query]).collect())
    }

    /// How many queries there are.
    pub fn queries(&self) -> usize {
        self.queries
    }

    /// How many chunks have score 0 because their learner failed, in training or now.
    pub fn failed(&self) -> NotPrivate<usize> {
        Sensitive::new(self.failed).not_private()
    }
}
