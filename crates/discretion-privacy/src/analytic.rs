//! The Gaussian mechanism priced exactly (Balle & Wang 2018). It prices *continuous* noise.

use super::{ROUNDING_SLACK, ln_normal_cdf, normal_cdf, smallest_enough};

/// The smallest δ for which noise N(0, σ²I) on a query of L₂ sensitivity `sensitivity` is (ε,
/// δ)-DP.
pub fn analytic_gaussian_delta(sensitivity: f64, sigma: f64, epsilon: f64) -> f64 {
    let mu = sensitivity / sigma;
    let first = normal_cdf(0.5 * mu - epsilon / mu);
    let second = (epsilon + ln_normal_cdf(-0.5 * mu - epsilon / mu)).exp();
    (first - second).max(0.0)
}

/// The smallest σ, rounded up, for which the Gaussian mechanism is (ε, δ)-DP.
pub fn analytic_gaussian_sigma(sensitivity: f64, epsilon: f64, delta: f64) -> f64 {
    // δ is a difference of two terms near Φ(−ε/μ); Φ at −z is known to about z² units in the last
    // place.
    let rounding = |sigma: f64| {
        let z = epsilon * sigma / sensitivity;
        1e-14 * (1.0 + z * z) * normal_cdf(0.5 * sensitivity / sigma - z)
    };
    let enough = |sigma: f64| {
        analytic_gaussian_delta(sensitivity, sigma, epsilon) + rounding(sigma)
            <= delta * (1.0 - 1e-9)
    };
    let sigma = smallest_enough(sensitivity, f64::MAX / 4.0, 1e-14, enough)
        .expect("enough noise hides anything");
    sigma * (1.0 + ROUNDING_SLACK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_published_compositions() {
        // 100 Gaussian releases of sensitivity 1 act as one of sensitivity 10.
        for (sigma, epsilon) in [(20.0, 2.254), (10.0, 4.887)] {
            let (above, below) = (
                analytic_gaussian_delta(10.0, sigma, epsilon + 5e-4),
                analytic_gaussian_delta(10.0, sigma, epsilon - 5e-4),
            );
            assert!(above < 1e-6 && below > 1e-6, "σ {sigma}: {above} {below}");
        }
    }

    #[test]
    fn sigma_is_enough_and_hardly_more() {
        for (epsilon, delta) in [(0.1, 1e-6), (1.0, 1e-6), (8.0, 1e-9)] {
            let sigma = analytic_gaussian_sigma(2.0, epsilon, delta);
            assert!(analytic_gaussian_delta(2.0, sigma, epsilon) <= delta);
            assert!(analytic_gaussian_delta(2.0, sigma * 0.999, epsilon) > delta);
        }
    }
}
