//! From noisy counts to probabilities, in whole numbers: `PROOF.md`, "Normalisation" and "Score".

use dashu::integer::{IBig, UBig};
use dashu::rational::RBig;

/// The most cells a histogram may have. With [`LARGEST_COUNT`] it keeps every sum below within 128 bits.
pub(super) const MOST_CELLS: usize = 1 << 16;

/// Noisy counts are clipped here too: 6.9e10 rows are more than fit in memory, and noise is unbounded.
const LARGEST_COUNT: i64 = 1 << 36;

/// A histogram: cell j has probability Nⱼ/(K·D), exactly.
pub struct Fitted {
    numerators: Vec<u64>,
    /// D = max(Σc, guard).
    divisor: u64,
}

impl Fitted {
    /// Clips noisy counts and normalises them: pⱼ = cⱼ/D + (1 − S/D)/K with S = Σcⱼ and D = max(S, guard).
    pub(super) fn new(noisy: impl Iterator<Item = i64>, guard: u64) -> Fitted {
        let clipped: Vec<u64> = noisy.map(|count| count.clamp(0, LARGEST_COUNT).unsigned_abs()).collect();
        let sum: u64 = clipped.iter().sum();
        let divisor = sum.max(guard.max(1));
        let cells = clipped.len() as u64;
        let numerators = clipped.into_iter().map(|count| cells * count + (divisor - sum)).collect();
        Fitted { numerators, divisor }
    }

    /// pⱼ, each rounded once.
    pub(super) fn probabilities(&self) -> Vec<f64> {
        let whole = UBig::from(self.numerators.len()) * UBig::from(self.divisor);
        let share = |&n: &u64| RBig::from_parts(IBig::from(n), whole.clone()).to_f64().value();
        self.numerators.iter().map(share).collect()
    }

    /// q = −∫f̂² + (2/m)Σf̂(zᵢ) = K(−Σpⱼ² + 2Σwⱼpⱼ), wⱼ = mⱼ/m, computed exactly and rounded once.
    pub(super) fn score(&self, validation: &[i64]) -> f64 {
        let rows: i64 = validation.iter().sum();
        let (mut squares, mut hits) = (0u128, 0u128);
        for (&n, &count) in self.numerators.iter().zip(validation) {
            let n = u128::from(n);
            squares += n * n;
            hits += n * u128::from(count.unsigned_abs());
        }
        let cells = IBig::from(self.numerators.len());
        let divisor = IBig::from(self.divisor);
        let rows = IBig::from(rows);
        let numerator = IBig::from(2) * &cells * &divisor * IBig::from(hits) - &rows * IBig::from(squares);
        let denominator = rows * cells * &divisor * &divisor;
        RBig::from_parts_signed(numerator, denominator).to_f64().value()
    }
}
