//! What an event is made of, in the few shapes that prices know, and its chance of failing.

use super::rounding::{add_up, formula_up, sum_up, times_up};
use crate::{Curve, JointPrice, Stopped, Stopping, Term};
use std::cmp::Ordering;
use std::sync::Arc;

/// Parts, each with how often it is run, in their order.
pub(super) type List = Vec<(Part, u64)>;

/// An indivisible part of an event. All numbers are positive and finite.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    /// An ε-DP mechanism.
    Pure { epsilon: f64 },
    /// Continuous Gaussian noise of μ = Δ/σ.
    Gaussian { mu: f64 },
    /// A ρ-zCDP mechanism.
    Concentrated { rho: f64 },
    /// Exact discrete Gaussian noise of this ρ, whose parameter is at least this many lattice
    /// steps.
    Lattice { rho: f64, sigma: f64 },
    /// Objective perturbation with Gaussian noise.
    GaussianObjective { sigma: f64, curvature: f64 },
    /// Objective perturbation with Gaussian noise of a loss whose curvature follows its slope.
    GaussianLogistic { sigma: f64, curvature: f64, joint: JointPrice },
    /// Objective perturbation with Gaussian noise of several classes.
    GaussianClasses { sigma: f64, curvature: f64, classes: usize, joint: Option<JointPrice> },
    /// The same for slopes of either sign.
    GaussianResiduals { sigma: f64, curvature: f64 },
    /// The best of a random number of runs. Each list is what a run does to one part of the table.
    /// Their curve takes a while, and every rule asks for it.
    Stopped { law: Stopping, runs: Vec<List>, curve: Arc<Stopped> },
    /// One of these lists: what is done to each part of a table. Which one a row meets is fixed
    /// before anything is run.
    Parallel { of: Vec<List> },
    /// One of these lists, by what was released before.
    OneOf { of: Vec<List> },
    /// With this probability no other part holds.
    Failure { delta: f64 },
}

impl Part {
    /// Positive floating-point numbers are ordered as their bits are.
    fn key(&self) -> Vec<u64> {
        match self {
            Part::Pure { epsilon } => vec![0, epsilon.to_bits()],
            Part::Gaussian { mu } => vec![1, mu.to_bits()],
            Part::Concentrated { rho } => vec![2, rho.to_bits()],
            Part::GaussianObjective { sigma, curvature } => {
                vec![3, sigma.to_bits(), curvature.to_bits()]
            }
            Part::GaussianLogistic { sigma, curvature, joint } => {
                let mut key = vec![11, sigma.to_bits(), curvature.to_bits()];
                key.extend(joint.key());
                key
            }
            Part::GaussianClasses { sigma, curvature, classes, joint } => {
                let mut key = vec![7, sigma.to_bits(), curvature.to_bits(), *classes as u64];
                key.extend(joint.iter().flat_map(JointPrice::key));
                key
            }
            Part::GaussianResiduals { sigma, curvature } => {
                vec![8, sigma.to_bits(), curvature.to_bits()]
            }
            Part::Lattice { rho, sigma } => vec![9, rho.to_bits(), sigma.to_bits()],
            Part::Failure { delta } => vec![4, delta.to_bits()],
            Part::Stopped { law, runs, .. } => {
                let mut key = vec![5, law.shape().to_bits(), u64::from(law.most())];
                extend_key(&mut key, runs);
                key
            }
            Part::Parallel { of } => {
                let mut key = vec![6];
                extend_key(&mut key, of);
                key
            }
            Part::OneOf { of } => {
                let mut key = vec![10];
                extend_key(&mut key, of);
                key
            }
        }
    }
}

fn extend_key(key: &mut Vec<u64>, lists: &[List]) {
    key.push(lists.len() as u64);
    for list in lists {
        key.push(list.len() as u64);
        for (part, count) in list {
            key.extend(part.key());
            key.push(*count);
        }
    }
}

