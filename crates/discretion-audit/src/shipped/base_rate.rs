//! A base rate, and a training whose penalty is around it.

use super::{AUDITED_DELTA, Case, balanced, refused};
use crate::{AuditError, Claim, Mechanism, Side};
use discretion_linear::base_rate::{BaseRatePlan, log_odds};
use discretion_linear::erm::Oracle;
use discretion_linear::erm::matrix::Matrix;
use discretion_linear::loss::LossKind;
use discretion_linear::train::{Method, Plan, Training};
use discretion_privacy::noise::Noise;
use discretion_privacy::{Budget, Unit};

struct Around {
    rate: BaseRatePlan,
    training: Plan,
    tables: [Matrix; 2],
}

impl Mechanism for Around {
    /// The rate, and how far from its log-odds the model is: both are made of what leaves, and the
    /// second is not blurred by the first.
    fn run(&self, side: Side, source: &mut Noise) -> Result<Vec<f64>, AuditError> {
        let table = &self.tables[side as usize];
        let rate = *self.rate.run(&table.all(), source).map_err(refused)?;
        // The intercept's entry in a row is 1.
        let centre = log_odds(rate);
        let released = self.training.around(centre).fit(&table.all(), source).map_err(refused)?;
        Ok(vec![rate, released[0] - centre])
    }
}

/// nλ = 100 makes the price of curvature, which these tables do not cause, a hundredth. Rows are so
/// many that the noise of a twentieth of the budget leaves a rate between 0 and 1.
pub(super) fn base_rate(budget: Budget, rows: usize) -> Result<Case, AuditError> {
    let tables = balanced(rows);
    let rate = BaseRatePlan::new(budget, Unit::Row, rows);
    let lambda = Some(100.0 / rows as f64);
    let training =
        Training { loss: LossKind::Hinge, lambda, method: Method::Objective, budget: rate.rest() };
    let training = training.plan(tables[0].all().facts()).map_err(refused)?;
    let training = training.around_at_most(rate.furthest()).map_err(refused)?;
    Ok(Case {
        mechanism: Box::new(Around { rate, training, tables }),
        claim: Claim::of(budget, AUDITED_DELTA),
        neighbours: "balanced labels but for one, and that one turned over; x = 1, hinge loss around the base rate",
        ceiling: Some("the rate has a twentieth of the budget, and only rare rates show all of it"),
        exact: None,
    })
}
