//! From an event to its parts: its numbers are checked, and the formulas of the proofs make prices
//! of them.

use super::check::Check;
use super::event::{Curvature, Event, EventError, Law, MaskNoise};
use super::objective::ObjectiveNoise;
use super::part::{List, Part, curves_of, failure_of, pure_sum};
use super::rounding::{add_up, formula_up};
use super::shaped::{ShapeError, ShapedLaw, TrainingLaw};
use super::training::{
    CLASSES_SLOPE, classes_minimiser_sensitivity, classes_trace, curvature_price,
    minimiser_sensitivity,
};
use crate::losses::{MASK_STEPS, QUERY_STEPS, in_steps};
use crate::{LogisticRow, Pure, Stopped, Stopping, Unit};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Checks an event and takes it apart: `found` is called with each part and how often it was run.
pub(super) fn take_apart(
    event: &Event,
    found: &mut dyn FnMut(Part, u64),
) -> Result<(), EventError> {
    let kind = event.kind();
    let check = Check { kind };
    let bounded = |x: f64| check.bounded(x);
    match event {
        &Event::ObjectivePerturbation {
            rows,
            dimension,
            lambda,
            curvature_bound,
            noise,
            unit,
            curvature,
        } => {
            let numbers = (rows, dimension, lambda);
            let priced = margin(&check, numbers, unit, curvature_bound, curvature)?;
            one(found, priced.round(noise)?);
        }
        Event::ShapedObjectivePerturbation {
            rows,
            lambda,
            curvature_bound,
            noise,
            unit,
            curvature,
        } => {
            noise.check()?;
            let numbers = (*rows, noise.columns().dimension(), *lambda);
            let priced = margin(&check, numbers, *unit, *curvature_bound, *curvature)?;
            one(found, priced.shaped(noise)?);
        }
        Event::ResidualObjectivePerturbation {
            rows,
            dimension,
            lambda,
            curvature_bound,
            noise,
            unit,
        } => {
            let rank = unit.curvature_rank(*dimension);
            let curvature =
                one_margin(&check, (*rows, *dimension, *lambda), rank, *curvature_bound)?;
            let gaussian = |sigma| Part::GaussianResiduals { sigma, curvature };
            let priced = ObjectiveNoise {
                check: &check,
                sensitivity: 2.0,
                curvature,
                joint: None,
                gaussian,
            };
            one(found, priced.of(noise, *dimension)?);
        }
        Event::ClassesObjectivePerturbation {
            classes,
            rows,
            dimension,
            lambda,
            noise,
            unit,
            curvature,
        } => {
            check.classes(*classes)?;
            check.rows(*rows, *dimension, *lambda)?;
            if matches!(noise, TrainingLaw::Shaped(ShapedLaw::RowNorm { .. })) {
                return Err(ShapeError("noise of several classes has no row norm").into());
            }
            let rank = unit.classes_curvature_rank(*classes, *dimension);
            let price = curvature_price(rank, *rows, *lambda, classes_trace(*classes));
            let apart = check.bounded(price)?;
            let row = LogisticRow::of_classes(*classes);
            let joint = curvature.joint_price(row, *unit, (*rows, *dimension, *lambda));
            let (classes, curvature) = (*classes, apart);
            let gaussian = |sigma| Part::GaussianClasses { sigma, curvature, classes, joint };
            let sensitivity = 2.0 * CLASSES_SLOPE;
            let priced = ObjectiveNoise { check: &check, sensitivity, curvature, joint, gaussian };
            one(found, priced.of(noise, *dimension)?);
        }
        &Event::OutputPerturbation { rows, dimension, lambda, noise } => {
            check.rows(rows, dimension, lambda)?;
            let sensitivity = bounded(minimiser_sensitivity(rows, lambda))?;
            match noise {
                Law::Spherical { scale } => {
                    check.positive("scale", scale)?;
                    pure(found, bounded((sensitivity / scale).next_up())?, 1);
                }
                Law::Gaussian { sigma } => found(gaussian(&check, sensitivity, sigma)?, 1),
            }
        }
        &Event::ClassesOutputPerturbation { classes, rows, dimension, lambda, noise } => {
            check.classes(classes)?;
            check.rows(rows, dimension, lambda)?;
            let sensitivity = bounded(classes_minimiser_sensitivity(rows, lambda))?;
            match noise {
                Law::Spherical { scale } => {
                    check.positive("scale", scale)?;
                    pure(found, bounded((sensitivity / scale).next_up())?, 1);
                }
                Law::Gaussian { sigma } => found(gaussian(&check, sensitivity, sigma)?, 1),
            }
        }
        &Event::Mask { noise: MaskNoise::Laplace { epsilon } } => {
            pure(found, check.not_negative("epsilon", epsilon)?, 1)
        }
        &Event::Mask { noise: MaskNoise::Gaussian { rho } } => {
            found(lattice(check.positive("rho", rho)?, MASK_STEPS), 1);
        }
        &Event::Selection { candidates, epsilon } => {
            check.at_least_one("candidates", candidates as u64)?;
            pure(found, check.not_negative("epsilon", epsilon)?, 1);
        }
        &Event::SparseVector { runs, epsilon_each, delta } => {
            check.at_least_one("runs", runs)?;
            pure(found, check.not_negative("epsilon_each", epsilon_each)?, runs);
            failure(&check, delta, found)?;
        }
        &Event::GaussianTests { tests, sigma, delta } => {
            check.at_least_one("tests", tests)?;
            found(gaussian(&check, 1.0, sigma)?, tests);
            failure(&check, delta, found)?;
        }
        &Event::NoisyMaximum { queries, sigma } => {
            check.at_least_one("queries", queries)?;
            // A vote that moves takes 1 from one count and adds 1 to another.
            found(gaussian(&check, std::f64::consts::SQRT_2.next_up(), sigma)?, queries);
        }
        &Event::ExponentialVotes { queries, eta } => {
            check.at_least_one("queries", queries)?;
            check.positive("eta", eta)?;
            found(
                Part::Concentrated { rho: positive(bounded(formula_up(0.5 * eta * eta))?) },
                queries,
            );
        }
        &Event::NoisySums { queries, sigma } => {
            check.at_least_one("queries", queries)?;
            found(gaussian(&check, 1.0, sigma)?, queries);
        }
        &Event::Gaussian { sensitivity, sigma } => {
            found(gaussian(&check, check.positive("sensitivity", sensitivity)?, sigma)?, 1);
        }
        &Event::DiscreteGaussian { sensitivity, sigma } => {
            check.positive("sensitivity", sensitivity)?;
            check.positive("sigma", sigma)?;
            let mu = sensitivity / sigma;
            found(Part::Concentrated { rho: positive(bounded(formula_up(0.5 * mu * mu))?) }, 1);
        }
        Event::Pure { epsilon, .. } => pure(found, check.not_negative("epsilon", *epsilon)?, 1),
        Event::Concentrated { rho, .. } => {
            found(Part::Concentrated { rho: check.positive("rho", *rho)? }, 1);
        }
        Event::LatticeGaussian { rho, .. } => {
            found(lattice(check.positive("rho", *rho)?, QUERY_STEPS), 1);
        }
        Event::Approximate { epsilon, delta, .. } => {
            pure(found, check.not_negative("epsilon", *epsilon)?, 1);
            failure(&check, *delta, found)?;
        }
        Event::RandomStopping { shape, most, one_of } => {
            check.at_least_one("one_of", one_of.len() as u64)?;
            let law = Stopping::new(*shape, *most)?;
            found(stopped(law, one_of, kind)?, 1);
        }
        Event::Composition { of } => {
            for event in of {
                take_apart(event, found)?;
            }
        }
        Event::Parallel { of } => {
            check.at_least_one("of", of.len() as u64)?;
            alternatives(of, |of| Part::Parallel { of }, found)?;
        }
        Event::OneOf { of } => {
            check.at_least_one("of", of.len() as u64)?;
            alternatives(of, |of| Part::OneOf { of }, found)?;
        }
    }
    Ok(())
}

