//! The law of the estimates around what they estimate, and what it says about every linear
//! combination of coefficients.

use super::drawn::Drawn;
use super::estimate::{Estimate, Known, Noisy};
use super::evidence::{MatrixDeviations, SecondMoments};
use super::matrices::Symmetric;
use super::mixture::Mixture;
use super::ordinary::{Alias, Estimator, Known as OrdinaryKnown, Ordinary};
use super::{Evidence, Interval, IntervalError};
use crate::loss::LossKind;
use crate::train::Mechanism;
use discretion_privacy::account::{Law, ShapedLaw, TrainingLaw};
use faer::{Col, Mat, Side};
use rayon::prelude::*;
use std::ops::Range;

/// Intervals around released coefficients. Made of released and public numbers alone.
pub struct Intervals {
    /// The estimates: B·θ̃.
    pub(super) theta: Vec<f64>,
    pub(super) rows: f64,
    pub(super) mechanism: Mechanism,
    pub(super) evidence: Evidence,
    pub(super) noise: NoiseLaw,
    /// B = Σ (λH̃⁻¹)ʲ for j from 0 to the number of steps away from the penalty.
    pub(super) back: Mat<f64>,
    /// B·H̃⁻¹.
    pub(super) pushed: Mat<f64>,
    /// R with Σ̃ = R·Rᵀ.
    pub(super) root: Mat<f64>,
    /// What is left of the penalty's pull on each coefficient.
    left: Vec<f64>,
    /// Where both come from, if it is known how exact the released matrices are.
    estimate: Option<Estimate>,
    /// How large each ordinary coefficient can be, if intervals are to cover those.
    largest: Option<Vec<f64>>,
    /// The mean curvature and the variance of the mean gradient, where both follow from the moments
    /// of the rows.
    ordinary: Option<[Mat<f64>; 2]>,
    /// What the noise in these moments adds to the variance of the mean gradient.
    uncertain: Option<Mat<f64>>,
    /// Columns that nearly say the same, and the coefficients of each column.
    aliases: Vec<Alias>,
    ranges: Vec<Range<usize>>,
}

/// Intervals of columns that are nearly aliases are so much longer.
const OF_ALIASES: f64 = 1.25;

impl Intervals {
    /// Intervals for these coefficients, from what was released with them.
    ///
    /// Where it is known how exact the released matrices are, they are read as `estimate` says.
    /// Else H̃ is made a Hessian (eigenvalues at least λ) and Σ̃ a covariance (eigenvalues at least
    /// 0).
    pub fn new(evidence: &Evidence, theta: &[f64]) -> Result<Intervals, IntervalError> {
        Intervals::made(evidence, theta, None)
    }

    /// Intervals that cover the coefficients of the ordinary regression, the one without a penalty,
    /// if each of those is at most as large as `largest` says.
    pub fn of_ordinary(
        evidence: &Evidence,
        theta: &[f64],
        largest: Vec<f64>,
    ) -> Result<Intervals, IntervalError> {
        let are_bounds = largest.iter().all(|x| x.is_finite() && *x > 0.0);
        if largest.len() != theta.len() || !are_bounds {
            return Err(IntervalError::Evidence("each coefficient has a largest size above 0"));
        }
        Intervals::made(evidence, theta, Some(largest))
    }

