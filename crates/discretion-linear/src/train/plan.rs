//! A plan: the mechanism, its noise and its gate, fixed from public numbers before a row is looked
//! at.

use super::laws::{Shares, objective_laws, output_laws};
use super::predict::TypicalRows;
use super::{Method, Pricing, TrainError, Training, auto, error, objective, output};
use crate::erm::Facts;
use crate::erm::solver::Accuracy;
use crate::outcome::{Bounds, LossKind, Outcome, Size};
use discretion_privacy::Budget;
use discretion_privacy::account::Event;
use discretion_privacy::noise::TrainingLaw;
use discretion_privacy::noise::gate::{Gate, Mask};
use serde::{Deserialize, Serialize};

mod penalty_centre;
pub(super) use penalty_centre::PenaltyCentre;

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
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    mechanism: Mechanism,
    law: TrainingLaw,
    gate: Gate,
    accuracy: Accuracy,
    expected_error: f64,
    worst_error: f64,
    coefficient_deviations: Vec<f64>,
}

impl Candidate {
    /// Where the noise goes.
    pub fn mechanism(&self) -> Mechanism {
        self.mechanism
    }

    /// Its law.
    pub fn law(&self) -> &TrainingLaw {
        &self.law
    }

    /// How exactly the solver works.
    pub(crate) fn accuracy(&self) -> Accuracy {
        self.accuracy
    }

    /// What the gate adds.
    pub fn gate(&self) -> Gate {
        self.gate
    }

    /// How far the noise moves a margin θ·x, root mean square: if numbers fill their ranges evenly
    /// and categories are equally frequent, or, where the shape of a row is not known, if rows of
    /// length 1 fill the space evenly.
    pub fn expected_error(&self) -> f64 {
        self.expected_error
    }

    /// The same if the rows that trained said nothing (all of them zero).
    pub fn worst_error(&self) -> f64 {
        self.worst_error
    }

    /// How far the noise moves a coefficient of each column, or each one where the shape of a row
    /// is not known, by the same measure.
    pub fn coefficient_deviations(&self) -> &[f64] {
        &self.coefficient_deviations
    }
}

/// Everything public about a training run. Its fields are its own: a plan that could be edited
/// might promise too much.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    facts: Facts,
    loss: LossKind,
    lambda: f64,
    budget: Budget,
    pricing: Pricing,
    chosen: Candidate,
    rejected: Vec<Candidate>,
    smallest_lambda: f64,
    around: PenaltyCentre,
}

/// The best plan whose law is one of those that are wanted.
pub(crate) fn plan_among(
    training: &Training,
    facts: Facts,
    pricing: Pricing,
    is_wanted: fn(&TrainingLaw) -> bool,
) -> Result<Plan, TrainError> {
    error::check_facts(&facts)?;
    let outcome = error::outcome_of(facts.heads(), training.loss)?;
    training.budget.checked()?;
    let loss = training.loss;
    let lambda =
        training.lambda.unwrap_or_else(|| auto::lambda_of(&facts, &*outcome, training.budget));
    error::check_lambda(lambda)?;
    let shares = Shares::new(training.budget);
    let bounds = outcome.bounds();
    let smallest_lambda = facts.smallest_lambda(&bounds, shares.pure);

    let build = Builder { facts: &facts, bounds, lambda, pricing, longest_shift: 0.0 };
    let mut candidates = Vec::new();
    if training.method != Method::Output {
        candidates.extend(build.objective(&shares));
        candidates.retain(|candidate: &Candidate| is_wanted(&candidate.law));
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
        candidates.extend(
            build.output(&shares).into_iter().filter(|candidate| is_wanted(&candidate.law)),
        );
    }
    // Those that come first are simpler: others must be better by more than rounding.
    let order = |error: f64| (error.ln() * 1e9).round();
    candidates.sort_by(|a, b| order(a.expected_error).total_cmp(&order(b.expected_error)));
    let chosen = candidates.remove(0);
    error::check_accuracy(chosen.accuracy, lambda)?;
    let budget = training.budget;
    let around = PenaltyCentre::default();
    let rejected = candidates;
    Ok(Plan { facts, loss, lambda, budget, pricing, chosen, rejected, smallest_lambda, around })
}

struct Builder<'f> {
    facts: &'f Facts,
    bounds: Bounds,
    lambda: f64,
    pricing: Pricing,
    /// How far b may be moved on purpose.
    longest_shift: f64,
}

