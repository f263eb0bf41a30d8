//! A plan for coefficients with intervals: three mechanisms within one budget, fixed from public
//! numbers.

use super::evidence::SecondMoments;
use super::matrices::{self, MatrixNoise};
use super::ordinary;
use super::resolution::Resolution;
use super::split::{Shares, part};
use super::{Evidence, IntervalError, MatrixDeviations, Split};
use crate::erm::solver::NEWTON_LIMIT;
use crate::erm::{Facts, Oracle};
use crate::loss::LossKind;
use crate::loss::Weight;
use crate::train::{self, Pricing, TrainError, Training};
use discretion_privacy::account::{Event, Law, ShapedLaw, Spend, TrainingLaw, amount};
use discretion_privacy::noise::{Provenance, Released, Source};
use discretion_privacy::trusted::released;
use discretion_privacy::{Budget, smallest_enough};

/// The most coefficients whose matrices are formed: each is then 32 MB.
pub const WIDEST: usize = 2 * NEWTON_LIMIT;

/// Everything public about a run that releases coefficients and the matrices behind their
/// intervals.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    budget: Budget,
    training: train::Plan,
    matrices: Matrices,
}

/// The noise of the second moments that intervals are computed from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Matrices {
    /// The rows' own, once.
    OfRows(MatrixNoise),
    /// Hessian and gradients' covariance, at the released coefficients.
    OfGradients {
        /// The noise of the Hessian.
        hessian: MatrixNoise,
        /// The noise of the gradients' covariance.
        covariance: MatrixNoise,
    },
}

impl Matrices {
    /// The part of a budget that is left for training, and the matrices that the rest buys. For a
    /// training whose λ is chosen while it runs; `lambda` stands for it when public numbers decide
    /// whether a matrix would say anything. All shares of ε or ρ are multiplied by `stretch`: the
    /// caller asks an accountant what the whole then costs.
    pub fn beside_training(
        budget: Budget,
        split: Split,
        stretch: f64,
        facts: &Facts,
        loss: LossKind,
        lambda: f64,
    ) -> Result<(Budget, Matrices), IntervalError> {
        check_width(facts)?;
        let training =
            part(budget, split.training(), stretch).checked().map_err(TrainError::from)?;
        let shares = Shares::OfBudget;
        let matrices = Matrices::within(budget, split, stretch, shares, loss, facts)?;
        let resolution = Resolution { budget, split, stretch, shares, facts, loss };
        resolution.check(matrices.first(), lambda, lambda)?;
        Ok((training, matrices))
    }

    fn within(
        budget: Budget,
        split: Split,
        stretch: f64,
        shares: Shares,
        loss: LossKind,
        facts: &Facts,
    ) -> Result<Matrices, IntervalError> {
        let checked = |budget: Budget| budget.checked().map_err(TrainError::from);
        if ordinary::suffice(loss, matrices::scaled_columns(facts).is_some()) {
            let budget = checked(shares.rows(budget, split, stretch))?;
            return Ok(Matrices::OfRows(MatrixNoise::within(budget, facts)));
        }
        let hessian = checked(shares.hessian(budget, split, stretch))?;
        let covariance = checked(shares.covariance(budget, split, stretch))?;
        let noise =
            |budget, weight| MatrixNoise::within(budget, &matrices::facts_of(weight, facts));
        Ok(Matrices::OfGradients {
            hessian: noise(hessian, Weight::Curvature),
            covariance: noise(covariance, Weight::SquaredSlope),
        })
    }

    /// The noise of the matrix whose inverse intervals need.
    fn first(&self) -> MatrixNoise {
        match self {
            Matrices::OfRows(noise) | Matrices::OfGradients { hessian: noise, .. } => *noise,
        }
    }

    /// What releasing them does to the table, for an account.
    pub fn event(&self) -> Event {
        match self {
            Matrices::OfRows(noise) => noise.event("second moments of the rows"),
            Matrices::OfGradients { hessian, covariance } => {
                let hessian = hessian.event("Hessian at released coefficients");
                let covariance =
                    covariance.event("covariance of gradients at released coefficients");
                Event::Composition { of: vec![hessian, covariance] }
            }
        }
    }

