//! An outcome that is a number: rows that have it among their columns, and the way back to its
//! unit.

use crate::choose::as_column;
use crate::column::Column;
use crate::encode::Encoder;
use crate::schema::{Labels, Scale, Schema, Target};
use discretion::erm::matrix::{Batch, Layout, Stored};
use std::ops::Range;

/// The declared range of an outcome that is a number. Its values are laid out over [−1, 1], evenly
/// or by their logarithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutcomeScale {
    min: f64,
    max: f64,
    scale: Scale,
}

impl Schema {
    /// The scale of the outcome, if it is a number.
    pub fn outcome_scale(&self) -> Option<OutcomeScale> {
        OutcomeScale::of(self.target())
    }

    /// The scales of all outcomes, if they are numbers.
    pub fn outcome_scales(&self) -> Vec<OutcomeScale> {
        self.outcomes().filter_map(OutcomeScale::of).collect()
    }

    /// Which columns of [`Schema::layout_with_outcome`] are outcomes.
    pub fn outcome_columns(&self) -> Range<usize> {
        let first = self.layout_with_outcome().1;
        first..first + self.outcomes().count()
    }

    /// The layout of rows that have their outcomes behind their numbers, and which of their columns
    /// is the first of them. Outcomes must be numbers.
    pub fn layout_with_outcome(&self) -> (Layout, usize) {
        let layout = self.encoder_with_outcome().layout();
        // The constant, then numbers that are no curves: outcomes are the last of them.
        let numbers = self.columns().iter().filter(|column| column.is_line()).count();
        (layout, 1 + numbers)
    }

    pub(crate) fn encoder_with_outcome(&self) -> Encoder {
        let outcomes = self.outcomes().map(as_column);
        let columns: Vec<Column> = self.columns().iter().cloned().chain(outcomes).collect();
        self.encoder_of(&columns)
    }
}

/// Rows that were encoded without their outcomes, with them: `values` has those of each row, one
/// behind the other. Numbers are laid out anew, because a row with more columns has smaller
/// entries; a `Matrix` sees to it that none is too large. Counts what is clipped of each outcome.
/// Panics unless there is a value for each outcome of each row.
pub fn add_outcomes(
    schema: &Schema,
    batch: Batch,
    values: &[f64],
    clipped: &mut [[u64; 2]],
) -> Batch {
    let (plain, whole) = (schema.encoder().layout(), schema.layout_with_outcome().0);
    let scales = schema.outcome_scales();
    let Some(Stored::Number(size)) = whole.stored().last().copied() else {
        panic!("it is the last number")
    };
    let factors: Vec<f32> = plain
        .stored()
        .iter()
        .zip(whole.stored())
        .map(|pair| match pair {
            (Stored::Number(before), Stored::Number(now)) => now / before,
            _ => 1.0,
        })
        .collect();
    let rows = plain.rows_of(&batch);
    assert_eq!(values.len(), rows * scales.len(), "one value for each outcome of a row");
    let mut numeric = Vec::with_capacity(rows * (factors.len() + scales.len()));
    for (row, values) in values.chunks_exact(scales.len()).enumerate() {
        let own = &batch.numeric[row * factors.len()..][..factors.len()];
        numeric.extend(own.iter().zip(&factors).map(|(x, factor)| x * factor));
        for ((&value, scale), clipped) in values.iter().zip(&scales).zip(clipped.iter_mut()) {
            clipped[0] += u64::from(value < scale.min);
            clipped[1] += u64::from(value > scale.max);
            numeric.push((scale.place(value) * f64::from(size)) as f32);
        }
    }
    Batch { numeric, codes: batch.codes, positive: vec![false; rows] }
}

impl OutcomeScale {
    fn of(target: &Target) -> Option<OutcomeScale> {
        match target.labels {
            Labels::Number { min, max, scale } => Some(OutcomeScale { min, max, scale }),
            _ => None,
        }
    }

    /// The place of an outcome on the scale.
    fn place(&self, value: f64) -> f64 {
        let value = value.clamp(self.min, self.max);
        let at = if self.is_log() { (value - self.min).ln_1p() } else { value };
        ((at - self.offset()) / self.unit()).clamp(-1.0, 1.0)
    }

    /// The declared range.
    pub fn range(&self) -> (f64, f64) {
        (self.min, self.max)
    }

    /// The outcome at a place of the scale; beyond its ends, the end.
    pub fn value(&self, place: f64) -> f64 {
        let place = place.clamp(-1.0, 1.0);
        match self.scale {
            Scale::Linear => (self.offset() + self.unit() * place).clamp(self.min, self.max),
            Scale::Log => {
                let above = (self.offset() + self.unit() * place).exp_m1();
                (self.min + above).clamp(self.min, self.max)
            }
        }
    }

    /// What a step of 1 on the scale is: in the outcome's unit, or in that of its logarithm.
    pub fn unit(&self) -> f64 {
        match self.scale {
            Scale::Linear => 0.5 * (self.max - self.min),
            Scale::Log => 0.5 * (self.max - self.min).ln_1p(),
        }
    }

    /// What its middle is.
    pub fn offset(&self) -> f64 {
        match self.scale {
            Scale::Linear => 0.5 * (self.max + self.min),
            Scale::Log => self.unit(),
        }
    }

    /// What is predicted on this scale: the outcome, or its logarithm.
    pub fn name(&self, column: &str) -> String {
        match (self.scale, self.min) {
            (Scale::Linear, _) => column.to_owned(),
            (Scale::Log, min) if min < 0.0 => format!("ln(1 + {column} + {})", -min),
            (Scale::Log, min) if min > 0.0 => format!("ln(1 + {column} - {min})"),
            (Scale::Log, _) => format!("ln(1 + {column})"),
        }
    }

    /// Whether it is the logarithm.
    pub fn is_log(&self) -> bool {
        self.scale == Scale::Log
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_scales_lead_from_one_end_of_the_range_to_the_other() {
        for scale in [Scale::Linear, Scale::Log] {
            let outcome = OutcomeScale { min: 2.0, max: 60.0, scale };
            assert!(
                (outcome.value(-1.0) - 2.0).abs() < 1e-12
                    && (outcome.value(1.0) - 60.0).abs() < 1e-9
            );
            assert_eq!(outcome.value(3.0), outcome.value(1.0));
            assert!(
                [2.0, 7.5, 60.0]
                    .iter()
                    .all(|&x| (outcome.value(outcome.place(x)) - x).abs() < 1e-9)
            );
        }
        let log = OutcomeScale { min: 2.0, max: 60.0, scale: Scale::Log };
        assert!((log.value(0.0) - (2.0 + 59f64.sqrt() - 1.0)).abs() < 1e-9);
        assert_eq!(log.name("days"), "ln(1 + days - 2)");
    }
}
