//! What is released: noisy counts of scores.

use super::Grid;
use super::cells::Cells;
use super::edges;
use discretion_privacy::noise::IntegerNoise;
use serde::{Deserialize, Serialize};

/// Noisy counts of two classes in bins of scores. All of it is public once it is released.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScoreCounts {
    /// The public number of rows.
    pub rows: usize,
    /// The fine cells in which scores were counted first.
    pub grid: Grid,
    /// Noisy counts of both classes together in the fine cells, from which the bins were made.
    pub pooled: Vec<i64>,
    /// The bins, as the number of fine cells below each cut.
    pub cuts: Vec<usize>,
    /// The counts of each group, all rows being one if nobody asked for several.
    pub groups: Vec<GroupCounts>,
    /// The standard deviation of the noise in each of them.
    pub deviation: f64,
    /// Whether that noise is discrete Laplace; Gaussian otherwise.
    pub laplace: bool,
}

/// Noisy counts of one group, the lowest scores first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupCounts {
    /// Rows of the negative class.
    pub negative: Vec<i64>,
    /// Rows of the positive class.
    pub positive: Vec<i64>,
}

impl ScoreCounts {
    pub(super) fn new(
        rows: usize,
        grid: Grid,
        pooled: Vec<i64>,
        cuts: Vec<usize>,
        flat: &[i64],
        noise: IntegerNoise,
    ) -> ScoreCounts {
        let bins = cuts.len() + 1;
        let group = |counts: &[i64]| GroupCounts {
            negative: counts[..bins].to_vec(),
            positive: counts[bins..].to_vec(),
        };
        let groups = flat.chunks_exact(2 * bins).map(group).collect();
        let laplace = matches!(noise, IntegerNoise::Laplace { .. });
        ScoreCounts { rows, grid, pooled, cuts, groups, deviation: noise.deviation(), laplace }
    }

    /// The number of bins.
    pub fn bins(&self) -> usize {
        self.cuts.len() + 1
    }

    /// The scores between bins.
    pub fn edges(&self) -> Vec<f64> {
        self.cuts.iter().map(|&cut| self.grid.edge(cut)).collect()
    }

    /// Whether its parts belong together; a sentence if not.
    pub fn checked(&self) -> Result<(), &'static str> {
        let rising = self.cuts.windows(2).all(|pair| pair[0] < pair[1]);
        let inside = self.cuts.iter().all(|&cut| cut > 0 && cut < self.grid.cells());
        let complete = |group: &GroupCounts| {
            group.negative.len() == self.bins() && group.positive.len() == self.bins()
        };
        if !rising || !inside || self.pooled.len() != self.grid.cells() {
            return Err("its bins are not made of its cells");
        }
        if self.groups.is_empty() || !self.groups.iter().all(complete) {
            return Err("its counts do not fit its bins");
        }
        match self.deviation.is_finite() && self.deviation >= 0.0 {
            true => Ok(()),
            false => Err("its noise has no deviation"),
        }
    }

    /// The counts of one group, or of all together.
    pub(super) fn cells(&self, group: Option<usize>, level: f64) -> Cells {
        let groups = match group {
            Some(group) => &self.groups[group..=group],
            None => &self.groups[..],
        };
        let sum = |class: fn(&GroupCounts) -> &[i64]| -> Vec<f64> {
            (0..self.bins())
                .map(|bin| groups.iter().map(|group| class(group)[bin] as f64).sum())
                .collect()
        };
        let added = groups.len() as f64;
        Cells {
            positive: sum(|group| &group.positive),
            negative: sum(|group| &group.negative),
            variance: self.deviation.powi(2) * added,
            excess: if self.laplace { 3.0 / added } else { 0.0 },
            rows: (groups.len() == self.groups.len()).then_some(self.rows as f64),
            level,
        }
    }

    /// For each bin the mean of `value` over its rows, and its variance there: as far as the fine
    /// cells tell.
    pub(super) fn within(&self, value: impl Fn(f64) -> f64) -> Vec<[f64; 2]> {
        let below = edges::rows_below(&self.pooled, self.rows);
        let ends = self.cuts.iter().copied().chain([self.grid.cells()]);
        let starts = [0].into_iter().chain(self.cuts.iter().copied());
        starts
            .zip(ends)
            .map(|(start, end)| {
                // A little everywhere, so that a bin without rows has a mean too.
                let weight = |cell: usize| below[cell + 1] - below[cell] + 1e-6;
                let weighted = |power: i32| -> f64 {
                    (start..end)
                        .map(|cell| weight(cell) * value(self.grid.middle(cell)).powi(power))
                        .sum()
                };
                let (total, mean) = (weighted(0), weighted(1) / weighted(0));
                [mean, (weighted(2) / total - mean * mean).max(0.0)]
            })
            .collect()
    }
}
