//! What was counted while a table was read: enough to see what can only be a mistake, before
//! anything is charged.

use crate::date::Moment;
use crate::encode::Encoder;
use crate::read::{CategoryTally, Labeller, Tally};
use crate::schema::{Column, Labels, Schema, Target};
use std::fmt;

/// How many rows there are, which is public, and what they hold, which is for whoever holds them:
/// it was counted without noise.
pub struct Counts {
    /// All rows.
    pub rows: u64,
    /// Rows that do not count, by the study's cohort.
    pub left_out: u64,
    /// The outcome, where it was read.
    pub outcome: Option<OutcomeCounts>,
    /// The columns that were read, numbers first.
    pub columns: Vec<ColumnCounts>,
}

/// How many rows are of each class.
pub struct OutcomeCounts {
    /// What the outcome's values mean.
    pub target: Target,
    /// Rows of each class: of two, the negative one first.
    pub classes: Vec<u64>,
}

/// How many values of a column are not what was declared.
pub struct ColumnCounts {
    /// Its name.
    pub name: String,
    /// What was lost.
    pub lost: Lost,
}

/// Values that are clipped, missing, or "other".
#[derive(Clone, Copy)]
pub enum Lost {
    /// Of a number.
    Number {
        /// Its declared range.
        range: (f64, f64),
        /// Values below it.
        low: u64,
        /// Values above it.
        high: u64,
        /// Missing values.
        missing: u64,
    },
    /// Of a date.
    Date {
        /// Its declared range.
        range: (Moment, Moment),
        /// Dates before it.
        low: u64,
        /// Dates after it.
        high: u64,
        /// Missing dates.
        missing: u64,
    },
    /// Of a category.
    Category {
        /// Values that are not declared.
        other: u64,
        /// Missing values, unless the empty text is declared.
        missing: u64,
    },
    /// Of a category that is read from several columns.
    OneOf {
        /// Rows in which several of them are 1.
        several: u64,
        /// Rows in which none is, unless that has a level of its own.
        none: u64,
    },
}

/// Their number is public.
impl fmt::Debug for Counts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "counts of {} rows", self.rows)
    }
}

impl Counts {
    /// Of no rows, of a table of this schema.
    pub fn nothing(schema: &Schema) -> Counts {
        let (encoder, target) = (schema.encoder(), schema.target());
        Counts::new(&encoder, Some(target), &Tally::new(&encoder, Some(&Labeller::of(target))))
    }

    /// Of no rows, of these columns alone.
    pub fn nothing_of(columns: &[Column]) -> Counts {
        let encoder = Encoder::describing(columns);
        Counts::new(&encoder, None, &Tally::new(&encoder, None))
    }

    fn numbers(&mut self) -> impl Iterator<Item = &mut u64> {
        let classes = self.outcome.iter_mut().flat_map(|outcome| &mut outcome.classes);
        let lost = self.columns.iter_mut().flat_map(|column| match &mut column.lost {
            Lost::Number { low, high, missing, .. } | Lost::Date { low, high, missing, .. } => {
                vec![low, high, missing]
            }
            Lost::Category { other, missing } => vec![other, missing],
            Lost::OneOf { several, none } => vec![several, none],
        });
        [&mut self.rows, &mut self.left_out].into_iter().chain(classes).chain(lost)
    }

    /// All counts, for the process that adds those of several workers.
    pub fn to_bytes(&mut self) -> Vec<u8> {
        self.numbers().flat_map(|number| number.to_le_bytes()).collect()
    }

    /// Adds counts that another process wrote, of the same columns. Nothing if they are something
    /// else.
    pub fn add_bytes(&mut self, bytes: &[u8]) -> Option<()> {
        let (words, rest) = bytes.as_chunks();
        let numbers: Vec<&mut u64> = self.numbers().collect();
        if !rest.is_empty() || words.len() != numbers.len() {
            return None;
        }
        numbers.into_iter().zip(words).for_each(|(sum, word)| *sum += u64::from_le_bytes(*word));
        Some(())
    }

    /// From what a reader counted.
    pub(crate) fn new(encoder: &Encoder, target: Option<&Target>, tally: &Tally) -> Counts {
        let numbers = encoder
            .numbers
            .iter()
            .zip(&tally.numbers)
            .map(|(code, tally)| ColumnCounts { name: code.name.clone(), lost: code.lost(*tally) });
        let categories = encoder.categories.iter().zip(&tally.categories).map(|(code, tally)| {
            // An outcome that is described like other columns, and of which every other value is
            // declared to be negative.
            let any_other = target.is_some_and(|target| {
                target.column == code.name
                    && matches!(target.labels, Labels::Two { negative: None, .. })
            });
            let other = if any_other { 0 } else { tally.other };
            ColumnCounts {
                name: code.name.clone(),
                lost: code.lost(CategoryTally { other, ..*tally }),
            }
        });
        let weights = encoder.weight.as_ref().map(|weight| weight.lost(tally.weight));
        let outcome = target.filter(|_| !tally.classes.is_empty());
        Counts {
            rows: tally.rows,
            left_out: tally.left_out,
            columns: numbers.chain(categories).chain(weights).collect(),
            outcome: outcome.map(|target| OutcomeCounts {
                target: target.clone(),
                classes: tally.classes.clone(),
            }),
        }
    }
}
