//! Which coefficient a stored number belongs to, and why no row is longer than 1.

use super::blend::{Cross, Mixed, MixedOf, Pair, Stored};
use super::{Batch, KeptKnots, OTHER};
use crate::erm::Entries;
use dashu_ratio::RBig;
use discretion_privacy::noise::{Column, Columns};
use serde::{Deserialize, Serialize};

/// How rows are brought into the unit ball.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Norm {
    /// One public constant per column.
    #[default]
    Scale,
    /// Each row divided by its own length.
    Row,
}

/// The shape of an encoded row. Public facts only.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    norm: Norm,
    intercept: f32,
    stored: Vec<Stored>,
    /// The bounds of those that are one entry each, and where they are stored.
    numeric: Vec<f32>,
    places: Vec<usize>,
    categories: Vec<Category>,
    pairs: Vec<Pair>,
    mixed: Vec<Mixed>,
    is_weighted: bool,
    /// How many classes a row's label is one of, if it is more than a sign.
    classes: Option<u16>,
}

/// One category column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Category {
    pub first: usize,
    pub count: usize,
    pub value: f32,
}

/// Why a layout was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LayoutError {
    /// Some constant is out of the range in which a row's length can be computed with care.
    #[error("every column constant must be between 1e-15 and 1e15, not {0}")]
    Constant(f32),
    /// The longest possible row is longer than 1.
    #[error("the longest possible row has squared length {0}, which is more than 1")]
    TooLong(f64),
    /// Codes are sixteen bits wide.
    #[error("a column can have at most 65534 categories, not {0}")]
    TooManyCategories(usize),
    /// A curve with one knot, or with more than a position can tell apart.
    #[error("a curve has between 2 and 4096 knots, not {0}")]
    Knots(usize),
    /// A cross of columns that are not there, or not of the right kind.
    #[error("a cross is of two category columns, or of one and a number that is no curve")]
    Cross,
}

impl Layout {
    /// `numeric` bounds |value| per numeric column; `categories` are (count, value of a hit).
    ///
    /// Under [`Norm::Scale`] the constants must keep every row in the unit ball; that is checked
    /// exactly.
    pub fn new(
        norm: Norm,
        intercept: f32,
        numeric: Vec<f32>,
        categories: Vec<(usize, f32)>,
    ) -> Result<Layout, LayoutError> {
        let stored = numeric.into_iter().map(Stored::Number).collect();
        Layout::with_curves(norm, intercept, stored, categories, &[])
    }

    /// The same with curves among the numbers, and with columns that are crossed. Coefficients are
    /// in this order: intercept, numbers, categories, pairs of categories, curves, slopes.
    pub fn with_curves(
        norm: Norm,
        intercept: f32,
        stored: Vec<Stored>,
        categories: Vec<(usize, f32)>,
        crosses: &[Cross],
    ) -> Result<Layout, LayoutError> {
        let mut layout = Layout {
            norm,
            intercept,
            numeric: vec![],
            places: vec![],
            categories: vec![],
            pairs: vec![],
            mixed: vec![],
            is_weighted: false,
            classes: None,
            stored,
        };
        for (place, stored) in layout.stored.iter().enumerate() {
            match stored {
                Stored::Number(bound) => {
                    layout.numeric.push(*bound);
                    layout.places.push(place);
                }
                Stored::Curve(curve) if !(2..=MOST_KNOTS).contains(&curve.knots) => {
                    return Err(LayoutError::Knots(curve.knots));
                }
                Stored::Curve(_) => {}
            }
        }
        if let Some(&(count, _)) =
            categories.iter().find(|&&(count, _)| count >= usize::from(OTHER))
        {
            return Err(LayoutError::TooManyCategories(count));
        }
        let mut first = 1 + layout.numeric.len();
        let mut next = |count: usize| {
            first += count;
            first - count
        };
        layout.categories = categories
            .iter()
            .map(|&(count, value)| Category { first: next(count), count, value })
            .collect();
        for cross in crosses {
            if let &Cross::Pair { categories: [a, b], value } = cross {
                let [one, other] = [a, b].map(|at| categories.get(at).map(|&(count, _)| count));
                let counts = one.zip(other).map(<[usize; 2]>::from).ok_or(LayoutError::Cross)?;
                let first = next(counts[0] * counts[1]);
                layout.pairs.push(Pair { first, categories: [a, b], counts, value });
            }
        }
        for (number, stored) in layout.stored.iter().enumerate() {
            if let &Stored::Curve(curve) = stored {
                let count = curve.coefficients();
                let of = MixedOf::Curve { number, curve };
                layout.mixed.push(Mixed { first: next(count), count, of });
            }
        }
        for cross in crosses {
            if let &Cross::Slopes { category, number } = cross {
                let (Some(&(count, _)), Some(&Stored::Number(bound))) =
                    (categories.get(category), layout.stored.get(number))
                else {
                    return Err(LayoutError::Cross);
                };
                let of = MixedOf::Slopes { category, number, bound };
                layout.mixed.push(Mixed { first: next(count), count, of });
            }
        }
        layout.check_sizes()?;
        Ok(layout)
    }

