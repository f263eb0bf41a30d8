//! From fields to bounded numbers, by the schema alone.
//!
//! Under [`Norm::Scale`] every used column and the intercept get the same constant
//! c = (1 − 2⁻²⁰)/√m, m being their number. A number is laid out over [−c, c], the declared
//! category that is hit counts c, and so the row's squared length is at most m·c² < 1, whatever
//! the fields hold. The shrinking by 2⁻²⁰ exceeds every rounding on the way, so that the stored
//! `f32` vector itself obeys the bound. Under [`Norm::Row`] c = 1 and the matrix divides each row
//! by its own length.

#[path = "recipe.rs"]
mod recipe;

pub use recipe::{NumberRecipe, Recipe};

use crate::category::CategoryCode;
use crate::problem::Problem;
use crate::read::NumberTally;
use crate::schema::{Column, Kind, Scale, Schema};
use discretion::erm::matrix::{Layout, Norm};

/// Encodes fields as the schema says, and names and translates the coefficients.
pub struct Encoder {
    norm: Norm,
    constant: f32,
    pub(crate) numbers: Vec<NumberCode>,
    pub(crate) categories: Vec<CategoryCode>,
}

/// A coefficient in the unit of its own column.
#[derive(Debug, Clone, PartialEq)]
pub struct UnitCoefficient {
    /// What it multiplies, such as `age`, `ln(1 + capital-gain)` or `education=Bachelors`.
    pub of: String,
    /// Its value.
    pub value: f64,
}

/// What a person asks of a coefficient, as a linear combination of encoded ones: how the margin changes when a number
/// goes from the middle of its range to its end, or a category from the column's first value to this one. Categories
/// alone say little: adding the same to all of a column's, and taking it from the intercept, changes no prediction.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect {
    /// The category it is compared with.
    pub against: Option<String>,
    /// Coefficients by their position, and how often each is taken.
    pub weights: Vec<(usize, f64)>,
}

pub(crate) struct NumberCode {
    pub name: String,
    axis: Axis,
    constant: f32,
    /// The declared range.
    pub range: (f64, f64),
    /// The numbers 0 to 9, encoded: most fields of most tables hold one digit. NaN outside the range, where it has to be counted.
    pub digits: [f32; 10],
    /// What a missing value is encoded as; without a declaration it is refused.
    missing: Option<f32>,
}

/// The encoded value is `factor · (value − middle)`, or `factor · ln(1 + value − min) − c`, or the value.
enum Axis {
    Linear {
        middle: f64,
        factor: f64,
    },
    Log {
        min: f64,
        factor: f64,
    },
    /// The clipped value itself.
    Plain,
}

impl Schema {
    /// The encoder for tables of this schema.
    pub fn encoder(&self) -> Encoder {
        let used = self.columns().iter().filter(|column| column.kind != Kind::Dropped).count();
        let constant = match self.norm() {
            Norm::Scale => constant_for(used + 1),
            Norm::Row => 1.0,
        };
        Encoder::new(self.norm(), constant, self.columns())
    }
}

/// (1 − 2⁻²⁰)/√m: its square times m is below 1 − 2⁻²⁰ even after rounding to `f32`, which
/// changes it by at most one part in 2²⁴.
fn constant_for(terms: usize) -> f32 {
    const SHRINK: f64 = 1.0 - 1.0 / 1_048_576.0;
    (SHRINK / (terms as f64).sqrt()) as f32
}

impl Encoder {
    /// Numbers laid out over [−1, 1], for columns that are described and not learned from.
    pub(crate) fn describing(columns: &[Column]) -> Encoder {
        Encoder::new(Norm::Row, 1.0, columns)
    }

    /// Numbers as they are, apart from clipping; what is missing is NaN.
    pub(crate) fn plain(columns: &[Column]) -> Encoder {
        let categories = columns.iter().filter_map(CategoryCode::new);
        let numbers = columns.iter().filter_map(NumberCode::plain);
        Encoder {
            norm: Norm::Row,
            constant: 1.0,
            numbers: numbers.collect(),
            categories: categories.collect(),
        }
    }

