//! The derivative of K's generating function, from both sides (`PROOF.md`, "Rounding").

use super::Stopping;

/// f′(q) = Σ k·P[K = k]·q^{k−1}.
pub(super) struct Derivative {
    /// k·w_k.
    coefficients: Vec<f64>,
    /// Σ w_k.
    total: f64,
    /// No computed ln f′ is further than this from the exact one.
    error: f64,
}

/// Half the gap between 1 and the next double.
const UNIT: f64 = f64::EPSILON / 2.0;
/// Every run adds three roundings to the sum: of q, of a product and of an addition.
const ROUNDINGS_OF_A_RUN: f64 = 3.0;
/// What comes after the sum: a logarithm of size 14 at most, and the few operations of `Stopped`
/// that use it.
const OTHER_ROUNDINGS: f64 = 512.0;

impl Derivative {
    pub(super) fn new(law: Stopping) -> Derivative {
        Derivative {
            // Whole numbers below 2⁶³: each is rounded once, on becoming a double.
            coefficients: (1..).zip(law.weights()).map(|(k, weight)| (k * weight) as f64).collect(),
            total: law.weights().sum::<u64>() as f64,
            error: UNIT * (ROUNDINGS_OF_A_RUN * f64::from(law.most()) + OTHER_ROUNDINGS),
        }
    }

    /// ln f′(1 − x) or a little less.
    pub(super) fn ln_at_least(&self, x: f64) -> f64 {
        self.ln(x) - self.error
    }

    /// ln f′(1 − x) or a little more.
    pub(super) fn ln_at_most(&self, x: f64) -> f64 {
        self.ln(x) + self.error
    }

    /// By Horner's rule. All terms are positive, so roundings do not grow by cancelling.
    fn ln(&self, x: f64) -> f64 {
        let q = 1.0 - x;
        (self.coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * q + coefficient)
            / self.total)
            .ln()
    }
}

#[cfg(test)]
mod tests {
    use super::super::MOST_RUNS;
    use super::*;
    use crate::ROUNDING_SLACK;
    use crate::noise::{BigFloat, exact};

    /// ln f′(1 − x) in 160 bits.
    fn big_ln(law: Stopping, x: f64) -> BigFloat {
        let big = |x: u64| BigFloat::from(x).with_precision(160).value();
        let q = big(1) - exact(x);
        let terms: Vec<u64> = (1..).zip(law.weights()).map(|(k, weight)| k * weight).collect();
        let sum = terms.into_iter().rev().fold(big(0), |sum, term| sum * &q + big(term));
        (sum / big(law.weights().sum())).ln()
    }

    /// At the largest number of runs the bare formula is off by more than formulas are given
    /// elsewhere; its bounds hold.
    #[test]
    fn a_million_runs_are_bounded_from_both_sides() {
        let mut furthest: f64 = 0.0;
        for (shape, xs) in
            [(1.0, &[0.0, 1.7e-12, 3e-9, 1.1e-7, 0.3][..]), (0.0, &[2.3e-7]), (-0.5, &[1e-6])]
        {
            let law = Stopping::new(shape, MOST_RUNS).unwrap();
            let derivative = Derivative::new(law);
            for &x in xs {
                let truth = big_ln(law, x);
                let (least, most) = (derivative.ln_at_least(x), derivative.ln_at_most(x));
                assert!(
                    exact(least) <= truth && truth <= exact(most),
                    "{law:?} at {x}: {least} {most}"
                );
                furthest = furthest.max((exact(derivative.ln(x)) - truth).to_f64().value().abs());
            }
        }
        assert!(furthest > 10.0 * ROUNDING_SLACK, "{furthest}");
    }

    /// Roundings of one sign would add up to this: c_k passes through its own, k − 1 powers of a
    /// rounded q, 2k − 1 operations; then come the total and the division. The logarithm is at
    /// most 14.
    #[test]
    fn the_error_counts_every_rounding() {
        for most in [1u32, 2, 40, 300, 77_777, MOST_RUNS] {
            let derivative = Derivative::new(Stopping::new(1.0, most).unwrap());
            let k = f64::from(most);
            let sum = 1.0 + (k - 1.0) + (2.0 * k - 1.0) + 2.0;
            // Two units in the last place of the logarithm, and its sum with the error.
            let logarithm = 14.0 * 5.0;
            // A difference of two logarithms, times a weight or not, in a sum in which both may
            // cancel.
            let used = 28.0 * 6.0;
            assert!(derivative.error >= UNIT * (sum + logarithm + used), "{most}");
        }
    }
}
