//! From noisy counts to probabilities, in whole numbers: `PROOF.md`, "Normalisation" and "Score".

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

/// The most cells a histogram may have. With [`LARGEST_COUNT`] it keeps every sum below within 128
/// bits.
pub(super) const MOST_CELLS: usize = 1 << 16;

/// Noisy counts are clipped here too: 6.9e10 rows are more than fit in memory, and noise is
/// unbounded.
const LARGEST_COUNT: i64 = 1 << 36;

/// A histogram: cell j has probability Nⱼ/(K·D), exactly.
pub struct Fitted {
    numerators: Vec<u64>,
    /// D = max(Σc, guard).
    divisor: u64,
}

impl Fitted {
    /// Clips noisy counts and normalises them: pⱼ = cⱼ/D + (1 − S/D)/K with S = Σcⱼ and D = max(S,
    /// guard).
    pub(super) fn new(noisy: impl Iterator<Item = i64>, guard: u64) -> Fitted {
        let clipped: Vec<u64> =
            noisy.map(|count| count.clamp(0, LARGEST_COUNT).unsigned_abs()).collect();
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

    /// q = ∫(2vg − g²), where g and v are the fitted and the validation density, both cut off at
    /// `ceiling`: computed exactly and rounded once. Where nothing is cut off it is the paper's
    /// −∫f̂² + (2/m)Σf̂(zᵢ).
    pub(super) fn score(&self, validation: &[i64], ceiling: u32) -> f64 {
        let rows = validation.iter().sum::<i64>().unsigned_abs();
        let cells = self.numerators.len() as u64;
        // A product too large for 64 bits cuts nothing off.
        let highest = self.divisor.saturating_mul(u64::from(ceiling));
        let highest_seen = rows.saturating_mul(u64::from(ceiling));
        let (mut squares, mut products) = (0u128, 0u128);
        for (&n, &count) in self.numerators.iter().zip(validation) {
            let g = u128::from(n.min(highest));
            let v = u128::from((cells * count.unsigned_abs()).min(highest_seen));
            squares += g * g;
            products += g * v;
        }
        let (divisor, rows) = (IBig::from(self.divisor), IBig::from(rows));
        let numerator =
            IBig::from(2) * &divisor * IBig::from(products) - &rows * IBig::from(squares);
        RBig::from_parts_signed(numerator, rows * IBig::from(cells) * &divisor * &divisor)
            .to_f64()
            .value()
    }
}
