//! What a model file says about how it came about: public numbers only.

use super::Model;
use crate::claim::{self, ensure};
use discretion::erm::Facts;
use discretion::erm::matrix::Norm;
use discretion::interval::{DRAWS_ALLOWED, Evidence, Interval};
use discretion::loss::LossKind;
use discretion::loss::Score;
use discretion::privacy::account::TrainingLaw;
use discretion::train::Mechanism;
use discretion_table::{Lambda, settings};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How the coefficients came about: public numbers only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainingFacts {
    /// The rows that trained.
    pub rows: usize,
    /// The number of coefficients.
    pub dimension: usize,
    /// The loss.
    pub loss: LossKind,
    /// The regularisation.
    pub lambda: f64,
    /// Who chose it.
    pub lambda_from: LambdaFrom,
    /// The mechanism; none without noise.
    pub mechanism: Option<Mechanism>,
    /// Its noise.
    pub noise: Option<TrainingLaw>,
    /// Standard deviation of the gate's mask, per encoded coefficient.
    pub mask_deviation: Option<f64>,
    /// Encoded coefficients are multiples of this.
    pub lattice_step: Option<f64>,
    /// How far the noise moves the margin of a row, root mean square, if numbers fill their ranges
    /// evenly and categories are equally frequent. (Files of earlier versions have the root mean
    /// square noise per encoded coefficient here.)
    pub expected_error: Option<f64>,
    /// The same, if the rows said nothing.
    pub worst_error: Option<f64>,
    /// Why this mechanism.
    pub why: String,
    /// What would be otherwise if nobody had asked for intervals, where λ was chosen for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without_intervals: Option<ForPrediction>,
    /// The base rate that was released first, if the penalty is around it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_rate: Option<BaseRate>,
}

/// A released base rate, around whose log-odds the penalty holds the intercept.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BaseRate {
    /// The share of the positive class among all rows, or persons, with its noise.
    pub released: f64,
    /// The standard deviation of that noise.
    pub deviation: f64,
    /// The share of the budget that it took.
    pub share: f64,
}

/// What λ would be for prediction alone, with the whole budget.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ForPrediction {
    /// λ.
    pub lambda: f64,
    /// How far the noise would move the margin of a row.
    pub expected_error: f64,
}

/// Who chose λ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LambdaFrom {
    /// The study file, or a flag in its place.
    Study,
    /// The rule in n, d and the budget.
    Auto,
    /// The private choice from a list.
    Chosen,
    /// Nobody: λ is 0, in ordinary regression without noise.
    None,
}

/// One coefficient.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Coefficient {
    /// Of which class, if several have coefficients of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// What it multiplies on the encoded scale.
    pub name: String,
    /// On the encoded scale, where every row has length at most 1.
    pub encoded: f64,
    /// Its interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<CoefficientInterval>,
    /// What `per_unit` multiplies; none where rows are divided by their own length.
    pub of: Option<String>,
    /// In the column's own unit.
    pub per_unit: Option<f64>,
    /// The interval in that unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_unit_interval: Option<CoefficientInterval>,
    /// How the margin changes from the middle of a number's range to its end, or from a column's
    /// first category to this one; none for the intercept, for a first category, and where rows are
    /// divided by their own length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<CoefficientEffect>,
    /// If it is a curve's value at a knot: which.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub knot: Option<Knot>,
}

/// A knot of a curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Knot {
    /// The column.
    pub column: String,
    /// The value of the column there; of a date, the days since the first one of its range.
    pub at: f64,
}

/// What a person asks of a coefficient.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CoefficientEffect {
    /// The category it is compared with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
    /// The change of the margin.
    pub value: f64,
    /// Its interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<CoefficientInterval>,
    /// Of a curve, from and to: a band that holds at all knots of the curve at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub band: Option<[f64; 2]>,
}

/// A coefficient's interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CoefficientInterval {
    /// The middle: the coefficient or effect, with what λ takes from it given back. Nothing in
    /// files from before that was done; the coefficient itself is the middle then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<f64>,
    /// The lower end.
    pub lower: f64,
    /// The upper end.
    pub upper: f64,
    /// Two-sided, for "no effect".
    pub p_value: f64,
    /// The standard deviation of the estimate, where it is not known what of it is noise: that of
    /// parts of the rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deviation: Option<f64>,
    /// The standard deviation that comes from the rows being a sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling_deviation: Option<f64>,
    /// The standard deviation that comes from the noise for privacy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub privacy_deviation: Option<f64>,
    /// As much of that as comes from the noise in the matrices behind the interval; nothing in
    /// files from before it was computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matrices_deviation: Option<f64>,
    /// The most that the penalty can have taken from the estimate; nothing if the interval does not
    /// cover the ordinary coefficient.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub largest_bias: Option<f64>,
}

/// An interval whose half width is this share of the declared bound or more says nothing, if most of
/// its width comes from the bound.
const SAYS_NOTHING: f64 = 0.5;

