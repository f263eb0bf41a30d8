//! Rows that nobody has: for what a released model is to be expected to say.

use super::{Batch, Layout, Stored};

impl Layout {
    /// So many rows whose numbers fill their ranges evenly and whose categories are equally
    /// frequent; always the same ones.
    pub fn typical_rows(&self, rows: usize) -> Batch {
        // Splitmix64: any sequence that is spread evenly would do.
        let mut state = 0u64;
        let mut share = || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
        };
        let mut batch = Batch::default();
        for _ in 0..rows {
            batch.numeric.extend(self.stored().iter().map(|stored| match stored {
                Stored::Number(bound) => bound * (2.0 * share() - 1.0) as f32,
                Stored::Curve(curve) => (share() * (curve.knots - 1) as f64) as f32,
            }));
            batch.codes.extend(
                self.categories().iter().map(|category| (share() * category.count as f64) as u16),
            );
            batch.positive.push(false);
        }
        batch
    }
}
