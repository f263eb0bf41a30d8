//! Intervals without matrices: the rows in disjoint parts, a private model of each, and how far
//! these are apart.
//!
//! It is honest for every loss, and what several classes have: a row is in one part, so all parts
//! together cost what one costs. `PROOF.md` beside this file says so, and what is asymptotic about
//! the intervals.

mod student;

#[cfg(test)]
mod tests;

use super::{Interval, IntervalError};
use crate::erm::{Facts, Oracle};
use crate::train::{self, Pricing, TrainError, Training, auto_lambda};
use discretion_privacy::account::Event;
use discretion_privacy::noise::{Released, Source};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// How many parts. Noise makes intervals √8 times as wide as it would those of one model, if their
/// widths were known; with fewer parts the spread is known less well, with more its noise is larger
/// (`PROOF.md`).
pub const PARTS: usize = 8;

/// Which of `rows` units, in the order of [`shuffled`], belong to each part. Sizes follow from the
/// number alone.
pub fn ranges(rows: usize) -> impl Iterator<Item = Range<usize>> {
    (0..PARTS).map(move |part| rows * part / PARTS..rows * (part + 1) / PARTS)
}

/// Positions in an order that looks like chance and is the same for every table of this size: a
/// sorted table does no harm.
pub fn shuffled(rows: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows).collect();
    let mut state: u64 = 0x5eed;
    for last in (1..rows).rev() {
        // SplitMix64. Which order it is matters to nobody; that it does not know the rows does.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let pick = (u128::from(z ^ (z >> 31)) * (last as u128 + 1)) >> 64;
        order.swap(last, pick as usize);
    }
    order
}

/// Everything public about training in parts.
#[derive(Clone, Debug, PartialEq)]
pub struct PartsPlan {
    rows: usize,
    plans: Vec<train::Plan>,
}

impl PartsPlan {
    /// A plan for each part, all with one λ: what models differ by must be chance alone.
    pub fn new(
        training: &Training,
        rows: usize,
        parts: Vec<Facts>,
    ) -> Result<PartsPlan, TrainError> {
        assert_eq!(
            (parts.len(), parts.iter().map(|part| part.rows).sum()),
            (PARTS, rows),
            "all rows, in parts"
        );
        let Training { loss, budget, .. } = *training;
        let smallest = parts.iter().min_by_key(|part| part.rows).expect("there are parts");
        let lambda = match training.lambda {
            _ if smallest.rows == 0 => return Err(TrainError::NoRows),
            Some(lambda) => lambda,
            None => auto_lambda(smallest, loss, budget)?,
        };
        let training = Training { lambda: Some(lambda), ..*training };
        let plans = parts
            .into_iter()
            .map(|part| training.plan_with(part, Pricing::Joint))
            .collect::<Result<_, _>>()?;
        Ok(PartsPlan { rows, plans })
    }

    /// n, of all parts together.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How one part is trained. The others have at most one row more.
    pub fn of_a_part(&self) -> &train::Plan {
        &self.plans[0]
    }

    /// What running this plan does to the table.
    pub fn event(&self) -> Event {
        Event::Parallel { of: self.plans.iter().map(train::Plan::event).collect() }
    }

    /// Trains a model of each part.
    ///
    /// Postcondition: all of them together satisfy [`PartsPlan::event`] for replace-one neighbours,
    /// if no row is in two parts, each row's part follows from its position and n, and `source` is
    /// the operating system.
    pub fn run(
        &self,
        parts: &[&dyn Oracle],
        source: &mut dyn Source,
    ) -> Result<Released<PartModels>, TrainError> {
        assert_eq!(parts.len(), self.plans.len(), "one table for each plan");
        let mut models = self.plans.iter().zip(parts).map(|(plan, part)| plan.fit(*part, source));
        let first = models.next().expect("there are parts")?;
        let others = models.collect::<Result<Vec<_>, _>>()?;
        assert!(others.iter().all(|other| other.provenance() == first.provenance()), "one source");
        Ok(first.map(|first| {
            let others = others.iter().map(|other| other.to_vec());
            PartModels(std::iter::once(first).chain(others).collect())
        }))
    }
}

/// The coefficients of the models of all parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Vec<f64>>")]
pub struct PartModels(Vec<Vec<f64>>);

impl TryFrom<Vec<Vec<f64>>> for PartModels {
    type Error = String;

    fn try_from(models: Vec<Vec<f64>>) -> Result<PartModels, String> {
        let alike = models.windows(2).all(|two| two[0].len() == two[1].len());
        let finite = models.iter().flatten().all(|x| x.is_finite());
        if models.len() >= 2 && alike && finite {
            Ok(PartModels(models))
        } else {
            Err("models of parts are at least two lists of as many numbers".to_owned())
        }
    }
}

impl PartModels {
    /// How many coefficients each has.
    pub fn dimension(&self) -> usize {
        self.0[0].len()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Their mean: the model that is published.
    pub fn mean(&self) -> Vec<f64> {
        (0..self.dimension())
            .map(|i| mean(&self.0.iter().map(|model| model[i]).collect::<Vec<_>>()))
            .collect()
    }

    /// An interval for what a linear function of the coefficients estimates, from how far the parts
    /// are apart in it. What of its deviation is the noise's is not told apart: all of it is in
    /// `sampling_deviation`.
    pub fn interval(
        &self,
        of: impl Fn(&[f64]) -> f64,
        level: f64,
    ) -> Result<Interval, IntervalError> {
        if !(level > 0.0 && level < 1.0) {
            return Err(IntervalError::Level(level));
        }
        let values: Vec<f64> = self.0.iter().map(|model| of(model)).collect();
        let (count, estimate) = (values.len() as f64, mean(&values));
        let squares: f64 = values.iter().map(|value| (value - estimate) * (value - estimate)).sum();
        let deviation = (squares / (count - 1.0) / count).sqrt();
        let half_width = deviation * student::quantile(level, self.count() - 1);
        let p_value = match deviation > 0.0 {
            true => 1.0 - student::within(estimate.abs() / deviation, self.count() - 1),
            false => f64::from(u8::from(estimate == 0.0)),
        };
        Ok(Interval {
            estimate,
            lower: estimate - half_width,
            upper: estimate + half_width,
            p_value,
            sampling_deviation: deviation,
            privacy_deviation: 0.0,
            matrices_deviation: 0.0,
            shrinkage: 0.0,
            largest_bias: 0.0,
        })
    }

    /// Widened by this factor, so many intervals hold at once with the probability of the level
    /// (Bonferroni).
    pub fn all_at_once(&self, intervals: usize, level: f64) -> f64 {
        let all = 1.0 - (1.0 - level) / intervals.max(1) as f64;
        let freedom = self.count() - 1;
        student::quantile(all, freedom) / student::quantile(level, freedom)
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
