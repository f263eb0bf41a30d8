//! The most frequent of many values, in bounded memory.

use crate::error::Excerpt;
use std::collections::HashMap;

/// A value, and how often it occurs.
pub struct Frequent {
    /// The value, made safe to print.
    pub value: Excerpt,
    /// How often, at least.
    pub count: u64,
}

/// Values that are kept track of.
const KEPT: usize = 512;

/// A longer value is cut off here.
const LONGEST: usize = 200;

/// By Misra and Gries: when there is no room for another value, every one loses an occurrence, and
/// so does that one. A value that is more frequent than one in [`KEPT`] is always kept.
#[derive(Default)]
pub(super) struct MostFrequent(HashMap<Box<[u8]>, u64>);

impl MostFrequent {
    pub fn see(&mut self, text: &[u8]) {
        let text = &text[..text.len().min(LONGEST)];
        if let Some(count) = self.0.get_mut(text) {
            *count += 1;
        } else if self.0.len() < KEPT {
            self.0.insert(text.into(), 1);
        } else {
            self.0.retain(|_, count| {
                *count -= 1;
                *count > 0
            });
        }
    }

    /// The first few, the most frequent one first.
    pub fn first(self, few: usize) -> Vec<Frequent> {
        let mut all: Vec<(Box<[u8]>, u64)> = self.0.into_iter().collect();
        all.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        let shown = all.into_iter().take(few);
        shown.map(|(text, count)| Frequent { value: Excerpt::of(&text), count }).collect()
    }
}
