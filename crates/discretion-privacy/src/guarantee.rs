//! The three closed forms a guarantee can take. Each is a statement about replace-one neighbours.

use super::{Curve, ROUNDING_SLACK};

/// ε-differential privacy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pure {
    /// The bound on the log-ratio of any outcome's probability.
    pub epsilon: f64,
}

/// ρ-zero-concentrated differential privacy: Rényi divergence of order α at most ρα, for all α > 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zcdp {
    /// The slope of the Rényi bound.
    pub rho: f64,
}

/// (ε, δ)-differential privacy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Approximate {
    /// The multiplicative part.
    pub epsilon: f64,
    /// The additive part.
    pub delta: f64,
}

impl Pure {
    /// Running both on the same rows.
    pub fn and(self, other: Pure) -> Pure {
        Pure { epsilon: self.epsilon + other.epsilon }
    }
}

impl Zcdp {
    /// Running both on the same rows.
    pub fn and(self, other: Zcdp) -> Zcdp {
        Zcdp { rho: self.rho + other.rho }
    }

    /// The (ε, δ) that ρ-zCDP implies, by the tight Rényi conversion.
    pub fn at_delta(self, delta: f64) -> Approximate {
        Curve::zcdp(self.rho).at_delta(delta)
    }

    /// The largest ρ whose conversion at `target.delta` stays within `target.epsilon`.
    pub fn within(target: Approximate) -> Zcdp {
        let (mut low, mut high) = (0.0, 1.0);
        while (Zcdp { rho: high }).at_delta(target.delta).epsilon < target.epsilon {
            high *= 2.0;
        }
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            // No number is between them any more.
            if middle == low || middle == high {
                break;
            }
            if (Zcdp { rho: middle }).at_delta(target.delta).epsilon <= target.epsilon {
                low = middle;
            } else {
                high = middle;
            }
        }
        Zcdp { rho: low }
    }
}

impl Approximate {
    /// Running both on the same rows.
    pub fn and(self, other: Approximate) -> Approximate {
        Approximate { epsilon: self.epsilon + other.epsilon, delta: self.delta + other.delta }
    }
}

impl From<Pure> for Zcdp {
    /// ε·tanh(ε/2), the divergence of randomised response at order 1 (`PROOF.md`); ε²/2 is always
    /// more. Rounded up.
    fn from(Pure { epsilon }: Pure) -> Zcdp {
        Zcdp { rho: epsilon * (0.5 * epsilon).tanh() * (1.0 + ROUNDING_SLACK) + f64::MIN_POSITIVE }
    }
}

impl From<Zcdp> for Pure {
    /// The largest pure ε that fits into ρ: the inverse of ε·tanh(ε/2), rounded down.
    fn from(Zcdp { rho }: Zcdp) -> Pure {
        // tanh(x) ≤ x and tanh(x) ≤ 1 put it above both √(2ρ) and ρ, which are within a fifth of
        // it.
        let least = (2.0 * rho).sqrt().max(rho);
        let fits = |epsilon: f64| Zcdp::from(Pure { epsilon }).rho <= rho;
        let (mut low, mut high) = (0.0, 2.0 * least);
        while high - low > 1e-15 * high {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if fits(middle) { low = middle } else { high = middle }
        }
        Pure { epsilon: low }
    }
}

impl From<Pure> for Approximate {
    fn from(pure: Pure) -> Approximate {
        Approximate { epsilon: pure.epsilon, delta: 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Term;

    #[test]
    fn the_tight_conversion_beats_the_textbook_one() {
        for rho in [1e-4, 0.01, 0.1, 1.0, 5.0] {
            let delta: f64 = 1e-6;
            let textbook = rho + 2.0 * (rho * (1.0 / delta).ln()).sqrt();
            let tight = Zcdp { rho }.at_delta(delta).epsilon;
            assert!(tight < textbook, "rho {rho}: {tight} {textbook}");
            assert!(tight > 0.5 * textbook, "rho {rho}: {tight} is suspiciously small");
        }
    }

    /// ρ of a pure mechanism is the largest D_α/α of randomised response, at α → 1, and no smaller
    /// constant will do.
    #[test]
    fn a_pure_mechanism_has_the_rho_of_randomised_response() {
        for epsilon in [1e-6, 0.01, 0.5, 2.0, 8.0, 40.0] {
            let rho = Zcdp::from(Pure { epsilon }).rho;
            let slope = |alpha: f64| Term::Pure { epsilon }.epsilon(alpha) / alpha;
            let mut excess = 1e-6;
            while excess < 1e7 {
                assert!(slope(1.0 + excess) <= rho * (1.0 + 1e-9), "ε {epsilon}, α − 1 = {excess}");
                excess *= 1.07;
            }
            // The divergence of order 1 itself, from its definition.
            let truth = 1.0 / (1.0 + (-epsilon).exp());
            let order_one = epsilon * (2.0 * truth - 1.0);
            assert!(
                rho >= order_one * (1.0 - 1e-9) && rho <= order_one * (1.0 + 1e-9),
                "{epsilon}: {rho}"
            );
            assert!(rho <= 0.5 * epsilon * epsilon * (1.0 + 1e-11));
        }
    }

    #[test]
    fn the_pure_epsilon_of_a_rho_fits_and_hardly_more_would() {
        for rho in [1e-15, 1e-6, 0.02, 0.5, 3.0, 100.0, 1e5] {
            let Pure { epsilon } = Pure::from(Zcdp { rho });
            assert!(Zcdp::from(Pure { epsilon }).rho <= rho, "{rho}");
            assert!(Zcdp::from(Pure { epsilon: epsilon * (1.0 + 1e-11) }).rho > rho, "{rho}");
        }
    }

    #[test]
    fn within_inverts_at_delta() {
        let target = Approximate { epsilon: 1.0, delta: 1e-6 };
        let rho = Zcdp::within(target);
        let back = rho.at_delta(1e-6).epsilon;
        assert!(back <= 1.0 && back > 1.0 - 1e-9, "{back}");
    }
}
