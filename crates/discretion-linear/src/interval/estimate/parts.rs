//! Where the uncertainty of a combination of coefficients comes from, and the way back from the
//! penalty.

use super::Estimate;
use super::Shape;
use super::fitted::Fitted;
use faer::{Col, Mat};

/// Three standard deviations whose squares add up to the variance of an estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parts {
    /// Because the rows are a sample.
    pub sampling: f64,
    /// Because of the noise in the gradient when the coefficients were trained.
    pub coefficients: f64,
    /// Because the matrices behind the other two are noisy.
    pub matrices: f64,
}

impl Parts {
    /// The deviation of the whole.
    pub fn whole(&self) -> f64 {
        self.sampling.hypot(self.coefficients).hypot(self.matrices)
    }
}

impl Estimate {
    /// The coefficients after `steps` steps away from the penalty: θ₀ = θ̃, θₖ = θ̃ + λH⁻¹θₖ₋₁. In
    /// a direction of curvature h the penalty's share λ/(h + λ) of the distance is left of θ̃, and
    /// its (steps + 1)th power of what is returned.
    pub fn coefficients(&self, steps: usize) -> Vec<f64> {
        let mut theta = column(&self.theta);
        for _ in 0..steps {
            theta = column(&self.theta) + &self.inverse * theta * faer::Scale(self.lambda);
        }
        theta.iter().copied().collect()
    }

    /// v with v·g what a push g on the mean gradient does to weights·[`Estimate::coefficients`].
    pub fn push(&self, weights: &[f64], steps: usize) -> Vec<f64> {
        self.pushes(weights, steps).iter().copied().collect()
    }

    fn pushes(&self, weights: &[f64], steps: usize) -> Col<f64> {
        let plain = &self.inverse * column(weights);
        let mut push = plain.clone();
        for _ in 0..steps {
            push = &plain + &self.inverse * push * faer::Scale(self.lambda);
        }
        push
    }

    /// Where the uncertainty of weights·[`Estimate::coefficients`] comes from.
    pub fn parts(&self, weights: &[f64], steps: usize) -> Parts {
        let push = self.pushes(weights, steps);
        let sampling = (self.root.transpose() * &push).squared_norm_l2() / self.rows;
        let noise =
            self.gradient_noise.iter().zip(push.iter()).map(|(variance, v)| variance * v * v);
        let plain = &self.inverse * column(weights);
        let matrices =
            self.uncertain.of_pushes(&plain) + self.uncertain.of_steps(self, &plain, steps);
        Parts {
            sampling: sampling.sqrt(),
            coefficients: noise.sum::<f64>().sqrt(),
            matrices: matrices.max(0.0).sqrt(),
        }
    }
}

impl Estimate {
    /// C with wᵀCw the variance that [`Parts::matrices`] is the root of: what the noise in the
    /// matrices does to these coefficients together.
    pub(crate) fn matrices_covariance(&self, asked: &[usize], steps: usize) -> Mat<f64> {
        let pushes =
            Mat::from_fn(asked.len(), self.inverse.ncols(), |k, j| self.inverse[(asked[k], j)]);
        let reach = &pushes * &self.uncertain.roots;
        let mut covariance = &reach * &self.uncertain.spread * reach.transpose();
        // The steps move the coefficients by −Σⱼ AⱼNbⱼ, where w·Aⱼ is the aⱼ of one combination.
        let moves: Vec<(Mat<f64>, Col<f64>)> = std::iter::successors(Some(pushes), |pushes| {
            Some(pushes * &self.inverse * faer::Scale(self.lambda))
        })
        .zip((0..steps).map(|j| self.uncertain.step(self, steps - 1 - j)))
        .map(|(pushes, b)| (pushes * &self.uncertain.roots, b))
        .collect();
        for (here, b) in &moves {
            for (there, c) in &moves {
                covariance += here
                    * around(&(b * c.transpose()), &self.uncertain.variances)
                    * there.transpose();
            }
        }
        covariance
    }
}

