//! Objective perturbation with noise that has the shape of the rows, in the fewest dimensions that
//! have a shape.

use super::training::Trained;
use super::{AUDITED_DELTA, Case, refused};
use crate::exact::{Exact, LnDensity};
use crate::{AuditError, Claim};
use discretion_linear::erm::Oracle;
use discretion_linear::erm::matrix::{Batch, Layout, Matrix, Norm};
use discretion_linear::loss::LossKind;
use discretion_linear::train::{Method, Training};
use discretion_privacy::Budget;
use discretion_privacy::noise::{ShapedLaw, TrainingLaw};
use std::f64::consts::PI;

/// The sizes of the intercept and of the other column: a row hardly shorter than 1.
const SIZES: [f32; 2] = [0.6, 0.7999];

/// Labels that balance but for one row, and the same with that row's label turned over; all rows
/// are as large as they can be. nλ = 100 makes the price of curvature, which these tables do not
/// cause, a hundredth.
fn planned(
    budget: Budget,
    rows: usize,
    is_category: bool,
    is_wanted: fn(&ShapedLaw) -> bool,
) -> Result<Trained, AuditError> {
    let [intercept, other] = SIZES;
    let (numbers, categories) =
        if is_category { (vec![], vec![(2, other)]) } else { (vec![other], vec![]) };
    let layout = Layout::new(Norm::Scale, intercept, numbers, categories).map_err(refused)?;
    let positive = rows.div_ceil(2);
    let table = |ones: usize| {
        let (numeric, codes) =
            if is_category { (vec![], vec![0; rows]) } else { (vec![other; rows], vec![]) };
        Matrix::of(
            layout.clone(),
            Batch { numeric, codes, positive: (0..rows).map(|i| i < ones).collect() },
        )
    };
    let tables = [table(positive), table(positive - 1)];
    let lambda = Some(100.0 / rows as f64);
    let training = Training { loss: LossKind::Hinge, lambda, method: Method::Objective, budget };
    let plan = training.plan(tables[0].all().facts()).map_err(refused)?;
    let plan = plan.with_law(|law| matches!(law, TrainingLaw::Shaped(law) if is_wanted(law)));
    Ok(Trained { plan, tables })
}

fn case(
    trained: Trained,
    budget: Budget,
    ceiling: Option<&'static str>,
    exact: Option<Exact>,
) -> Case {
    let neighbours =
        "balanced labels but for one, and that one turned over; x = (0.6, 0.7999), hinge loss";
    Case {
        mechanism: Box::new(trained),
        claim: Claim::of(budget, AUDITED_DELTA),
        neighbours,
        ceiling,
        exact,
    }
}

/// A box: the intercept and a number in one group or in two.
pub(super) fn groups(budget: Budget, rows: usize) -> Result<Case, AuditError> {
    let trained = planned(budget, rows, false, |law| matches!(law, ShapedLaw::Groups { .. }))?;
    let exact = exact(&trained, rows);
    Ok(case(trained, budget, None, exact))
}

/// The norm of the row, with a category of two values.
pub(super) fn row_norm(budget: Budget, rows: usize) -> Result<Case, AuditError> {
    let trained = planned(budget, rows, true, |law| matches!(law, ShapedLaw::RowNorm { .. }))?;
    Ok(case(
        trained,
        budget,
        Some("noise in three dimensions points along the change only now and then"),
        None,
    ))
}

/// Gaussian noise with a deviation for each column.
pub(super) fn gaussian(budget: Budget, rows: usize) -> Result<Case, AuditError> {
    let trained =
        planned(budget, rows, false, |law| matches!(law, ShapedLaw::ColumnGaussian { .. }))?;
    let exact = exact(&trained, rows);
    Ok(case(
        trained,
        budget,
        Some("one bound on the Rényi curve holds for every table; these rows cause less"),
        exact,
    ))
}

/// The exact law in two dimensions.
fn exact(trained: &Trained, rows: usize) -> Option<Exact> {
    let TrainingLaw::Shaped(law) = trained.plan.chosen().law() else { return None };
    let positive = rows.div_ceil(2);
    let lambda = trained.plan.lambda();
    let longest = law.length_exceeded_by(10.0);
    let density = |ones: usize| density(law.clone(), rows, ones, lambda);
    Some(Exact::plane(
        density(positive),
        density(positive - 1),
        (2.0 + longest) / (rows as f64 * lambda),
    ))
}

/// θ ↦ b is a bijection, so the density of θ̃ is that of b times a Jacobian.
fn density(law: ShapedLaw, rows: usize, ones: usize, lambda: f64) -> LnDensity<[f64; 2]> {
    let loss = LossKind::Hinge.loss();
    let x = SIZES.map(f64::from);
    let strength = rows as f64 * lambda;
    Box::new(move |theta: [f64; 2]| {
        let (mut b, mut curvature) = (theta.map(|t| -strength * t), 0.0);
        for (sign, count) in [(1.0, ones), (-1.0, rows - ones)] {
            let margin = sign * (x[0] * theta[0] + x[1] * theta[1]);
            let push = count as f64 * loss.slope(margin) * sign;
            (0..2).for_each(|i| b[i] -= push * x[i]);
            curvature += count as f64 * loss.curvature(margin);
        }
        // det(sI + h·xxᵀ) = s² + s·h·‖x‖².
        let determinant = strength * strength + strength * curvature * (x[0] * x[0] + x[1] * x[1]);
        ln_noise(&law, b) + determinant.ln()
    })
}

/// The density of noise on two columns of one coefficient each.
fn ln_noise(law: &ShapedLaw, b: [f64; 2]) -> f64 {
    match law {
        ShapedLaw::Groups { columns, group_of, epsilons } => {
            let radius: Vec<f64> = columns.iter().map(|column| 2.0 * column.size).collect();
            let share = [b[0].abs() / radius[0], b[1].abs() / radius[1]];
            let ln_box = -(4.0 * radius[0] * radius[1]).ln();
            match epsilons[..] {
                // A box of volume 4r₀r₁/ε², times Γ(3).
                [epsilon] => {
                    ln_box + 2.0 * epsilon.ln() - 2f64.ln() - epsilon * share[0].max(share[1])
                }
                _ => {
                    let each =
                        |j: usize| epsilons[group_of[j]].ln() - epsilons[group_of[j]] * share[j];
                    ln_box + each(0) + each(1)
                }
            }
        }
        ShapedLaw::ColumnGaussian { deviations, .. } => {
            let each = |j: usize| -0.5 * (b[j] / deviations[j]).powi(2) - deviations[j].ln();
            each(0) + each(1) - (2.0 * PI).ln()
        }
        ShapedLaw::RowNorm { .. } => unreachable!("of numbers alone it is spherical"),
    }
}