    fn made(
        evidence: &Evidence,
        theta: &[f64],
        largest: Option<Vec<f64>>,
    ) -> Result<Intervals, IntervalError> {
        if theta.len() != evidence.dimension() || theta.iter().any(|x| !x.is_finite()) {
            return Err(IntervalError::Evidence("they belong to another number of coefficients"));
        }
        let noise = NoiseLaw::of(evidence);
        let (mut estimate, mut aliases, mut ranges) = (None, Vec::new(), Vec::new());
        let (mut ordinary, mut uncertain) = (None, None);
        let (inverse, root) = match evidence.moments() {
            SecondMoments::OfRows(moments) => {
                let (rows, lambda) = (evidence.rows(), evidence.lambda());
                let of = Ordinary::new(moments, rows, theta, evidence.halfway(), lambda)?;
                (aliases, ranges) = (of.aliases, moments.columns().ranges().collect());
                let gradient = variance_of_gradient(&of.curvature, &noise, rows);
                ordinary = Some([of.curvature, gradient + &of.uncertain]);
                uncertain = Some(of.uncertain);
                (of.inverse, of.root)
            }
            SecondMoments::OfGradients { hessian, covariance, deviations: None, .. } => {
                floored(evidence.lambda(), [hessian, covariance], theta)?
            }
            SecondMoments::OfGradients { hessian, covariance, deviations: Some(known), .. } => {
                let read = read(evidence, [hessian, covariance], known, theta, &noise)?;
                let both = (read.inverse().clone(), read.root().clone());
                estimate = Some(read);
                both
            }
        };
        let d = theta.len();
        let pull = &inverse * faer::Scale(evidence.lambda());
        let mut back = Mat::<f64>::identity(d, d);
        for _ in 0..evidence.steps() {
            back = Mat::<f64>::identity(d, d) + &pull * back;
        }
        let theta = &back * Col::from_fn(d, |i| theta[i]);
        let mut left = &pull * &theta;
        for _ in 0..evidence.steps() {
            left = &pull * left;
        }
        Ok(Intervals {
            theta: theta.iter().copied().collect(),
            rows: evidence.rows() as f64,
            mechanism: evidence.mechanism(),
            noise,
            evidence: evidence.clone(),
            pushed: &back * inverse,
            back,
            root,
            left: left.iter().copied().collect(),
            estimate,
            ordinary: ordinary.filter(|_| evidence.mechanism() == Mechanism::Objective),
            uncertain,
            largest,
            aliases,
            ranges,
        })
    }

    /// One interval for each coefficient.
    pub fn coefficients(&self, level: f64) -> Result<Vec<Interval>, IntervalError> {
        self.of_coefficients(0..self.theta.len(), level)
    }

    /// One for each of these coefficients.
    pub fn of_coefficients(
        &self,
        which: impl Iterator<Item = usize>,
        level: f64,
    ) -> Result<Vec<Interval>, IntervalError> {
        self.of_each(which, |weights| self.combination(weights, level))
    }

    /// One for each coefficient, with what is beyond the declared bound.
    pub(super) fn whole_coefficients(&self, level: f64) -> Result<Vec<Interval>, IntervalError> {
        self.of_each(0..self.theta.len(), |weights| self.whole(weights, level, 0.0))
    }

    fn of_each(
        &self,
        which: impl Iterator<Item = usize>,
        interval: impl Fn(&[f64]) -> Result<Interval, IntervalError> + Sync,
    ) -> Result<Vec<Interval>, IntervalError> {
        let unit = |j: usize| -> Vec<f64> {
            (0..self.theta.len()).map(|i| if i == j { 1.0 } else { 0.0 }).collect()
        };
        which.collect::<Vec<usize>>().into_par_iter().map(|j| interval(&unit(j))).collect()
    }

    /// An interval for Σ weights·θ.
    pub fn combination(&self, weights: &[f64], level: f64) -> Result<Interval, IntervalError> {
        self.combination_beside(weights, level, 0.0)
    }

    /// The interval of an effect, Σ weights·θ, around the linear function of the coefficients that
    /// tells it best: where the rows speak, what the penalty took is given back.
    pub fn effect(&self, weights: &[f64], level: f64) -> Result<Interval, IntervalError> {
        Ok(self.as_declared(weights, self.whole_effect(weights, level)?))
    }

    /// The interval of an effect, with what is beyond the declared bound.
    pub(super) fn whole_effect(
        &self,
        weights: &[f64],
        level: f64,
    ) -> Result<Interval, IntervalError> {
        let Estimator { weights: taken, bias } = self.estimator(weights)?;
        let bias = Some(bias).filter(|_| self.largest.is_some());
        self.around(&taken, bias, self.is_of_aliases(weights), level, 0.0)
    }