    fn new(norm: Norm, constant: f32, columns: &[Column]) -> Encoder {
        let numbers = columns.iter().filter_map(|column| NumberCode::new(column, constant));
        let categories = columns.iter().filter_map(CategoryCode::new);
        Encoder { norm, constant, numbers: numbers.collect(), categories: categories.collect() }
    }

    /// The columns in the order of their coefficients, the intercept first; those without a coefficient are left out.
    pub fn column_names(&self) -> Vec<String> {
        let numbers = self.numbers.iter().map(|number| number.name.clone());
        let categories = self.categories.iter().filter(|category| !category.values.is_empty());
        let categories = categories.map(|category| category.name.clone());
        std::iter::once("intercept".to_owned()).chain(numbers).chain(categories).collect()
    }

    /// The shape of the encoded rows.
    pub fn layout(&self) -> Layout {
        let numeric = vec![self.constant; self.numbers.len()];
        let categories = self.categories.iter().map(|column| (column.values.len(), self.constant));
        Layout::new(self.norm, self.constant, numeric, categories.collect())
            .expect("the constants of a checked schema keep every row within length 1")
    }

    /// The names of the coefficients, in their order: the intercept, the numbers, the categories.
    pub fn names(&self) -> Vec<String> {
        let mut names = vec!["(intercept)".to_owned()];
        names.extend(self.numbers.iter().map(|column| column.name.clone()));
        for column in &self.categories {
            names.extend(column.values.iter().map(|value| format!("{}={value}", column.name)));
        }
        names
    }

    /// The effect of each coefficient; nothing for the intercept and for the first value of a column, with which the
    /// others are compared, and nothing at all under [`Norm::Row`].
    pub fn effects(&self) -> Vec<Option<Effect>> {
        let c = f64::from(self.constant);
        let mut effects = vec![None];
        let number = |j: usize| Some(Effect { against: None, weights: vec![(j, c)] });
        effects.extend((1..=self.numbers.len()).map(number));
        for column in &self.categories {
            let first = effects.len();
            effects.push(None);
            effects.extend((first + 1..first + column.values.len()).map(|j| {
                Some(Effect { against: Some(column.values[0].clone()), weights: vec![(j, c), (first, -c)] })
            }));
        }
        if self.norm == Norm::Row { vec![None; effects.len()] } else { effects }
    }

    /// The coefficients in the unit of each column, such that a row's margin is the intercept
    /// plus the sum of coefficient times (clipped) value, a hit category counting 1.
    ///
    /// `None` under [`Norm::Row`], where no coefficient has a unit. Panics if `theta` does not
    /// have one coefficient for each of [`names`](Self::names).
    pub fn in_column_units(&self, theta: &[f64]) -> Option<Vec<UnitCoefficient>> {
        if self.norm == Norm::Row {
            return None;
        }
        let names = self.names();
        assert_eq!(theta.len(), names.len(), "one coefficient for each name");
        let constant = f64::from(self.constant);
        let mut units: Vec<UnitCoefficient> =
            names.into_iter().zip(theta).map(|(of, t)| UnitCoefficient { of, value: t * constant }).collect();
        for (j, column) in self.numbers.iter().enumerate() {
            let theta = theta[1 + j];
            let (factor, at_zero) = match column.axis {
                Axis::Linear { middle, factor } => (factor, -factor * middle),
                Axis::Log { factor, .. } => (factor, -constant),
                Axis::Plain => (1.0, 0.0),
            };
            units[1 + j] = UnitCoefficient { of: column.unit(), value: theta * factor };
            units[0].value += theta * at_zero;
        }
        Some(units)
    }
}

