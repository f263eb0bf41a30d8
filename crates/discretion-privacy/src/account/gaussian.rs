//! Several continuous Gaussians are one, and one has an exact price.

use super::part::Part;
use super::rounding::{formula_up, sum_up};
use super::spend::Spend;
use crate::{ln_normal_cdf, normal_cdf, smallest_enough};

/// μ of all continuous Gaussian noise together: √Σμ².
pub(super) fn combined_mu(spend: &Spend) -> f64 {
    let squares = sum_up(spend.parts().filter_map(|(part, count)| match part {
        &Part::Gaussian { mu } => Some((formula_up(mu * mu), count)),
        _ => None,
    }));
    squares.sqrt()
}

/// The smallest ε, rounded up, at which a Gaussian mechanism of μ = Δ/σ is (ε, δ)-DP.
pub(super) fn exact_epsilon(mu: f64, delta: f64) -> f64 {
    let enough = |epsilon: f64| delta_at_most(mu, epsilon) <= delta;
    if enough(0.0) {
        return 0.0;
    }
    smallest_enough(1.0, f64::MAX / 4.0, 1e-14, enough).map_or(f64::INFINITY, formula_up)
}

/// The largest μ, rounded down, at which a Gaussian mechanism is (ε, δ)-DP.
pub(super) fn largest_mu(epsilon: f64, delta: f64) -> f64 {
    // The smallest σ = 1/μ that is enough; more noise never costs more.
    let enough = |sigma: f64| delta_at_most(1.0 / sigma, epsilon) <= delta;
    smallest_enough(1.0, 1e300, 1e-14, enough).map_or(0.0, |sigma| 1.0 / formula_up(sigma))
}

/// The exact δ (`analytic_gaussian_delta`) plus a bound on its own rounding: its two terms can
/// nearly cancel.
fn delta_at_most(mu: f64, epsilon: f64) -> f64 {
    let first = normal_cdf(0.5 * mu - epsilon / mu);
    let tail = ln_normal_cdf(-0.5 * mu - epsilon / mu);
    let rounding = f64::EPSILON * (16.0 + 4.0 * (epsilon + tail.abs())) * first;
    (first - (epsilon + tail).exp()).max(0.0) + rounding
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytic_gaussian_delta;

    #[test]
    fn inverts_the_analytic_profile() {
        for mu in [1e-3, 0.1, 0.5, 1.0, 3.0, 20.0] {
            for delta in [1e-3, 1e-6, 1e-12] {
                let epsilon = exact_epsilon(mu, delta);
                assert!(analytic_gaussian_delta(mu, 1.0, epsilon) <= delta);
                assert!(
                    epsilon == 0.0
                        || analytic_gaussian_delta(mu, 1.0, epsilon * (1.0 - 1e-6)) > delta
                );
            }
        }
    }

    #[test]
    fn the_largest_mu_is_within_and_hardly_more_would_be() {
        for epsilon in [0.01, 0.3, 1.0, 8.0] {
            for delta in [1e-3, 1e-6, 1e-12] {
                let mu = largest_mu(epsilon, delta);
                assert!(analytic_gaussian_delta(mu, 1.0, epsilon) <= delta);
                assert!(
                    analytic_gaussian_delta(mu * (1.0 + 1e-6), 1.0, epsilon) > delta,
                    "{epsilon} {delta}"
                );
            }
        }
    }

    #[test]
    fn a_boundless_price_is_infinite() {
        assert_eq!(exact_epsilon(1e160, 1e-6), f64::INFINITY);
    }
}
