//! Counts that several holders add up: one release, in bins of equal width that follow from public
//! numbers.

use super::plan::number_of_bins;
use super::{Grid, GroupCounts, ScoreCounts, Tally, expected};

/// The number of bins for so many rows in a group and noise of this deviation in each count.
pub(crate) fn bins(rows: f64, deviation: f64) -> usize {
    number_of_bins(rows, deviation)
}

/// Half the width of a 95 % interval for an AUC of 0.8, if a quarter of the rows is positive.
pub(crate) fn half_width(rows: usize, bins: usize, deviation: f64) -> Option<f64> {
    expected::half_width(rows as f64, bins, deviation, 0.8, 0.25)[1]
}

/// Bins that are cells of one grid.
pub(crate) struct Cells(Grid);

impl Cells {
    pub fn new((low, high): (f64, f64), bins: usize) -> Cells {
        Cells(Grid::new(low, high, bins))
    }

    pub fn tally(&self, groups: usize) -> Tally {
        Tally::new(self.0.clone(), groups)
    }

    /// Every count of a tally: group by group, the negative class first.
    pub fn counts(tally: &Tally) -> Vec<i64> {
        tally.between(&(1..tally.grid().cells()).collect::<Vec<_>>())
    }

    /// Sums with noise, as counts.
    pub fn released(
        &self,
        rows: usize,
        groups: usize,
        sums: &[f64],
        deviation: f64,
    ) -> ScoreCounts {
        let bins = self.0.cells();
        assert_eq!(sums.len(), 2 * groups * bins, "two classes of each group in each bin");
        // Rounding after the release adds at most a twelfth to a variance.
        let counts: Vec<i64> = sums.iter().map(|sum| sum.round() as i64).collect();
        let mut pooled = vec![0i64; bins];
        for part in counts.chunks_exact(bins) {
            pooled.iter_mut().zip(part).for_each(|(sum, count)| *sum = sum.saturating_add(*count));
        }
        let group = |counts: &[i64]| GroupCounts {
            negative: counts[..bins].to_vec(),
            positive: counts[bins..].to_vec(),
        };
        ScoreCounts {
            rows,
            grid: self.0.clone(),
            pooled,
            cuts: (1..bins).collect(),
            groups: counts.chunks_exact(2 * bins).map(group).collect(),
            deviation: deviation.hypot(12f64.sqrt().recip()),
            laplace: false,
        }
    }
}