impl CoefficientInterval {
    /// The shares of sampling, noise for privacy and declared bound in the interval's width, by
    /// their squares. Nothing if the interval does not cover the ordinary coefficient.
    pub fn shares(&self) -> Option<[f64; 3]> {
        let squares = [self.sampling_deviation?, self.privacy_deviation?, self.largest_bias?]
            .map(|part| part * part);
        let sum: f64 = squares.iter().sum();
        Some(squares.map(|square| if sum > 0.0 { square / sum } else { 0.0 }))
    }

    /// Returns false if only the declared bound speaks: it has more than half of the variance, and
    /// the interval is at least half as long as what was declared (interval/PROOF.md, "Effects that
    /// are not estimable").
    pub fn is_estimable(&self, largest_effect: f64) -> bool {
        let half_width = 0.5 * (self.upper - self.lower);
        let of_bound = self.shares().map_or(0.0, |[_, _, bound]| bound);
        of_bound <= 0.5 || half_width < SAYS_NOTHING * largest_effect
    }

    /// Whether it leaves out 0.
    pub fn is_told_from_zero(&self) -> bool {
        self.lower > 0.0 || self.upper < 0.0
    }

    /// What is reported beside an interval, of a coefficient or effect of this value.
    pub fn estimate(interval: Option<CoefficientInterval>, value: f64) -> f64 {
        interval.and_then(|interval| interval.estimate).unwrap_or(value)
    }

    /// The standard deviation of the estimate, sampling and noise together.
    pub fn deviation(&self) -> Option<f64> {
        let both = self.sampling_deviation.zip(self.privacy_deviation);
        self.deviation.or(both.map(|(sampling, privacy)| sampling.hypot(privacy)))
    }

    /// An interval that several models of parts of the rows gave: all of its deviation is one.
    pub fn of_parts(interval: &Interval) -> CoefficientInterval {
        CoefficientInterval {
            deviation: Some(interval.sampling_deviation),
            sampling_deviation: None,
            privacy_deviation: None,
            matrices_deviation: None,
            largest_bias: None,
            ..CoefficientInterval::from(interval)
        }
    }
}

impl From<&Interval> for CoefficientInterval {
    fn from(interval: &Interval) -> CoefficientInterval {
        let &Interval {
            estimate,
            lower,
            upper,
            p_value,
            sampling_deviation,
            privacy_deviation,
            matrices_deviation,
            largest_bias,
            ..
        } = interval;
        CoefficientInterval {
            estimate: Some(estimate),
            lower,
            upper,
            p_value,
            deviation: None,
            sampling_deviation: Some(sampling_deviation),
            privacy_deviation: Some(privacy_deviation),
            matrices_deviation: Some(matrices_deviation),
            largest_bias: (largest_bias > 0.0).then_some(largest_bias),
        }
    }
}

/// What is true of all intervals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IntervalFacts {
    /// Each holds with this probability.
    pub level: f64,
    /// Shares of the budget: training, Hessian, covariance.
    pub split: [f64; 3],
    /// Monte Carlo draws behind `all_at_once`; the intervals themselves need none.
    pub draws: usize,
    /// Widened by this factor, all hold at once with that probability.
    pub all_at_once: f64,
    /// How many steps estimates are taken away from the penalty.
    #[serde(default)]
    pub steps: usize,
    /// The columns whose coefficients have them; all of them if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<Vec<String>>,
    /// Of several classes: the class that each other one is compared with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// No ordinary coefficient is larger than this, which somebody declared: log-odds for half the
    /// range of a number or for a category. Nothing if intervals cover penalised coefficients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub largest_effect: Option<f64>,
    /// What they say in a few words; nothing if they cover penalised coefficients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub findings: Option<Findings>,
    /// Said where widths are only roughly known, with what would help.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rough: Option<String>,
    /// What they are about.
    pub covers: String,
    /// Said where λ is so large that it matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

/// The effects by what their intervals say of them, by the names of their coefficients.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Findings {
    /// Intervals leave out 0.
    pub told_from_zero: Vec<String>,
    /// Only the declared bound speaks: these rows say too little at this budget.
    pub not_estimable: Vec<String>,
    /// Pairs of columns of which one says the same as the other, so that neither has intervals.
    pub same: Vec<[String; 2]>,
}

/// How λ was chosen from a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TuningFacts {
    /// The λ that were chosen from.
    pub candidates: Vec<f64>,
    /// Those that the budget could not pay for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<f64>,
    /// What models were measured by.
    pub score: Score,
    /// The rows that only validated.
    pub validation_rows: usize,
    /// Whether the model was trained anew on all rows.
    pub on_all_rows: bool,
    /// For a choice by noisy score: with probability `1 - doubt` the chosen one's score is below no
    /// candidate's by more than this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shortfall: Option<Vec<f64>>,
    /// The probability left out of `shortfall`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<f64>,
    /// The rule and its numbers, in words.
    pub rule: String,
    /// Why this rule.
    pub why: String,
}