/// An event's parts, each with how often it is run.
fn list_of(event: &Event) -> Result<List, EventError> {
    let mut parts: BTreeMap<Part, u64> = BTreeMap::new();
    let mut is_countable = true;
    take_apart(event, &mut |part, times| {
        let count = parts.entry(part).or_default();
        match count.checked_add(times) {
            Some(more) => *count = more,
            None => is_countable = false,
        }
    })?;
    if is_countable {
        Ok(parts.into_iter().collect())
    } else {
        Err(EventError::Boundless(event.kind()))
    }
}

/// Reports events of which one is what happens to a row: as `part`, unless simpler parts say the
/// same. Equal lists count once.
fn alternatives(
    of: &[Event],
    part: impl Fn(Vec<List>) -> Part,
    found: &mut dyn FnMut(Part, u64),
) -> Result<(), EventError> {
    let lists: BTreeSet<List> = of.iter().map(list_of).collect::<Result<_, _>>()?;
    if lists.len() == 1 {
        lists.into_iter().flatten().for_each(|(part, count)| found(part, count));
    } else if lists.iter().all(|list| is_one_pure(list)) {
        let most = |of: fn(&List) -> f64| lists.iter().map(of).fold(0.0, f64::max);
        pure(found, most(|list| pure_sum(list).unwrap_or(0.0)), 1);
        let delta = most(|list| failure_of(list));
        if delta > 0.0 {
            found(Part::Failure { delta }, 1);
        }
    } else {
        found(part(lists.into_iter().collect()), 1);
    }
    Ok(())
}

