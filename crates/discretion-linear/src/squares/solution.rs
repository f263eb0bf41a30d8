//! What follows from moments: coefficients, their covariance, the residual deviation, R². All of it
//! is post-processing.
//!
//! Everything here is for rows whose columns have size 1: a coefficient times a column's size is
//! what multiplies its entry in an encoded row, and the outcome lies in [−1, 1].

use super::prior::Equations;
use super::pushes::{NoisyNumber, pushes};
use super::{Moments, SquaresError};
use crate::interval::squares::{Noisy, Read, eigen};
use crate::interval::{Interval, IntervalError};
use crate::quality::normal_quantile;
use discretion_privacy::normal_cdf;
use faer::linalg::solvers::DenseSolveCore;
use faer::{Col, Mat, Side};

/// How strongly coefficients are drawn to 0: the penalty is (penalty/2)‖β‖² beside half the mean
/// square of residuals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Penalty {
    /// As strongly as public and released numbers suggest.
    Auto,
    /// So much.
    Fixed(f64),
}

/// With no noise, the penalty is that of so many rows. It only decides between coefficients that
/// predict the same.
const PENALTY_ROWS: f64 = 0.01;

/// And with noise it is so many typical deviations of a square more. Less leaves intervals of rare
/// values as wide as noise over almost nothing, and more leaves them to the prior (measured:
/// docs/numbers.md).
const PENALTY_NOISE: f64 = 4.0;

/// Columns explain no more than all but this share of the outcome's variance.
const LEAST_LEFT: f64 = 1e-9;

/// What adds less than this share to the variance of a prediction is left out of it.
const NEGLIGIBLE: f64 = 1e-4;

/// A least-squares fit.
#[derive(Clone, Debug)]
pub struct Solution {
    penalty: f64,
    coefficients: Vec<f64>,
    /// One step from there with the moments as they were released: what intervals are around.
    centre: Vec<f64>,
    residual_variance: f64,
    outcome_variance: f64,
    outcome_mean: f64,
    /// What the penalty pulls at each coefficient.
    pull: Vec<f64>,
    /// The covariance of `coefficients`, as far as they are believed.
    believed: Mat<f64>,
    /// The covariance of `centre`: from sampling, and from noise.
    sampling: Mat<f64>,
    noise: Mat<f64>,
}

