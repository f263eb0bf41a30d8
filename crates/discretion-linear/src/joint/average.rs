//! The first round: the average of what holders train alone.

use super::lattice::Contribution;
use super::{Holders, JointError, Round, Weighting};
use crate::erm::solver::{Accuracy, Problem};
use crate::erm::{Bounds, Facts, Oracle};
use crate::loss::LossKind;
use crate::train::{TrainError, classes, only_margins, output};
use discretion_privacy::ROUNDING_SLACK;

/// How exactly a holder trains.
fn accuracy(facts: &Facts, loss: LossKind, lambda: f64) -> Accuracy {
    Accuracy::new(facts, loss.loss(), lambda, 0.0)
}

/// Refuses a λ that some holder cannot solve for.
pub(super) fn check(holders: &Holders, loss: LossKind, lambda: f64) -> Result<(), JointError> {
    only_margins(loss)?;
    if holders.classes().is_some() && loss != LossKind::Logistic {
        return Err(TrainError::Classes.into());
    }
    if !(lambda.is_finite() && lambda > 0.0) {
        return Err(TrainError::Lambda(lambda).into());
    }
    let is_solvable = |facts: &Facts| accuracy(facts, loss, lambda).is_meaningful();
    if (1e-12..=1e6).contains(&lambda) && holders.facts().iter().all(is_solvable) {
        Ok(())
    } else {
        Err(TrainError::LambdaPrecision(lambda).into())
    }
}

/// How far the weighted average of *computed* models moves when one row is replaced, before
/// rounding to the lattice.
///
/// By size: 2/(nλ) + 2·max (n_j/n)τ_j, with √2 times the first term for several classes. Printed:
/// what the smallest holder's own model moves, which is K times as much as its share of the average
/// does.
pub(super) fn sensitivity(
    weighting: Weighting,
    holders: &Holders,
    loss: LossKind,
    lambda: f64,
) -> f64 {
    let tolerance = |facts: &Facts| accuracy(facts, loss, lambda).tolerance;
    let of_one = |rows: usize| match holders.classes() {
        None => output::sensitivity(rows, lambda),
        Some(_) => classes::minimiser_sensitivity(rows, lambda),
    };
    let moved = match weighting {
        Weighting::BySize => {
            let n = holders.rows() as f64;
            let error = holders.largest(|_, facts| facts.rows as f64 / n * tolerance(facts));
            of_one(holders.rows()) + 2.0 * error
        }
        Weighting::Printed => {
            let error = holders.largest(|_, facts| tolerance(facts));
            of_one(holders.fewest_rows()) + 2.0 * error
        }
    };
    moved * (1.0 + 4.0 * ROUNDING_SLACK)
}

/// No exact minimiser is longer than this: at it, (λ/2)‖θ‖² ≤ J(θ) ≤ J(0) = f(0), and λ‖θ‖ is the
/// length of a mean of slopes.
pub(super) fn longest_minimiser(holders: &Holders, loss: LossKind, lambda: f64) -> f64 {
    let Bounds { slope, start, .. } = Bounds::new(&holders.facts()[0], loss.loss());
    (slope / lambda).min((2.0 * start / lambda).sqrt()) * (1.0 + 4.0 * ROUNDING_SLACK)
}

/// The largest number in any holder's weighted model.
pub(super) fn bound(weighting: Weighting, holders: &Holders, loss: LossKind, lambda: f64) -> f64 {
    let longest = longest_minimiser(holders, loss, lambda);
    holders.largest(|holder, facts| {
        let weight = weighting.weight(holders, holder).to_f64().value();
        weight * (longest + accuracy(facts, loss, lambda).tolerance)
    }) * (1.0 + 4.0 * ROUNDING_SLACK)
}

/// Trains on one holder's rows.
pub(super) fn contribute(
    round: &Round,
    weighting: Weighting,
    holders: &Holders,
    holder: usize,
    (loss, lambda): (LossKind, f64),
    oracle: &dyn Oracle,
) -> Result<Contribution, JointError> {
    holders.check(holder, oracle)?;
    let minimiser = Problem::new(oracle, loss.loss(), lambda, 0.0).minimise(None)?;
    Ok(round.lattice().encode(&weighting.weight(holders, holder), minimiser))
}
