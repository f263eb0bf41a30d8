//! Coefficients as people read them: in the units of their columns, and compared with one another.

use super::{Axis, Encoder, NumberCode};
use discretion::erm::matrix::Norm;

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

impl Encoder {
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
    fn unit(&self) -> String {
        if let Some(date) = &self.date {
            return format!("days of {} since {}", self.name, date.origin());
        }
        match self.axis {
            Axis::Linear { .. } | Axis::Plain => self.name.clone(),
            Axis::Log { min, .. } if min < 0.0 => format!("ln(1 + {} + {})", self.name, -min),
            Axis::Log { min, .. } if min > 0.0 => format!("ln(1 + {} - {})", self.name, min),
            Axis::Log { .. } => format!("ln(1 + {})", self.name),
        }
    }
}