/// Whether noise in the objective, the gate's mask included, is expected to move a margin by no
/// more than this under some law.
pub(super) fn moves_at_most(
    facts: &Facts,
    bounds: Bounds,
    lambda: f64,
    shares: &Shares,
    error: f64,
) -> bool {
    let pricing = Pricing::Separate;
    let build = Builder { facts, bounds, lambda, pricing, longest_shift: 0.0 };
    build.objective(shares).iter().any(|candidate| candidate.expected_error <= error)
}

impl Builder<'_> {
    /// Objective perturbation under every law the budget allows; empty if λ is too small.
    fn objective(&self, shares: &Shares) -> Vec<Candidate> {
        objective_laws(self.facts, &self.bounds, self.lambda, self.pricing, shares)
            .into_iter()
            .map(|(law, mask)| self.candidate(Mechanism::Objective, law, mask))
            .collect()
    }

    /// Output perturbation under every law the budget allows.
    fn output(&self, shares: &Shares) -> Vec<Candidate> {
        let sensitivity = self.bounds.minimiser_shift(self.facts.rows, self.lambda);
        output_laws(sensitivity, shares)
            .into_iter()
            .map(|(law, mask)| self.candidate(Mechanism::Output, law.into(), mask))
            .collect()
    }

    fn candidate(&self, mechanism: Mechanism, law: TrainingLaw, mask: Mask) -> Candidate {
        let Builder { facts, bounds, lambda, .. } = self;
        let ordinary = match mechanism {
            Mechanism::Objective => {
                facts.heads().noise(&law, facts.row_dimension()).ordinary_length()
            }
            Mechanism::Output => 0.0,
        };
        let accuracy = Accuracy::new(facts, bounds, *lambda, ordinary + self.longest_shift);
        let tolerance = match mechanism {
            Mechanism::Objective => objective::tolerance(&accuracy, *lambda),
            Mechanism::Output => output::tolerance(&accuracy),
        };
        let gate = Gate::new(facts.dimension, tolerance, mask);
        let rows = TypicalRows::new(facts, bounds, *lambda);
        let (expected, worst, deviations) = match mechanism {
            Mechanism::Objective => (
                rows.objective_error(&law),
                rows.worst_objective_error(&law),
                rows.coefficient_deviations(&law),
            ),
            Mechanism::Output => {
                let error = rows.output_error(&law);
                (error, error, rows.variances(&law).into_iter().map(f64::sqrt).collect())
            }
        };
        let mask = gate.mask_deviation();
        Candidate {
            mechanism,
            law,
            gate,
            accuracy,
            // Rows have length 1 at most.
            expected_error: expected.hypot(mask),
            worst_error: worst.hypot(mask),
            coefficient_deviations: deviations,
        }
    }
}

impl Plan {
    /// The table's public facts.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The loss.
    pub fn loss(&self) -> LossKind {
        self.loss
    }

    /// What is predicted, of rows with these facts.
    pub(crate) fn outcome(&self) -> Box<dyn Outcome> {
        self.loss.outcome(self.facts.heads()).expect("it was there when the plan was made")
    }

    /// λ.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// What the run costs.
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// How slope and curvature are paid for.
    pub fn pricing(&self) -> Pricing {
        self.pricing
    }

    /// The mechanism that runs.
    pub fn chosen(&self) -> &Candidate {
        &self.chosen
    }

    /// The same plan with a feasible mechanism whose noise is like this, if there is one: for
    /// audits of what is seldom taken.
    pub fn with_law(mut self, is_wanted: impl Fn(&TrainingLaw) -> bool) -> Plan {
        if is_wanted(&self.chosen.law) {
            return self;
        }
        if let Some(other) = self.rejected.iter_mut().find(|candidate| is_wanted(&candidate.law)) {
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
        let (facts, bounds, lambda) = (&self.facts, self.outcome().bounds(), self.lambda);
        let (unit, rows, dimension) = (facts.unit, facts.rows, facts.row_dimension());
        let (heads, size) = (facts.heads(), Size { unit, rows, dimension });
        let ideal = match (self.chosen.mechanism, &self.chosen.law) {
            (Mechanism::Objective, noise) => {
                let curvature = self.pricing.curvature(&bounds);
                bounds.objective_event(heads, size, lambda, curvature, noise)
            }
            (Mechanism::Output, &TrainingLaw::Round(noise)) => {
                bounds.output_event(heads, size, lambda, noise)
            }
            (Mechanism::Output, TrainingLaw::Shaped(_)) => {
                unreachable!("a minimiser moves by a length, not by a shape")
            }
        };
        Event::Composition { of: vec![ideal, self.chosen.gate.mask().into()] }
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "plan_error_tests.rs"]
mod error_tests;
