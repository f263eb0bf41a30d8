//! The columns of a density: intervals that are cut into bins, and lists of categories.

use super::DensityError;
use super::cuts::Cuts;
use serde::{Deserialize, Serialize};

/// One column, by public facts alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    /// Its name.
    pub name: String,
    /// Its values.
    pub scale: Scale,
}

/// What values a column has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Scale {
    /// Numbers; what is outside is clipped. Cut into equal bins.
    Interval {
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
    },
    /// Whole numbers; what is outside is clipped, and what is between two of them counts as the
    /// nearest. Cut into bins that hold whole numbers, as many in each as in the others or one
    /// more.
    Integers {
        /// The smallest.
        low: f64,
        /// The largest.
        high: f64,
        /// How bins are laid out.
        #[serde(default, skip_serializing_if = "Spacing::is_even")]
        spacing: Spacing,
    },
    /// Named values, one cell each, and one more for every other value.
    Categories {
        /// The names.
        values: Vec<String>,
    },
}

/// How bins of whole numbers are laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spacing {
    /// About the same number in each.
    #[default]
    Even,
    /// Ever more in each, from one on: about the same share of 1 + value − low.
    Log,
}

impl Spacing {
    fn is_even(&self) -> bool {
        *self == Spacing::Even
    }
}

/// A value of a column.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// The position of a category; the number of categories, or more, is "other".
    Code(u16),
    /// A number. One that is none (NaN) counts as the middle of its interval.
    Number(f64),
}

/// The most named values a column can have: codes are 16 bits, and one is "other".
const MOST_VALUES: usize = u16::MAX as usize;

/// The most whole numbers a column can have: differences of these are exact, and so are their
/// counts.
const MOST_INTEGERS: f64 = (1u64 << 52) as f64;

impl Axis {
    /// A column of numbers.
    pub fn interval(name: &str, low: f64, high: f64) -> Axis {
        Axis { name: name.to_owned(), scale: Scale::Interval { low, high } }
    }

    /// A column of categories.
    pub fn categories(name: &str, values: &[&str]) -> Axis {
        let values = values.iter().map(|&value| value.to_owned()).collect();
        Axis { name: name.to_owned(), scale: Scale::Categories { values } }
    }

    pub(super) fn check(&self) -> Result<(), DensityError> {
        let name = || self.name.clone();
        match &self.scale {
            Scale::Interval { low, high } => {
                let is_one = low < high && (high - low).is_finite();
                if is_one {
                    Ok(())
                } else {
                    Err(DensityError::Interval { axis: name(), low: *low, high: *high })
                }
            }
            &Scale::Integers { low, high, .. } => {
                let whole = |x: f64| x.fract() == 0.0 && x.abs() <= MOST_INTEGERS;
                let are = whole(low) && whole(high) && low < high;
                if are { Ok(()) } else { Err(DensityError::Integers { axis: name(), low, high }) }
            }
            Scale::Categories { values } => {
                let mut sorted: Vec<&String> = values.iter().collect();
                sorted.sort();
                sorted.dedup();
                let is_one = !values.is_empty()
                    && sorted.len() == values.len()
                    && values.len() <= MOST_VALUES;
                if is_one { Ok(()) } else { Err(DensityError::Categories { axis: name() }) }
            }
        }
    }

    /// The number of cells, if the values fix it.
    pub(super) fn fixed_cells(&self) -> Option<usize> {
        match &self.scale {
            Scale::Interval { .. } | Scale::Integers { .. } => None,
            Scale::Categories { values } => Some(values.len() + 1),
        }
    }

    /// The most cells that it can be cut into, of about so many: no more than there are whole
    /// numbers.
    pub fn cells(&self, wanted: usize) -> usize {
        match &self.scale {
            Scale::Interval { .. } => wanted,
            &Scale::Integers { low, high, .. } => wanted.min((high - low) as usize + 1),
            Scale::Categories { values } => values.len() + 1,
        }
    }

    /// Whether it is cut into bins.
    pub fn has_bins(&self) -> bool {
        self.fixed_cells().is_none()
    }

    /// The ends of so many bins in the column's own unit, one more than there are bins. Whole
    /// numbers lie between halves. Panics on categories.
    pub fn edges(&self, bins: usize) -> Vec<f64> {
        match self.scale {
            // Both ends are met exactly, and nothing overflows in between.
            Scale::Interval { low, high } => (0..=bins)
                .map(|i| i as f64 / bins as f64)
                .map(|share| if share < 1.0 { low * (1.0 - share) + high * share } else { high })
                .collect(),
            Scale::Integers { low, .. } => {
                Cuts::of(self, bins).ends().map(|end| low + end as f64 - 0.5).collect()
            }
            Scale::Categories { .. } => panic!("{} has categories", self.name),
        }
    }

    /// Where a number lies between the ends, in [0, 1).
    pub(super) fn position(&self, number: f64) -> f32 {
        let position = match self.scale {
            Scale::Interval { low, high } => ((number - low) / (high - low)) as f32,
            // The middle of the whole number's own share: rounding to 24 bits does not leave it.
            Scale::Integers { low, high, .. } => {
                ((number.round().clamp(low, high) - low + 0.5) / (high - low + 1.0)) as f32
            }
            Scale::Categories { .. } => panic!("{} has categories", self.name),
        };
        if position.is_nan() { 0.5 } else { position.clamp(0.0, 1f32.next_down()) }
    }

    /// A category's cell.
    pub(super) fn code(&self, code: u16) -> u16 {
        let Scale::Categories { values } = &self.scale else { panic!("{} has numbers", self.name) };
        // `check` leaves room for one more.
        code.min(values.len() as u16)
    }

    /// The size of one of `bins` cells in the column's own unit; 1 for a category.
    pub(super) fn cell_size(&self, bins: usize, cell: usize) -> f64 {
        match self.scale {
            Scale::Interval { low, high } => (high - low) / bins as f64,
            Scale::Integers { .. } => Cuts::of(self, bins).size(cell) as f64,
            Scale::Categories { .. } => 1.0,
        }
    }
}