    /// Releases them, at the coefficients that `training` released.
    ///
    /// Postcondition: they satisfy [`Matrices::event`] for replace-one neighbours, whatever the
    /// coefficients are, if the noise came from the operating system.
    pub fn run(
        &self,
        oracle: &dyn Oracle,
        training: &train::Plan,
        theta: &Released<Vec<f64>>,
        source: &mut dyn Source,
    ) -> Result<Released<Evidence>, IntervalError> {
        assert_eq!(&oracle.facts(), training.facts(), "a plan is made for one table's facts");
        let moments = match *self {
            Matrices::OfRows(noise) => {
                ordinary::release(oracle, noise, source)?.map(SecondMoments::OfRows)
            }
            Matrices::OfGradients { hessian, covariance } => {
                of_gradients(oracle, training, theta, [hessian, covariance], source)?
            }
        };
        // Intervals around coefficients from a test seed are no more private than those are.
        let provenance = match theta.provenance() {
            Provenance::OperatingSystem => moments.provenance(),
            Provenance::TestSeed => Provenance::TestSeed,
        };
        Ok(released(Evidence::new(training, (*moments).clone()), provenance))
    }
}

/// Releases Hessian and gradients' covariance with noise of these laws.
fn of_gradients(
    oracle: &dyn Oracle,
    training: &train::Plan,
    theta: &Released<Vec<f64>>,
    [hessian_noise, covariance_noise]: [MatrixNoise; 2],
    source: &mut dyn Source,
) -> Result<Released<SecondMoments>, IntervalError> {
    let loss = training.loss();
    let hessian = matrices::release(oracle, loss, Weight::Curvature, theta, hessian_noise, source)?;
    let covariance =
        matrices::release(oracle, loss, Weight::SquaredSlope, theta, covariance_noise, source)?;
    let deviations = |noise, weight| {
        matrices::deviations(noise, loss, weight, matrices::length(theta), training.facts())
    };
    let deviations = deviations(hessian_noise, Weight::Curvature)
        .zip(deviations(covariance_noise, Weight::SquaredSlope))
        .map(|((columns, hessian, of_hessian), (_, covariance, of_covariance))| MatrixDeviations {
            neighbours: neighbours(of_hessian, of_covariance),
            columns,
            loss,
            hessian,
            covariance,
        });
    let provenance = hessian.provenance();
    let (hessian, covariance) = ((*hessian).clone(), (*covariance).clone());
    let moments = SecondMoments::OfGradients { hessian, covariance, deviations, steps: 0 };
    Ok(released(moments, provenance))
}

/// The noise between neighbours of each column in both matrices; nothing if none has any.
fn neighbours(hessian: Vec<f64>, covariance: Vec<f64>) -> Vec<[f64; 2]> {
    let all: Vec<[f64; 2]> = hessian.into_iter().zip(covariance).map(<[f64; 2]>::from).collect();
    if all.iter().flatten().all(|x| *x == 0.0) { Vec::new() } else { all }
}

/// A stretch is found to within this share.
const STRETCH_PRECISION: f64 = 1e-3;
/// The shares are shrunk by no more than this before a plan is given up. Any more and nothing would
/// be left.
const MOST_SHRINKING: f64 = 64.0;

impl Plan {
    /// Splits `training.budget`, which all three mechanisms share, and fixes every public number.
    ///
    /// Three (ε, δ) or ρ guarantees together cost less than their sum. So all shares of ε or ρ are
    /// stretched by one factor, as far as the accountant's price of the whole allows; a pure budget
    /// leaves no room for that. Gaussian noise composes better than it looks alone, so under (ε, δ)
    /// a plan with nothing else is looked at too.
    pub fn new(training: &Training, split: Split, facts: Facts) -> Result<Plan, IntervalError> {
        check_width(&facts)?;
        training.budget.checked().map_err(TrainError::from)?;
        let are_read = ordinary::suffice(training.loss, matrices::scaled_columns(&facts).is_some());
        let shares = if are_read { Shares::OfConcentration } else { Shares::OfBudget };
        let plan = Plan::among(training, split, &facts, Shares::OfBudget, |_| true);
        let Budget::Approximate { .. } = training.budget else { return plan };
        let error = |plan: &Plan| plan.training.chosen().expected_error();
        match (plan, Plan::among(training, split, &facts, shares, is_gaussian)) {
            // Gaussian noise composes better, within this run and with others.
            (Ok(plan), Ok(gaussian)) if are_read || error(&gaussian) < error(&plan) => Ok(gaussian),
            (Err(_), gaussian) if are_read => gaussian,
            (plan, _) => plan,
        }
    }