impl IntervalFacts {
    /// Refuses settings and findings that no intervals of this model have. Whoever writes intervals
    /// anew makes as many draws as the file says, for the columns that it names.
    pub(crate) fn check(&self, model: &Model) -> Result<(), String> {
        claim::share(self.level, "the level of its intervals")?;
        ensure(
            self.split.iter().all(|share| (0.0..=1.0).contains(share)),
            "the shares of its budget do not lie between 0 and 1",
        )?;
        claim::not_negative(self.all_at_once, "the width of its intervals")?;
        let (least, most) = DRAWS_ALLOWED.into_inner();
        ensure(
            DRAWS_ALLOWED.contains(&self.draws),
            &format!("its intervals have {} draws, and {least} to {most} are possible", self.draws),
        )?;
        let schema = &model.schema;
        let steps = model.evidence.as_ref().map_or(0, Evidence::steps);
        ensure(self.steps == steps, "its intervals were taken other steps away from the penalty")?;
        let are_columns = |names: &Vec<String>| schema.check_interval_columns(names).is_ok();
        ensure(
            self.columns.as_ref().is_none_or(are_columns),
            "its intervals are those of other columns",
        )?;
        ensure(
            self.reference.as_ref().is_none_or(|class| schema.check_reference(class).is_ok()),
            "its intervals are compared with a class that is not declared",
        )?;
        let is_ordinary = model.training.loss == LossKind::Logistic
            && schema.norm() == Norm::Scale
            && model.parts.is_none();
        ensure(
            self.largest_effect.is_none_or(|of| {
                is_ordinary && settings::allows("intervals", "largest_effect", of)
            }),
            "its intervals declare a largest effect that cannot be declared",
        )?;
        match &self.findings {
            None => Ok(()),
            Some(_) if self.largest_effect.is_none() => {
                ensure(false, "its intervals have findings, and no largest effect")
            }
            Some(findings) => findings.check(model),
        }
    }
}

impl Findings {
    /// Refuses findings about effects that have no intervals, and about columns that it lacks.
    fn check(&self, model: &Model) -> Result<(), String> {
        let has_interval = |coefficient: &&Coefficient| {
            coefficient.effect.as_ref().is_some_and(|effect| effect.interval.is_some())
        };
        let known: Vec<&String> =
            model.coefficients.iter().filter(has_interval).map(|c| &c.name).collect();
        let found: Vec<&String> = self.told_from_zero.iter().chain(&self.not_estimable).collect();
        let names: BTreeSet<&String> = known.iter().copied().collect();
        ensure(
            found.len() <= known.len() && found.iter().all(|name| names.contains(name)),
            "its findings are about other effects",
        )?;
        let columns = model.schema.encoder().column_names();
        let are_two = |[a, b]: &[String; 2]| a != b && columns.contains(a) && columns.contains(b);
        ensure(self.same.iter().all(are_two), "its findings are about other columns")
    }
}

impl TuningFacts {
    /// Refuses a choice among nothing, or with bounds for other candidates.
    pub(crate) fn check(&self) -> Result<(), String> {
        self.candidates
            .iter()
            .chain(&self.dropped)
            .try_for_each(|&lambda| claim::lambda(lambda))?;
        let of_each =
            self.shortfall.as_ref().is_none_or(|bounds| bounds.len() == self.candidates.len());
        ensure(of_each, "what λ was chosen from and the bounds of the choice differ")?;
        claim::rows(self.validation_rows)
    }
}

impl TrainingFacts {
    /// Refuses what cannot be true of a model with so many coefficients, of all classes together.
    pub(crate) fn check(&self, dimension: usize, classes: usize) -> Result<(), String> {
        claim::rows(self.rows)?;
        claim::lambda_from(self.lambda, self.lambda_from)?;
        ensure(self.dimension == dimension, "it has another number of coefficients")?;
        self.noise.as_ref().map_or(Ok(()), |law| claim::noise(law, dimension, classes))?;
        let deviations = [
            self.mask_deviation,
            self.lattice_step,
            self.expected_error,
            self.worst_error,
            self.base_rate.map(|rate| rate.deviation),
            self.without_intervals.map(|alone| alone.expected_error),
        ];
        deviations
            .into_iter()
            .flatten()
            .try_for_each(|deviation| claim::not_negative(deviation, "a deviation of its noise"))?;
        self.without_intervals.map_or(Ok(()), |alone| claim::lambda(alone.lambda))?;
        self.base_rate.map_or(Ok(()), |rate| claim::share(rate.share, "the base rate's share"))
    }

    /// Of training without noise of its own.
    pub fn without_noise(
        facts: Facts,
        loss: LossKind,
        (lambda, lambda_from): (f64, LambdaFrom),
        why: String,
    ) -> TrainingFacts {
        TrainingFacts {
            rows: facts.rows,
            dimension: facts.dimension,
            loss,
            lambda,
            lambda_from,
            mechanism: None,
            noise: None,
            mask_deviation: None,
            lattice_step: None,
            expected_error: None,
            worst_error: None,
            why,
            without_intervals: None,
            base_rate: None,
        }
    }
}

impl LambdaFrom {
    /// What a study asks for.
    pub fn of(lambda: &Lambda) -> LambdaFrom {
        match lambda {
            Lambda::Auto => LambdaFrom::Auto,
            Lambda::Fixed(_) => LambdaFrom::Study,
            Lambda::Grid(_) => LambdaFrom::Chosen,
        }
    }
}