/// How the uncertainty of a fitted matrix moves what is computed from it. H is T·K·Tᵀ plus what is
/// sure; N is the error of K, with independent entries of known variances.
pub(super) struct Uncertain {
    /// T.
    roots: Mat<f64>,
    variances: Mat<f64>,
    /// E[N·TᵀH⁻¹QH⁻¹T·N], where Q is the variance of a gradient: sampling and noise.
    spread: Mat<f64>,
}

impl Uncertain {
    pub(super) fn new(
        fitted: &Fitted,
        shape: &Shape,
        inverse: &Mat<f64>,
        root: &Mat<f64>,
        rows: f64,
        noise: &[f64],
    ) -> Uncertain {
        let d = shape.sizes.len();
        let unscaled = shape.beside_the_intercept(&fitted.roots);
        let roots = Mat::from_fn(d, unscaled.ncols(), |i, k| shape.sizes[i] * unscaled[(i, k)]);
        let gradient = root * root.transpose();
        let gradient = Mat::from_fn(d, d, |i, j| {
            gradient[(i, j)] / rows + if i == j { noise[i] } else { 0.0 }
        });
        let reach = roots.transpose() * inverse;
        let spread = around(&(&reach * gradient * reach.transpose()), &fitted.variances);
        Uncertain { roots, variances: fitted.variances.clone(), spread }
    }

    /// The mean of δᵀQδ, where δ = −H⁻¹T·N·Tᵀv is what N does, to first order, to v = H⁻¹w.
    fn of_pushes(&self, plain: &Col<f64>) -> f64 {
        let reached = self.roots.transpose() * plain;
        reached.transpose() * (&self.spread * &reached)
    }

    /// The variance, to first order, of the steps away from the penalty: w·θₖ moves by −Σⱼ aⱼᵀNbⱼ
    /// with aⱼ = (λH⁻¹)ʲH⁻¹w and bⱼ = λH⁻¹θ_{k−1−j}.
    fn of_steps(&self, estimate: &Estimate, plain: &Col<f64>, steps: usize) -> f64 {
        let mut a = plain.clone();
        let mut moved = Vec::new();
        for j in 0..steps {
            moved.push((self.roots.transpose() * &a, self.step(estimate, steps - 1 - j)));
            a = &estimate.inverse * a * faer::Scale(estimate.lambda);
        }
        // Entry by entry: a matrix of so many coefficients for each of them would take longer than
        // all else.
        let both =
            |i: usize, j: usize| moved.iter().map(|(a, b)| a[i] * b[j] + a[j] * b[i]).sum::<f64>();
        let pairs = (0..self.variances.nrows()).flat_map(|j| (0..=j).map(move |i| (i, j)));
        let once = |i: usize, j: usize| if i == j { 0.25 } else { 1.0 };
        pairs.map(|(i, j)| once(i, j) * self.variances[(i, j)] * both(i, j).powi(2)).sum()
    }

    /// b of the step from the coefficients after so many of them.
    fn step(&self, estimate: &Estimate, after: usize) -> Col<f64> {
        let theta = column(&estimate.coefficients(after));
        self.roots.transpose() * (&estimate.inverse * theta) * faer::Scale(estimate.lambda)
    }
}

/// E[N·A·N] for a symmetric N of independent entries with mean 0 and these variances.
pub(super) fn around(a: &Mat<f64>, variances: &Mat<f64>) -> Mat<f64> {
    let m = a.nrows();
    let diagonal = |i: usize| (0..m).map(|k| variances[(i, k)] * a[(k, k)]).sum::<f64>();
    Mat::from_fn(m, m, |i, j| if i == j { diagonal(i) } else { variances[(i, j)] * a[(j, i)] })
}

fn column(values: &[f64]) -> Col<f64> {
    Col::from_fn(values.len(), |i| values[i])
}
