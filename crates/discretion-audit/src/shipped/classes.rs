//! A softmax of three classes, of one coefficient each.

use super::{AUDITED_DELTA, Case, refused};
use crate::{AuditError, Claim, Mechanism, Side};
use discretion_linear::erm::Oracle;
use discretion_linear::erm::matrix::{Batch, Classed, Layout, Norm};
use discretion_linear::loss::LossKind;
use discretion_linear::train::{Method, Plan, Training};
use discretion_privacy::Budget;
use discretion_privacy::noise::Noise;

/// A plan, and the tables that it trains on.
struct Trained {
    plan: Plan,
    tables: [Classed; 2],
}

impl Mechanism for Trained {
    fn run(&self, side: Side, source: &mut Noise) -> Result<Vec<f64>, AuditError> {
        let released = self.plan.fit(&self.tables[side as usize], source).map_err(refused)?;
        Ok(released.to_vec())
    }
}

/// Classes that balance, and the same with one row of another class. Rows are an intercept of length 1. nλ = 100 makes the price of
/// curvature a hundredth.
pub(super) fn objective(budget: Budget, rows: usize) -> Result<Case, AuditError> {
    let layout = Layout::new(Norm::Scale, 1.0, vec![], vec![]).map_err(refused)?;
    let table = |first: u16| {
        let mut table = Classed::new(layout.clone(), 3);
        let classes: Vec<u16> =
            (0..rows).map(|row| if row == 0 { first } else { (row % 3) as u16 }).collect();
        table.push(Batch::default(), &classes);
        table
    };
    let tables = [table(0), table(1)];
    let lambda = Some(100.0 / rows as f64);
    let training = Training { loss: LossKind::Logistic, lambda, method: Method::Objective, budget };
    let plan = training.plan(tables[0].facts()).map_err(refused)?;
    Ok(Case {
        mechanism: Box::new(Trained { plan, tables }),
        claim: Claim::of(budget, AUDITED_DELTA),
        neighbours: "balanced classes, and the same with one row of another class; x = 1, softmax of three",
        ceiling: Some("the slopes of two rows with one x add up to less than they could with two"),
        exact: None,
    })
}
