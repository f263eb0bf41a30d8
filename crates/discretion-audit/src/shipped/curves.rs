//! Training on curves and on crossed columns, and private knots.

use super::training::Trained;
use super::{AUDITED_DELTA, Case, conversion_ceiling, refused};
use crate::exact::{Exact, discrete_laplace};
use crate::{AuditError, Claim, Mechanism, Side};
use discretion_linear::erm::Oracle;
use discretion_linear::erm::matrix::{Batch, Cross, Curve, Layout, Matrix, Norm, Rows, Stored};
use discretion_linear::knots::{CELLS, KnotsPlan, WantedKnots};
use discretion_linear::loss::LossKind;
use discretion_linear::train::{Method, Training};
use discretion_privacy::noise::Noise;
use discretion_privacy::{Budget, Pure, Unit, Zcdp};

/// Labels that balance but for one row, and a last row that is another one in every way: `at` says
/// where a row is.
fn case(
    budget: Budget,
    rows: usize,
    layout: &Layout,
    at: impl Fn(bool) -> (Vec<f32>, Vec<u16>),
    neighbours: &'static str,
) -> Result<Case, AuditError> {
    let positive = rows.div_ceil(2);
    let table = |is_replaced: bool| {
        let (mut numeric, mut codes) = (Vec::new(), Vec::new());
        for row in 0..rows {
            let (number, code) = at(is_replaced && row == 0);
            numeric.extend(number);
            codes.extend(code);
        }
        let positive = (0..rows).map(|row| row < positive && !(is_replaced && row == 0)).collect();
        Matrix::of(layout.clone(), Batch { numeric, codes, positive })
    };
    let tables = [table(false), table(true)];
    // nλ = 100 makes the price of curvature, which these tables do not cause, a hundredth.
    let lambda = Some(100.0 / rows as f64);
    let training = Training { loss: LossKind::Hinge, lambda, method: Method::Objective, budget };
    let plan = training.plan(tables[0].all().facts()).map_err(refused)?;
    Ok(Case {
        mechanism: Box::new(Trained { plan, tables }),
        claim: Claim::of(budget, AUDITED_DELTA),
        neighbours,
        ceiling: Some("noise in several dimensions points along the change only now and then"),
        exact: None,
    })
}

/// A curve of two knots; one row goes from the first to the second, and its label is turned over.
pub(super) fn curves(budget: Budget, rows: usize) -> Result<Case, AuditError> {
    let curve = Stored::Curve(Curve { knots: 2, missing: false, value: 0.7999 });
    let layout =
        Layout::with_curves(Norm::Scale, 0.6, vec![curve], vec![], &[]).map_err(refused)?;
    let neighbours =
        "a curve of two knots; one row goes from the first to the second, its label turned over";
    case(budget, rows, &layout, |moved| (vec![f32::from(u8::from(moved))], vec![]), neighbours)
}

/// Two categories that are crossed; one row has other values of both, and its label is turned over.
pub(super) fn crosses(budget: Budget, rows: usize) -> Result<Case, AuditError> {
    let cross = Cross::Pair { categories: [0, 1], value: 0.5 };
    let categories = vec![(2, 0.5), (2, 0.5)];
    let layout =
        Layout::with_curves(Norm::Scale, 0.4, vec![], categories, &[cross]).map_err(refused)?;
    let neighbours =
        "two crossed categories; one row has other values of both, its label turned over";
    case(budget, rows, &layout, |moved| (vec![], vec![u16::from(moved); 2]), neighbours)
}

