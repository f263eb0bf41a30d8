//! What a model file says about those who trained it: public numbers only.

use crate::claim::{self, ensure};
use discretion::joint::{Plan, Round, Step, Weighting, distance_of_average, excess_risk};
use discretion::privacy::account::Law;
use serde::{Deserialize, Serialize};

/// Several holders, one model: the field `joint` of a model file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JointFacts {
    /// Who had rows, in the order of the study.
    pub holders: Vec<HolderFacts>,
    /// The holders' models are averaged by rows, or equally as printed.
    pub weights: Weights,
    /// A: so many added up what holders sent, and noise.
    pub aggregators: usize,
    /// t: the guarantee stands if up to so many of them tell each other everything.
    pub colluders: usize,
    /// The λ that holders trained with.
    pub average_lambda: f64,
    /// The share of the budget that the average had.
    pub average_share: f64,
    /// The first sum.
    pub average: RoundFacts,
    /// The Newton step after it, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<StepFacts>,
    /// How far the average can be from the model of all rows.
    pub bounds: Bounds,
}

/// A holder of rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HolderFacts {
    /// As the study names it.
    pub name: String,
    /// How many rows it has.
    pub rows: usize,
}

/// How models are averaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weights {
    /// By n_j/n.
    BySize,
    /// By 1/K, with the noise of the smallest holder: for comparison.
    Equal,
}

/// One sum over holders.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RoundFacts {
    /// How far apart the sums of neighbouring tables can be, rounding included.
    pub sensitivity: f64,
    /// The law of what any A − t shares of noise add up to at least: what the guarantee rests on.
    pub noise: Law,
    /// The standard deviation of all shares of noise together, per number.
    pub deviation: f64,
    /// How far fixed point moves each number of the sum at most.
    pub fixed_point_error: f64,
}

/// A Newton step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StepFacts {
    /// The λ that the step goes to, the model's.
    pub lambda: f64,
    /// The gradient's share of the budget.
    pub gradient_share: f64,
    /// That of the rows' second moments; 0 where there are a Hessian and a covariance in their place.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub moments_share: f64,
    /// The Hessian's.
    pub hessian_share: f64,
    /// That of the gradients' covariance; 0 without intervals.
    pub covariance_share: f64,
    /// Eigenvalues of the Hessian below so many times its noise were raised to that.
    pub damping: f64,
    /// How long the Hessian's noise is, over the most that its average eigenvalue can be.
    pub hessian_noise: Option<f64>,
}

/// What holds for every table, also if holders have nothing in common (docs/errata.md).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    /// ‖θ̄ − θ*‖, the average without noise against the model of all rows at the same λ, is at most
    /// this.
    pub distance: f64,
    /// The noise is no longer than this but for `doubt`.
    pub noise_length: f64,
    /// J(θ̃) − J(θ*) of the released average is at most this but for `doubt`.
    pub excess_risk: f64,
    /// The probability with which the noise may be longer.
    pub doubt: f64,
}

fn is_zero(share: &f64) -> bool {
    *share == 0.0
}

/// Most holders of a study.
const MOST_HOLDERS: usize = 254;

/// The probability left out of bounds on the noise.
const DOUBT: f64 = 0.01;

impl JointFacts {
    /// What a plan says. `names` are the holders', in its order.
    pub fn of(plan: &Plan, names: &[String]) -> JointFacts {
        let joint = plan.joint();
        let rows = plan.holders().facts().iter().map(|facts| facts.rows);
        let of_matrices = |step: Step| match plan.sums_moments() {
            true => (step.hessian + step.covariance, 0.0, 0.0),
            false => (0.0, step.hessian, step.covariance),
        };
        let of_step = |step: Step| (step, of_matrices(step));
        let step =
            joint.step.map(of_step).map(|(step, (moments, hessian, covariance))| StepFacts {
                lambda: plan.lambda(),
                gradient_share: step.gradient,
                moments_share: moments,
                hessian_share: hessian,
                covariance_share: covariance,
                damping: step.damping,
                // The plan was made, so its rounds can be.
                hessian_noise: plan.hessian_noise().ok().flatten(),
            });
        let shares = joint.step.map_or(0.0, |step| step.gradient + step.hessian + step.covariance);
        JointFacts {
            holders: names
                .iter()
                .zip(rows)
                .map(|(name, rows)| HolderFacts { name: name.clone(), rows })
                .collect(),
            weights: match joint.weighting {
                Weighting::BySize => Weights::BySize,
                Weighting::Printed => Weights::Equal,
            },
            aggregators: plan.sharing().aggregators(),
            colluders: plan.sharing().colluders(),
            average_lambda: joint.lambda,
            average_share: 1.0 - shares,
            average: RoundFacts::of(plan.average()),
            step,
            bounds: Bounds::of(plan),
        }
    }
}

impl JointFacts {
    /// Refuses holders, aggregators and noise that no study of several holders has.
    pub(crate) fn check(&self) -> Result<(), String> {
        let holders = self.holders.len();
        ensure(
            (2..=MOST_HOLDERS).contains(&holders)
                && (2..=holders).contains(&self.aggregators)
                && self.colluders < self.aggregators,
            "its holders, aggregators and colluders do not go together",
        )?;
        self.holders.iter().try_for_each(|holder| claim::rows(holder.rows))?;
        claim::lambda(self.average_lambda)?;
        ensure((0.0..=1.0).contains(&self.average_share), "the average's share is none")?;
        ensure(claim::is_round(&self.average.noise), "the noise of its average is none")?;
        let Bounds { distance, noise_length, excess_risk, doubt } = self.bounds;
        let lengths = [distance, noise_length, excess_risk, self.average.deviation];
        lengths.into_iter().try_for_each(|length| claim::not_negative(length, "a bound"))?;
        claim::share(doubt, "the probability left out of its bounds")?;
        self.step.map_or(Ok(()), |step| claim::lambda(step.lambda))
    }
}

impl RoundFacts {
    fn of(round: &Round) -> RoundFacts {
        let noise = round.noise();
        RoundFacts {
            sensitivity: noise.sensitivity(),
            noise: noise.law(),
            deviation: noise.deviation(),
            fixed_point_error: round.fixed_point_error(),
        }
    }
}

impl Bounds {
    fn of(plan: &Plan) -> Bounds {
        let joint = plan.joint();
        let distance = distance_of_average(plan.holders(), joint.weighting, joint.lambda);
        let noise_length = plan.average().noise().length_exceeded_by(-DOUBT.ln());
        let excess_risk = excess_risk(joint.loss, joint.lambda, distance, noise_length);
        Bounds { distance, noise_length, excess_risk, doubt: DOUBT }
    }
}