impl Moments {
    /// The coefficients that predict the outcome best, with a penalty. Of several outcomes, take
    /// one first ([`Moments::of_outcome`]).
    pub fn solve(&self, penalty: Penalty) -> Result<Solution, SquaresError> {
        assert_eq!(self.outcomes(), 1, "a solution is about one outcome");
        let noisy = self.noisy();
        let seen = noisy.divided_by(self.columns());
        let given = match penalty {
            Penalty::Auto => None,
            Penalty::Fixed(penalty) if penalty > 0.0 && penalty.is_finite() => Some(penalty),
            Penalty::Fixed(penalty) => return Err(SquaresError::Lambda(penalty)),
        };
        // Moments without noise are what they are.
        let is_exact = seen.deviations.norm_max() == 0.0;
        let read =
            if is_exact { None } else { Some(Read::new(&noisy, self.columns(), self.rows())?) };
        let matrix = read.as_ref().map_or(&seen.entries, |read| &read.matrix);
        let (place, all, rows) = (self.place(), self.columns().dimension(), self.rows() as f64);
        let rest: Vec<usize> = (0..all).filter(|&i| i != place).collect();
        let d = rest.len();
        let outcome_mean = matrix[(0, place)];
        let outcome_variance =
            (matrix[(place, place)] - outcome_mean.powi(2)).max(f64::MIN_POSITIVE);

        // For intervals: the penalty that is asked for, or one that keeps noise from being divided
        // by almost nothing.
        let least = given.unwrap_or_else(|| self.least_penalty(&seen));
        let of_columns = picked(matrix, &rest);
        let penalised = with_penalty(&of_columns, least);
        let damaged = |_| IntervalError::Evidence("the moments have no inverse");
        let inverse = penalised.llt(Side::Lower).map_err(damaged)?.inverse();
        let (theta, penalty, belief) = if is_exact {
            (&inverse * Col::from_fn(d, |i| matrix[(rest[i], place)]), least, None)
        } else {
            let equations = Equations {
                matrix: picked(&seen.entries, &rest),
                matrix_variances: Mat::from_fn(d, d, |i, j| {
                    seen.deviations[(rest[i], rest[j])].powi(2)
                }),
                products: Col::from_fn(d, |i| seen.entries[(rest[i], place)]),
                products_variances: rest
                    .iter()
                    .map(|&i| seen.deviations[(i, place)].powi(2))
                    .collect(),
                outcome_variance,
                rows,
            };
            // A penalty is a prior, and a prior a penalty.
            let other = |x: f64| outcome_variance / (rows * x);
            let belief = equations.believed(given.map(|penalty| other(penalty).sqrt()))?;
            (belief.mean.clone(), other(belief.width * belief.width), Some((belief, equations)))
        };

        // A penalty that was asked for is part of what is estimated.
        let asked = given.unwrap_or(0.0);

        // The residual is z·t. Coefficients follow the noise of the numbers that they come from, by
        // twice the trace.
        let mut t = vec![0.0; all];
        rest.iter().zip(theta.iter()).for_each(|(&i, x)| t[i] = -x);
        t[place] = 1.0;
        let form: f64 = (0..all)
            .map(|i| (0..all).map(|j| t[i] * seen.entries[(i, j)] * t[j]).sum::<f64>())
            .sum::<f64>()
            + matrix[(place, place)]
            - seen.entries[(place, place)];
        let followed = |covariance: &Mat<f64>| {
            let each = |i: usize| {
                (0..d).map(|j| covariance[(i, j)] * seen.entries[(rest[j], rest[i])]).sum::<f64>()
            };
            2.0 * (0..d).map(each).sum::<f64>()
        };
        // What noise could hide counts as left.
        let numbers = self.numbers(&seen);
        let hidden = |(variance, places): &NoisyNumber| {
            variance * places.iter().map(|&(i, j)| t[i] * t[j]).sum::<f64>().powi(2)
        };
        let hidden = numbers.iter().map(hidden).sum::<f64>().sqrt();
        let residual_variance = (form
            + belief.as_ref().map_or(0.0, |(belief, _)| followed(&belief.covariance)))
        .max(hidden)
        .clamp(LEAST_LEFT * outcome_variance, outcome_variance);

        let spread = residual_variance / rows;
        let plain = Mat::from_fn(d, d, |i, j| of_columns[(i, j)] * spread);
        // What intervals are around: one step from the coefficients, with the numbers as they were
        // released. Noise moves these by known laws, and belief by unknown ones.
        let (centre, sampling, noise) = match (&read, &belief) {
            (Some(read), Some((belief, equations))) => {
                let with = |matrix: &Mat<f64>| with_penalty(matrix, asked);
                // All of it is linear in the products: the step is a matrix times them.
                let step = &belief.map
                    + &inverse
                        * (Mat::<f64>::identity(d, d) - with(&equations.matrix) * &belief.map);
                // The constant's coefficient is known well, so its noise is that of the means times
                // it.
                let mut known = vec![0.0; all];
                (known[0], known[place]) = (-theta[0], 1.0);
                // What is believed of the others: how large they are, and so what the step leaves
                // of them.
                let sizes = &belief.covariance + theta.as_mat() * theta.as_mat().transpose();
                let left = &step * with(&of_columns) - Mat::<f64>::identity(d, d);
                let uncertain = read.around(&put_back(&sizes, &rest, all));
                let pushed = picked(&(pushes(&numbers, &known) + uncertain), &rest);
                let around = |step: &Mat<f64>, q: &Mat<f64>| step * q * step.transpose();
                let noise = around(&step, &pushed) + around(&left, &sizes);
                (&step * &equations.products, around(&step, &plain), noise)
            }
            _ => (theta.clone(), &inverse * &plain * &inverse, Mat::zeros(d, d)),
        };
        let pull = &inverse * Col::from_fn(d, |i| asked * theta[i]);
        Ok(Solution {
            penalty,
            coefficients: theta.iter().copied().collect(),
            centre: centre.iter().copied().collect(),
            residual_variance,
            outcome_variance,
            outcome_mean,
            pull: pull.iter().copied().collect(),
            believed: belief.map_or_else(|| sampling.clone(), |(belief, _)| belief.covariance),
            sampling,
            noise,
        })
    }

    fn least_penalty(&self, seen: &Noisy) -> f64 {
        let place = self.place();
        let mut squares: Vec<f64> = (1..self.columns().dimension())
            .filter(|&i| i != place)
            .map(|i| seen.deviations[(i, i)])
            .collect();
        let middle = squares.len() / 2;
        let typical = if squares.is_empty() {
            0.0
        } else {
            *squares.select_nth_unstable_by(middle, f64::total_cmp).1
        };
        PENALTY_ROWS / self.rows() as f64 + PENALTY_NOISE * typical
    }
}

