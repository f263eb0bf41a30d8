//! Histograms: the counts alone, and a density whose bins are chosen.

use super::{AUDITED_DELTA, Case, conversion_ceiling, refused};
use crate::exact::{Exact, discrete_laplace};
use crate::{AuditError, Claim, Mechanism, Side};
use discretion_density::{Axis, Bins, Histogram, HistogramPlan, Points, Value};
use discretion_privacy::noise::{IntegerNoise, Noise, Sensitive};
use discretion_privacy::{Approximate, Budget, Pure, Zcdp};

struct Counted {
    noise: IntegerNoise,
    counts: [Vec<i64>; 2],
}

impl Mechanism for Counted {
    fn run(&self, side: Side, source: &mut Noise) -> Result<Vec<f64>, AuditError> {
        let counts = Sensitive::new(self.counts[side as usize].clone());
        Ok(self.noise.release(counts, source)?.iter().map(|&count| count as f64).collect())
    }
}

/// Two bins; one row goes from the first to the second.
pub(super) fn counts(budget: Budget, rows: usize) -> Result<Case, AuditError> {
    let noise = match budget {
        Budget::Pure { epsilon } => {
            IntegerNoise::Laplace { sensitivity: 2, budget: Pure { epsilon } }
        }
        Budget::Zcdp { rho } => {
            IntegerNoise::Gaussian { squared_sensitivity: 2, budget: Zcdp { rho } }
        }
        Budget::Approximate { epsilon, delta } => {
            let budget = Zcdp::within(Approximate { epsilon, delta });
            IntegerNoise::Gaussian { squared_sensitivity: 2, budget }
        }
    };
    let first = rows.div_ceil(2) as i64;
    let second = rows as i64 - first;
    let exact = match budget {
        Budget::Pure { epsilon } => {
            let scale = 2.0 / epsilon;
            let reach = (30.0 * scale).ceil().min(1000.0) as i64;
            Some(Exact::lattice(discrete_laplace(scale), [[0, 0], [-1, 1]], reach))
        }
        _ => None,
    };
    Ok(Case {
        mechanism: Box::new(Counted {
            noise,
            counts: [vec![first, second], vec![first - 1, second + 1]],
        }),
        claim: Claim::of(budget, AUDITED_DELTA),
        neighbours: "two bins; one row goes from the first to the second",
        ceiling: conversion_ceiling(budget, |budget| matches!(budget, Budget::Pure { .. })),
        exact,
    })
}

struct Described {
    plan: HistogramPlan,
    tables: [Points; 2],
    cells: usize,
}

impl Mechanism for Described {
    fn run(&self, side: Side, source: &mut Noise) -> Result<Vec<f64>, AuditError> {
        let density = self.plan.run(&self.tables[side as usize], source).map_err(refused)?;
        let chosen = density.bins().cells();
        // Cells that a coarser choice does not have are written as −1.
        let cells =
            density.probabilities().iter().copied().chain(std::iter::repeat(-1.0)).take(self.cells);
        Ok(std::iter::once(chosen as f64).chain(cells).collect())
    }
}

/// All rows in the first cell but one, which is in the last: for both candidates two counts move.
pub(super) fn density(budget: Budget, rows: usize) -> Result<Case, AuditError> {
    let axes = vec![Axis::interval("x", 0.0, 1.0)];
    let table = |last: f64| {
        let mut points = Points::new(axes.clone()).map_err(refused)?;
        (1..rows).for_each(|_| points.push(&[Value::Number(0.1)]));
        points.push(&[Value::Number(last)]);
        Ok::<Points, AuditError>(points)
    };
    let candidates = vec![Bins(vec![2]), Bins(vec![4])];
    let histogram =
        Histogram { candidates: Some(candidates), ..Histogram::new(axes.clone(), budget) };
    let plan = histogram.plan(rows).map_err(refused)?;
    Ok(Case {
        mechanism: Box::new(Described { plan, tables: [table(0.1)?, table(0.9)?], cells: 4 }),
        claim: Claim::of(budget, AUDITED_DELTA),
        neighbours: "all rows in the first bin, and one of them in the last; 2 or 4 bins",
        ceiling: Some(
            "half of the budget pays for the choice, which one row of these tables hardly moves, and counts are clipped",
        ),
        exact: None,
    })
}
