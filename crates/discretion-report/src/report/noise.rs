//! What noise for privacy alone makes of effects: a band around 0 for each, in which all of them
//! stay, where the rows say nothing.
//!
//! If the rows say nothing about a coefficient, the private estimate is noise and nothing else: b
//! itself, or b/(nλ) if the noise is in the objective. An effect is w·θ with public weights w, and
//! entries of b have no covariance, so its variance is Σ wᵢ²·var bᵢ. Where rows say something, they
//! hold on to the estimate and noise does less. The bands are for all effects at once: of
//! thousands, some go far by chance, and those are the ones that are looked at.

use discretion::privacy::account::{Law, ShapedLaw, TrainingLaw};
use discretion::privacy::normal_cdf;
use discretion::train::Mechanism;
use discretion_formats::TrainingFacts;

/// The probability that some effect leaves its band although the rows say nothing.
pub const DOUBT: f64 = 0.05;

/// The standard deviation of each coefficient where the rows say nothing; nothing without noise.
pub fn deviations(training: &TrainingFacts) -> Option<Vec<f64>> {
    let d = training.dimension;
    let drawn: Vec<f64> = match training.noise.as_ref()? {
        TrainingLaw::Round(law) => vec![law.typical_length(d) / (d as f64).sqrt(); d],
        TrainingLaw::Shaped(law) => {
            let columns = law.columns().iter().zip(law.variances());
            columns
                .flat_map(|(column, variance)| vec![variance.sqrt(); column.coefficients])
                .collect()
        }
    };
    let factor = match training.mechanism? {
        Mechanism::Objective => 1.0 / (training.rows as f64 * training.lambda),
        Mechanism::Output => 1.0,
    };
    let mask = training.mask_deviation.unwrap_or(0.0);
    (drawn.len() == d)
        .then(|| drawn.into_iter().map(|deviation| (factor * deviation).hypot(mask)).collect())
}

/// Half a band, in standard deviations of the noise: so many that, but for [`DOUBT`], all of so
/// many effects stay within.
pub fn half_band(law: &TrainingLaw, dimension: usize, effects: usize) -> f64 {
    let each = DOUBT / effects.max(1) as f64;
    let spherical = |dimension| solved(|z| -spherical_tail(z, dimension) > -(each / 2.0).ln());
    match law {
        TrainingLaw::Round(Law::Gaussian { .. })
        | TrainingLaw::Shaped(ShapedLaw::ColumnGaussian { .. }) => normal_quantile(1.0 - each),
        TrainingLaw::Round(Law::Spherical { .. }) => spherical(dimension),
        // A density ∝ exp(−norm) is symmetric and log-concave, and so is that of any w·b. Of all
        // such laws with one variance Laplace's, which is the spherical one in one dimension, has
        // the largest even moments, so its bound holds for all.
        TrainingLaw::Shaped(ShapedLaw::Groups { .. } | ShapedLaw::RowNorm { .. }) => spherical(1),
    }
}

/// z with P(|Z| ≤ z) = level.
pub fn normal_quantile(level: f64) -> f64 {
    solved(|z| 2.0 * normal_cdf(-z) <= 1.0 - level)
}

/// The least z at which something that holds from some z on holds.
fn solved(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1e4);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if holds(middle) { high = middle } else { low = middle }
    }
    high
}

/// ln of a bound on the probability that a coordinate of the spherical law exceeds z of its
/// standard deviations. Its moment generating function is (1 − s²t²)^(−(d+1)/2), its variance (d +
/// 1)s²; this is Chernoff's bound at the best t.
fn spherical_tail(z: f64, dimension: usize) -> f64 {
    if z <= 0.0 {
        return 0.0;
    }
    let m = (dimension + 1) as f64;
    let a = z / m.sqrt();
    let t = ((1.0 + 4.0 * a * a).sqrt() - 1.0) / (2.0 * a);
    -m * (t * a + 0.5 * (-t * t).ln_1p())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_the_normal_law() {
        for (level, z) in [(0.95, 1.959_964), (0.9, 1.644_854), (0.999_9, 3.890_592)] {
            assert!((normal_quantile(level) - z).abs() < 1e-6, "{level}");
        }
    }

    #[test]
    fn the_spherical_tail_is_a_bound_and_becomes_the_normal_one() {
        // In one dimension it is Laplace's law: P(X > z√2 s) = exp(−z√2)/2.
        for z in [1.0, 3.0, 6.0] {
            let exact = (0.5f64).ln() - z * 2f64.sqrt();
            let bound = spherical_tail(z, 1);
            assert!(bound >= exact && bound < exact + 3.5, "{z}: {bound} {exact}");
        }
        // In very many, Chernoff's bound for a normal variable.
        assert!((spherical_tail(4.0, 10_000_000) + 8.0).abs() < 1e-3);
    }

    #[test]
    fn bands_widen_with_the_number_of_effects() {
        let gaussian = &TrainingLaw::Round(Law::Gaussian { sigma: 1.0 });
        let spherical = &TrainingLaw::Round(Law::Spherical { scale: 1.0 });
        assert!((half_band(gaussian, 20, 1) - 1.959_964).abs() < 1e-6);
        assert!((half_band(gaussian, 3000, 3000) - 4.3).abs() < 0.1);
        for effects in [1, 40, 3000] {
            let (g, s) = (half_band(gaussian, 10, effects), half_band(spherical, 10, effects));
            assert!(s > g && s < 2.0 * g, "{effects}: {g} {s}");
        }
    }
}
