//! Least squares from noisy sums: moments of rows that have a number as outcome among their
//! columns.

use super::{AUDITED_DELTA, Case, LOOSE_CONVERSION, refused};
use crate::{AuditError, Claim, Mechanism, Side};
use discretion_linear::erm::Oracle;
use discretion_linear::erm::matrix::{Batch, Layout, Matrix, Norm, Rows};
use discretion_linear::squares::Plan;
use discretion_privacy::Budget;
use discretion_privacy::noise::Noise;

/// 1/√2, which the nearest f32 is just below: a row (c, ±c) has length 1.
const ROOT: f32 = std::f32::consts::FRAC_1_SQRT_2;

/// Below 1/√3: a row (c, ±c, ±c) has a length below 1.
const THIRD: f32 = 0.577;

struct Moments {
    plan: Plan,
    tables: [Rows<'static>; 2],
    /// Which entries of the matrix are looked at.
    entries: Vec<(usize, usize)>,
}

impl Mechanism for Moments {
    fn run(&self, side: Side, source: &mut Noise) -> Result<Vec<f64>, AuditError> {
        let moments = self.plan.run(&self.tables[side as usize], source).map_err(refused)?;
        Ok(self.entries.iter().map(|&(i, j)| moments.entry(i, j)).collect())
    }
}

/// A constant and an outcome: the product of both moves from one end to the other, and that is all
/// of the movement.
pub(super) fn moments(budget: Budget, rows: usize) -> Result<Case, AuditError> {
    let tables = [table(&[ROOT], rows, 1)?, table(&[-ROOT], rows, 1)?];
    let neighbours =
        "outcomes of 0 but for one row, at one end of the range and at the other; no other column";
    case(budget, tables.map(Rows::from), 1, neighbours)
}

/// The same of two outcomes that move together.
pub(super) fn outcomes(budget: Budget, rows: usize) -> Result<Case, AuditError> {
    let tables = [table(&[THIRD; 2], rows, 1)?, table(&[-THIRD; 2], rows, 1)?];
    let neighbours = "two outcomes of 0 but for one row, both at one end of the range and at the other; no other column";
    case(budget, tables.map(Rows::from), 2, neighbours)
}

/// The same of persons, of whom the first has two rows on one side and one on the other.
pub(super) fn persons(budget: Budget, persons: usize) -> Result<Case, AuditError> {
    let grouped = |first: f32, rows: usize| {
        let whose: Vec<u128> =
            (0..persons + rows - 1).map(|row| row.saturating_sub(rows - 1) as u128).collect();
        Ok::<_, AuditError>(Rows::group(table(&[first], whose.len(), rows)?, &whose))
    };
    let neighbours = "persons with outcomes of 0 but for one, with two rows at one end of the range or one at the other";
    case(budget, [grouped(ROOT, 2)?, grouped(-ROOT, 1)?], 1, neighbours)
}

/// So many rows of nothing but outcomes, of which the first ones have these and the others 0.
fn table(first: &[f32], rows: usize, same: usize) -> Result<Matrix, AuditError> {
    let size = if first.len() == 1 { ROOT } else { THIRD };
    let layout =
        Layout::new(Norm::Scale, size, vec![size; first.len()], vec![]).map_err(refused)?;
    let zero = vec![0.0; first.len()];
    let numeric = (0..rows).flat_map(|row| if row < same { first.to_vec() } else { zero.clone() });
    let batch =
        Batch { numeric: numeric.collect(), positive: vec![false; rows], ..Batch::default() };
    Ok(Matrix::of(layout, batch))
}

fn case(
    budget: Budget,
    tables: [Rows<'static>; 2],
    outcomes: usize,
    neighbours: &'static str,
) -> Result<Case, AuditError> {
    let plan = Plan::new(budget, tables[0].facts(), 1..1 + outcomes).map_err(refused)?;
    let entries = (1..=outcomes).flat_map(|i| [(i, 0), (i, i)]).collect();
    Ok(Case {
        mechanism: Box::new(Moments { plan, tables, entries }),
        claim: Claim::of(budget, AUDITED_DELTA),
        neighbours,
        ceiling: match budget {
            Budget::Pure { .. } => {
                Some("noise in a box is told apart by all of its numbers, and one is looked at")
            }
            _ => Some(LOOSE_CONVERSION),
        },
        exact: None,
    })
}
