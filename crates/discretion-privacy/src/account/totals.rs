//! What runs add to an account, in the few sums that filters look at.

use super::rounding::{add_up, times_up};

/// Sums over runs; of one run alone, what it adds. Every sum is rounded up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Σε of the plain sum; infinite as soon as something has no price there.
    pub epsilon: f64,
    /// Σδ of what may fail.
    pub delta: f64,
    /// Σδ that runs take in the plain sum beside that, because they are not pure.
    pub plain_delta: f64,
    /// Σ of Rényi divergences at the filter's order, or Σρ.
    pub curve: f64,
    /// Σμ² of Gaussian noise.
    pub mu_squared: f64,
}

impl Totals {
    /// More than any cap.
    pub const BOUNDLESS: Totals = Totals {
        epsilon: f64::INFINITY,
        delta: f64::INFINITY,
        plain_delta: f64::INFINITY,
        curve: f64::INFINITY,
        mu_squared: f64::INFINITY,
    };

    /// The larger of each sum.
    #[must_use]
    pub(super) fn or(self, other: Totals) -> Totals {
        Totals {
            epsilon: self.epsilon.max(other.epsilon),
            delta: self.delta.max(other.delta),
            plain_delta: self.plain_delta.max(other.plain_delta),
            curve: self.curve.max(other.curve),
            mu_squared: self.mu_squared.max(other.mu_squared),
        }
    }

    /// This and `times` more runs that cost `each`.
    #[must_use]
    pub fn and(self, each: Totals, times: u64) -> Totals {
        let sum = |before: f64, one: f64| add_up(before, times_up(times, one));
        if times == 0 {
            return self;
        }
        Totals {
            epsilon: sum(self.epsilon, each.epsilon),
            delta: sum(self.delta, each.delta),
            plain_delta: sum(self.plain_delta, each.plain_delta),
            curve: sum(self.curve, each.curve),
            mu_squared: sum(self.mu_squared, each.mu_squared),
        }
    }
}
