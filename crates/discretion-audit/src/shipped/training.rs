//! Training by either perturbation, in one dimension.

use super::{AUDITED_DELTA, Case, balanced, conversion_ceiling, refused};
use crate::exact::{Exact, objective_density, output_density};
use crate::{AuditError, Claim, Mechanism, Side};
use discretion_linear::erm::matrix::Matrix;
use discretion_linear::erm::{Facts, Oracle};
use discretion_linear::loss::LossKind;
use discretion_linear::train::{Method, Plan, Pricing, Training};
use discretion_privacy::Budget;
use discretion_privacy::noise::{Law, Noise, TrainingLaw};

const NEIGHBOURS: &str = "balanced labels but for one, and that one turned over; x = 1, hinge loss";

/// A plan, and the tables that it trains on.
pub(super) struct Trained {
    pub plan: Plan,
    pub tables: [Matrix; 2],
}

impl Mechanism for Trained {
    fn run(&self, side: Side, source: &mut Noise) -> Result<Vec<f64>, AuditError> {
        let released = self.plan.fit(&self.tables[side as usize].all(), source).map_err(refused)?;
        Ok(released.to_vec())
    }
}

fn planned(
    method: Method,
    budget: Budget,
    rows: usize,
    lambda: f64,
) -> Result<Trained, AuditError> {
    let tables = balanced(rows);
    let plan = planned_for(tables[0].all().facts(), method, budget, lambda)?;
    Ok(Trained { plan, tables })
}

/// Training with the hinge loss in one dimension.
pub(super) fn planned_for(
    facts: Facts,
    method: Method,
    budget: Budget,
    lambda: f64,
) -> Result<Plan, AuditError> {
    let training = Training { loss: LossKind::Hinge, lambda: Some(lambda), method, budget };
    Ok(shown(training.plan(facts).map_err(refused)?, budget))
}

/// In one dimension spherical noise is the smaller one; a budget with δ is to show its Gaussian
/// noise.
fn shown(plan: Plan, budget: Budget) -> Plan {
    match budget {
        Budget::Approximate { .. } => {
            plan.with_law(|law| matches!(law, TrainingLaw::Round(Law::Gaussian { .. })))
        }
        _ => plan,
    }
}

/// λ at which both minimisers are well inside the part of the loss where slopes are −1.
pub(super) fn output(budget: Budget, rows: usize) -> Result<Case, AuditError> {
    let trained = planned(Method::Output, budget, rows, 4.0 / rows as f64)?;
    let minimisers = [0, 1].map(|side| {
        let theta = discretion_linear::train::not_private(
            &trained.tables[side].all(),
            LossKind::Hinge,
            trained.plan.lambda(),
        );
        theta.map(|theta| theta.into_inner()[0]).map_err(refused)
    });
    let [left, right] = minimisers;
    let exact = exact_laws::output([left?, right?], round_law(&trained.plan));
    let claim = Claim::of(budget, AUDITED_DELTA);
    let ceiling = conversion_ceiling(budget, |budget| !matches!(budget, Budget::Zcdp { .. }));
    Ok(Case {
        mechanism: Box::new(trained),
        claim,
        neighbours: NEIGHBOURS,
        ceiling,
        exact: Some(exact),
    })
}

/// nλ = 100 makes the price of curvature, which these tables do not cause, a hundredth.
pub(super) fn objective(budget: Budget, rows: usize) -> Result<Case, AuditError> {
    let trained = planned(Method::Objective, budget, rows, 100.0 / rows as f64)?;
    let exact = exact_laws::objective(rows, round_law(&trained.plan));
    let claim = Claim::of(budget, AUDITED_DELTA);
    let ceiling = match budget {
        Budget::Pure { .. } => None,
        _ => Some("one bound on the Rényi curve holds for every table; these rows cause less"),
    };
    Ok(Case {
        mechanism: Box::new(trained),
        claim,
        neighbours: NEIGHBOURS,
        ceiling,
        exact: Some(exact),
    })
}

/// The logistic loss at nλ = 2, where slope and curvature together cost what the slope does.
pub(super) fn joint_price(budget: Budget, rows: usize) -> Result<Case, AuditError> {
    const STRENGTH: f64 = 2.0;
    let tables = balanced(rows);
    let lambda = Some(STRENGTH / rows as f64);
    let training = Training { loss: LossKind::Logistic, lambda, method: Method::Objective, budget };
    let plan = training.plan_with(tables[0].all().facts(), Pricing::Joint).map_err(refused)?;
    let plan = shown(plan, budget);
    let exact = exact_laws::of_labels(rows, LossKind::Logistic, STRENGTH, round_law(&plan));
    Ok(Case {
        mechanism: Box::new(Trained { plan, tables }),
        claim: Claim::of(budget, AUDITED_DELTA),
        neighbours: "balanced labels but for one, and that one turned over; x = 1, logistic loss",
        ceiling: Some(
            "in one dimension the slopes of opposite rows add up to 1, of 2 that there may be",
        ),
        exact: Some(exact),
    })
}

/// Exact laws of both sides.
pub(super) mod exact_laws {
    use super::*;

    /// With these minimisers.
    pub fn output([left, right]: [f64; 2], law: Law) -> Exact {
        Exact::line(output_density(left, law), output_density(right, law), 1.0 + reach(law))
    }

    /// Of balanced labels but for one of n, with nλ = 100.
    pub fn objective(n: usize, law: Law) -> Exact {
        of_labels(n, LossKind::Hinge, 100.0, law)
    }

    /// Of balanced labels but for one of n, with nλ = `strength`.
    pub fn of_labels(n: usize, loss: LossKind, strength: f64, law: Law) -> Exact {
        let table =
            |ones: usize| (0..n).map(|i| if i < ones { 1.0 } else { -1.0 }).collect::<Vec<f64>>();
        let density = |ones| objective_density(table(ones), loss.loss(), strength / n as f64, law);
        let positive = n.div_ceil(2);
        Exact::line(density(positive), density(positive - 1), (1.0 + reach(law)) / strength)
    }
}

/// In one dimension a row has no shape, so the simpler laws are taken.
pub(super) fn round_law(plan: &Plan) -> Law {
    match plan.chosen().law() {
        &TrainingLaw::Round(law) => law,
        TrainingLaw::Shaped(_) => unreachable!("noise with a shape is no smaller in one dimension"),
    }
}

/// A length that hardly any noise exceeds.
fn reach(law: Law) -> f64 {
    match law {
        Law::Spherical { scale } => 30.0 * scale,
        Law::Gaussian { sigma } => 8.0 * sigma,
    }
}
