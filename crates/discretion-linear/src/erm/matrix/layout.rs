//! Which coefficient a stored number belongs to, and why no row is longer than 1.

use super::{Batch, OTHER};
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
    numeric: Vec<f32>,
    categories: Vec<Category>,
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
}

impl Layout {
    /// `numeric` bounds |value| per numeric column; `categories` are (count, value of a hit).
    ///
    /// Under [`Norm::Scale`] the constants must keep every row in the unit ball; that is checked exactly.
    pub fn new(
        norm: Norm,
        intercept: f32,
        numeric: Vec<f32>,
        categories: Vec<(usize, f32)>,
    ) -> Result<Layout, LayoutError> {
        let constants = || {
            std::iter::once(intercept)
                .chain(numeric.iter().copied())
                .chain(categories.iter().map(|&(_, c)| c))
        };
        if let Some(bad) = constants().find(|c| !(1e-15..=1e15).contains(c)) {
            return Err(LayoutError::Constant(bad));
        }
        if let Some(&(count, _)) = categories.iter().find(|&&(count, _)| count >= usize::from(OTHER)) {
            return Err(LayoutError::TooManyCategories(count));
        }
        let longest = constants().fold(RBig::ZERO, |sum, c| sum + RBig::try_from(c).expect("finite").sqr());
        if norm == Norm::Scale && longest > RBig::ONE {
            return Err(LayoutError::TooLong(longest.to_f64().value()));
        }
        let mut first = 1 + numeric.len();
        let categories = categories
            .into_iter()
            .map(|(count, value)| {
                let category = Category { first, count, value };
                first += count;
                category
            })
            .collect();
        Ok(Layout { norm, intercept, numeric, categories })
    }

    /// d: intercept, numeric columns, declared categories.
    pub fn dimension(&self) -> usize {
        1 + self.numeric.len() + self.categories.iter().map(|c| c.count).sum::<usize>()
    }

    /// The most non-zero entries of a row.
    pub fn row_terms(&self) -> usize {
        1 + self.numeric.len() + self.categories.len()
    }

    /// The shape of a row, column by column: at most one entry of each is not 0.
    ///
    /// Under [`Norm::Scale`] it is as large as the column's constant, and the constants are the sides of a box in the unit
    /// ball ([`Layout::new`]). Under [`Norm::Row`] nothing but the length of the whole row is known.
    pub fn columns(&self) -> Columns {
        let size = |constant: f32| match self.norm {
            Norm::Scale => f64::from(constant),
            Norm::Row => 1.0,
        };
        let single = std::iter::once(&self.intercept).chain(&self.numeric);
        let single = single.map(|&constant| Column { coefficients: 1, size: size(constant) });
        let categories = self.categories.iter().filter(|category| category.count > 0);
        let categories =
            categories.map(|category| Column { coefficients: category.count, size: size(category.value) });
        Columns::new(single.chain(categories).collect())
            .expect("the intercept is a column, and constants are positive")
    }

    /// Whether each row is divided by its own length.
    pub(super) fn is_divided_by_row(&self) -> bool {
        self.norm == Norm::Row
    }

    pub(super) fn intercept(&self) -> f64 {
        f64::from(self.intercept)
    }

    /// How many rows a batch without labels has. The layout needs a column besides the intercept to tell.
    pub fn rows_of(&self, batch: &Batch) -> usize {
        let (numbers, codes) = (self.numeric().len(), self.categories().len());
        batch.numeric.len().checked_div(numbers).unwrap_or_else(|| batch.codes.len() / codes)
    }

    pub(super) fn numeric(&self) -> &[f32] {
        &self.numeric
    }

    pub(super) fn categories(&self) -> &[Category] {
        &self.categories
    }

    /// Makes rows obey the layout's bounds, whatever they hold.
    pub(super) fn enforce(&self, numeric: &mut [f32], codes: &mut [u16]) {
        if !self.numeric.is_empty() {
            for row in numeric.chunks_exact_mut(self.numeric.len()) {
                for (value, &bound) in row.iter_mut().zip(&self.numeric) {
                    // Not `clamp`, whose check of its own bounds would keep the loop from being vectorised, nor `max`
                    // and `min`, which would look for NaN again.
                    let number = if value.is_nan() { 0.0 } else { *value };
                    let number = if number < -bound { -bound } else { number };
                    *value = if number > bound { bound } else { number };
                }
            }
        }
        if !self.categories.is_empty() {
            for row in codes.chunks_exact_mut(self.categories.len()) {
                for (code, category) in row.iter_mut().zip(&self.categories) {
                    if usize::from(*code) >= category.count {
                        *code = OTHER;
                    }
                }
            }
        }
    }

    /// 1, or under [`Norm::Row`] a number slightly below 1/‖x‖ (the intercept keeps ‖x‖ above 0).
    pub(super) fn factor(&self, numbers: &[f32], codes: &[u16]) -> f32 {
        if !self.is_divided_by_row() {
            return 1.0;
        }
        let hits =
            codes.iter().zip(&self.categories).filter(|(code, _)| **code != OTHER).map(|(_, c)| c.value);
        let squared: f64 = std::iter::once(self.intercept)
            .chain(numbers.iter().copied())
            .chain(hits)
            .map(|x| f64::from(x) * f64::from(x))
            .sum();
        // The shrink is far larger than the rounding of this line, so the product stays inside the ball.
        ((1.0 - 1.0 / f64::from(1u32 << 20)) / squared.sqrt()) as f32
    }

    /// θ·x before the row's factor.
    #[inline(always)]
    pub(super) fn dot(&self, numeric: &[f32], codes: &[u16], row: usize, theta: &[f64]) -> f64 {
        let width = self.numeric.len();
        let numbers = &numeric[row * width..][..width];
        let (weights, dense) = (&theta[1..=width], width - width % LANES);
        // Eight partial sums: additions that do not wait for each other.
        let mut lanes = [0.0; LANES];
        for (x, t) in numbers[..dense].chunks_exact(LANES).zip(weights.chunks_exact(LANES)) {
            for k in 0..LANES {
                lanes[k] += f64::from(x[k]) * t[k];
            }
        }
        let mut margin = self.intercept() * theta[0] + lanes.iter().sum::<f64>();
        for (&x, &t) in numbers[dense..].iter().zip(&weights[dense..]) {
            margin += f64::from(x) * t;
        }
        for (&code, category) in codes[row * self.categories.len()..].iter().zip(&self.categories) {
            if code != OTHER {
                margin += f64::from(category.value) * theta[category.first + usize::from(code)];
            }
        }
        margin
    }
}

const LANES: usize = 8;