    /// The constants are such that lengths can be computed with care, and under [`Norm::Scale`]
    /// such that √Σ‖x_j‖₁² ≤ 1.
    fn check_sizes(&self) -> Result<(), LayoutError> {
        let sizes = || self.sizes().map(|(_, size)| size);
        if let Some(bad) = sizes().find(|c| !(1e-15..=1e15).contains(c)) {
            return Err(LayoutError::Constant(bad));
        }
        let longest =
            sizes().fold(RBig::ZERO, |sum, c| sum + RBig::try_from(c).expect("finite").sqr());
        if self.norm == Norm::Scale && longest > RBig::ONE {
            return Err(LayoutError::TooLong(longest.to_f64().value()));
        }
        Ok(())
    }

    /// Every column in the order of its coefficients: how many it has, and the most that ‖x_j‖₁ can
    /// be.
    fn sizes(&self) -> impl Iterator<Item = (usize, f32)> + '_ {
        let single = std::iter::once(&self.intercept).chain(&self.numeric).map(|&size| (1, size));
        let categories = self.categories.iter().map(|category| (category.count, category.value));
        let pairs = self.pairs.iter().map(|pair| (pair.count(), pair.value));
        let mixed = self.mixed.iter().map(|mixed| (mixed.count, mixed.size()));
        single.chain(categories).chain(pairs).chain(mixed)
    }

    /// d: intercept, numbers, declared categories, curves and crosses.
    pub fn dimension(&self) -> usize {
        self.sizes().map(|(coefficients, _)| coefficients).sum()
    }

    /// The most non-zero entries of a row.
    pub fn row_terms(&self) -> usize {
        let mixed = self.mixed.iter().map(Mixed::entries).sum::<usize>();
        1 + self.numeric.len() + self.categories.len() + self.pairs.len() + mixed
    }

    /// What a row can have in each column, in the order of [`Layout::columns`]; nothing if all are
    /// numbers and categories.
    pub fn column_entries(&self) -> Vec<Entries> {
        if self.mixed.is_empty() {
            return Vec::new();
        }
        let others = self.sizes().count() - self.mixed.len();
        let mixed = self.mixed.iter().map(|mixed| match mixed.of {
            MixedOf::Curve { curve, .. } => Entries::Neighbours(curve.knots),
            MixedOf::Slopes { .. } => Entries::One,
        });
        let all = std::iter::repeat_n(Entries::Constant, others).chain(mixed);
        let is_there = self.sizes().map(|(coefficients, _)| coefficients > 0);
        all.zip(is_there).filter(|(_, is_there)| *is_there).map(|(entries, _)| entries).collect()
    }

    /// The shape of a row, column by column: the absolute values of its entries there add up to the
    /// size at most.
    ///
    /// Under [`Norm::Scale`] that is the column's constant, and the constants are the sides of a
    /// box in the unit ball ([`Layout::with_curves`]). Under [`Norm::Row`] nothing is known but
    /// √Σ‖x_j‖₁² ≤ 1.
    pub fn columns(&self) -> Columns {
        let size = |constant: f32| match self.norm {
            Norm::Scale => f64::from(constant),
            Norm::Row => 1.0,
        };
        let columns = self.sizes().filter(|&(coefficients, _)| coefficients > 0);
        let columns = columns
            .map(|(coefficients, constant)| Column { coefficients, size: size(constant) })
            .collect();
        Columns::new(columns).expect("the intercept is a column, and constants are positive")
    }

    /// The same for rows that each have a weight from 0 to 1.
    pub fn weighted(self) -> Layout {
        Layout { is_weighted: true, ..self }
    }

    /// Whether each row has a weight.
    pub fn is_weighted(&self) -> bool {
        self.is_weighted
    }

    /// The same for rows that are each of one of so many classes.
    pub fn of_classes(self, count: usize) -> Layout {
        let classes = u16::try_from(count).ok().filter(|&count| count >= 2);
        Layout { classes: Some(classes.expect("there are at least two classes")), ..self }
    }

    /// Returns true if these are knots that curves of this layout can keep.
    pub fn has_knots(&self, kept: &KeptKnots) -> bool {
        kept.iter().all(|(place, knots)| match self.stored.get(*place) {
            Some(Stored::Curve(curve)) => {
                knots.first() == Some(&0)
                    && knots.last() == Some(&(curve.knots - 1))
                    && knots.windows(2).all(|pair| pair[0] < pair[1])
            }
            _ => false,
        })
    }

    /// Returns the layout of the same rows where curves keep these of their knots.
    pub fn keeping_knots(&self, kept: &KeptKnots) -> Layout {
        let mut layout = self.clone();
        for (place, knots) in kept {
            if let Stored::Curve(curve) = &mut layout.stored[*place] {
                curve.knots = knots.len();
            }
        }
        let mut first = self.mixed.first().map_or(0, |mixed| mixed.first);
        for mixed in &mut layout.mixed {
            if let MixedOf::Curve { number, curve } = &mut mixed.of
                && let Stored::Curve(stored) = layout.stored[*number]
            {
                *curve = stored;
                mixed.count = stored.coefficients();
            }
            mixed.first = first;
            first += mixed.count;
        }
        layout
    }

    /// The same for rows without classes.
    pub(super) fn without_classes(self) -> Layout {
        Layout { classes: None, ..self }
    }

    /// How many classes a row's label is one of; nothing where it is a sign.
    pub fn classes(&self) -> Option<usize> {
        self.classes.map(usize::from)
    }

    /// Whether each row is divided by its own length.
    pub(super) fn is_divided_by_row(&self) -> bool {
        self.norm == Norm::Row
    }

    pub(super) fn intercept(&self) -> f64 {
        f64::from(self.intercept)
    }

    /// How many rows a batch without labels has. The layout needs a column besides the intercept to
    /// tell.
    pub fn rows_of(&self, batch: &Batch) -> usize {
        let (numbers, codes) = (self.stored().len(), self.categories().len());
        batch.numeric.len().checked_div(numbers).unwrap_or_else(|| batch.codes.len() / codes)
    }

    /// What each stored number becomes.
    pub fn stored(&self) -> &[Stored] {
        &self.stored
    }

    /// The bounds of the numbers that are one entry each.
    pub(super) fn numeric(&self) -> &[f32] {
        &self.numeric
    }

    /// Where they are stored.
    pub(super) fn places(&self) -> &[usize] {
        &self.places
    }

    /// What a hit counts, slot by slot. What varies from row to row is counted by the row.
    pub(super) fn slot_values(&self) -> impl Iterator<Item = f64> + '_ {
        let categories = self.categories.iter().map(|c| (c.count, f64::from(c.value)));
        let pairs = self.pairs.iter().map(|pair| (pair.count(), f64::from(pair.value)));
        let mixed = self.mixed.iter().map(|mixed| (mixed.count, 1.0));
        categories
            .chain(pairs)
            .chain(mixed)
            .flat_map(|(count, value)| std::iter::repeat_n(value, count))
    }

    pub(super) fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    pub(super) fn mixed(&self) -> &[Mixed] {
        &self.mixed
    }

    pub(super) fn categories(&self) -> &[Category] {
        &self.categories
    }
}

/// A position is an `f32`, of whose 24 bits these leave twelve for the place between two knots.
const MOST_KNOTS: usize = 4096;
