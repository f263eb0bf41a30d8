//! Noisy counts of two classes in bins, and what shares of them say.

use discretion_privacy::normal_cdf;
use serde::{Deserialize, Serialize};

/// A number with an interval for it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// The lower end.
    pub lower: f64,
    /// The upper end.
    pub upper: f64,
}

/// Counts of two classes, the lowest scores first, with noise of one law in each.
pub(super) struct Cells {
    pub positive: Vec<f64>,
    pub negative: Vec<f64>,
    /// The variance of the noise in one count.
    pub variance: f64,
    /// Its excess kurtosis.
    pub excess: f64,
    /// The number of rows, where it is public.
    pub rows: Option<f64>,
    /// The confidence level.
    pub level: f64,
}

/// Some counts together.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    pub rows: f64,
    /// How many counts.
    pub cells: f64,
}

impl Sum {
    pub fn of(counts: &[f64]) -> Sum {
        Sum { rows: counts.iter().sum(), cells: counts.len() as f64 }
    }

    pub fn and(self, other: Sum) -> Sum {
        Sum { rows: self.rows + other.rows, cells: self.cells + other.cells }
    }
}

impl Cells {
    /// The share of `yes` in `yes` and `no` together: all r with |X − rN| ≤ z·√(N·r(1 − r) +
    /// noise), which is Wilson's interval with the noise's variance added, or Fieller's with that
    /// of sampling. Nothing is known where noise outweighs N.
    pub fn share(&self, yes: Sum, no: Sum) -> Estimate {
        let rows = yes.rows + no.rows;
        let value = (yes.rows / rows).clamp(0.0, 1.0);
        let noise = self.variance * (yes.cells * (1.0 - value).powi(2) + no.cells * value.powi(2));
        let fourth = yes.cells * (1.0 - value).powi(4) + no.cells * value.powi(4);
        let sampling = rows.max(1.0) * value * (1.0 - value);
        let squares = yes.cells * (1.0 - value).powi(2) + no.cells * value.powi(2);
        let z = self.quantile(noise / (noise + sampling), fourth / squares.powi(2));
        let (zz, counted) = (z * z, rows.max(1.0));
        let a = rows * rows + zz * counted - zz * self.variance * (yes.cells + no.cells);
        let b = -2.0 * yes.rows * rows - zz * counted + 2.0 * zz * self.variance * yes.cells;
        let c = yes.rows * yes.rows - zz * self.variance * yes.cells;
        if rows <= 1.0 || a <= 0.0 {
            return Estimate {
                value: if rows > 1.0 { value } else { 0.5 },
                lower: 0.0,
                upper: 1.0,
            };
        }
        between_roots(value, [a, b, c])
    }

    /// The same where `yes` and `no` are all cells. Their number of rows is used where it is
    /// public: what the noise made of it is given back evenly, and leaves less.
    pub fn share_of_all(&self, yes: Sum, no: Sum) -> Estimate {
        let Some(rows) = self.rows else { return self.share(yes, no) };
        let cells = yes.cells + no.cells;
        let counted = yes.rows + (rows - yes.rows - no.rows) * yes.cells / cells;
        let value = (counted / rows).clamp(0.0, 1.0);
        let noise = self.variance * yes.cells * no.cells / cells;
        let z = self.quantile(noise / (noise + rows * value * (1.0 - value)), 1.0 / cells);
        let zz = z * z;
        between_roots(
            value,
            [
                rows * rows + zz * rows,
                -2.0 * counted * rows - zz * rows,
                counted * counted - zz * noise,
            ],
        )
    }

    /// The quantile of sampling and noise together, of which the noise has this share of the
    /// variance. `peak` is Σw⁴/(Σw²)² of the counts' weights. Normal, and farther out where a few
    /// counts have heavy tails (Cornish and Fisher's first term).
    pub fn quantile(&self, noise_share: f64, peak: f64) -> f64 {
        let z = normal_quantile(0.5 + 0.5 * self.level);
        z + self.excess * peak * noise_share.powi(2) * (z.powi(3) - 3.0 * z) / 24.0
    }
}

/// The interval where ar² + br + c ≤ 0, a > 0, around `value`.
fn between_roots(value: f64, [a, b, c]: [f64; 3]) -> Estimate {
    let spread = (b * b - 4.0 * a * c).max(0.0).sqrt();
    let end = |sign: f64| ((-b + sign * spread) / (2.0 * a)).clamp(0.0, 1.0);
    Estimate { value, lower: end(-1.0).min(value), upper: end(1.0).max(value) }
}

/// x with Φ(x) = p.
pub(crate) fn normal_quantile(p: f64) -> f64 {
    let (mut low, mut high) = (-40.0, 40.0);
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if normal_cdf(middle) < p { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}
