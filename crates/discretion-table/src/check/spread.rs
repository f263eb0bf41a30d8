//! How many different values there are, and how they repeat, in bounded memory.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

/// How values repeat. Beyond some tens of thousands of different ones these are estimates, good to
/// about one in a hundred.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spread {
    /// Different values.
    pub different: u64,
    /// Those of them that occur more than once.
    pub repeated: u64,
    /// Occurrences beyond the first of each.
    pub again: u64,
    /// Whether these are counts and no estimates.
    pub exact: bool,
}

/// Counts the values whose hash ends in so many zeros: all of them at first, and every second one
/// less whenever there are too many. A value that is kept has been counted from its first
/// occurrence on.
pub(super) struct Sample {
    counts: HashMap<u64, u64>,
    zeros: u32,
    most: usize,
}

impl Sample {
    pub fn new(most: usize) -> Sample {
        Sample { counts: HashMap::new(), zeros: 0, most }
    }

    pub fn see(&mut self, hash: u64) {
        if hash.trailing_zeros() < self.zeros {
            return;
        }
        *self.counts.entry(hash).or_insert(0) += 1;
        while self.counts.len() > self.most {
            self.zeros += 1;
            self.counts.retain(|hash, _| hash.trailing_zeros() >= self.zeros);
        }
    }

    pub fn spread(&self) -> Spread {
        let scaled = |number: u64| number << self.zeros;
        Spread {
            different: scaled(self.counts.len() as u64),
            repeated: scaled(self.counts.values().filter(|count| **count > 1).count() as u64),
            again: scaled(self.counts.values().map(|count| count - 1).sum()),
            exact: self.zeros == 0,
        }
    }
}

/// The same for the same text, and its last bits as good as any.
pub(super) fn hash(text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(text);
    hasher.finish()
}

/// A sum of hashes, of which the last bits are as good as any again.
pub(super) fn mixed(sum: u64) -> u64 {
    hash(&sum.to_le_bytes())
}