fn with_penalty(matrix: &Mat<f64>, penalty: f64) -> Mat<f64> {
    Mat::from_fn(matrix.nrows(), matrix.ncols(), |i, j| {
        matrix[(i, j)] + if i == j { penalty } else { 0.0 }
    })
}

fn picked(matrix: &Mat<f64>, rest: &[usize]) -> Mat<f64> {
    Mat::from_fn(rest.len(), rest.len(), |i, j| matrix[(rest[i], rest[j])])
}

/// The other way round: what was picked, where it was, among zeros.
fn put_back(picked: &Mat<f64>, rest: &[usize], all: usize) -> Mat<f64> {
    let mut matrix = Mat::zeros(all, all);
    for (i, &a) in rest.iter().enumerate() {
        rest.iter().enumerate().for_each(|(j, &b)| matrix[(a, b)] = picked[(i, j)]);
    }
    matrix
}

impl Solution {
    /// The penalty that predictions are made with.
    pub fn penalty(&self) -> f64 {
        self.penalty
    }

    /// The coefficients, in the order of the columns without the outcome: what predictions are made
    /// with.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// The standard deviation of what is left of the outcome.
    pub fn residual_deviation(&self) -> f64 {
        self.residual_variance.sqrt()
    }

    /// The mean and the standard deviation of the outcome.
    pub fn outcome(&self) -> (f64, f64) {
        (self.outcome_mean, self.outcome_variance.sqrt())
    }

    /// The share of the outcome's variance that the columns explain.
    pub fn explained(&self) -> f64 {
        match self.outcome_variance > 0.0 {
            true => 1.0 - self.residual_variance / self.outcome_variance,
            false => 0.0,
        }
    }

    /// An interval for Σ weights·β, and the p-value of "it is `null`".
    pub fn combination(
        &self,
        weights: &[f64],
        level: f64,
        null: f64,
    ) -> Result<Interval, IntervalError> {
        let times = times(level)?;
        let estimate = dot(weights, &self.centre);
        let [sampling, noise] = self.variances(weights);
        let deviation = (sampling + noise).sqrt();
        let distance = (estimate - null).abs();
        let p_value = if deviation > 0.0 { 2.0 * normal_cdf(-distance / deviation) } else { 0.0 };
        Ok(Interval {
            estimate,
            lower: estimate - times * deviation,
            upper: estimate + times * deviation,
            p_value,
            sampling_deviation: sampling.sqrt(),
            privacy_deviation: noise.sqrt(),
            matrices_deviation: noise.sqrt(),
            shrinkage: dot(weights, &self.pull),
            largest_bias: 0.0,
        })
    }

    /// The variance of what is left of the outcome, and vectors v such that Σ(v·x)² is the variance
    /// of the prediction for a row x: together they are the variance of a new row's outcome around
    /// its prediction. Vectors that hardly matter are left out.
    pub fn prediction_parts(&self) -> Result<(f64, Vec<Vec<f64>>), IntervalError> {
        let d = self.coefficients.len();
        let (vectors, values) = eigen(&self.believed)?;
        let least = NEGLIGIBLE * self.residual_variance / d as f64;
        let scaled = |k: usize| (0..d).map(|i| vectors[(i, k)] * values[k].sqrt()).collect();
        Ok((self.residual_variance, (0..d).filter(|&k| values[k] > least).map(scaled).collect()))
    }

    /// The variance of Σ weights·β from sampling, and from noise.
    fn variances(&self, weights: &[f64]) -> [f64; 2] {
        assert_eq!(weights.len(), self.coefficients.len(), "one weight per coefficient");
        let hit: Vec<usize> = (0..weights.len()).filter(|&i| weights[i] != 0.0).collect();
        [&self.sampling, &self.noise].map(|m| {
            let row =
                |i: usize| hit.iter().map(|&j| m[(j, i)] * weights[j]).sum::<f64>() * weights[i];
            hit.iter().map(|&i| row(i)).sum::<f64>().max(0.0)
        })
    }
}

/// How many deviations an interval of this level reaches to both sides.
fn times(level: f64) -> Result<f64, IntervalError> {
    match level > 0.0 && level < 1.0 {
        true => Ok(normal_quantile(0.5 + 0.5 * level)),
        false => Err(IntervalError::Level(level)),
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
