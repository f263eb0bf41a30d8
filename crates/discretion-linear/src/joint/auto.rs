//! What a study may leave open, decided from public numbers: rows, coefficients, aggregators and
//! the budget.
//!
//! The constants were measured on other tables than those that docs/parties.md reports on; it says
//! how.

use super::{Holders, Joint, JointError, MOST_FOR_STEP, Sharing, Step, Weighting};
use crate::loss::LossKind;

use discretion_privacy::Budget;

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

/// Where λ is left open, the noise of an average that nothing follows has this standard deviation
/// on each encoded coefficient.
const NOISE_OF_AVERAGE: f64 = 0.4;

/// The same for an average that a step follows.
const NOISE_BEFORE_STEP: f64 = 0.5;

/// The same for an average that intervals start from, which take it to be near the model.
const NOISE_BEFORE_INTERVALS: f64 = 0.2;

/// The same where the rows' moments are summed: the step takes whatever it starts from.
const NOISE_BEFORE_MOMENTS: f64 = 0.45;

/// A step for intervals from the rows' moments, which have the shares of both matrices. Under (ε, δ)
/// and ρ the parts of the average, the gradient and the moments in what the noise amounts to.
fn intervals_of_moments(budget: Budget) -> Step {
    let step = |gradient: f64, moments: f64| Step {
        lambda: None,
        gradient,
        hessian: 0.5 * moments,
        covariance: 0.5 * moments,
        damping: 0.0,
    };
    match budget {
        Budget::Pure { .. } => step(0.6, 0.25),
        Budget::Zcdp { .. } => step(0.63, 0.25),
        // Gaussian noise is as one over a share, so its price is as the share's square.
        Budget::Approximate { .. } => step(0.48, 0.3),
    }
}

/// A step for intervals from Hessian and covariance.
const INTERVALS: Step =
    Step { lambda: None, gradient: 0.55, hessian: 0.2, covariance: 0.1, damping: 0.0 };

/// A step for accuracy, and what goes with it.
struct Accurate {
    step: Step,
    /// The noise of the average that it starts from.
    noise: f64,
    /// λ of the model after it, over that of the average.
    lambda: f64,
    /// It is taken if [`Plan::hessian_noise`](super::Plan::hessian_noise) is below this.
    bears: f64,
}

impl Accurate {
    /// A pure budget divides by shares, where others divide by their roots: it leaves most to the
    /// average, and takes a step only where the Hessian is clear.
    fn within(budget: Budget) -> Accurate {
        let step = |gradient, hessian| Step {
            lambda: None,
            gradient,
            hessian,
            covariance: 0.0,
            damping: 1.0,
        };
        match budget {
            Budget::Pure { .. } => {
                Accurate { step: step(0.1, 0.2), noise: 1.0, lambda: 1.0, bears: 0.25 }
            }
            Budget::Approximate { .. } | Budget::Zcdp { .. } => Accurate {
                step: step(0.25, 0.35),
                noise: NOISE_BEFORE_STEP,
                lambda: 0.1,
                bears: 1.0,
            },
        }
    }
}

/// λ is looked for from here: no budget is too small for it, and every holder can solve for it.
const START: f64 = 0.1;
const LARGEST: f64 = 1.0;

impl Wanted {
    /// Decides what was left open.
    pub fn joint(&self, holders: &Holders) -> Result<Joint, JointError> {
        let average = || self.with(holders, None, NOISE_OF_AVERAGE);
        match self.step {
            Stepping::Never => average(),
            Stepping::As(step) if step.covariance > 0.0 => {
                self.with(holders, Some(step), NOISE_BEFORE_INTERVALS)
            }
            Stepping::As(step) => self.with(holders, Some(step), NOISE_BEFORE_STEP),
            Stepping::ForIntervals => self.for_intervals(holders),
            Stepping::Always => self.accurate(holders),
            Stepping::Auto
                if holders.heads().count() > 1 || holders.dimension() > MOST_FOR_STEP =>
            {
                average()
            }
            Stepping::Auto => {
                let joint = self.accurate(holders)?;
                let noise = joint.plan(holders)?.hessian_noise()?;
                if noise.is_some_and(|noise| noise < Accurate::within(self.budget).bears) {
                    Ok(joint)
                } else {
                    average()
                }
            }
        }
    }

    /// With a step for intervals.
    fn for_intervals(&self, holders: &Holders) -> Result<Joint, JointError> {
        let step = intervals_of_moments(self.budget);
        let joint = self.with(holders, Some(step), NOISE_BEFORE_MOMENTS)?;
        if !joint.sums_moments(holders) {
            return self.with(holders, Some(INTERVALS), NOISE_BEFORE_INTERVALS);
        }
        if self.lambda.is_some() {
            return Ok(joint);
        }
        // As large as the gradient's noise, which moves no coefficient by much more than 1 then. The
        // most that the mean gradient moves is 2/n.
        let unit = joint.plan(holders)?.gradient_noise().expect("there is a step");
        let lambda = 2.0 * unit / holders.rows() as f64;
        Ok(Joint { step: Some(Step { lambda: Some(lambda), ..step }), ..joint })
    }

    /// With a step for accuracy.
    fn accurate(&self, holders: &Holders) -> Result<Joint, JointError> {
        let Accurate { step, noise, lambda, .. } = Accurate::within(self.budget);
        let mut joint = self.with(holders, Some(step), noise)?;
        if self.lambda.is_none() {
            let lambda = (lambda * joint.lambda).max(1.0 / holders.rows() as f64).min(joint.lambda);
            joint.step = Some(Step { lambda: Some(lambda), ..step });
        }
        Ok(joint)
    }

    /// With this step, and λ so that the average has noise of this deviation if nobody said which.
    fn with(
        &self,
        holders: &Holders,
        step: Option<Step>,
        deviation: f64,
    ) -> Result<Joint, JointError> {
        let &Wanted { loss, lambda, sharing, budget, .. } = self;
        let joint =
            |lambda| Joint { loss, lambda, weighting: Weighting::BySize, sharing, budget, step };
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
