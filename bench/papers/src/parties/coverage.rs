//! Whether intervals after a Newton step cover what they say they cover, and how wide they are for
//! other splits of the budget.
//!
//! A table is taken as the whole population. Its rows are drawn with replacement, dealt to holders,
//! and intervals at 95 % are compared with the population's own coefficients at the same λ.

use super::clear::{self, ClearStudy};
use super::methods::failed;
use super::split::Split;
use crate::Failure;
use crate::tuning::{on_all_cores, seed_of};
use discretion::erm::matrix::Matrix;
use discretion::interval::Intervals;
use discretion::joint::{Joint, Sharing, Step, Stepping, Wanted};
use discretion::loss::LossKind;
use discretion::noise::Seeded;
use discretion::privacy::Budget;
use discretion::train::not_private;
use rayon::prelude::*;
use serde::Serialize;

/// The level that intervals are said to have.
const LEVEL: f64 = 0.95;

/// Shares of gradient, Hessian and covariance that the rule is compared with, at its λ.
pub const OTHERS: [[f64; 3]; 5] =
    [[0.4, 0.2, 0.15], [0.2, 0.4, 0.15], [0.4, 0.3, 0.1], [0.65, 0.15, 0.1], [0.5, 0.1, 0.1]];

/// What is measured on one population.
pub struct Setting<'t> {
    /// Its name.
    pub name: &'static str,
    /// All of it.
    pub population: &'t Matrix,
    /// How samples are dealt.
    pub split: Split,
    /// The coefficient that sorted rows are sorted by.
    pub column: usize,
    /// Who adds the noise.
    pub sharing: Sharing,
    /// What each study may spend.
    pub budget: Budget,
    /// How many samples are drawn.
    pub samples: usize,
}

/// Intervals with one split of the budget.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// The population.
    pub table: &'static str,
    /// How samples were dealt.
    pub split: Split,
    /// ε.
    pub epsilon: f64,
    /// δ, 0 if the budget is pure.
    pub delta: f64,
    /// Shares of average, gradient, Hessian and covariance.
    pub shares: [f64; 4],
    /// Whether that is what the rule decides.
    pub rule: bool,
    /// λ, by the rule.
    pub lambda: f64,
    /// The share of coefficients and samples whose interval held the population's coefficient.
    pub covered: f64,
    /// The lowest share of any coefficient.
    pub lowest: f64,
    /// The median length.
    pub length: f64,
    /// How many samples there were.
    pub samples: usize,
}

impl Setting<'_> {
    /// The rule and other splits.
    pub fn run(&self, others: &[[f64; 3]], seed: u64) -> Result<Vec<Line>, Failure> {
        let rule = self.line(Stepping::ForIntervals, None, seed)?;
        let lambda = Some(rule.lambda);
        let mut lines = vec![rule];
        for &[gradient, hessian, covariance] in others {
            let step = Step { lambda: None, gradient, hessian, covariance, damping: 0.0 };
            lines.push(self.line(Stepping::As(step), lambda, seed)?);
        }
        Ok(lines)
    }

    fn line(&self, step: Stepping, lambda: Option<f64>, seed: u64) -> Result<Line, Failure> {
        let &Setting { budget, sharing, split, .. } = self;
        let tables = split.deal(self.population, self.column);
        let wanted = Wanted { loss: LossKind::Logistic, lambda, sharing, budget, step };
        let joint = wanted.joint(&clear::holders(&tables).map_err(failed)?).map_err(failed)?;
        let truth =
            not_private(&self.population.all(), joint.loss, joint.lambda).map_err(failed)?.into_inner();
        let one = |sample: usize| self.sample(&joint, &truth, seed_of(&[seed, sample as u64]));
        let found: Vec<Vec<(bool, f64)>> =
            on_all_cores(|| (0..self.samples).into_par_iter().map(one).collect())?;
        let hits = |j: usize| found.iter().filter(|sample| sample[j].0).count() as f64;
        let shares: Vec<f64> = (0..truth.len()).map(|j| hits(j) / self.samples as f64).collect();
        let mut lengths: Vec<f64> = found.iter().flatten().map(|&(_, length)| length).collect();
        lengths.sort_by(f64::total_cmp);
        let (epsilon, delta) = match budget {
            Budget::Pure { epsilon } => (epsilon, 0.0),
            Budget::Approximate { epsilon, delta } => (epsilon, delta),
            Budget::Zcdp { .. } => unreachable!("the experiment has no such budget"),
        };
        let Step { gradient, hessian, covariance, .. } = joint.step.expect("intervals need a step");
        Ok(Line {
            table: self.name,
            split,
            epsilon,
            delta,
            shares: [1.0 - gradient - hessian - covariance, gradient, hessian, covariance],
            rule: step == Stepping::ForIntervals,
            lambda: joint.lambda,
            covered: shares.iter().sum::<f64>() / shares.len() as f64,
            lowest: shares.iter().copied().fold(1.0, f64::min),
            length: lengths[lengths.len() / 2],
            samples: self.samples,
        })
    }

    /// Whether each coefficient was covered, and how long its interval was.
    fn sample(&self, joint: &Joint, truth: &[f64], seed: u64) -> Result<Vec<(bool, f64)>, Failure> {
        let mut source = Seeded::new(seed);
        let n = self.population.rows();
        let drawn: Vec<usize> = (0..n).map(|_| (source.unit() * n as f64) as usize).collect();
        let tables = self.split.deal(&self.population.gather(&drawn), self.column);
        let release = ClearStudy::new(joint, &tables)
            .and_then(|study| study.run(&mut source))
            .map_err(failed)?;
        let stepped = release.stepped.expect("intervals need a step");
        let evidence = stepped.evidence.expect("the covariance was summed");
        let intervals = Intervals::new(&evidence, &stepped.coefficients).map_err(failed)?;
        let intervals = intervals.coefficients(LEVEL).map_err(failed)?;
        let held = |(interval, truth): (&discretion::interval::Interval, &f64)| {
            ((interval.lower..=interval.upper).contains(truth), interval.upper - interval.lower)
        };
        Ok(intervals.iter().zip(truth).map(held).collect())
    }
}