/// Returns true if a list is at most one pure mechanism, up to failing: then its ε says everything.
fn is_one_pure(list: &[(Part, u64)]) -> bool {
    let mechanisms = || list.iter().filter(|(part, _)| !matches!(part, Part::Failure { .. }));
    mechanisms().all(|(part, count)| matches!(part, Part::Pure { .. }) && *count == 1)
        && mechanisms().count() <= 1
}

/// The best of K runs: pure if they are.
fn stopped(law: Stopping, one_of: &[Event], kind: &'static str) -> Result<Part, EventError> {
    let runs = one_of.iter().map(list_of).collect::<Result<Vec<_>, _>>()?;
    if runs.iter().any(|run| failure_of(run) > 0.0) {
        return Err(EventError::RunWithDelta(kind));
    }
    let pure: Option<Vec<f64>> = runs.iter().map(|run| pure_sum(run)).collect();
    Ok(match pure {
        // A run does only one of them to a row.
        Some(epsilons) => {
            let worst = Pure { epsilon: epsilons.into_iter().fold(0.0, f64::max) };
            Part::Pure { epsilon: positive(law.pure(worst).epsilon) }
        }
        None => {
            let curve = Arc::new(Stopped::new(law, curves_of(&runs)));
            Part::Stopped { law, runs, curve }
        }
    })
}

/// Noise in the objective of a loss of one margin that never increases.
fn margin<'c>(
    check: &'c Check,
    numbers: (usize, usize, f64),
    unit: Unit,
    curvature_bound: f64,
    curvature: Curvature,
) -> Result<ObjectiveNoise<'c, impl Fn(f64) -> Part>, EventError> {
    let apart = one_margin(check, numbers, unit.curvature_rank(numbers.1), curvature_bound)?;
    let joint = curvature.joint_price(LogisticRow::MARGIN, unit, numbers);
    let gaussian = move |sigma| match joint {
        None => Part::GaussianObjective { sigma, curvature: apart },
        Some(joint) => Part::GaussianLogistic { sigma, curvature: apart, joint },
    };
    Ok(ObjectiveNoise { check, sensitivity: 2.0, curvature: apart, joint, gaussian })
}

/// What curvature costs a loss of one margin, or of one residual, if what is replaced bends it in
/// so many directions.
fn one_margin(
    check: &Check,
    (rows, dimension, lambda): (usize, usize, f64),
    rank: usize,
    curvature_bound: f64,
) -> Result<f64, EventError> {
    check.rows(rows, dimension, lambda)?;
    check.not_negative("curvature_bound", curvature_bound)?;
    check.bounded(curvature_price(rank, rows, lambda, curvature_bound))
}

/// One part, unless it is free.
fn one(found: &mut dyn FnMut(Part, u64), part: Part) {
    match part {
        Part::Pure { epsilon } => pure(found, epsilon, 1),
        other => found(other, 1),
    }
}

fn gaussian(check: &Check, sensitivity: f64, sigma: f64) -> Result<Part, EventError> {
    check.positive("sigma", sigma)?;
    let mu = (sensitivity / sigma).next_up();
    if (mu * mu).is_finite() {
        Ok(Part::Gaussian { mu })
    } else {
        Err(EventError::Boundless(check.kind))
    }
}

/// Discrete Gaussian noise of ρ on a lattice, of which it hides so many steps.
fn lattice(rho: f64, hidden: f64) -> Part {
    Part::Lattice { rho, sigma: in_steps(rho, hidden) }
}

fn pure(found: &mut dyn FnMut(Part, u64), epsilon: f64, times: u64) {
    if epsilon > 0.0 {
        found(Part::Pure { epsilon }, times);
    }
}

fn failure(check: &Check, delta: f64, found: &mut dyn FnMut(Part, u64)) -> Result<(), EventError> {
    check.within("delta", delta, "at least 0 and below 1", (0.0..1.0).contains(&delta))?;
    if delta > 0.0 {
        found(Part::Failure { delta }, 1);
    }
    Ok(())
}

/// A price that underflowed to 0 is still a price.
fn positive(x: f64) -> f64 {
    add_up(x, f64::MIN_POSITIVE)
}