impl NumberCode {
    fn new(column: &Column, constant: f32) -> Option<Self> {
        let Kind::Number { min, max, scale, missing } = column.kind else { return None };
        let c = f64::from(constant);
        let axis = match scale {
            // Halved before they are added: the sum of two large bounds could overflow.
            Scale::Linear => Axis::Linear { middle: min / 2.0 + max / 2.0, factor: c / ((max - min) / 2.0) },
            Scale::Log => Axis::Log { min, factor: 2.0 * c / (max - min).ln_1p() },
        };
        let (name, range) = (column.name.clone(), (min, max));
        let mut code = Self { name, axis, constant, range, digits: [0.0; 10], missing: None };
        code.digits = code.encoded_digits();
        code.missing = missing.map(|missing| code.encode(missing));
        Some(code)
    }

    fn plain(column: &Column) -> Option<Self> {
        let Kind::Number { min, max, missing, .. } = column.kind else { return None };
        let (name, range) = (column.name.clone(), (min, max));
        let missing = missing.map(|_| f32::NAN);
        let mut code = Self { name, axis: Axis::Plain, constant: 1.0, range, digits: [0.0; 10], missing };
        code.digits = code.encoded_digits();
        Some(code)
    }

    fn encoded_digits(&self) -> [f32; 10] {
        let (min, max) = self.range;
        std::array::from_fn(|digit| match digit as f64 {
            value if (min..=max).contains(&value) => self.encode(value),
            _ => f32::NAN,
        })
    }

    /// What a missing number is encoded as, if that is declared.
    pub fn encode_missing(&self, tally: &mut NumberTally) -> Result<f32, Problem> {
        tally.missing += 1;
        self.missing.ok_or_else(|| Problem::MissingNumber { column: self.name.clone() })
    }

    /// What a number that was read plainly is encoded as. NaN is what `missing` is declared for.
    pub fn encode_plain(&self, value: f32) -> f32 {
        match self.missing {
            Some(missing) if value.is_nan() => missing,
            _ => self.encode(f64::from(value)),
        }
    }

    /// Clips to the declared range, by clipping to [−c, c]: both scales are increasing.
    #[inline]
    pub fn encode(&self, value: f64) -> f32 {
        let encoded = match self.axis {
            Axis::Linear { middle, factor } => factor * (value - middle),
            Axis::Log { min, factor } => factor * (value - min).max(0.0).ln_1p() - f64::from(self.constant),
            Axis::Plain => return value.clamp(self.range.0, self.range.1) as f32,
        };
        self.clipped(encoded)
    }

    /// The same, and counts a value that is clipped.
    #[inline]
    pub fn encode_counted(&self, value: f64, tally: &mut NumberTally) -> f32 {
        tally.low += u64::from(value < self.range.0);
        tally.high += u64::from(value > self.range.1);
        self.encode(value)
    }

    /// Encodes as many values as there are places.
    #[cfg(feature = "arrow")]
    pub fn encode_all(&self, values: &[f64], into: &mut [f32], tally: &mut NumberTally) {
        tally.low += values.iter().filter(|value| **value < self.range.0).count() as u64;
        tally.high += values.iter().filter(|value| **value > self.range.1).count() as u64;
        let pairs = into.iter_mut().zip(values);
        match self.axis {
            // Told apart once, not for each value: several are then encoded by one instruction.
            Axis::Linear { middle, factor } => pairs.for_each(|(place, value)| {
                *place = self.clipped(factor * (value - middle));
            }),
            Axis::Log { .. } | Axis::Plain => {
                pairs.for_each(|(place, value)| *place = self.encode(*value));
            }
        }
    }

    #[inline]
    fn clipped(&self, encoded: f64) -> f32 {
        (encoded as f32).max(-self.constant).min(self.constant)
    }

    fn unit(&self) -> String {
        match self.axis {
            Axis::Linear { .. } | Axis::Plain => self.name.clone(),
            Axis::Log { min, .. } if min < 0.0 => format!("ln(1 + {} + {})", self.name, -min),
            Axis::Log { min, .. } if min > 0.0 => format!("ln(1 + {} - {})", self.name, min),
            Axis::Log { .. } => format!("ln(1 + {})", self.name),
        }
    }
}

#[cfg(test)]
#[path = "encode_tests.rs"]
mod tests;
