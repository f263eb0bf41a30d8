//! A penalty around another point than 0: (λ/2)‖θ − (c, 0, …, 0)‖², where c is public or was
//! released before (`objective/PROOF.md`, "A penalty around a released intercept").

use super::{Builder, Candidate, Mechanism, Plan, error};
use crate::outcome::Heads;
use crate::train::TrainError;
use discretion_privacy::noise::NoiseVector;

/// Where the penalty has its minimum.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::train) struct PenaltyCentre {
    /// The furthest from 0 that it may be.
    most: f64,
    /// Where it is.
    centre: f64,
}

impl Plan {
    /// The same plan for a penalty around any intercept that is at most so far from 0: every public
    /// number is fixed before it is known where. The law of the noise and its price stay as they
    /// are. Objective perturbation of margins alone has this.
    pub fn around_at_most(&self, most: f64) -> Result<Plan, TrainError> {
        assert!(most.is_finite() && most >= 0.0, "the furthest centre is a number");
        assert!(
            self.facts.heads() == Heads::One && self.chosen.mechanism == Mechanism::Objective,
            "a centre is one head's, in the objective"
        );
        let (facts, lambda, pricing) = (&self.facts, self.lambda, self.pricing);
        let bounds = self.outcome().bounds();
        // Up by more than the rounding of a product of three.
        let longest_shift = facts.rows as f64 * lambda * most * (1.0 + 1e-12);
        let build = Builder { facts, bounds, lambda, pricing, longest_shift };
        let moved = |candidate: &Candidate| {
            build.candidate(candidate.mechanism, candidate.law.clone(), candidate.gate.mask())
        };
        let chosen = moved(&self.chosen);
        error::check_accuracy(chosen.accuracy, lambda)?;
        let rejected =
            self.rejected.iter().filter(|other| other.mechanism == Mechanism::Objective).map(moved);
        let rejected = rejected.collect();
        Ok(Plan { chosen, rejected, around: PenaltyCentre { most, centre: 0.0 }, ..self.clone() })
    }

    /// The same plan with the penalty around this intercept.
    pub fn around(&self, centre: f64) -> Plan {
        assert!(centre.abs() <= self.around.most, "the plan was made for centres that are nearer");
        Plan { around: PenaltyCentre { centre, ..self.around }, ..self.clone() }
    }

    /// b with what the centre does to the objective: J + (λ/2)‖θ − c‖² + b·θ/n has the minimiser of
    /// the penalty around 0 with b − nλc in place of b.
    pub(in crate::train) fn with_centre(&self, noise: NoiseVector) -> NoiseVector {
        match self.around.centre {
            0.0 => noise,
            centre => noise.moved(0, -(self.facts.rows as f64 * self.lambda * centre)),
        }
    }
}