    /// The interval without what is further from 0 than both the estimate and what was declared:
    /// |w·θ*| ≤ Σ|w_j|M_j.
    fn as_declared(&self, weights: &[f64], interval: Interval) -> Interval {
        let Some(largest) = &self.largest else { return interval };
        let most: f64 = weights.iter().zip(largest).map(|(w, most)| w.abs() * most).sum();
        Interval {
            lower: interval.lower.max(interval.estimate.min(-most)),
            upper: interval.upper.min(interval.estimate.max(most)),
            ..interval
        }
    }

    /// What an effect is estimated by.
    pub(super) fn estimator(&self, weights: &[f64]) -> Result<Estimator, IntervalError> {
        let (Some([curvature, gradient]), Some(largest)) = (&self.ordinary, &self.largest) else {
            let bias = self.spread(weights).bias;
            return Ok(Estimator { weights: weights.to_vec(), bias });
        };
        let lambda = self.evidence.lambda();
        let (inverse, theta) = (&self.pushed, &self.theta[..]);
        let way: Option<Vec<f64>> = self.evidence.halfway().map(|halfway| {
            theta.iter().zip(halfway).map(|(reached, halfway)| 2.0 * (reached - halfway)).collect()
        });
        let way = way.as_deref();
        OrdinaryKnown { curvature, inverse, lambda, gradient, largest, theta, way }.best(weights)
    }

    /// An interval for Σ weights·θ, and the p-value of "it is `null`".
    pub fn combination_beside(
        &self,
        weights: &[f64],
        level: f64,
        null: f64,
    ) -> Result<Interval, IntervalError> {
        Ok(self.as_declared(weights, self.whole(weights, level, null)?))
    }

    /// The interval of a combination, with what is beyond the declared bound.
    fn whole(&self, weights: &[f64], level: f64, null: f64) -> Result<Interval, IntervalError> {
        self.around(weights, None, self.is_of_aliases(weights), level, null)
    }

    /// An interval around Σ weights·θ̃, of which the mean is wrong by `bias` at most, or by what the
    /// penalty takes.
    fn around(
        &self,
        weights: &[f64],
        bias: Option<f64>,
        is_of_aliases: bool,
        level: f64,
        null: f64,
    ) -> Result<Interval, IntervalError> {
        if !(level > 0.0 && level < 1.0) {
            return Err(IntervalError::Level(level));
        }
        let Spread { sampling, matrices, mask, push, bias: of_penalty } = self.spread(weights);
        let bias = bias.unwrap_or(of_penalty);
        let estimate = dot(weights, &self.theta);
        let normal = sampling + matrices + mask;
        let longer = if is_of_aliases { OF_ALIASES } else { 1.0 };
        let distance = (estimate - null).abs() / longer;
        let (half_width, p_value) = match &self.noise {
            NoiseLaw::Mixture { mixture, variances } => {
                let times = times(variances, &push);
                let tail = |x: f64| mixture.tail(normal, times, x);
                let shifted = Shifted { tail: &tail, bias };
                let unbiased = mixture.half_width(normal, times, level);
                (shifted.half_width(level, unbiased), shifted.p_value(distance))
            }
            NoiseLaw::Drawn(drawn) => {
                let sum = drawn.along(&push, normal);
                let tail = sum.tails();
                let shifted = Shifted { tail: &tail, bias };
                (shifted.half_width(level, sum.half_width(level)), shifted.p_value(distance))
            }
        };
        let half_width = longer * half_width;
        Ok(Interval {
            estimate,
            lower: estimate - half_width,
            upper: estimate + half_width,
            p_value,
            sampling_deviation: sampling.sqrt(),
            privacy_deviation: (self.noise.variance(&push) + matrices + mask).sqrt(),
            matrices_deviation: matrices.sqrt(),
            shrinkage: dot(weights, &self.left),
            largest_bias: bias,
        })
    }

    /// Columns that nearly say the same.
    pub fn aliases(&self) -> &[Alias] {
        &self.aliases
    }

