//! Scores, counted in fine public cells.

use serde::{Deserialize, Serialize};

/// Cells of equal width for scores. The outermost two have no end, and a score on an edge belongs
/// to the cell below it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grid {
    low: f64,
    step: f64,
    cells: usize,
    /// The edge at 0, above which a model says yes, if it is on the grid.
    zero: Option<usize>,
}

/// How many rows of each group and class are in each cell. It depends on rows, and nothing here
/// prints it.
#[derive(Clone)]
pub struct Tally {
    grid: Grid,
    groups: usize,
    counts: Vec<i64>,
}

impl Grid {
    /// Cells from about `low` to about `high`, moved so that 0 is an edge if it is between them.
    pub(super) fn new(low: f64, high: f64, cells: usize) -> Grid {
        let step = (high - low) / cells as f64;
        let zero = (-low / step).round();
        if zero >= 1.0 && zero <= cells as f64 - 1.0 {
            return Grid { low: -zero * step, step, cells, zero: Some(zero as usize) };
        }
        Grid { low, step, cells, zero: None }
    }

    /// Their number.
    pub fn cells(&self) -> usize {
        self.cells
    }

    pub(super) fn zero(&self) -> Option<usize> {
        self.zero
    }

    /// The upper edge of the first `cells` cells.
    pub(super) fn edge(&self, cells: usize) -> f64 {
        match self.zero {
            // As `low + cells·step`, and 0 exactly at 0.
            Some(zero) => (cells as f64 - zero as f64) * self.step,
            None => self.low + cells as f64 * self.step,
        }
    }

    /// The middle of a cell.
    pub(super) fn middle(&self, cell: usize) -> f64 {
        0.5 * (self.edge(cell) + self.edge(cell + 1))
    }

    /// The cell of a score.
    fn cell(&self, score: f64) -> usize {
        // Edges are compared with, not computed from, so that every program puts a score into the
        // same cell.
        let (mut below, mut above) = (0, self.cells);
        while above - below > 1 {
            let middle = below + (above - below) / 2;
            if self.edge(middle) < score { below = middle } else { above = middle }
        }
        below
    }
}

impl Tally {
    pub(super) fn new(grid: Grid, groups: usize) -> Tally {
        Tally { counts: vec![0; 2 * groups * grid.cells], grid, groups }
    }

    /// Counts a row: its score, its class, and its group if there are several.
    pub fn add(&mut self, score: f64, positive: bool, group: usize) {
        assert!(group < self.groups, "a group of the plan");
        let place = (2 * group + usize::from(positive)) * self.grid.cells + self.grid.cell(score);
        self.counts[place] += 1;
    }

    /// Returns the cells.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The public number of rows.
    pub fn rows(&self) -> usize {
        self.counts.iter().sum::<i64>().try_into().unwrap_or(0)
    }

    pub(super) fn counts_mut(&mut self) -> impl Iterator<Item = &mut i64> {
        self.counts.iter_mut()
    }

    pub(super) fn is_for(&self, grid: &Grid, groups: usize) -> bool {
        self.grid == *grid && self.groups == groups
    }

    /// The counts of all groups and classes together.
    pub(super) fn pooled(&self) -> Vec<i64> {
        let mut pooled = vec![0; self.grid.cells];
        for part in self.counts.chunks_exact(self.grid.cells) {
            pooled.iter_mut().zip(part).for_each(|(sum, count)| *sum += count);
        }
        pooled
    }

    /// The counts between these cuts, group by group and the negative class first.
    pub(super) fn between(&self, cuts: &[usize]) -> Vec<i64> {
        let ends = || cuts.iter().copied().chain([self.grid.cells]);
        let starts = || [0].into_iter().chain(cuts.iter().copied());
        let each = |part: &[i64]| -> Vec<i64> {
            starts().zip(ends()).map(|(start, end)| part[start..end].iter().sum()).collect()
        };
        self.counts.chunks_exact(self.grid.cells).flat_map(each).collect()
    }
}
