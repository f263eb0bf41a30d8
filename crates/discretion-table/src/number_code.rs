//! How the numbers of one column become encoded ones.

use crate::column::NumberRange;
use crate::counts::Lost;
use crate::curve::KnotAxis;
use crate::date::DateReading;
use crate::na::Na;
use crate::problem::Problem;
use crate::read::NumberTally;
use crate::schema::{Column, Scale};

/// Where a missing value lies among the knots of a curve that has a level for it.
const OWN_LEVEL: f32 = -1.0;

pub(crate) struct NumberCode {
    pub name: String,
    pub(super) axis: Axis,
    pub(super) constant: f32,
    /// The declared range.
    pub range: (f64, f64),
    /// The numbers 0 to 9, encoded: most fields of most tables hold one digit. NaN outside the
    /// range, where it has to be counted.
    pub digits: [f32; 10],
    /// What a missing value is encoded as; without a declaration it is refused.
    pub(super) missing: Option<f32>,
    /// Whether rows come from who asks about them, and cannot change what is declared.
    pub(super) asked: bool,
    /// Texts that mean that it is missing.
    pub na: Na,
    /// If its texts are dates.
    pub date: Option<DateReading>,
}

/// The encoded value is `factor · (value − middle)`, or `factor · ln(1 + value − min) − c`, or the
/// value.
pub(super) enum Axis {
    Linear {
        middle: f64,
        factor: f64,
    },
    Log {
        min: f64,
        factor: f64,
    },
    /// The place among knots; what is missing is below 0.
    Curve(KnotAxis),
    /// The clipped value itself.
    Plain,
}

impl NumberCode {
    pub(super) fn new(column: &Column, constant: f32) -> Option<Self> {
        let NumberRange { min, max, scale, missing, .. } = column.kind.range()?;
        let c = f64::from(constant);
        let axis = match scale {
            // Halved before they are added: the sum of two large bounds could overflow.
            Scale::Linear => {
                Axis::Linear { middle: min / 2.0 + max / 2.0, factor: c / ((max - min) / 2.0) }
            }
            Scale::Log => Axis::Log { min, factor: 2.0 * c / (max - min).ln_1p() },
        };
        let mut code = Self::on(axis, column, constant)?;
        code.missing = missing.map(|missing| code.encode(missing));
        Some(code)
    }

    pub(super) fn curve(column: &Column) -> Option<Self> {
        let range = column.kind.range()?;
        let curve = column.curve.as_ref()?;
        let mut code = Self::on(Axis::Curve(KnotAxis::new(curve, &range)), column, 1.0)?;
        code.missing = match curve.own_missing {
            true => Some(OWN_LEVEL),
            false => range.missing.map(|missing| code.encode(missing)),
        };
        Some(code)
    }

    pub(super) fn plain(column: &Column) -> Option<Self> {
        let mut code = Self::on(Axis::Plain, column, 1.0)?;
        let has_own = column.curve.as_ref().is_some_and(|curve| curve.own_missing);
        code.missing = (has_own || column.kind.range()?.missing.is_some()).then_some(f32::NAN);
        Some(code)
    }

    fn on(axis: Axis, column: &Column, constant: f32) -> Option<Self> {
        let NumberRange { min, max, .. } = column.kind.range()?;
        let mut code = Self {
            name: column.name.clone(),
            axis,
            constant,
            range: (min, max),
            digits: [0.0; 10],
            missing: None,
            asked: false,
            na: Na::new(&column.reading.na),
            date: DateReading::new(column),
        };
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

    /// What was lost of its values.
    pub fn lost(&self, NumberTally { low, high, missing }: NumberTally) -> Lost {
        let range = self.range;
        match &self.date {
            None => Lost::Number { range, low, high, missing },
            Some(date) => {
                Lost::Date { range: (date.after(range.0), date.after(range.1)), low, high, missing }
            }
        }
    }

    /// What a missing number is encoded as, if that is declared.
    pub fn encode_missing(&self, tally: &mut NumberTally) -> Result<f32, Problem> {
        // A level of its own is a value like any other.
        tally.missing +=
            u64::from(self.missing != Some(OWN_LEVEL) || !matches!(self.axis, Axis::Curve(_)));
        let column = || self.name.clone();
        self.missing.ok_or_else(|| match self.asked {
            true => Problem::MissingInQuery { column: column() },
            false => Problem::MissingNumber { column: column() },
        })
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
            Axis::Curve(ref knots) => return knots.position(value),
            Axis::Log { min, factor } => {
                factor * (value - min).max(0.0).ln_1p() - f64::from(self.constant)
            }
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
            Axis::Log { .. } | Axis::Curve(_) | Axis::Plain => {
                pairs.for_each(|(place, value)| *place = self.encode(*value));
            }
        }
    }

    #[inline]
    fn clipped(&self, encoded: f64) -> f32 {
        (encoded as f32).max(-self.constant).min(self.constant)
    }
}
