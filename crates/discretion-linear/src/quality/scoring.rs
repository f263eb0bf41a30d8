//! A released model, applied to rows, and what is counted of what it says of them.

use super::classes::ClassTally;
use super::numbers::{NumberTally, SumScale};
use super::{Grid, Tally};
use crate::outcome::probabilities;
use serde::{Deserialize, Serialize};

/// A released model and what is counted of the rows that it is applied to. All of it is public.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scoring {
    /// Vectors of coefficients, one after the other. Counts follow from a row's products with them.
    pub vectors: Vec<f64>,
    /// What is counted.
    pub counting: Counting,
    /// Place of the category column by whose values rows are counted apart, if they are.
    pub by: Option<usize>,
    /// Number of groups. The last one has all values that are not declared.
    pub groups: usize,
}

/// What is counted of a row's products with a model's vectors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Counting {
    /// Cells of the one product, which is the score of two classes.
    Two(Grid),
    /// For each class the cells of its log odds, and which class is the likeliest. Products are
    /// those with the coefficients of each class.
    Several(Vec<Grid>),
    /// Residuals of a number. Products are the prediction, the outcome, and those whose squares add
    /// up to the variance of the prediction.
    Number {
        /// What sums are in units of.
        scale: SumScale,
        /// Variance of residuals.
        residual: f64,
    },
}

/// Counts of rows, whatever their outcome is. They depend on rows, and nothing here prints them.
#[derive(Clone)]
pub enum AnyTally {
    /// Of two classes.
    Two(Tally),
    /// Of several.
    Several(ClassTally),
    /// Of a number.
    Number(NumberTally),
}

/// Label of a row.
#[derive(Clone, Copy)]
pub(crate) enum RowLabel {
    /// Whether it is of the positive class. A number has its outcome among its columns instead.
    Sign(bool),
    /// The class.
    Class(usize),
}

impl Scoring {
    /// Returns true if this model is one of rows with so many coefficients for each class, so many
    /// category columns, and labels of so many classes, if of several.
    pub(crate) fn fits(&self, dimension: usize, codes: usize, classes: Option<usize>) -> bool {
        let vectors = self.vectors.len() / dimension;
        let are_whole = self.vectors.len() == vectors * dimension;
        let is_model = match &self.counting {
            Counting::Two(_) => classes.is_none() && vectors == 1,
            Counting::Several(grids) => classes == Some(vectors) && grids.len() == vectors,
            Counting::Number { .. } => classes.is_none() && vectors >= 2,
        };
        are_whole && is_model && self.groups > 0 && self.by.is_none_or(|place| place < codes)
    }

    /// No row yet.
    pub(crate) fn nothing(&self) -> AnyTally {
        match &self.counting {
            Counting::Two(grid) => AnyTally::Two(Tally::new(grid.clone(), self.groups)),
            Counting::Several(grids) => AnyTally::Several(ClassTally::new(grids, self.groups)),
            Counting::Number { scale, .. } => {
                AnyTally::Number(NumberTally::new(*scale, self.groups))
            }
        }
    }

    /// Counts a row: its product with each vector, its label and its categories.
    pub(crate) fn count(
        &self,
        products: &[f64],
        label: RowLabel,
        codes: &[u16],
        into: &mut AnyTally,
    ) {
        let last = self.groups - 1;
        let group = self.by.map_or(0, |place| usize::from(codes[place]).min(last));
        match (&self.counting, label, into) {
            (Counting::Two(_), RowLabel::Sign(positive), AnyTally::Two(tally)) => {
                tally.add(products[0], positive, group);
            }
            (Counting::Several(_), RowLabel::Class(class), AnyTally::Several(tally)) => {
                // Of several that are equally likely, the first: as predictions have it.
                let likely = probabilities(products);
                let most = likely.iter().copied().fold(0.0, f64::max);
                let called = likely.iter().position(|&p| p >= most).unwrap_or(0);
                tally.add(&log_odds(products), called, class, group);
            }
            (Counting::Number { residual, .. }, RowLabel::Sign(_), AnyTally::Number(tally)) => {
                let [predicted, outcome, axes @ ..] = products else {
                    unreachable!("both are there")
                };
                let variance = residual.max(0.0) + axes.iter().map(|part| part * part).sum::<f64>();
                tally.add(outcome - predicted, variance.sqrt(), *outcome, group);
            }
            _ => unreachable!("rows are counted as their model wants"),
        }
    }
}

impl AnyTally {
    /// Returns every count, in an order that follows from the [`Scoring`].
    fn counts(&mut self) -> Vec<&mut i64> {
        match self {
            AnyTally::Two(tally) => tally.counts_mut().collect(),
            AnyTally::Several(tally) => tally.counts_mut().collect(),
            AnyTally::Number(tally) => tally.counts_mut().collect(),
        }
    }

    /// Adds counts of other rows.
    pub(crate) fn add(&mut self, mut other: AnyTally) {
        let (total, part) = (self.counts(), other.counts());
        assert_eq!(total.len(), part.len(), "all parts are asked one question");
        total.into_iter().zip(part).for_each(|(total, part)| *total += *part);
    }

    /// Returns all counts as numbers.
    pub(crate) fn to_numbers(&self) -> Vec<i64> {
        self.clone().counts().into_iter().map(|count| *count).collect()
    }

    /// Replaces the counts; nothing unless there are as many.
    pub(crate) fn with_numbers(mut self, numbers: &[i64]) -> Option<AnyTally> {
        let counts = self.counts();
        if counts.len() != numbers.len() {
            return None;
        }
        counts.into_iter().zip(numbers).for_each(|(count, number)| *count = *number);
        Some(self)
    }
}

/// Returns for each class the logarithm of the odds that a row is of it, from the scores of all.
pub fn log_odds(scores: &[f64]) -> Vec<f64> {
    let of = |class: usize| {
        let others =
            || scores.iter().enumerate().filter(|&(k, _)| k != class).map(|(_, &score)| score);
        let most = others().fold(f64::NEG_INFINITY, f64::max);
        scores[class] - most - others().map(|score| (score - most).exp()).sum::<f64>().ln()
    };
    (0..scores.len()).map(of).collect()
}
