//! Counts of scores, by which a model is evaluated.

use super::{AUDITED_DELTA, Case, refused};
use crate::{AuditError, Claim, Mechanism, Side};
use discretion_linear::quality::{Quality, QualityPlan, Tally};
use discretion_privacy::Budget;
use discretion_privacy::noise::Noise;

/// A score in the lowest fine cell, and one in the highest.
const SCORES: [f64; 2] = [-10.0, 10.0];

struct Evaluated {
    plan: QualityPlan,
    tables: [Tally; 2],
}

impl Mechanism for Evaluated {
    fn run(&self, side: Side, source: &mut Noise) -> Result<Vec<f64>, AuditError> {
        let counts = self.plan.run(&self.tables[side as usize], source).map_err(refused)?;
        let (pooled, group) = (&counts.pooled, &counts.groups[0]);
        // The four counts that the row moves, whatever the bins are.
        let moved =
            [pooled[0], pooled[pooled.len() - 1], group.negative[0], group.positive[counts.bins() - 1]];
        Ok(moved.map(|count| count as f64).to_vec())
    }
}

/// One row goes from the lowest scores of the negative class to the highest of the positive one: both releases move by 2.
pub(super) fn quality(budget: Budget, rows: usize) -> Result<Case, AuditError> {
    let wanted = Quality { budget, groups: 1, low: -1.0, high: 1.0 };
    let plan = wanted.plan(rows).map_err(refused)?;
    let table = |last: bool| {
        let mut tally = plan.tally();
        (1..rows).for_each(|row| tally.add(SCORES[row % 2], row % 2 == 1, 0));
        tally.add(SCORES[usize::from(last)], last, 0);
        tally
    };
    let tables = [table(false), table(true)];
    Ok(Case {
        mechanism: Box::new(Evaluated { plan, tables }),
        claim: Claim::of(budget, AUDITED_DELTA),
        neighbours: "a row with the lowest score of the negative class gets the highest of the positive one",
        ceiling: Some("the budget is in four counts at once, and only rare outcomes have all of it"),
        exact: None,
    })
}
