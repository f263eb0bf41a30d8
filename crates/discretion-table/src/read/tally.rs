//! What is counted while rows are encoded, at the price of a few increments: values that are lost,
//! and classes.

use super::label::Labeller;
use crate::encode::Encoder;

/// Counts of some rows.
pub(crate) struct Tally {
    pub rows: u64,
    /// One for each number of the encoder.
    pub numbers: Vec<NumberTally>,
    /// One for each category of the encoder.
    pub categories: Vec<CategoryTally>,
    /// Rows of each class, where classes are read: of two, the negative one first.
    /// Those that are left out are in none of them.
    pub classes: Vec<u64>,
    /// Rows that do not count.
    pub left_out: u64,
    /// Weights beyond their bounds.
    pub weight: NumberTally,
}

/// Numbers below and above their range, and missing ones.
#[derive(Clone, Copy, Default)]
pub(crate) struct NumberTally {
    pub low: u64,
    pub high: u64,
    pub missing: u64,
}

/// Texts that are none of the declared ones.
#[derive(Clone, Copy, Default)]
pub(crate) struct CategoryTally {
    /// And not empty.
    pub other: u64,
    /// And empty.
    pub missing: u64,
}

impl Tally {
    /// Of no rows.
    pub fn new(encoder: &Encoder, labeller: Option<&Labeller>) -> Tally {
        Tally {
            rows: 0,
            numbers: vec![NumberTally::default(); encoder.numbers.len()],
            categories: vec![CategoryTally::default(); encoder.categories.len()],
            classes: vec![0; labeller.map_or(0, Labeller::classes)],
            left_out: 0,
            weight: NumberTally::default(),
        }
    }

    /// Adds the counts of other rows of the same table.
    pub fn add(&mut self, other: &Tally) {
        self.rows += other.rows;
        self.left_out += other.left_out;
        let numbers = self.numbers.iter_mut().chain([&mut self.weight]);
        for (sum, more) in numbers.zip(other.numbers.iter().chain([&other.weight])) {
            sum.low += more.low;
            sum.high += more.high;
            sum.missing += more.missing;
        }
        for (sum, more) in self.categories.iter_mut().zip(&other.categories) {
            sum.other += more.other;
            sum.missing += more.missing;
        }
        self.classes.iter_mut().zip(&other.classes).for_each(|(sum, more)| *sum += more);
    }
}