/// The noisy counts that private knots are made of.
struct Counted {
    plan: KnotsPlan,
    tables: [Rows<'static>; 2],
}

impl Mechanism for Counted {
    fn run(&self, side: Side, source: &mut Noise) -> Result<Vec<f64>, AuditError> {
        let counts = self.plan.counts(&self.tables[side as usize], source).map_err(refused)?;
        // No row of either table is in another cell.
        Ok([0, CELLS - 1].map(|cell| counts[0][cell] as f64).to_vec())
    }
}

/// Rows at the upper end of their range, or at the lower one.
fn at_ends(layout: &Layout, are_high: impl Iterator<Item = bool>) -> Matrix {
    let numeric: Vec<f32> =
        are_high.map(|is_high| if is_high { CELLS as f32 } else { 0.0 }).collect();
    let positive = vec![true; numeric.len()];
    Matrix::of(layout.clone(), Batch { numeric, codes: vec![], positive })
}

fn half_for_knots(budget: Budget, unit: Unit) -> Result<KnotsPlan, AuditError> {
    KnotsPlan::new(&[WantedKnots { place: 0, knots: 5, share: 0.5 }], budget, unit).map_err(refused)
}

/// What half of the budget may buy.
fn half(budget: Budget) -> Budget {
    match budget {
        Budget::Zcdp { rho } => Budget::from(Zcdp { rho: rho / 2.0 }),
        other => Budget::from(Pure { epsilon: other.as_pure().epsilon / 2.0 }),
    }
}

/// One person's fifty rows at the lower end of the range become one at the upper. The others have
/// 1, 2 or 50.
pub(super) fn persons_knots(budget: Budget, persons: usize) -> Result<Case, AuditError> {
    let curve = Stored::Curve(Curve { knots: CELLS + 1, missing: false, value: 0.5 });
    let layout =
        Layout::with_curves(Norm::Scale, 0.5, vec![curve], vec![], &[]).map_err(refused)?;
    let table = |side: Side| {
        let rows = |person: usize| match (person, side) {
            (0, Side::Left) => 50,
            (0, Side::Right) => 1,
            _ => [1, 2, 50][person % 3],
        };
        let whose: Vec<u128> =
            (0..persons).flat_map(|person| vec![person as u128; rows(person)]).collect();
        let is_high = |person: &u128| match *person {
            0 => side == Side::Right,
            person => person % 2 == 0,
        };
        Rows::group(at_ends(&layout, whose.iter().map(is_high)), &whose)
    };
    let (plan, half) = (half_for_knots(budget, Unit::Person)?, half(budget));
    Ok(Case {
        mechanism: Box::new(Counted { plan, tables: [table(Side::Left), table(Side::Right)] }),
        claim: Claim::of(half, AUDITED_DELTA),
        neighbours: "persons of 1, 2 and 50 rows at both ends of a range; 50 rows of one become one at the other end",
        ceiling: conversion_ceiling(half, |budget| matches!(budget, Budget::Pure { .. })),
        exact: None,
    })
}

/// One row goes from the lower end of its range to the upper one.
pub(super) fn knots(budget: Budget, rows: usize) -> Result<Case, AuditError> {
    let curve = Stored::Curve(Curve { knots: CELLS + 1, missing: false, value: 0.5 });
    let layout =
        Layout::with_curves(Norm::Scale, 0.5, vec![curve], vec![], &[]).map_err(refused)?;
    let table = |high: usize| at_ends(&layout, (0..rows).map(|row| row < high)).into();
    let plan = half_for_knots(budget, Unit::Row)?;
    let half = half(budget);
    let exact = match half {
        Budget::Pure { epsilon } => {
            let scale = 2.0 / epsilon;
            let reach = (30.0 * scale).ceil().min(1000.0) as i64;
            Some(Exact::lattice(discrete_laplace(scale), [[0, 0], [-1, 1]], reach))
        }
        _ => None,
    };
    let first = rows.div_ceil(2);
    Ok(Case {
        mechanism: Box::new(Counted { plan, tables: [table(first), table(first + 1)] }),
        claim: Claim::of(half, AUDITED_DELTA),
        neighbours: "rows at both ends of a range; one goes from the lower end to the upper",
        ceiling: conversion_ceiling(half, |budget| matches!(budget, Budget::Pure { .. })),
        exact,
    })
}
