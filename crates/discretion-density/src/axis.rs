//! The columns of a density: intervals that are cut into bins, and lists of categories.

use super::DensityError;
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
    /// Named values, one cell each, and one more for every other value.
    Categories {
        /// The names.
        values: Vec<String>,
    },
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
            Scale::Categories { values } => {
                let mut sorted: Vec<&String> = values.iter().collect();
                sorted.sort();
                sorted.dedup();
                let is_one =
                    !values.is_empty() && sorted.len() == values.len() && values.len() <= MOST_VALUES;
                if is_one { Ok(()) } else { Err(DensityError::Categories { axis: name() }) }
            }
        }
    }

    /// The number of cells, if the values fix it.
    pub(super) fn fixed_cells(&self) -> Option<usize> {
        match &self.scale {
            Scale::Interval { .. } => None,
            Scale::Categories { values } => Some(values.len() + 1),
        }
    }

    /// Where a number lies between the ends, in [0, 1).
    pub(super) fn position(&self, number: f64) -> f32 {
        let Scale::Interval { low, high } = self.scale else { panic!("{} has categories", self.name) };
        let position = ((number - low) / (high - low)) as f32;
        if position.is_nan() { 0.5 } else { position.clamp(0.0, 1f32.next_down()) }
    }

    /// A category's cell.
    pub(super) fn code(&self, code: u16) -> u16 {
        let Scale::Categories { values } = &self.scale else { panic!("{} has numbers", self.name) };
        // `check` leaves room for one more.
        code.min(values.len() as u16)
    }

    /// The size of one of `bins` cells in the column's own unit; 1 for a category.
    pub(super) fn cell_size(&self, bins: usize) -> f64 {
        match self.scale {
            Scale::Interval { low, high } => (high - low) / bins as f64,
            Scale::Categories { .. } => 1.0,
        }
    }
}

/// The cell of a position in [0, 1) among `bins`.
pub(super) fn bin(position: f32, bins: usize) -> usize {
    // In double precision the product of a float and a small whole number is exact, so it is below `bins`.
    (f64::from(position) * bins as f64) as usize
}
