//! Huber regression of a constant.

use super::{AUDITED_DELTA, Case, refused};
use crate::{AuditError, Claim, Mechanism, Side};
use discretion_linear::erm::Oracle;
use discretion_linear::erm::matrix::{Batch, Layout, Matrix, Norm};
use discretion_linear::loss::LossKind;
use discretion_linear::train::{Method, Plan, Training, huber};
use discretion_privacy::Budget;
use discretion_privacy::noise::{Law, Noise, ShapedLaw, TrainingLaw};

/// The constant and the outcome, of length just below 1 together.
const SIZES: [f32; 2] = [0.999_9, 0.007_812_5];

/// A plan, and the tables that it trains on.
struct Trained {
    plan: Plan,
    tables: [Matrix; 2],
}

impl Mechanism for Trained {
    fn run(&self, side: Side, source: &mut Noise) -> Result<Vec<f64>, AuditError> {
        let released =
            self.plan.fit_outcome(&self.tables[side as usize].all(), 1, source).map_err(refused)?;
        Ok(released.to_vec())
    }
}

/// Outcomes that balance at both ends of their range but for one, and that one at the other end:
/// near 0 every slope is 1 or −1, and that of one row turns over. nλ = 100 makes the price of
/// curvature, which these tables do not cause, a twenty-fifth.
pub(super) fn objective(budget: Budget, rows: usize) -> Result<Case, AuditError> {
    let [constant, outcome] = SIZES;
    let table = |first: f32| {
        let layout = Layout::new(Norm::Scale, constant, vec![outcome], vec![]).map_err(refused)?;
        let end = |row: usize| if row.is_multiple_of(2) { -outcome } else { outcome };
        let numeric = (0..rows).map(|row| if row == 0 { first } else { end(row) }).collect();
        let batch = Batch { numeric, positive: vec![false; rows], ..Batch::default() };
        Ok::<_, AuditError>(Matrix::of(layout, batch))
    };
    let tables = [table(outcome)?, table(-outcome)?];
    let facts = huber::facts(tables[0].all().facts(), 1).map_err(refused)?;
    let lambda = Some(100.0 / rows as f64);
    let training = Training { loss: LossKind::Huber, lambda, method: Method::Objective, budget };
    let plan = training.plan(facts).map_err(refused)?;
    // As in `training`: a budget with δ is to show its Gaussian noise.
    let plan = match budget {
        Budget::Approximate { .. } => plan.with_law(|law| {
            matches!(
                law,
                TrainingLaw::Round(Law::Gaussian { .. })
                    | TrainingLaw::Shaped(ShapedLaw::ColumnGaussian { .. })
            )
        }),
        _ => plan,
    };
    Ok(Case {
        mechanism: Box::new(Trained { plan, tables }),
        claim: Claim::of(budget, AUDITED_DELTA),
        neighbours: "outcomes at both ends of their range, and the same with one at the other end; x = 1, Huber's loss",
        ceiling: Some(match budget {
            Budget::Pure { .. } => {
                "residuals as large as these have no curvature, and a part of ε is for it"
            }
            _ => "one bound on the Rényi curve holds for every table; these rows cause less",
        }),
        exact: None,
    })
}
