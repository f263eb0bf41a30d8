//! A plan: the mechanism, its noise and its gate, fixed from public numbers before a row is looked at.

use super::laws::{Shares, objective_laws, output_laws};
use super::{Method, TrainError, Training, auto_lambda, error, objective, output};
use crate::erm::Facts;
use crate::erm::solver::Accuracy;
use crate::loss::LossKind;
use discretion_privacy::Budget;
use discretion_privacy::account::Event;
use discretion_privacy::noise::Law;
use discretion_privacy::noise::gate::{Gate, Mask};
use serde::{Deserialize, Serialize};

/// Where the noise goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mechanism {
    /// b·θ/n is added to the objective.
    Objective,
    /// b is added to its minimiser.
    Output,
}

/// One way of spending the budget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    mechanism: Mechanism,
    law: Law,
    gate: Gate,
    accuracy: Accuracy,
    expected_error: f64,
    worst_error: f64,
}

impl Candidate {
    /// Where the noise goes.
    pub fn mechanism(&self) -> Mechanism {
        self.mechanism
    }

    /// Its law.
    pub fn law(&self) -> Law {
        self.law
    }

    /// How exactly the solver works.
    pub(crate) fn accuracy(&self) -> Accuracy {
        self.accuracy
    }

    /// What the gate adds.
    pub fn gate(&self) -> Gate {
        self.gate
    }

    /// Root mean square noise per coefficient, if rows of length 1 filled the space evenly.
    pub fn expected_error(&self) -> f64 {
        self.expected_error
    }

    /// The same for the least informative table there is (all rows zero).
    pub fn worst_error(&self) -> f64 {
        self.worst_error
    }
}

/// Everything public about a training run. Its fields are its own: a plan that could be edited would promise what
/// it no longer keeps.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    facts: Facts,
    loss: LossKind,
    lambda: f64,
    budget: Budget,
    chosen: Candidate,
    rejected: Vec<Candidate>,
    smallest_lambda: f64,
}

pub(super) fn plan(training: &Training, facts: Facts) -> Result<Plan, TrainError> {
    error::check_facts(facts)?;
    training.budget.checked()?;
    let loss = training.loss;
    let lambda = training.lambda.unwrap_or_else(|| auto_lambda(facts, loss, training.budget));
    error::check_lambda(lambda)?;
    let shares = Shares::new(training.budget);
    let smallest_lambda = objective::smallest_lambda(facts.rows, loss.loss().curvature_bound(), shares.pure);

    let build = Builder { facts, loss, lambda };
    let mut candidates = Vec::new();
    if training.method != Method::Output {
        candidates.extend(build.objective(&shares));
        if candidates.is_empty() {
            return Err(TrainError::LambdaTooSmall {
                lambda,
                smallest: smallest_lambda,
                rows: facts.rows,
                budget: training.budget,
            });
        }
    }
    if training.method != Method::Objective {
        candidates.extend(build.output(&shares));
    }
    candidates.sort_by(|a, b| a.expected_error.total_cmp(&b.expected_error));
    let chosen = candidates.remove(0);
    error::check_accuracy(chosen.accuracy, lambda)?;
    let budget = training.budget;
    Ok(Plan { facts, loss, lambda, budget, chosen, rejected: candidates, smallest_lambda })
}

struct Builder {
    facts: Facts,
    loss: LossKind,
    lambda: f64,
}

impl Builder {
    /// Objective perturbation under every law the budget allows; empty if λ is too small.
    fn objective(&self, shares: &Shares) -> Vec<Candidate> {
        let t = self.loss.loss().curvature_bound();
        objective_laws(self.facts.rows, self.lambda, t, shares)
            .into_iter()
            .map(|(law, mask)| self.candidate(Mechanism::Objective, law, mask))
            .collect()
    }

    /// Output perturbation under every law the budget allows.
    fn output(&self, shares: &Shares) -> Vec<Candidate> {
        let sensitivity = output::sensitivity(self.facts.rows, self.lambda);
        output_laws(sensitivity, shares)
            .into_iter()
            .map(|(law, mask)| self.candidate(Mechanism::Output, law, mask))
            .collect()
    }

    fn candidate(&self, mechanism: Mechanism, law: Law, mask: Mask) -> Candidate {
        let (n, d) = (self.facts.rows as f64, self.facts.dimension);
        let loss = self.loss.loss();
        let ordinary = match mechanism {
            Mechanism::Objective => law.ordinary_length(d),
            Mechanism::Output => 0.0,
        };
        let accuracy = Accuracy::new(self.facts, loss, self.lambda, ordinary);
        let tolerance = match mechanism {
            Mechanism::Objective => objective::tolerance(&accuracy, self.lambda),
            Mechanism::Output => output::tolerance(&accuracy),
        };
        let gate = Gate::new(d, tolerance, mask);
        let length = law.typical_length(d);
        let (expected, worst) = match mechanism {
            Mechanism::Objective => {
                // Half the largest curvature, in each of d directions alike.
                let typical_curvature = 0.5 * loss.curvature_bound() / d as f64;
                (length / (n * (self.lambda + typical_curvature)), length / (n * self.lambda))
            }
            Mechanism::Output => (length, length),
        };
        let per_coefficient =
            |length: f64| (length * length / d as f64 + gate.mask_deviation().powi(2)).sqrt();
        Candidate {
            mechanism,
            law,
            gate,
            accuracy,
            expected_error: per_coefficient(expected),
            worst_error: per_coefficient(worst),
        }
    }
}

impl Plan {
    /// The table's public facts.
    pub fn facts(&self) -> Facts {
        self.facts
    }

    /// The loss.
    pub fn loss(&self) -> LossKind {
        self.loss
    }

    /// λ.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// What the run costs.
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// The mechanism that runs.
    pub fn chosen(&self) -> &Candidate {
        &self.chosen
    }

    /// The same plan with a feasible mechanism whose noise is like this, if there is one: for audits of what is seldom
    /// taken.
    pub fn with_law(mut self, is_wanted: impl Fn(Law) -> bool) -> Plan {
        if let Some(other) = self.rejected.iter_mut().find(|candidate| is_wanted(candidate.law)) {
            std::mem::swap(other, &mut self.chosen);
        }
        self
    }

    /// Those that were feasible and not taken.
    pub fn rejected(&self) -> &[Candidate] {
        &self.rejected
    }

    /// The smallest λ for which objective perturbation is feasible.
    pub fn smallest_lambda(&self) -> f64 {
        self.smallest_lambda
    }

    /// What running this plan does to the table, for an account: the mechanism and its mask.
    pub fn event(&self) -> Event {
        let Facts { rows, dimension, .. } = self.facts;
        let (lambda, noise) = (self.lambda, self.chosen.law);
        let curvature_bound = self.loss.loss().curvature_bound();
        let ideal = match self.chosen.mechanism {
            Mechanism::Objective => {
                Event::ObjectivePerturbation { rows, dimension, lambda, curvature_bound, noise }
            }
            Mechanism::Output => Event::OutputPerturbation { rows, dimension, lambda, noise },
        };
        Event::Composition { of: vec![ideal, self.chosen.gate.mask().into()] }
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