    /// The plan whose training has one of these laws, stretched.
    fn among(
        training: &Training,
        split: Split,
        facts: &Facts,
        shares: Shares,
        is_wanted: fn(&TrainingLaw) -> bool,
    ) -> Result<Plan, IntervalError> {
        let stretched =
            |shrinking: f64| stretched(training, split, facts, 1.0 / shrinking, shares, is_wanted);
        let enough = |shrinking: f64| match stretched(shrinking) {
            Ok(plan) => plan.is_within_its_budget(),
            // A share above what a budget can be is refused too; there is no need to go there.
            Err(_) => shrinking >= 1.0,
        };
        let Some(shrinking) = smallest_enough(1.0, MOST_SHRINKING, STRETCH_PRECISION, enough)
        else {
            return Err(IntervalError::NotPriced(training.budget));
        };
        let plan = stretched(shrinking)?;
        let resolution = Resolution {
            budget: training.budget,
            split,
            stretch: amount(plan.training.budget()) / (split.training() * amount(training.budget)),
            shares,
            facts,
            loss: training.loss,
        };
        // An automatic λ shrinks as the budget grows, so advice does not count on it.
        let sure = training.lambda.unwrap_or(0.0);
        resolution.check(plan.matrices.first(), plan.training.lambda(), sure)?;
        Ok(plan)
    }

    /// What the whole run costs.
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// The training, with its part of the budget.
    pub fn training(&self) -> &train::Plan {
        &self.training
    }

    /// The matrices.
    pub fn matrices(&self) -> Matrices {
        self.matrices
    }

    /// What running this plan does to the table, for an account: the training and its matrices.
    pub fn event(&self) -> Event {
        Event::Composition { of: vec![self.training.event(), self.matrices.event()] }
    }

    /// Releases the matrices at the coefficients that [`Plan::training`] released.
    ///
    /// Postcondition: they and the coefficients together satisfy [`Plan::budget`] for replace-one
    /// neighbours, if all noise came from the operating system.
    pub fn run(
        &self,
        oracle: &dyn Oracle,
        theta: &Released<Vec<f64>>,
        source: &mut dyn Source,
    ) -> Result<Released<Evidence>, IntervalError> {
        self.matrices.run(oracle, &self.training, theta, source)
    }

    fn is_within_its_budget(&self) -> bool {
        Spend::of(&self.event()).is_ok_and(|spend| {
            spend.price(self.budget).is_ok_and(|price| price.amount <= amount(self.budget))
        })
    }
}

pub(super) fn check_width(facts: &Facts) -> Result<(), IntervalError> {
    if facts.dimension > WIDEST {
        return Err(IntervalError::TooWide { dimension: facts.dimension, most: WIDEST });
    }
    Ok(())
}

/// The plan whose shares of ε or ρ are multiplied by `stretch`.
fn stretched(
    training: &Training,
    split: Split,
    facts: &Facts,
    stretch: f64,
    shares: Shares,
    is_wanted: fn(&TrainingLaw) -> bool,
) -> Result<Plan, IntervalError> {
    let budget = training.budget;
    let share = part(budget, split.training(), stretch).checked().map_err(TrainError::from)?;
    let matrices = Matrices::within(budget, split, stretch, shares, training.loss, facts)?;
    let lambda = match (training.lambda, &matrices) {
        (None, Matrices::OfRows(_)) => {
            Some(train::auto_lambda_for_intervals(facts, training.loss, share)?)
        }
        // Nothing but the one for prediction is known for matrices of gradients.
        (lambda, _) => lambda,
    };
    let training = Training { lambda, budget: share, ..*training };
    let training = train::plan_among(&training, facts.clone(), Pricing::Joint, is_wanted)?;
    Ok(Plan { budget, training, matrices })
}

fn is_gaussian(law: &TrainingLaw) -> bool {
    matches!(
        law,
        TrainingLaw::Round(Law::Gaussian { .. })
            | TrainingLaw::Shaped(ShapedLaw::ColumnGaussian { .. })
    )
}
