//! Draws from the law of the estimates around what they estimate, for questions that are not about
//! a linear combination.

use super::intervals::eigen;
use super::{Interval, IntervalError, Intervals};
use crate::train::Mechanism;
use discretion_privacy::account::{Law, ShapedLaw, TrainingLaw};
use faer::Mat;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::f64::consts::TAU;

/// Draws made together, by one task and from one stream.
const TOGETHER: usize = 256;

/// Fixed, so that a report says the same whenever it is made.
const ALL_AT_ONCE_SEED: u64 = 1;

impl Intervals {
    /// `count` draws from the law of B·(θ̃ − θ₀(λ)) on all cores; the same seed gives the same
    /// draws on any number of them. Nothing here protects anyone: it is computed from what was
    /// released, so an ordinary generator serves.
    pub fn draws(&self, count: usize, seed: u64) -> Vec<Vec<f64>> {
        self.of_each_draw(count, seed, &self.all(), <[f64]>::to_vec)
    }

    fn all(&self) -> Vec<usize> {
        (0..self.theta.len()).collect()
    }

    /// What is made of each draw, so that only that is in memory. Coefficients that are not asked
    /// for lack what the noise of the matrices and the mask do to them: for all of a wide model
    /// that takes longer than all else.
    fn of_each_draw<T: Send>(
        &self,
        count: usize,
        seed: u64,
        asked: &[usize],
        make: impl Fn(&[f64]) -> T + Sync,
    ) -> Vec<T> {
        let sampling = &self.pushed * &self.root;
        let rest = Rest { asked, root: self.root_of_the_rest(asked) };
        (0..count.div_ceil(TOGETHER))
            .into_par_iter()
            .flat_map_iter(|block| {
                let mut stream = Stream::new(seed, block as u64);
                let drawn = self.block(
                    &sampling,
                    &rest,
                    TOGETHER.min(count - block * TOGETHER),
                    &mut stream,
                );
                (0..drawn.ncols()).map(|k| make(drawn.col_as_slice(k))).collect::<Vec<_>>()
            })
            .collect()
    }

    /// By what factor intervals of this level, one for each coefficient, must be widened for all of
    /// them to hold at once with that level's probability. From `count` draws.
    pub fn all_at_once(&self, level: f64, count: usize) -> Result<f64, IntervalError> {
        let intervals = self.whole_coefficients(level)?;
        let widest = |draw: &[f64]| {
            let ratios = draw.iter().zip(&intervals).filter(|(_, of)| of.half_width() > 0.0);
            ratios.map(|(z, of)| (z.abs() + of.largest_bias) / of.half_width()).fold(0.0, f64::max)
        };
        Ok(at_level(self.of_each_draw(count, ALL_AT_ONCE_SEED, &self.all(), widest), level))
    }

    /// The same for the intervals of some effects ([`Intervals::effect`]), given by positions and
    /// weights, in place of all coefficients.
    pub fn all_at_once_of(
        &self,
        combinations: &[Vec<(usize, f64)>],
        level: f64,
        count: usize,
    ) -> Result<f64, IntervalError> {
        self.widened(combinations, level, count, |_| 0.0)
    }

    /// The same for the knots of a curve, whose band is to hold beside what λ is believed to have
    /// left in each of them ([`Interval::shrinkage`]): at one knot that is little beside its
    /// interval, and over all knots it is not. Where estimates were not taken back from the
    /// penalty, intervals and bands are about what it leaves.
    pub fn band_of(
        &self,
        combinations: &[Vec<(usize, f64)>],
        level: f64,
        count: usize,
    ) -> Result<f64, IntervalError> {
        let is_taken_back = self.evidence.steps() > 0;
        self.widened(combinations, level, count, |interval| {
            if is_taken_back { interval.shrinkage } else { 0.0 }
        })
    }