impl Part {
    /// The Rényi curve of a part whose curve is not a straight line through 0.
    pub(super) fn bent(&self) -> Option<Term> {
        match self {
            &Part::Pure { epsilon } => Some(Term::Pure { epsilon }),
            &Part::GaussianObjective { sigma, curvature } => {
                Some(Term::GaussianObjective { sigma, curvature })
            }
            &Part::GaussianLogistic { sigma, curvature, joint } => {
                Some(Term::GaussianLogistic { sigma, curvature, joint })
            }
            &Part::GaussianClasses { sigma, curvature, classes, joint } => {
                Some(Term::GaussianClasses { sigma, curvature, classes, joint })
            }
            &Part::GaussianResiduals { sigma, curvature } => {
                Some(Term::GaussianResiduals { sigma, curvature })
            }
            Part::Stopped { curve, .. } => Some(Term::Stopped(curve.clone())),
            Part::Parallel { of } | Part::OneOf { of } => Some(Term::Largest(curves_of(of))),
            Part::Gaussian { .. }
            | Part::Concentrated { .. }
            | Part::Lattice { .. }
            | Part::Failure { .. } => None,
        }
    }

    /// The probability with which it does not hold.
    pub(super) fn failure(&self) -> f64 {
        match self {
            Part::Failure { delta } => *delta,
            // A row is in one of the parts, and one of several events happens.
            Part::Parallel { of } | Part::OneOf { of } => {
                of.iter().map(|list| failure_of(list)).fold(0.0, f64::max)
            }
            _ => 0.0,
        }
    }

    /// ε of a part that is pure up to failing.
    fn pure_epsilon(&self) -> Option<f64> {
        match self {
            Part::Pure { epsilon } => Some(*epsilon),
            Part::Failure { .. } => Some(0.0),
            Part::Parallel { of } | Part::OneOf { of } => {
                of.iter().try_fold(0.0, |most: f64, list| Some(most.max(pure_sum(list)?)))
            }
            _ => None,
        }
    }

    /// ρ of a part whose Rényi curve is ρα, else 0.
    pub(super) fn linear(&self) -> f64 {
        match *self {
            Part::Gaussian { mu } => formula_up(0.5 * mu * mu),
            Part::Concentrated { rho } | Part::Lattice { rho, .. } => rho,
            _ => 0.0,
        }
    }
}

/// The parts of a list, as a spend has them.
pub(super) fn each(list: &[(Part, u64)]) -> impl Iterator<Item = (&Part, u64)> {
    list.iter().map(|(part, count)| (part, *count))
}

/// The Rényi curve of each list.
pub(super) fn curves_of(lists: &[List]) -> Vec<Curve> {
    lists.iter().map(|list| curve(each(list))).collect()
}

/// Σε of a list that is pure up to failing.
pub(super) fn pure_sum(list: &[(Part, u64)]) -> Option<f64> {
    pure_sum_of(each(list))
}

/// Σε of parts that are all pure up to failing.
pub(super) fn pure_sum_of<'a>(parts: impl Iterator<Item = (&'a Part, u64)>) -> Option<f64> {
    let epsilons = parts.map(|(part, count)| Some((part.pure_epsilon()?, count)));
    epsilons.collect::<Option<Vec<_>>>().map(sum_up)
}

/// The Rényi curve of these parts. All straight parts are one term.
pub(super) fn curve<'a>(parts: impl IntoIterator<Item = (&'a Part, u64)>) -> Curve {
    let mut curve = Curve::default();
    let mut rho = 0.0;
    for (part, count) in parts {
        match part.bent() {
            Some(term) => curve = curve.and_times(term, count),
            None => rho = add_up(rho, times_up(count, part.linear())),
        }
    }
    if rho > 0.0 { curve.and(Term::Zcdp { rho }) } else { curve }
}

/// The probability with which some part of a list does not hold.
pub(super) fn failure_of(list: &[(Part, u64)]) -> f64 {
    sum_up(list.iter().map(|(part, count)| (part.failure(), *count)))
}

impl Eq for Part {}

impl Ord for Part {
    fn cmp(&self, other: &Part) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Part {
    fn partial_cmp(&self, other: &Part) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
