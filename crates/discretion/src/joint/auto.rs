//! What a study may leave open, decided from public numbers: rows, coefficients, aggregators and the budget.
//!
//! The constants were measured on other tables than those that docs/parties.md reports on; it says how.

use super::{Holders, Joint, JointError, MOST_FOR_STEP, Plan, Sharing, Step, Weighting};
use crate::erm::LossKind;
use crate::privacy::Budget;

/// What is wanted of a joint study, as far as its study file says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wanted {
    /// The loss.
    pub loss: LossKind,
    /// λ of what each holder trains alone; nothing for a rule.
    pub lambda: Option<f64>,
    /// Who adds the noise.
    pub sharing: Sharing,
    /// What the whole study may spend.
    pub budget: Budget,
    /// Whether a Newton step follows.
    pub step: Stepping,
}

/// Whether a Newton step follows the average.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Stepping {
    /// If public numbers say that the Hessian can be seen through its noise, for accuracy.
    #[default]
    Auto,
    /// No.
    Never,
    /// The same step as [`Auto`](Stepping::Auto) would take, whatever public numbers say.
    Always,
    /// Yes, for intervals: with one λ, without damping, and with the covariance of gradients.
    ForIntervals,
    /// As said.
    As(Step),
}

/// Where λ is left open, the noise of an average that nothing follows has this standard deviation on each encoded coefficient.
const NOISE_OF_AVERAGE: f64 = 0.5;

/// The same for an average that a step follows, which takes noise away.
const NOISE_BEFORE_STEP: f64 = 0.8;

/// The same for an average that intervals start from, which take it to be near the model.
const NOISE_BEFORE_INTERVALS: f64 = 0.2;

/// λ of the model after a step for accuracy, over that of the average.
const STEP_LAMBDA: f64 = 0.3;

/// A step for accuracy.
const ACCURATE: Step = Step { lambda: None, gradient: 0.2, hessian: 0.3, covariance: 0.0, damping: 0.75 };

/// A step for intervals.
const INTERVALS: Step = Step { lambda: None, gradient: 0.4, hessian: 0.2, covariance: 0.15, damping: 0.0 };

/// A step is taken if [`Plan::hessian_noise`] is below this. A pure budget divides by shares, where others divide by their
/// roots, and leaves less to the average.
fn noise_that_a_step_bears(budget: Budget) -> f64 {
    match budget {
        Budget::Pure { .. } => 0.25,
        Budget::Approximate { .. } | Budget::Zcdp { .. } => 1.0,
    }
}

/// λ is looked for from here: no budget is too small for it, and every holder can solve for it.
const START: f64 = 0.1;
const LARGEST: f64 = 1.0;

impl Wanted {
    /// Decides what was left open.
    pub fn joint(&self, holders: &Holders) -> Result<Joint, JointError> {
        match self.step {
            Stepping::Never => self.with(holders, None, NOISE_OF_AVERAGE),
            Stepping::As(step) if step.covariance > 0.0 => {
                self.with(holders, Some(step), NOISE_BEFORE_INTERVALS)
            }
            Stepping::As(step) => self.with(holders, Some(step), NOISE_BEFORE_STEP),
            Stepping::ForIntervals => self.with(holders, Some(INTERVALS), NOISE_BEFORE_INTERVALS),
            Stepping::Auto if holders.dimension() > MOST_FOR_STEP => {
                self.with(holders, None, NOISE_OF_AVERAGE)
            }
            Stepping::Always => self.accurate(holders),
            Stepping::Auto => {
                let joint = self.accurate(holders)?;
                let is_seen = |plan: Plan| {
                    let noise = plan.hessian_noise().ok().flatten();
                    noise.is_some_and(|noise| noise < noise_that_a_step_bears(self.budget))
                };
                if joint.plan(holders).is_ok_and(is_seen) {
                    Ok(joint)
                } else {
                    self.with(holders, None, NOISE_OF_AVERAGE)
                }
            }
        }
    }

    /// With a step for accuracy.
    fn accurate(&self, holders: &Holders) -> Result<Joint, JointError> {
        let mut joint = self.with(holders, Some(ACCURATE), NOISE_BEFORE_STEP)?;
        if self.lambda.is_none() {
            let lambda = (STEP_LAMBDA * joint.lambda).max(1.0 / holders.rows() as f64);
            joint.step = Some(Step { lambda: Some(lambda.min(joint.lambda)), ..ACCURATE });
        }
        Ok(joint)
    }

    /// With this step, and λ so that the average has noise of this deviation if nobody said which.
    fn with(&self, holders: &Holders, step: Option<Step>, deviation: f64) -> Result<Joint, JointError> {
        let &Wanted { loss, lambda, sharing, budget, .. } = self;
        let joint = |lambda| Joint { loss, lambda, weighting: Weighting::BySize, sharing, budget, step };
        if let Some(lambda) = lambda {
            return Ok(joint(lambda));
        }
        // Noise is proportional to the sensitivity 2/(nλ), but for the rounding in it.
        let alike = step.map(|step| Step { lambda: None, ..step });
        let tried = Joint { step: alike, ..joint(START) }.plan(holders)?;
        let lambda = START * tried.average().noise().deviation() / deviation;
        Ok(joint(lambda.max(1.0 / holders.rows() as f64).min(LARGEST)))
    }
}
