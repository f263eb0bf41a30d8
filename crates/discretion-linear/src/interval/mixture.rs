//! The law of s·Z + r·B: sampling error, normal, plus one coordinate of the training's noise.
//!
//! Spherical noise is a scale mixture of normals (`PROOF.md`, "One coordinate of spherical noise"),
//! so the whole law is one integral of a smooth function, and nothing has to be drawn.

use discretion_privacy::account::Law;
use std::f64::consts::{PI, SQRT_2};

/// Newton's steps, of which a handful is needed.
const MOST_STEPS: usize = 100;

/// The law of one coordinate of the training's noise: normal with a random variance.
pub(super) struct Mixture {
    /// Variances and their probabilities.
    nodes: Vec<(f64, f64)>,
}

impl Mixture {
    /// One coordinate of noise in d dimensions.
    #[cfg(test)]
    pub(super) fn of(noise: Law, dimension: usize) -> Mixture {
        Mixture::with_degrees(noise, dimension + 1)
    }

    /// One coordinate of noise whose squared length has this many degrees of freedom: d + 1 if one
    /// hand draws it.
    pub(super) fn with_degrees(noise: Law, degrees: usize) -> Mixture {
        let nodes = match noise {
            Law::Gaussian { sigma } => vec![(sigma * sigma, 1.0)],
            Law::Spherical { scale } => chi_square(degrees as f64)
                .into_iter()
                .map(|(value, probability)| (scale * scale * value, probability))
                .collect(),
        };
        Mixture { nodes }
    }

    /// Its variance.
    pub(super) fn variance(&self) -> f64 {
        self.nodes.iter().map(|(variance, probability)| variance * probability).sum()
    }

    /// P(|√(normal)·Z + √(times)·B| > x).
    pub(super) fn tail(&self, normal: f64, times: f64, x: f64) -> f64 {
        if x <= 0.0 {
            return 1.0;
        }
        let beyond = |variance: f64| libm::erfc(x / (SQRT_2 * (normal + times * variance).sqrt()));
        self.nodes.iter().map(|&(variance, probability)| probability * beyond(variance)).sum()
    }

    /// The x that |√(normal)·Z + √(times)·B| exceeds with probability 1 − level.
    ///
    /// Both laws are log-concave, and so is the tail of their sum: Newton's method on its logarithm
    /// comes from the right after the first step, whatever the start, and stops where rounding
    /// stops it.
    pub(super) fn half_width(&self, normal: f64, times: f64, level: f64) -> f64 {
        let mut x = (normal + times * self.variance()).sqrt();
        if x == 0.0 {
            return 0.0;
        }
        for _ in 0..MOST_STEPS {
            let tail = self.tail(normal, times, x);
            let step = tail * (tail / (1.0 - level)).ln() / self.fall(normal, times, x);
            x += step;
            if step.abs() <= 1e-14 * x {
                break;
            }
        }
        x
    }

    /// How fast the tail falls at x.
    fn fall(&self, normal: f64, times: f64, x: f64) -> f64 {
        let density = |variance: f64| {
            let variance = normal + times * variance;
            (-0.5 * x * x / variance).exp() / variance.sqrt()
        };
        let sum: f64 =
            self.nodes.iter().map(|&(variance, probability)| probability * density(variance)).sum();
        (2.0 / PI).sqrt() * sum
    }
}

/// Values and probabilities that integrate smooth functions against the χ² law of k ≥ 2 degrees of
/// freedom: the trapezoidal rule in u = ln v, whose error vanishes exponentially because the
/// density does at both ends.
fn chi_square(degrees: f64) -> Vec<(f64, f64)> {
    let half = 0.5 * degrees;
    let mode = degrees.ln();
    let width = half.sqrt().recip();
    let step = (0.25 * width).min(0.1);
    // To the left the density falls like e^{ku/2}, to the right faster than a normal one.
    let (left, right) = (9.0 * width + 39.0 / half, 9.0 * width);
    let first = -(left / step).ceil() as i32;
    let last = (right / step).ceil() as i32;
    let mut nodes: Vec<(f64, f64)> = (first..=last)
        .map(|i| {
            let u = step * f64::from(i);
            // The density at mode + u, over that at the mode.
            ((mode + u).exp(), (half * (u - u.exp_m1())).exp())
        })
        .collect();
    let total: f64 = nodes.iter().map(|(_, weight)| weight).sum();
    nodes.iter_mut().for_each(|(_, weight)| *weight /= total);
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nodes_have_the_moments_of_chi_square() {
        for k in [2.0, 3.0, 5.0, 30.0, 101.0, 1001.0] {
            let nodes = chi_square(k);
            let moment = |p: i32| nodes.iter().map(|(v, w)| w * v.powi(p)).sum::<f64>();
            assert!((moment(1) / k - 1.0).abs() < 1e-12, "{k}: {}", moment(1));
            assert!((moment(2) / (k * (k + 2.0)) - 1.0).abs() < 1e-12, "{k}: {}", moment(2));
            assert!(
                (moment(3) / (k * (k + 2.0) * (k + 4.0)) - 1.0).abs() < 1e-12,
                "{k}: {}",
                moment(3)
            );
            assert!(nodes.len() < 1000, "{k}: {} nodes", nodes.len());
        }
    }

    /// In one dimension spherical noise is Laplace noise, and alone it has the tail e^{−x/scale}.
    /// In three, one coordinate of it has the tail (1 + x/(2·scale))e^{−x/scale}.
    #[test]
    fn one_coordinate_has_its_known_tail() {
        let scale = 0.7;
        for x in [1e-3, 0.3, 1.0, 4.0, 15.0] {
            let ratio = x / scale;
            let one = Mixture::of(Law::Spherical { scale }, 1).tail(0.0, 1.0, x);
            assert!((one / (-ratio).exp() - 1.0).abs() < 1e-9, "{x}: {one}");
            let three = Mixture::of(Law::Spherical { scale }, 3).tail(0.0, 1.0, x);
            let expected = (1.0 + 0.5 * ratio) * (-ratio).exp();
            assert!((three / expected - 1.0).abs() < 1e-9, "{x}: {three} {expected}");
        }
    }

    #[test]
    fn the_half_width_has_the_tail_it_was_asked_for() {
        for (noise, dimension) in
            [(Law::Spherical { scale: 0.7 }, 1), (Law::Spherical { scale: 3.0 }, 40)]
        {
            let mixture = Mixture::of(noise, dimension);
            for normal in [0.0, 1e-6, 1.0, 1e4] {
                for level in [1e-6, 0.1, 0.5, 0.95, 0.999, 1.0 - 1e-9] {
                    let x = mixture.half_width(normal, 2.0, level);
                    let tail = mixture.tail(normal, 2.0, x);
                    assert!(
                        (tail / (1.0 - level) - 1.0).abs() < 1e-11,
                        "{dimension} {normal} {level}: {tail}"
                    );
                }
            }
        }
    }

    #[test]
    fn normal_noise_gives_the_normal_quantile() {
        let mixture = Mixture::of(Law::Gaussian { sigma: 2.0 }, 9);
        let found = mixture.half_width(9.0, 4.0, 0.95);
        assert!((found / (1.959_963_984_540_054 * 5.0) - 1.0).abs() < 1e-12, "{found}");
        assert!((mixture.tail(9.0, 4.0, found) - 0.05).abs() < 1e-12);
        assert_eq!(mixture.half_width(0.0, 0.0, 0.95), 0.0);
    }
}
