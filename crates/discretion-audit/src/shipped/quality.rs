//! Counts of scores, by which a model is evaluated.

use super::{AUDITED_DELTA, Case, refused};
use crate::{AuditError, Claim, Mechanism, Side};
use discretion_linear::quality::classes::{ClassPlan, ClassQuality, ClassTally};
use discretion_linear::quality::numbers::{NumberPlan, NumberQuality, NumberTally};
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
        let moved = [
            pooled[0],
            pooled[pooled.len() - 1],
            group.negative[0],
            group.positive[counts.bins() - 1],
        ];
        Ok(moved.map(|count| count as f64).to_vec())
    }
}

/// One row goes from the lowest scores of the negative class to the highest of the positive one:
/// both releases move by 2.
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
        ceiling: Some(
            "the budget is in four counts at once, and only rare outcomes have all of it",
        ),
        exact: None,
    })
}

struct OfClasses {
    plan: ClassPlan,
    tables: [ClassTally; 2],
}

impl Mechanism for OfClasses {
    fn run(&self, side: Side, source: &mut Noise) -> Result<Vec<f64>, AuditError> {
        let counts = self.plan.run(&self.tables[side as usize], source).map_err(refused)?;
        let calls = &counts.calls[0];
        let mut moved = vec![calls[0][0], calls[1][1]];
        for (class, of) in counts.scores.iter().enumerate() {
            let (pooled, group) = (&of.pooled, &of.groups[0]);
            let low = if class == 0 { &group.positive } else { &group.negative };
            let high = if class == 1 { &group.positive } else { &group.negative };
            moved.extend([pooled[0], pooled[pooled.len() - 1], low[0], high[of.bins() - 1]]);
        }
        Ok(moved.into_iter().map(|count| count as f64).collect())
    }
}

/// One row of three classes goes from the first to the second, with what it is called and with
/// every score: all seven releases move by 2.
pub(super) fn classes(budget: Budget, rows: usize) -> Result<Case, AuditError> {
    let wanted = ClassQuality { budget, groups: 1, ranges: vec![(-1.0, 1.0); 3] };
    let plan = wanted.plan(rows).map_err(refused)?;
    let table = |last: bool| {
        let mut tally = plan.tally();
        (1..rows).for_each(|row| tally.add(&[SCORES[row % 2]; 3], row % 3, row % 3, 0));
        tally.add(&[SCORES[usize::from(last)]; 3], usize::from(last), usize::from(last), 0);
        tally
    };
    let tables = [table(false), table(true)];
    Ok(Case {
        mechanism: Box::new(OfClasses { plan, tables }),
        claim: Claim::of(budget, AUDITED_DELTA),
        neighbours: "a row of the first class with the lowest score for each gets the highest ones, and is of the second and called so",
        ceiling: Some(
            "the budget is in fourteen counts at once, and only rare outcomes have all of it",
        ),
        exact: None,
    })
}

struct OfNumbers {
    plan: NumberPlan,
    tables: [NumberTally; 2],
}

impl Mechanism for OfNumbers {
    fn run(&self, side: Side, source: &mut Noise) -> Result<Vec<f64>, AuditError> {
        let sums = self.plan.run(&self.tables[side as usize], source).map_err(refused)?;
        let (counts, sums) = (&sums.counts[0], &sums.sums[0]);
        let moved = [counts[0], counts[counts.len() - 1]].into_iter().chain(sums.iter().copied());
        Ok(moved.map(|number| number as f64).collect())
    }
}

/// A residual goes from the largest below 0 to one above it, and its outcome from the mean to the
/// end of the range. Half of the largest moves the sums most in L₁, all of it in L₂.
pub(super) fn numbers(budget: Budget, rows: usize) -> Result<Case, AuditError> {
    let wanted =
        NumberQuality { budget, groups: 1, deviation: 0.25, mean: 0.0, predictions_alone: false };
    let plan = wanted.plan(rows).map_err(refused)?;
    let over = if matches!(budget, Budget::Pure { .. }) { 0.5 } else { 1.0 };
    let table = |last: bool| {
        let mut tally = plan.tally();
        (1..rows).for_each(|row| tally.add(if row % 2 == 0 { 0.1 } else { -0.1 }, 0.1, 0.0, 0));
        let (residual, outcome) = if last { (over, 1.0) } else { (-1.0, 0.0) };
        tally.add(residual, 0.1, outcome, 0);
        tally
    };
    let tables = [table(false), table(true)];
    Ok(Case {
        mechanism: Box::new(OfNumbers { plan, tables }),
        claim: Claim::of(budget, AUDITED_DELTA),
        neighbours: "a row far below its prediction goes far above it, and its outcome from the mean to the end of its range",
        ceiling: Some(
            "the budget is in two counts and four sums at once, and only rare outcomes have all of it",
        ),
        exact: None,
    })
}
