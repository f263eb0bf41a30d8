//! Private linear classifiers.
//!
//! [`Training`] (what is wanted) → [`Training::plan`] (checked, and every public number fixed,
//! before a row is looked at) → [`Plan::fit`] (the mechanism) → a [`Released`] vector of
//! coefficients.

mod auto;
#[cfg(test)]
mod classes;
mod error;
mod grouping;
pub mod huber;
mod laws;
pub mod objective;
pub mod output;
mod plan;
mod predict;
mod run;

pub(crate) use auto::auto_lambda_for_intervals;
pub use auto::{auto_lambda, auto_lambda_around};
pub(crate) use error::outcome_of;
pub use error::{TrainError, only_margins};
pub(crate) use laws::{Shares, output_laws};
pub(crate) use plan::plan_among;
pub use plan::{Candidate, Mechanism, Plan};
pub(crate) use run::{Draw, solve_all};

use crate::erm::solver::Problem;
use crate::erm::{Facts, Oracle};
use crate::outcome::{Bounds, LossKind};
use discretion_privacy::Budget;
use discretion_privacy::account::Curvature;
use discretion_privacy::noise::{BigFloat, NotPrivate};
use serde::{Deserialize, Serialize};

#[cfg(doc)]
use discretion_privacy::noise::Released;

/// Which mechanism a user asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Whichever is expected to add less noise.
    #[default]
    Auto,
    /// Noise inside the objective.
    Objective,
    /// Noise on its minimiser.
    Output,
}

/// What is to be trained, and what it may cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Training {
    /// The loss.
    pub loss: LossKind,
    /// λ; `None` takes [`auto_lambda`].
    pub lambda: Option<f64>,
    /// The mechanism.
    pub method: Method,
    /// What this run may spend.
    pub budget: Budget,
}

impl Training {
    /// Checks the request and fixes every public number of the run.
    pub fn plan(&self, facts: Facts) -> Result<Plan, TrainError> {
        self.plan_with(facts, Pricing::Separate)
    }

    /// Checks the request and fixes every public number, with slope and curvature priced as given.
    pub fn plan_with(&self, facts: Facts, pricing: Pricing) -> Result<Plan, TrainError> {
        plan_among(self, facts, pricing, |_| true)
    }
}

/// How objective perturbation pays for the slope and the curvature of what is replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pricing {
    /// Each by itself.
    #[default]
    Separate,
    /// Together, where curvature is known by the slope, as that of logistic losses is: for two
    /// classes it costs nothing from nλ = 2/ε on, for several it costs less. Other losses pay for
    /// each by itself.
    Joint,
}

impl Pricing {
    /// Returns what the price counts on beside the bound on f″.
    fn curvature(self, bounds: &Bounds) -> Curvature {
        match self {
            Pricing::Separate => Curvature::Bounded,
            Pricing::Joint => bounds.relation,
        }
    }
}

/// The same model without noise, for the custodian alone.
pub fn not_private(
    oracle: &dyn Oracle,
    loss: LossKind,
    lambda: f64,
) -> Result<NotPrivate<Vec<f64>>, TrainError> {
    error::check_lambda(lambda)?;
    error::check_facts(&oracle.facts())?;
    let outcome = outcome_of(oracle.facts().heads(), loss)?;
    let problem = Problem::new(oracle, &*outcome, lambda, 0.0);
    error::check_accuracy(problem.accuracy(), lambda)?;
    let solution = problem.minimise(None)?;
    Ok(solution
        .not_private()
        .map(|theta| theta.iter().map(|x: &BigFloat| x.to_f64().value()).collect()))
}

#[cfg(test)]
mod curve_tests;
#[cfg(test)]
mod person_tests;
#[cfg(test)]
mod priced_tests;
#[cfg(test)]
mod rates_tests;
#[cfg(test)]
mod search;