    /// The column that says the same as the one of this coefficient, so that no interval of either is
    /// honest. The constant is column 0.
    pub fn same_as(&self, coefficient: usize) -> Option<usize> {
        let is_of = |column: usize| self.ranges[column].contains(&coefficient);
        let same = self.aliases.iter().filter(|alias| alias.is_same);
        same.filter_map(|alias| {
            let (a, b) = alias.columns;
            is_of(a).then_some(b).or(is_of(b).then_some(a))
        })
        .next()
    }

    fn is_of_aliases(&self, weights: &[f64]) -> bool {
        let is_of = |column: usize| self.ranges[column].clone().any(|i| weights[i] != 0.0);
        self.aliases.iter().any(|alias| is_of(alias.columns.0) || is_of(alias.columns.1))
    }

    /// The marginal law of w·B·(θ̃ − θ₀) (`PROOF.md`, "Linear combinations").
    pub(super) fn spread(&self, weights: &[f64]) -> Spread {
        let d = self.theta.len();
        assert_eq!(weights.len(), d, "one weight per coefficient");
        // v = H̃⁻¹Bw: what a push on the gradient does to the estimate.
        let v: Vec<f64> = (0..d).map(|i| dot(self.pushed.col_as_slice(i), weights)).collect();
        let back: Vec<f64> = (0..d).map(|i| dot(self.back.col_as_slice(i), weights)).collect();
        let pushes = (0..d).map(|k| dot(self.root.col_as_slice(k), &v).powi(2)).sum::<f64>();
        // θ̃ − θ* has the mean −Sθ* with S = λH⁻¹, and |θ*| is bounded.
        let bias = self.largest.as_ref().map_or(0.0, |largest| {
            let taken: f64 = v.iter().zip(largest).map(|(v, most)| v.abs() * most).sum();
            self.evidence.lambda() * taken
        });
        Spread {
            bias,
            sampling: pushes / self.rows,
            matrices: self.matrices_variance(weights, &v),
            // The mask is three or more orders below the noise; as a normal variable it is close
            // enough.
            mask: self.evidence.mask_deviation().powi(2) * dot(&back, &back),
            push: match self.mechanism {
                Mechanism::Objective => v.iter().map(|x| x / self.rows).collect(),
                Mechanism::Output => back,
            },
        }
    }
}

impl Intervals {
    /// What the noise in the matrices adds to the variance of a combination, of which `v` says what a
    /// push on the gradient does to it.
    fn matrices_variance(&self, weights: &[f64], v: &[f64]) -> f64 {
        if let Some(uncertain) = &self.uncertain {
            let v = Col::from_fn(v.len(), |i| v[i]);
            let variance: f64 = v.transpose() * (uncertain * &v);
            return variance.max(0.0);
        }
        let steps = self.evidence.steps();
        self.estimate
            .as_ref()
            .map_or(0.0, |estimate| estimate.parts(weights, steps).matrices.powi(2))
    }

    /// The same for all combinations at once: the covariance of what that noise does; nothing if it
    /// is not known.
    pub(super) fn matrices_covariance(&self, asked: &[usize]) -> Option<Mat<f64>> {
        if let Some(uncertain) = &self.uncertain {
            let pushed =
                Mat::from_fn(asked.len(), self.theta.len(), |k, i| self.pushed[(asked[k], i)]);
            return Some(&pushed * uncertain * pushed.transpose());
        }
        let steps = self.evidence.steps();
        self.estimate.as_ref().map(|estimate| estimate.matrices_covariance(asked, steps))
    }
}

/// The variance of the mean gradient at the ordinary coefficients: of the sample, as the mean
/// curvature says it, and of the noise in the objective.
fn variance_of_gradient(curvature: &Mat<f64>, noise: &NoiseLaw, rows: usize) -> Mat<f64> {
    let (d, n) = (curvature.nrows(), rows as f64);
    let unit = |i: usize| (0..d).map(|j| if i == j { 1.0 / n } else { 0.0 }).collect::<Vec<f64>>();
    let noise: Vec<f64> = (0..d).map(|i| noise.variance(&unit(i))).collect();
    Mat::from_fn(d, d, |i, j| curvature[(i, j)] / n + if i == j { noise[i] } else { 0.0 })
}