    fn widened(
        &self,
        combinations: &[Vec<(usize, f64)>],
        level: f64,
        count: usize,
        left_in: impl Fn(&Interval) -> f64 + Sync,
    ) -> Result<f64, IntervalError> {
        if combinations.is_empty() {
            return Ok(1.0);
        }
        let whole = |sparse: &Vec<(usize, f64)>| {
            let mut weights = vec![0.0; self.theta.len()];
            sparse.iter().for_each(|&(j, weight)| weights[j] += weight);
            weights
        };
        let interval = |sparse: &Vec<(usize, f64)>| self.whole_effect(&whole(sparse), level);
        let intervals = combinations.par_iter().map(interval).collect::<Result<Vec<_>, _>>()?;
        // What an effect is estimated by may take of every coefficient.
        let taken = |sparse: &Vec<(usize, f64)>| -> Result<Vec<(usize, f64)>, IntervalError> {
            let weights = self.estimator(&whole(sparse))?.weights;
            Ok(weights.into_iter().enumerate().filter(|(_, weight)| *weight != 0.0).collect())
        };
        let combinations = combinations.par_iter().map(taken).collect::<Result<Vec<_>, _>>()?;
        let widest = |draw: &[f64]| {
            let moved = |of: &Vec<(usize, f64)>| {
                of.iter().map(|&(j, weight)| weight * draw[j]).sum::<f64>()
            };
            let ratios =
                combinations.iter().zip(&intervals).filter(|(_, of)| of.half_width() > 0.0);
            ratios
                .map(|(combination, of)| {
                    let error = (moved(combination) - left_in(of)).abs() + of.largest_bias;
                    error / of.half_width()
                })
                .fold(0.0, f64::max)
        };
        let asked: BTreeSet<usize> = combinations.iter().flatten().map(|&(j, _)| j).collect();
        let asked: Vec<usize> = asked.into_iter().collect();
        Ok(at_level(self.of_each_draw(count, ALL_AT_ONCE_SEED, &asked, widest), level))
    }

    /// R with R·Rᵀ the covariance of what the noise of the matrices and the mask do to these, both
    /// taken as normal.
    fn root_of_the_rest(&self, asked: &[usize]) -> Mat<f64> {
        let mask = self.evidence.mask_deviation();
        let back =
            Mat::from_fn(self.back.nrows(), asked.len(), |i, k| mask * self.back[(i, asked[k])]);
        let masked = back.transpose() * &back;
        let covariance =
            self.matrices_covariance(asked).map_or(masked.clone(), |matrices| matrices + masked);
        // Both matrices were decomposed before. If this one cannot be, its diagonal is what is
        // known of it.
        match eigen(&covariance) {
            Ok((vectors, values)) => Mat::from_fn(values.len(), values.len(), |i, k| {
                vectors[(i, k)] * values[k].max(0.0).sqrt()
            }),
            Err(_) => Mat::from_fn(covariance.nrows(), covariance.nrows(), |i, k| {
                if i == k { covariance[(i, i)].max(0.0).sqrt() } else { 0.0 }
            }),
        }
    }

    /// `count` draws as columns: B·H̃⁻¹(G/√n + b/n) or B·(H̃⁻¹G/√n − b), with the rest.
    fn block(
        &self,
        sampling: &Mat<f64>,
        rest: &Rest<'_>,
        count: usize,
        stream: &mut Stream,
    ) -> Mat<f64> {
        let d = self.theta.len();
        let normals = Mat::from_fn(d, count, |_, _| stream.normal() / self.rows.sqrt());
        let columns: Vec<Vec<f64>> = (0..count)
            .map(|_| match self.evidence.noise() {
                &TrainingLaw::Round(law) => stream.noise(law, d, self.evidence.degrees()),
                TrainingLaw::Shaped(law) => stream.shaped(law),
            })
            .collect();
        let noise = Mat::from_fn(d, count, |i, k| columns[k][i]);
        let others = &rest.root * Mat::from_fn(rest.asked.len(), count, |_, _| stream.normal());
        let pushed = match self.mechanism {
            Mechanism::Objective => (&self.pushed * noise) * faer::Scale(1.0 / self.rows),
            Mechanism::Output => (&self.back * noise) * faer::Scale(-1.0),
        };
        let mut drawn = sampling * normals + pushed;
        for (row, &i) in rest.asked.iter().enumerate() {
            (0..count).for_each(|k| drawn[(i, k)] += others[(row, k)]);
        }
        drawn
    }
}

