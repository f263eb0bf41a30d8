//! Training on persons who have 1, 2 or 50 rows each, one of whom has other rows on the other side,
//! and another number of them.

use super::training::{exact_laws, planned_for, round_law};
use super::{AUDITED_DELTA, Case, conversion_ceiling, labels, refused};
use crate::{AuditError, Claim, Mechanism, Side};
use discretion_linear::erm::Oracle;
use discretion_linear::erm::matrix::Rows;
use discretion_linear::loss::LossKind;
use discretion_linear::train::{Method, Plan, not_private};
use discretion_privacy::Budget;
use discretion_privacy::noise::Noise;

const NEIGHBOURS: &str = "persons of 1, 2 and 50 rows with balanced labels but for one person, whose 50 rows become one of the \
                          other label; x = 1, hinge loss";

struct Trained {
    plan: Plan,
    tables: [Rows<'static>; 2],
}

impl Mechanism for Trained {
    fn run(&self, side: Side, source: &mut Noise) -> Result<Vec<f64>, AuditError> {
        Ok(self.plan.fit(&self.tables[side as usize], source).map_err(refused)?.to_vec())
    }
}

/// So many persons, of whom the first half and the one in the middle have the label +1, or not the
/// one in the middle. Every row of a person has that person's label, so the objective is that of
/// one row each.
fn table(persons: usize, side: Side) -> Rows<'static> {
    let positive = persons.div_ceil(2) - side as usize;
    let changed = persons.div_ceil(2) - 1;
    let rows = |person: usize| match side {
        _ if person != changed => [1, 2, 50][person % 3],
        Side::Left => 50,
        Side::Right => 1,
    };
    let whose: Vec<u128> =
        (0..persons).flat_map(|person| vec![person as u128; rows(person)]).collect();
    Rows::group(labels(whose.iter().map(|&person| (person as usize) < positive)), &whose)
}

fn trained(
    method: Method,
    budget: Budget,
    persons: usize,
    lambda: f64,
) -> Result<Trained, AuditError> {
    let tables = [table(persons, Side::Left), table(persons, Side::Right)];
    Ok(Trained { plan: planned_for(tables[0].facts(), method, budget, lambda)?, tables })
}

pub(super) fn output(budget: Budget, persons: usize) -> Result<Case, AuditError> {
    let trained = trained(Method::Output, budget, persons, 4.0 / persons as f64)?;
    let (law, lambda) = (round_law(&trained.plan), trained.plan.lambda());
    let minimiser = |table: &Rows<'_>| {
        let theta = not_private(table, LossKind::Hinge, lambda).map_err(refused)?;
        Ok::<f64, AuditError>(theta.into_inner()[0])
    };
    let [left, right] = &trained.tables;
    let exact = exact_laws::output([minimiser(left)?, minimiser(right)?], law);
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

pub(super) fn objective(budget: Budget, persons: usize) -> Result<Case, AuditError> {
    let trained = trained(Method::Objective, budget, persons, 100.0 / persons as f64)?;
    let exact = exact_laws::objective(persons, round_law(&trained.plan));
    let claim = Claim::of(budget, AUDITED_DELTA);
    let ceiling = match budget {
        Budget::Pure { .. } => None,
        _ => Some("one bound on the Rényi curve holds for every table; these persons cause less"),
    };
    Ok(Case {
        mechanism: Box::new(trained),
        claim,
        neighbours: NEIGHBOURS,
        ceiling,
        exact: Some(exact),
    })
}