/// Hessian and covariance as they are believed to be.
fn read(
    evidence: &Evidence,
    [hessian, covariance]: [&Symmetric; 2],
    deviations: &MatrixDeviations,
    theta: &[f64],
    noise: &NoiseLaw,
) -> Result<Estimate, IntervalError> {
    let (d, n) = (evidence.dimension(), evidence.rows() as f64);
    let block_of: Vec<usize> = deviations
        .columns
        .ranges()
        .enumerate()
        .flat_map(|(block, range)| range.map(move |_| block))
        .collect();
    let within =
        |block: usize, of: usize| deviations.neighbours.get(block).map_or(0.0, |both| both[of]);
    let noisy = |matrix: &Symmetric, blocks: &Symmetric, of: usize| Noisy {
        entries: Mat::from_fn(d, d, |i, j| matrix.entry(i, j)),
        deviations: Mat::from_fn(d, d, |i, j| match (i == j, block_of[i] == block_of[j]) {
            // Values of one category exclude each other in a row, and so do knots that are no
            // neighbours: those are known to be 0.
            (false, true) if matrix.entry(i, j) != 0.0 => within(block_of[i], of),
            (false, true) => 0.0,
            _ => blocks.entry(block_of[i], block_of[j]),
        }),
    };
    let unit = |i: usize| (0..d).map(|j| if i == j { 1.0 / n } else { 0.0 }).collect::<Vec<f64>>();
    let gradient_noise: Vec<f64> = match evidence.mechanism() {
        Mechanism::Objective => (0..d).map(|i| noise.variance(&unit(i))).collect(),
        Mechanism::Output => vec![0.0; d],
    };
    let known = Known {
        columns: Some(&deviations.columns),
        rows: evidence.rows(),
        lambda: evidence.lambda(),
        are_alike: deviations.loss == LossKind::Logistic,
        theta,
        gradient_noise: &gradient_noise,
    };
    let hessian = noisy(hessian, &deviations.hessian, 0);
    let slopes = noisy(covariance, &deviations.covariance, 1);
    Estimate::new(&known, &hessian, &slopes)
}

/// H̃⁻¹ and R with Σ̃ = R·Rᵀ, of matrices about whose noise nothing is known.
fn floored(
    lambda: f64,
    [hessian, slopes]: [&Symmetric; 2],
    theta: &[f64],
) -> Result<(Mat<f64>, Mat<f64>), IntervalError> {
    let d = theta.len();
    let (vectors, values) = eigen(&Mat::from_fn(d, d, |i, j| hessian.entry(i, j)))?;
    let scaled = Mat::from_fn(d, d, |i, k| vectors[(i, k)] / (lambda + values[k].max(0.0)));
    let inverse = &scaled * vectors.transpose();
    let covariance =
        Mat::from_fn(d, d, |i, j| slopes.entry(i, j) - (lambda * theta[i]) * (lambda * theta[j]));
    let (vectors, values) = eigen(&covariance)?;
    let root = Mat::from_fn(d, d, |i, k| vectors[(i, k)] * values[k].max(0.0).sqrt());
    Ok((inverse, root))
}

/// What is known of v·b, where b is the training's noise.
pub(super) enum NoiseLaw {
    /// A mixture of normals, times √Σ variance·v².
    Mixture {
        /// Its law.
        mixture: Mixture,
        /// A number for each coefficient; nothing if all are 1.
        variances: Option<Vec<f64>>,
    },
    /// Draws of b.
    Drawn(Drawn),
}

