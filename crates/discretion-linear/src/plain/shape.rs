//! Which coefficients are linearly dependent by the schema alone.

use crate::interval::Symmetric;
use std::ops::Range;

/// The coefficients of one column, or of two that are crossed, in the order of the coefficients.
/// The first part is the intercept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// The intercept, or a number.
    Single,
    /// An indicator for each declared value of a category, or the knots of a curve. Unless a row
    /// has none of them they add up to the intercept.
    Values(usize),
    /// Two crossed categories, the values of the second changing fastest.
    Cells {
        /// Which parts the categories are.
        parts: [usize; 2],
        /// How many values each has.
        values: [usize; 2],
    },
    /// A number for each value of a category.
    Slopes {
        /// Which part the category is.
        part: usize,
        /// How many values it has.
        values: usize,
    },
    /// A column that is not estimated: another outcome.
    Absent,
}

impl Part {
    /// How many coefficients it has.
    pub fn count(&self) -> usize {
        match *self {
            Part::Single | Part::Absent => 1,
            Part::Values(values) | Part::Slopes { values, .. } => values,
            Part::Cells { values: [one, other], .. } => one * other,
        }
    }
}

/// Which coefficients belong to each part.
pub(super) fn ranges(parts: &[Part]) -> Vec<Range<usize>> {
    let mut first = 0;
    let mut range = |part: &Part| {
        let start = first;
        first += part.count();
        start..first
    };
    parts.iter().map(&mut range).collect()
}

/// The coefficients that are estimated or held at 0.
pub(super) fn present(parts: &[Part]) -> Vec<usize> {
    let present = parts.iter().zip(ranges(parts)).filter(|(part, _)| **part != Part::Absent);
    present.flat_map(|(_, range)| range).collect()
}

/// The parts whose coefficients add up to the intercept in every row, by the sums of products.
pub(super) fn complete(parts: &[Part], gram: &Symmetric) -> Vec<bool> {
    let all = gram.entry(0, 0);
    let is_complete = |(part, range): (&Part, Range<usize>)| {
        let within: f64 = range.map(|j| gram.entry(0, j)).sum();
        matches!(part, Part::Values(_)) && (all - within).abs() <= 1e-12 * all
    };
    parts.iter().zip(ranges(parts)).map(is_complete).collect()
}

/// The coefficients that are held at 0: those of the first value of each complete part, alone and
/// crossed with others.
pub(super) fn references(parts: &[Part], complete: &[bool]) -> Vec<usize> {
    let of_part = |(place, (part, range)): (usize, (&Part, Range<usize>))| -> Vec<usize> {
        match *part {
            Part::Values(_) if complete[place] => vec![range.start],
            Part::Slopes { part, .. } if complete[part] => vec![range.start],
            Part::Cells { parts: [one, other], values: [_, width] } => {
                let is_first = |cell: usize| {
                    (complete[one] && cell < width)
                        || (complete[other] && cell.is_multiple_of(width))
                };
                range.clone().filter(|j| is_first(j - range.start)).collect()
            }
            _ => Vec::new(),
        }
    };
    parts.iter().zip(ranges(parts)).enumerate().flat_map(of_part).collect()
}
