//! The first round: the average of what holders train alone.

use super::lattice::Contribution;
use super::{Holders, JointError, Round, Weighting};
use crate::erm::solver::{Accuracy, Problem};
use crate::erm::{Facts, Oracle};
use crate::outcome::{Bounds, LossKind, Outcome};
use crate::train::{TrainError, only_margins, outcome_of};
use discretion_privacy::ROUNDING_SLACK;

/// The outcome of what a study trains; [`check`] refused what is none.
fn outcome(holders: &Holders, loss: LossKind) -> Box<dyn Outcome> {
    loss.outcome(holders.heads()).expect("a study is checked first")
}

/// How exactly a holder trains.
fn accuracy(facts: &Facts, outcome: &dyn Outcome, lambda: f64) -> Accuracy {
    Accuracy::new(facts, &outcome.bounds(), lambda, 0.0)
}

/// Refuses a λ that some holder cannot solve for.
pub(super) fn check(holders: &Holders, loss: LossKind, lambda: f64) -> Result<(), JointError> {
    only_margins(loss)?;
    let outcome = outcome_of(holders.heads(), loss)?;
    if !(lambda.is_finite() && lambda > 0.0) {
        return Err(TrainError::Lambda(lambda).into());
    }
    let is_solvable = |facts: &Facts| accuracy(facts, &*outcome, lambda).is_meaningful();
    if (1e-12..=1e6).contains(&lambda) && holders.facts().iter().all(is_solvable) {
        Ok(())
    } else {
        Err(TrainError::LambdaPrecision(lambda).into())
    }
}

/// How far the weighted average of *computed* models moves when one row is replaced, before
/// rounding to the lattice.
///
/// By size: 2·slope/(nλ) + 2·max (n_j/n)τ_j, where the slope is √2 for several classes and else 1.
/// Printed: what the smallest holder's own model moves, which is K times as much as its share of
/// the average does.
pub(super) fn sensitivity(
    weighting: Weighting,
    holders: &Holders,
    loss: LossKind,
    lambda: f64,
) -> f64 {
    let outcome = outcome(holders, loss);
    let tolerance = |facts: &Facts| accuracy(facts, &*outcome, lambda).tolerance;
    let of_one = |rows: usize| outcome.bounds().minimiser_shift(rows, lambda);
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
    let Bounds { slope, start, .. } = outcome(holders, loss).bounds();
    (slope / lambda).min((2.0 * start / lambda).sqrt()) * (1.0 + 4.0 * ROUNDING_SLACK)
}

/// The largest number in any holder's weighted model.
pub(super) fn bound(weighting: Weighting, holders: &Holders, loss: LossKind, lambda: f64) -> f64 {
    let (longest, outcome) = (longest_minimiser(holders, loss, lambda), outcome(holders, loss));
    holders.largest(|holder, facts| {
        let weight = weighting.weight(holders, holder).to_f64().value();
        weight * (longest + accuracy(facts, &*outcome, lambda).tolerance)
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
    let minimiser = Problem::new(oracle, &*outcome(holders, loss), lambda, 0.0).minimise(None)?;
    Ok(round.lattice().encode(&weighting.weight(holders, holder), minimiser))
}
