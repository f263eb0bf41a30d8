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
    /// Those of them that are written in several ways.
    pub respelled: u64,
    /// Occurrences beyond the first of each.
    pub again: u64,
    /// Whether these are counts and no estimates.
    pub exact: bool,
}

/// Counts the values whose hash ends in so many zeros: all of them at first, and every second one
/// less whenever there are too many. A value that is kept has been counted from its first
/// occurrence on.
pub(super) struct Sample {
    counts: HashMap<u64, Seen>,
    zeros: u32,
    most: usize,
}

/// A value that is kept.
struct Seen {
    count: u64,
    /// The hash of its first text.
    text: u64,
    /// Whether it had another text since.
    respelled: bool,
}

impl Sample {
    pub fn new(most: usize) -> Sample {
        Sample { counts: HashMap::new(), zeros: 0, most }
    }

    pub fn see(&mut self, hash: u64) {
        self.see_spelling(hash, hash);
    }

    /// Takes a value that has several texts, by its hash and that of the text. Returns whether the
    /// text is known to be another one than the value's first.
    pub fn see_spelling(&mut self, hash: u64, text: u64) -> bool {
        if hash.trailing_zeros() < self.zeros {
            return false;
        }
        let seen = self.counts.entry(hash).or_insert(Seen { count: 0, text, respelled: false });
        let is_other = seen.text != text;
        seen.count += 1;
        seen.respelled |= is_other;
        while self.counts.len() > self.most {
            self.zeros += 1;
            self.counts.retain(|hash, _| hash.trailing_zeros() >= self.zeros);
        }
        is_other
    }

    pub fn spread(&self) -> Spread {
        let scaled = |number: u64| number << self.zeros;
        let values = || self.counts.values();
        Spread {
            different: scaled(values().len() as u64),
            repeated: scaled(values().filter(|seen| seen.count > 1).count() as u64),
            respelled: scaled(values().filter(|seen| seen.respelled).count() as u64),
            again: scaled(values().map(|seen| seen.count - 1).sum()),
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