impl NoiseLaw {
    fn of(evidence: &Evidence) -> NoiseLaw {
        match evidence.noise() {
            &TrainingLaw::Round(law) => NoiseLaw::Mixture {
                mixture: Mixture::with_degrees(law, evidence.degrees()),
                variances: None,
            },
            TrainingLaw::Shaped(law @ ShapedLaw::ColumnGaussian { columns, .. }) => {
                let variances = columns.ranges().zip(law.variances());
                let variances =
                    variances.flat_map(|(range, variance)| range.map(move |_| variance)).collect();
                let normal =
                    Mixture::with_degrees(Law::Gaussian { sigma: 1.0 }, evidence.degrees());
                NoiseLaw::Mixture { mixture: normal, variances: Some(variances) }
            }
            TrainingLaw::Shaped(law) => NoiseLaw::Drawn(Drawn::of(law)),
        }
    }

    /// The variance of v·b.
    pub(super) fn variance(&self, v: &[f64]) -> f64 {
        match self {
            NoiseLaw::Mixture { mixture, variances } => times(variances, v) * mixture.variance(),
            NoiseLaw::Drawn(drawn) => drawn.variance(v),
        }
    }

    /// P(|√(normal)·Z + v·b| > x).
    #[cfg(test)]
    pub(super) fn tail(&self, normal: f64, v: &[f64], x: f64) -> f64 {
        match self {
            NoiseLaw::Mixture { mixture, variances } => {
                mixture.tail(normal, times(variances, v), x)
            }
            NoiseLaw::Drawn(drawn) => drawn.along(v, normal).tails()(x),
        }
    }
}

/// Σ variance·v².
fn times(variances: &Option<Vec<f64>>, v: &[f64]) -> f64 {
    match variances {
        None => dot(v, v),
        Some(variances) => variances.iter().zip(v).map(|(variance, v)| variance * v * v).sum(),
    }
}

/// The parts of one linear combination's law.
pub(super) struct Spread {
    /// Variance of the sampling error.
    pub(super) sampling: f64,
    /// What the noise in the matrices adds to it.
    pub(super) matrices: f64,
    /// Variance of the gate's mask.
    pub(super) mask: f64,
    /// v, where v·b is what the training's noise b does.
    pub(super) push: Vec<f64>,
    /// The most that the penalty can have taken from the ordinary coefficients.
    pub(super) bias: f64,
}

/// A symmetric law that is shifted by no more than some bias.
struct Shifted<'t> {
    /// P(|·| > x) of the law itself.
    tail: &'t dyn Fn(f64) -> f64,
    bias: f64,
}

impl Shifted<'_> {
    /// P(· > x).
    fn above(&self, x: f64) -> f64 {
        if x >= 0.0 { 0.5 * (self.tail)(x) } else { 1.0 - 0.5 * (self.tail)(-x) }
    }

    /// The largest P(|·| > x) over all shifts. It grows with the shift, as the law has one peak.
    fn p_value(&self, x: f64) -> f64 {
        if self.bias == 0.0 {
            return (self.tail)(x);
        }
        (self.above(x - self.bias) + self.above(x + self.bias)).min(1.0)
    }

    /// The x that is exceeded with probability 1 − level at most; `unbiased` is that of the law
    /// itself.
    fn half_width(&self, level: f64, unbiased: f64) -> f64 {
        if self.bias == 0.0 {
            return unbiased;
        }
        let (mut low, mut high) = (unbiased.max(self.bias), unbiased + self.bias);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if self.p_value(middle) > 1.0 - level { low = middle } else { high = middle }
        }
        high
    }
}

/// Halvings, after which a half width is known to a millionth.
const HALVINGS: usize = 24;

/// Eigenvectors (columns) and eigenvalues.
pub(crate) fn eigen(matrix: &Mat<f64>) -> Result<(Mat<f64>, Vec<f64>), IntervalError> {
    let damaged = |_| IntervalError::Evidence("one of the matrices has no eigenvalues");
    // faer panics at a matrix without rows.
    if matrix.nrows() == 0 {
        return Ok((Mat::zeros(0, 0), Vec::new()));
    }
    let eigen = matrix.self_adjoint_eigen(Side::Lower).map_err(damaged)?;
    let values = eigen.S().column_vector().iter().copied().collect();
    Ok((eigen.U().to_owned(), values))
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
