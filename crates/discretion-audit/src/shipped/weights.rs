//! Training on rows with weights: all count a quarter but one, whose weight is beyond the largest
//! there may be.

use super::training::{Trained, exact_laws, planned_for, round_law};
use super::{AUDITED_DELTA, Case, conversion_ceiling, refused};
use crate::{AuditError, Claim};
use discretion_linear::erm::Oracle;
use discretion_linear::erm::matrix::{Batch, Layout, Matrix, Norm};
use discretion_linear::loss::LossKind;
use discretion_linear::train::{Method, not_private};
use discretion_privacy::Budget;

/// Of the largest there may be.
const WEIGHTS: [f32; 2] = [0.25, 5.0];

/// Labels in turn, and that of the last row, which weighs most.
fn table(rows: usize, last: bool) -> Matrix {
    let layout = Layout::new(Norm::Scale, 1.0, vec![], vec![]).expect("a row of length 1");
    let mut matrix = Matrix::new(layout.weighted());
    let positive = (1..rows).map(|row| row % 2 == 0).chain([last]).collect();
    matrix.push(Batch { positive, ..Batch::default() });
    let weights: Vec<f32> = (1..=rows).map(|row| WEIGHTS[usize::from(row == rows)]).collect();
    matrix.weigh(&weights);
    matrix
}

/// The minimiser moves by 2/(nλ), as far as one row of weight 1 can move it: all slopes are −1.
pub(super) fn output(budget: Budget, rows: usize) -> Result<Case, AuditError> {
    let tables = [table(rows, false), table(rows, true)];
    let plan = planned_for(tables[0].all().facts(), Method::Output, budget, 4.0 / rows as f64)?;
    let minimiser = |table: &Matrix| {
        let theta = not_private(&table.all(), LossKind::Hinge, plan.lambda()).map_err(refused)?;
        Ok::<f64, AuditError>(theta.into_inner()[0])
    };
    let exact =
        exact_laws::output([minimiser(&tables[0])?, minimiser(&tables[1])?], round_law(&plan));
    Ok(Case {
        mechanism: Box::new(Trained { plan, tables }),
        claim: Claim::of(budget, AUDITED_DELTA),
        neighbours: "rows that weigh a quarter of the largest weight but for one, which weighs five times the largest and whose label is \
                     turned over; x = 1, hinge loss",
        ceiling: conversion_ceiling(budget, |budget| !matches!(budget, Budget::Zcdp { .. })),
        exact: Some(exact),
    })
}
