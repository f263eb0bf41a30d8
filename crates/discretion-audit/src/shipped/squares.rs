//! Least squares from noisy sums: moments of rows that have a number as outcome among their columns.

use super::{AUDITED_DELTA, Case, LOOSE_CONVERSION, refused};
use crate::{AuditError, Claim, Mechanism, Side};
use discretion_linear::erm::Oracle;
use discretion_linear::erm::matrix::{Batch, Layout, Matrix, Norm};
use discretion_linear::squares::Plan;
use discretion_privacy::Budget;
use discretion_privacy::noise::Noise;

/// 1/√2, which the nearest f32 is just below: a row (c, ±c) has length 1.
const ROOT: f32 = std::f32::consts::FRAC_1_SQRT_2;

struct Moments {
    plan: Plan,
    tables: [Matrix; 2],
}

impl Mechanism for Moments {
    fn run(&self, side: Side, source: &mut Noise) -> Result<Vec<f64>, AuditError> {
        let moments = self.plan.run(&self.tables[side as usize], source).map_err(refused)?;
        Ok(vec![moments.entry(1, 0), moments.entry(1, 1)])
    }
}

/// A constant and an outcome: the product of both moves from one end to the other, and that is all of the movement.
pub(super) fn moments(budget: Budget, rows: usize) -> Result<Case, AuditError> {
    let table = |first: f32| {
        let layout = Layout::new(Norm::Scale, ROOT, vec![ROOT], vec![]).map_err(refused)?;
        let numeric = std::iter::once(first).chain(std::iter::repeat_n(0.0, rows - 1));
        let batch = Batch { numeric: numeric.collect(), positive: vec![false; rows], ..Batch::default() };
        Ok::<_, AuditError>(Matrix::of(layout, batch))
    };
    let tables = [table(ROOT)?, table(-ROOT)?];
    let plan = Plan::new(budget, tables[0].facts(), 1).map_err(refused)?;
    Ok(Case {
        mechanism: Box::new(Moments { plan, tables }),
        claim: Claim::of(budget, AUDITED_DELTA),
        neighbours: "outcomes of 0 but for one row, at one end of the range and at the other; no other column",
        ceiling: match budget {
            Budget::Pure { .. } => {
                Some("noise in a box is told apart by all of its numbers, and one is looked at")
            }
            _ => Some(LOOSE_CONVERSION),
        },
        exact: None,
    })
}
