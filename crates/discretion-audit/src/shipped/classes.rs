//! A softmax of three classes, of one coefficient each.

use super::{AUDITED_DELTA, Case, refused};
use crate::{AuditError, Claim, Mechanism, Side};
use discretion_linear::erm::Oracle;
use discretion_linear::erm::matrix::{Batch, Layout, Matrix, Norm, Rows};
use discretion_linear::interval::parts::{PartsPlan, ranges, shuffled};
use discretion_linear::loss::LossKind;
use discretion_linear::train::{Method, Plan, Training};
use discretion_linear::tune::{SplitTable, Tuning, TuningPlan, TuningRule};
use discretion_privacy::Budget;
use discretion_privacy::noise::Noise;

/// A plan, and the tables that it trains on.
struct Trained {
    plan: Plan,
    tables: [Rows<'static>; 2],
}

impl Mechanism for Trained {
    fn run(&self, side: Side, source: &mut Noise) -> Result<Vec<f64>, AuditError> {
        let released = self.plan.fit(&self.tables[side as usize], source).map_err(refused)?;
        Ok(released.to_vec())
    }
}

fn layout() -> Layout {
    Layout::new(Norm::Scale, 1.0, vec![], vec![]).expect("an intercept of length 1")
}

/// Rows of these classes, each an intercept of length 1.
fn table(classes: &[u16]) -> Matrix {
    let mut table = Matrix::new(layout().of_classes(3));
    table.push_labelled(Batch::default(), classes);
    table
}

/// Classes that balance but for the first row, which is of one class or of another.
fn turned(rows: usize, side: Side) -> Vec<u16> {
    (0..rows).map(|row| if row == 0 { side as u16 } else { (row % 3) as u16 }).collect()
}

/// Classes that balance, and the same with one row of another class. Rows are an intercept of
/// length 1. nλ = 100 makes the price of curvature a hundredth.
pub(super) fn objective(budget: Budget, rows: usize) -> Result<Case, AuditError> {
    let tables = [Side::Left, Side::Right].map(|side| table(&turned(rows, side)).into());
    trained(tables, budget, rows, NEIGHBOURS)
}

const NEIGHBOURS: &str =
    "balanced classes, and the same with one row of another class; x = 1, softmax of three";

fn by_objective(budget: Budget, units: usize) -> Training {
    let lambda = Some(100.0 / units as f64);
    Training { loss: LossKind::Logistic, lambda, method: Method::Objective, budget }
}

fn trained(
    tables: [Rows<'static>; 2],
    budget: Budget,
    units: usize,
    neighbours: &'static str,
) -> Result<Case, AuditError> {
    let plan = by_objective(budget, units).plan(tables[0].facts()).map_err(refused)?;
    Ok(Case {
        mechanism: Box::new(Trained { plan, tables }),
        claim: Claim::of(budget, AUDITED_DELTA),
        neighbours,
        ceiling: Some("the slopes of two rows with one x add up to less than they could with two"),
        exact: None,
    })
}

/// Persons of 1, 2 and 50 rows, of whom the first has 50 of one class or one of another.
pub(super) fn persons(budget: Budget, persons: usize) -> Result<Case, AuditError> {
    let grouped = |side: Side| {
        let rows = |person: usize| match (person, side) {
            (0, Side::Left) => 50,
            (0, Side::Right) => 1,
            _ => [1, 2, 50][person % 3],
        };
        let classes = turned(persons, side);
        let whose: Vec<u128> =
            (0..persons).flat_map(|person| vec![person as u128; rows(person)]).collect();
        let of_rows: Vec<u16> = whose.iter().map(|&person| classes[person as usize]).collect();
        Rows::group(table(&of_rows), &whose)
    };
    let neighbours = "persons of 1, 2 and 50 rows of balanced classes, of whom one has 50 of one class or one of another; \
                      x = 1, softmax of three";
    trained([Side::Left, Side::Right].map(grouped), budget, persons, neighbours)
}

struct Tuned {
    plan: TuningPlan,
    /// Rows that train, rows that validate, and both.
    tables: [[Rows<'static>; 3]; 2],
}

impl Mechanism for Tuned {
    fn run(&self, side: Side, source: &mut Noise) -> Result<Vec<f64>, AuditError> {
        let [training, validation, all] = &self.tables[side as usize];
        let tuned =
            self.plan.run(SplitTable { training, validation, all }, source).map_err(refused)?;
        Ok(std::iter::once(tuned.plan.lambda()).chain(tuned.coefficients.iter().copied()).collect())
    }
}

/// The row that changes its class trains; what validates is the same on both sides.
pub(super) fn tuning(budget: Budget, rows: usize) -> Result<Case, AuditError> {
    const VALIDATION: f64 = 1.0 / 3.0;
    let validating = discretion_choose::split::validation_rows(rows, VALIDATION);
    let training = rows - validating;
    let tables: [[Rows<'static>; 3]; 2] = [Side::Left, Side::Right].map(|side| {
        let (trains, validates) = (turned(training, side), turned(validating, Side::Left));
        [&trains, &validates, &[&trains[..], &validates].concat()].map(|part| table(part).into())
    });
    let lambdas = vec![8.0 / training as f64, 80.0 / training as f64];
    let tuning = Tuning {
        rule: TuningRule::Generalised,
        validation: VALIDATION,
        ..Tuning::new(LossKind::Logistic, lambdas, Method::Output, budget)
    };
    let [trains, validates, both]: &[Rows<'_>; 3] = &tables[0];
    let facts = SplitTable { training: trains, validation: validates, all: both }.facts();
    let plan = tuning.plan(facts).map_err(refused)?;
    Ok(Case {
        mechanism: Box::new(Tuned { plan, tables }),
        claim: Claim::of(budget, AUDITED_DELTA),
        neighbours: "balanced classes, and the same with one training row of another class; x = 1, softmax of three, two λ",
        ceiling: Some(
            "30 % of the budget pays for the choice of λ, which one row of these tables hardly moves",
        ),
        exact: None,
    })
}

struct InParts {
    plan: PartsPlan,
    tables: [Vec<Rows<'static>>; 2],
}

impl Mechanism for InParts {
    fn run(&self, side: Side, source: &mut Noise) -> Result<Vec<f64>, AuditError> {
        let parts: Vec<&dyn Oracle> =
            self.tables[side as usize].iter().map(|part| part as &dyn Oracle).collect();
        Ok(self.plan.run(&parts, source).map_err(refused)?.mean())
    }
}

/// All parts together cost what one costs: one row is in one of them. Their mean is looked at, in
/// which one of eight models moves.
pub(super) fn parts(budget: Budget, rows: usize) -> Result<Case, AuditError> {
    let order = shuffled(rows);
    let tables = [Side::Left, Side::Right].map(|side| {
        let classes = turned(rows, side);
        let part = |range: std::ops::Range<usize>| -> Vec<u16> {
            order[range].iter().map(|&row| classes[row]).collect()
        };
        ranges(rows).map(|range| table(&part(range)).into()).collect::<Vec<Rows<'_>>>()
    });
    let facts = tables[0].iter().map(Oracle::facts).collect();
    let plan = PartsPlan::new(&by_objective(budget, rows), rows, facts).map_err(refused)?;
    Ok(Case {
        mechanism: Box::new(InParts { plan, tables }),
        claim: Claim::of(budget, AUDITED_DELTA),
        neighbours: NEIGHBOURS,
        ceiling: Some("one of eight models moves, and their mean is looked at"),
        exact: None,
    })
}
