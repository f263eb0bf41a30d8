//! The rows of a fit of a number, with the outcome among their columns.

use discretion::erm::Oracle;
use discretion::erm::matrix::{KeptKnots, Layout, Rows};
use discretion::erm::remote::Cluster;

/// Rows, or persons with all of theirs, here or elsewhere.
pub enum NumberRows {
    /// In memory or in a file.
    Here(Rows<'static>),
    /// With the workers of a cluster: sums come from there. Its curves have their knots.
    Cluster(Cluster),
}

impl NumberRows {
    /// Returns all of them.
    pub fn all(&self) -> &dyn Oracle {
        match self {
            NumberRows::Here(rows) => rows,
            NumberRows::Cluster(rows) => rows,
        }
    }

    /// Returns these rows by fewer knots.
    pub(super) fn keeping_knots(&self, layout: Layout, kept: &KeptKnots) -> NumberRows {
        match self {
            NumberRows::Here(rows) => NumberRows::Here(rows.keeping_knots(layout, kept)),
            NumberRows::Cluster(_) => {
                unreachable!("knots that are still to be found are refused on a cluster")
            }
        }
    }

    /// Returns the number of rows, or of persons.
    pub fn count(&self) -> usize {
        self.all().facts().rows
    }
}
