//! Rows with their scores, on their way to counts. They are the custodian's.

use super::Groups;
use discretion::erm::matrix::{Batch, Layout, margins};
use discretion::quality::{QualityPlan, Tally};
use discretion_table::Schema;

/// Scores, classes and groups of rows. Nothing here prints them.
pub struct ScoredRows {
    layout: Layout,
    theta: Vec<f64>,
    groups: Groups,
    pub(super) scored: Vec<(f64, bool, u8)>,
}

impl ScoredRows {
    /// None yet.
    pub(super) fn new(schema: &Schema, theta: Vec<f64>, groups: &Groups) -> ScoredRows {
        let layout = schema.encoder().layout();
        ScoredRows { layout, theta, groups: groups.clone(), scored: Vec::new() }
    }

    /// Scores rows with their labels.
    pub fn push(&mut self, batch: Batch) {
        let (groups, positive) = (self.groups.of(&batch), batch.positive.clone());
        let scores = margins(&self.layout, batch, &self.theta);
        assert_eq!(scores.len(), positive.len(), "a label for each row");
        let rows = scores.into_iter().zip(positive).zip(groups);
        self.scored.extend(rows.map(|((score, positive), group)| (score, positive, group)));
    }

    /// The public number of rows.
    pub fn len(&self) -> usize {
        self.scored.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.scored.is_empty()
    }

    /// Counted as a plan needs it.
    pub(super) fn tally(&self, plan: &QualityPlan) -> Tally {
        let mut tally = plan.tally();
        self.scored
            .iter()
            .for_each(|&(score, positive, group)| tally.add(score, positive, usize::from(group)));
        tally
    }
}
