//! Coefficients as people read them: in the units of their columns, and compared with one another.

use super::blocks::Block;
use super::{Axis, Encoder, NumberCode};
use discretion::erm::matrix::Norm;
use std::collections::BTreeMap;

/// A coefficient in the unit of its own column.
#[derive(Debug, Clone, PartialEq)]
pub struct UnitCoefficient {
    /// What it multiplies, such as `age`, `ln(1 + capital-gain)` or `education=Bachelors`.
    pub of: String,
    /// Its value.
    pub value: f64,
}

/// What a person asks of a coefficient, as a linear combination of encoded ones: how the margin
/// changes when a number goes from the middle of its range to its end, or a category from the
/// column's first value to this one. Categories alone say little: adding the same to all of a
/// column's, and taking it from the intercept, changes no prediction.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect {
    /// The category it is compared with.
    pub against: Option<String>,
    /// Coefficients by their position, and how often each is taken.
    pub weights: Vec<(usize, f64)>,
}

impl Encoder {
    /// How large each encoded coefficient is if its effect is so large: log-odds for half the range
    /// of a number or for a category. Nothing under [`Norm::Row`], where coefficients have no unit.
    pub fn encoded_effects(&self, effect: f64) -> Option<Vec<f64>> {
        let each = effect / f64::from(self.constant);
        (self.norm != Norm::Row).then(|| vec![each; self.names().len()])
    }

    /// The effect of each coefficient; nothing for the intercept and for the first value of a
    /// column, with which the others are compared, and nothing at all under [`Norm::Row`]. A curve
    /// is compared with its middle.
    pub fn effects(&self) -> Vec<Option<Effect>> {
        let c = f64::from(self.constant);
        let mut effects = Vec::new();
        for block in self.blocks() {
            let first = effects.len();
            let places = first..first + block.names().len();
            match &block {
                Block::Intercept => effects.push(None),
                Block::Number(_) | Block::Slopes(..) => {
                    effects.extend(
                        places.map(|j| Some(Effect { against: None, weights: vec![(j, c)] })),
                    );
                }
                Block::Category(_) | Block::Pair(_) => {
                    let against = block.values().first().cloned();
                    effects.extend(places.map(|j| {
                        let weights = vec![(j, c), (first, -c)];
                        (j > first).then(|| Effect { against: against.clone(), weights })
                    }));
                }
                Block::Curve(number, knots) => {
                    let middle = knots.middle();
                    let against = Some(number.shown(knots.middle_value()));
                    effects.extend(places.map(|j| {
                        let mut weights = BTreeMap::from([(j, c)]);
                        for &(knot, share) in &middle {
                            *weights.entry(first + knot).or_default() -= c * share;
                        }
                        let is_middle = weights == BTreeMap::from([(j, 0.0)]);
                        let weights = weights.into_iter().collect();
                        (!is_middle).then(|| Effect { against: against.clone(), weights })
                    }));
                }
            }
        }
        if self.norm == Norm::Row { vec![None; effects.len()] } else { effects }
    }

    /// The coefficients in the unit of each column, such that a row's margin is the intercept plus
    /// the sum of coefficient times (clipped) value, a hit category counting 1. Those of a curve
    /// are its values at the knots.
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
        let mut units: Vec<UnitCoefficient> = names
            .into_iter()
            .zip(theta)
            .map(|(of, t)| UnitCoefficient { of, value: t * constant })
            .collect();
        let (mut first, mut first_of_category) = (0, BTreeMap::new());
        for block in self.blocks() {
            let count = block.names().len();
            match &block {
                Block::Number(column) => {
                    let (factor, at_zero) = column.unit_factor();
                    units[first] =
                        UnitCoefficient { of: column.unit(), value: theta[first] * factor };
                    units[0].value += theta[first] * at_zero;
                }
                Block::Category(column) => {
                    first_of_category.insert(column.name.as_str(), first);
                }
                Block::Slopes(category, column) => {
                    // What a slope is at 0 is that of its category, which is a column of its own.
                    let (factor, at_zero) = column.unit_factor();
                    let shifted = first_of_category[category.name.as_str()];
                    for place in 0..count {
                        let theta = theta[first + place];
                        let of = format!(
                            "{} of {}={}",
                            column.unit(),
                            category.name,
                            category.values[place]
                        );
                        units[first + place] = UnitCoefficient { of, value: theta * factor };
                        units[shifted + place].value += theta * at_zero;
                    }
                }
                Block::Intercept | Block::Pair(_) | Block::Curve(..) => {}
            }
            first += count;
        }
        Some(units)
    }
}

impl NumberCode {
    /// What a unit of the column is on the encoded axis, and where its 0 lies.
    fn unit_factor(&self) -> (f64, f64) {
        match self.axis {
            Axis::Linear { middle, factor } => (factor, -factor * middle),
            Axis::Log { factor, .. } => (factor, -f64::from(self.constant)),
            Axis::Curve(_) | Axis::Plain => (1.0, 0.0),
        }
    }

    fn unit(&self) -> String {
        if let Some(date) = &self.date {
            return format!("days of {} since {}", self.name, date.origin());
        }
        match self.axis {
            Axis::Linear { .. } | Axis::Curve(_) | Axis::Plain => self.name.clone(),
            Axis::Log { min, .. } if min < 0.0 => format!("ln(1 + {} + {})", self.name, -min),
            Axis::Log { min, .. } if min > 0.0 => format!("ln(1 + {} - {})", self.name, min),
            Axis::Log { .. } => format!("ln(1 + {})", self.name),
        }
    }
}
