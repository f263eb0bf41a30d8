//! The three closed forms a guarantee can take. Each is a statement about replace-one neighbours.

use super::Curve;

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
    fn from(pure: Pure) -> Zcdp {
        Zcdp { rho: 0.5 * pure.epsilon * pure.epsilon }
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

    #[test]
    fn within_inverts_at_delta() {
        let target = Approximate { epsilon: 1.0, delta: 1e-6 };
        let rho = Zcdp::within(target);
        let back = rho.at_delta(1e-6).epsilon;
        assert!(back <= 1.0 && back > 1.0 - 1e-9, "{back}");
    }
}
