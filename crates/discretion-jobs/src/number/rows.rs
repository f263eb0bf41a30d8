//! The rows of a fit of a number, with the outcome among their columns.

use discretion::erm::Oracle;
use discretion::erm::matrix::{Cells, KeptKnots, Layout};
use discretion::erm::remote::Remote;
use discretion_table::RowStorage;

/// Rows, or persons with all of theirs, here or elsewhere. One value in a run: what is not used of
/// it costs nothing.
#[allow(clippy::large_enum_variant)]
pub enum NumberRows {
    /// In memory or in a file.
    Here(RowStorage),
    /// With the workers of a cluster: sums come from there. Its curves have their knots.
    Remote(Remote),
}

impl NumberRows {
    /// Calls `work` with all of them, to be summed.
    pub fn with_all<T>(&self, work: impl FnOnce(&dyn Oracle) -> T) -> T {
        match self {
            NumberRows::Here(rows) => rows.with_all(work),
            NumberRows::Remote(remote) => work(remote),
        }
    }

    /// Calls `work` with them as they are counted in the cells of curves.
    pub fn with_cells<T>(&self, work: impl FnOnce(&dyn Cells) -> T) -> T {
        match self {
            NumberRows::Here(rows) => rows.with_cells(work),
            NumberRows::Remote(_) => unreachable!("{NO_KNOTS}"),
        }
    }

    /// The same rows by fewer knots.
    pub(super) fn keeping_knots(&self, layout: Layout, kept: &KeptKnots) -> NumberRows {
        match self {
            NumberRows::Here(rows) => NumberRows::Here(rows.keeping_knots(layout, kept)),
            NumberRows::Remote(_) => unreachable!("{NO_KNOTS}"),
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        match self {
            NumberRows::Here(rows) => rows.count(),
            NumberRows::Remote(remote) => remote.facts().rows,
        }
    }
}

const NO_KNOTS: &str = "knots that are still to be found are refused on a cluster";