/// What the noise of the matrices and the mask add to the coefficients that are asked for.
struct Rest<'a> {
    asked: &'a [usize],
    root: Mat<f64>,
}

/// What so many of these do not exceed; no less than 1, which rank by chance might suggest: no band
/// is narrower than its intervals.
fn at_level(mut widest: Vec<f64>, level: f64) -> f64 {
    let count = widest.len();
    let rank = ((level * count as f64).ceil() as usize).clamp(1, count) - 1;
    widest.select_nth_unstable_by(rank, f64::total_cmp).1.max(1.0)
}

pub(super) struct Stream(ChaCha8Rng);

impl Stream {
    pub(super) fn new(seed: u64, block: u64) -> Stream {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        generator.set_stream(block);
        Stream(generator)
    }

    /// Uniform in (0, 1).
    fn unit(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.unit().ln()).sqrt() * (TAU * self.unit()).cos()
    }

    /// The training's noise in d dimensions, as training draws it: a direction and a length; or, if
    /// its degrees are not d + 1, as several hands draw it.
    fn noise(&mut self, noise: Law, d: usize, degrees: usize) -> Vec<f64> {
        let normals: Vec<f64> = (0..d).map(|_| self.normal()).collect();
        let factor = match noise {
            Law::Gaussian { sigma } => sigma,
            Law::Spherical { scale } if degrees == d + 1 => {
                let length = normals.iter().map(|x| x * x).sum::<f64>().sqrt();
                let radius: f64 = (0..d).map(|_| -self.unit().ln()).sum();
                scale * radius / length
            }
            Law::Spherical { scale } => {
                let square: f64 = (0..degrees).map(|_| self.normal().powi(2)).sum();
                scale * square.sqrt()
            }
        };
        normals.into_iter().map(|x| factor * x).collect()
    }

    fn exponential(&mut self) -> f64 {
        -self.unit().ln()
    }

    /// A point of the ℓ₁ ball in k dimensions, or of its sphere.
    fn simplex(&mut self, k: usize, in_ball: bool) -> Vec<f64> {
        let mut point: Vec<f64> = (0..k).map(|_| self.exponential()).collect();
        let sum = point.iter().sum::<f64>() + if in_ball { self.exponential() } else { 0.0 };
        for x in &mut point {
            *x /= if self.0.next_u64() & 1 == 1 { -sum } else { sum };
        }
        point
    }

    /// Noise with the shape of the rows, as training draws it.
    pub(super) fn shaped(&mut self, law: &ShapedLaw) -> Vec<f64> {
        let mut drawn = Vec::with_capacity(law.columns().dimension());
        match law {
            ShapedLaw::Groups { columns, group_of, epsilons } => {
                let mut terms = vec![1; epsilons.len()];
                columns
                    .iter()
                    .zip(group_of)
                    .for_each(|(column, &group)| terms[group] += column.coefficients);
                let radii: Vec<f64> = terms
                    .iter()
                    .map(|&terms| (0..terms).map(|_| self.exponential()).sum())
                    .collect();
                for (column, &group) in columns.iter().zip(group_of) {
                    let scale = 2.0 * column.size / epsilons[group] * radii[group];
                    drawn.extend(
                        self.simplex(column.coefficients, true).into_iter().map(|x| scale * x),
                    );
                }
            }
            ShapedLaw::RowNorm { columns, epsilon } => {
                let mut square = 0.0;
                for column in columns.iter() {
                    let part: f64 = (0..column.coefficients).map(|_| self.normal().powi(2)).sum();
                    square += part;
                    let point = self.simplex(column.coefficients, false);
                    drawn.extend(point.into_iter().map(|x| part.sqrt() * x));
                }
                let radius: f64 = (0..drawn.len()).map(|_| self.exponential()).sum();
                let scale = 2.0 / epsilon * radius / square.sqrt();
                drawn.iter_mut().for_each(|x| *x *= scale);
            }
            ShapedLaw::ColumnGaussian { columns, deviations } => {
                for (column, deviation) in columns.iter().zip(deviations) {
                    drawn.extend((0..column.coefficients).map(|_| deviation * self.normal()));
                }
            }
        }
        drawn
    }
}
