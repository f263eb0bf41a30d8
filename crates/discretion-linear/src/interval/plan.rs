//! A plan for coefficients with intervals: three mechanisms within one budget, fixed from public numbers.

use super::error::DeltaHint;
use super::matrices::{self, MatrixNoise};
use super::split::part;
use super::{Evidence, IntervalError, MatrixDeviations, Split};
use crate::erm::solver::NEWTON_LIMIT;
use crate::erm::{Facts, Oracle};
use crate::loss::LossKind;
use crate::loss::Weight;
use crate::train::{self, TrainError, Training};
use discretion_privacy::account::{Event, Spend, amount};
use discretion_privacy::noise::{Provenance, Released, Source};
use discretion_privacy::trusted::released;
use discretion_privacy::{Budget, smallest_enough};

/// Everything public about a run that releases coefficients and the two matrices behind their intervals.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    budget: Budget,
    training: train::Plan,
    matrices: Matrices,
}

/// The noise of the two matrices that intervals are computed from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matrices {
    hessian: MatrixNoise,
    covariance: MatrixNoise,
}

impl Matrices {
    /// The part of a budget that is left for training, and the matrices that the rest buys. For a training whose λ is
    /// chosen while it runs; `lambda` stands for it when public numbers decide whether a matrix would say anything.
    /// All shares of ε or ρ are multiplied by `stretch`: the caller asks an accountant what the whole then costs.
    pub fn beside_training(
        budget: Budget,
        split: Split,
        stretch: f64,
        facts: &Facts,
        loss: LossKind,
        lambda: f64,
    ) -> Result<(Budget, Matrices), IntervalError> {
        check_width(facts)?;
        let training = part(budget, split.training(), stretch).checked().map_err(TrainError::from)?;
        let matrices = Matrices::within(budget, split, facts, stretch)?;
        let resolution = Resolution { budget, split, stretch, facts, loss };
        resolution.check(matrices.hessian, lambda, lambda)?;
        Ok((training, matrices))
    }

    fn within(budget: Budget, split: Split, facts: &Facts, stretch: f64) -> Result<Matrices, IntervalError> {
        let share = |share: f64| part(budget, share, stretch).checked().map_err(TrainError::from);
        let (hessian, covariance) = (share(split.hessian())?, share(split.covariance())?);
        Ok(Matrices {
            hessian: MatrixNoise::within(hessian, facts),
            covariance: MatrixNoise::within(covariance, facts),
        })
    }

    /// The noise of the Hessian.
    pub fn hessian(&self) -> MatrixNoise {
        self.hessian
    }

    /// The noise of the gradients' covariance.
    pub fn covariance(&self) -> MatrixNoise {
        self.covariance
    }

    /// What releasing both does to the table, for an account.
    pub fn event(&self) -> Event {
        let hessian = self.hessian.event("Hessian at released coefficients");
        let covariance = self.covariance.event("covariance of gradients at released coefficients");
        Event::Composition { of: vec![hessian, covariance] }
    }

    /// Releases both at the coefficients that `training` released.
    ///
    /// Postcondition: they satisfy [`Matrices::event`] for replace-one neighbours, whatever the coefficients are, if
    /// the noise came from the operating system.
    pub fn run(
        &self,
        oracle: &dyn Oracle,
        training: &train::Plan,
        theta: &Released<Vec<f64>>,
        source: &mut impl Source,
    ) -> Result<Released<Evidence>, IntervalError> {
        assert_eq!(&oracle.facts(), training.facts(), "a plan is made for one table's facts");
        let loss = training.loss();
        let hessian = matrices::release(oracle, loss, Weight::Curvature, theta, self.hessian, source)?;
        let covariance =
            matrices::release(oracle, loss, Weight::SquaredSlope, theta, self.covariance, source)?;
        // Intervals around coefficients from a test seed are no more private than those are.
        let provenance = match theta.provenance() {
            Provenance::OperatingSystem => hessian.provenance(),
            Provenance::TestSeed => Provenance::TestSeed,
        };
        let deviations = |noise, weight| {
            matrices::deviations(noise, loss, weight, matrices::length(theta), training.facts())
        };
        let deviations = deviations(self.hessian, Weight::Curvature)
            .zip(deviations(self.covariance, Weight::SquaredSlope))
            .map(|((columns, hessian), (_, covariance))| MatrixDeviations {
                columns,
                loss,
                hessian,
                covariance,
            });
        let evidence = Evidence::new(training, (*hessian).clone(), (*covariance).clone(), deviations);
        Ok(released(evidence, provenance))
    }
}

/// A stretch is found to within this share.
const STRETCH_PRECISION: f64 = 1e-3;
/// The shares are shrunk by no more than this before a plan is given up. Any more and nothing would be left.
const MOST_SHRINKING: f64 = 64.0;

impl Plan {
    /// Splits `training.budget`, which all three mechanisms share, and fixes every public number.
    ///
    /// Three (ε, δ) or ρ guarantees together cost less than their sum. So all shares of ε or ρ are stretched by
    /// one factor, as far as the accountant's price of the whole allows; a pure budget leaves no room for that.
    pub fn new(training: &Training, split: Split, facts: Facts) -> Result<Plan, IntervalError> {
        let facts = &facts;
        check_width(facts)?;
        training.budget.checked().map_err(TrainError::from)?;
        let stretched = |shrinking: f64| stretched(training, split, facts, 1.0 / shrinking);
        let enough = |shrinking: f64| match stretched(shrinking) {
            Ok(plan) => plan.is_within_its_budget(),
            // A share above what a budget can be is refused too; there is no need to go there.
            Err(_) => shrinking >= 1.0,
        };
        let Some(shrinking) = smallest_enough(1.0, MOST_SHRINKING, STRETCH_PRECISION, enough) else {
            return Err(IntervalError::NotPriced(training.budget));
        };
        let plan = stretched(shrinking)?;
        let resolution = Resolution {
            budget: training.budget,
            split,
            stretch: amount(plan.training.budget()) / (split.training() * amount(training.budget)),
            facts,
            loss: training.loss,
        };
        // An automatic λ shrinks as the budget grows, so advice does not count on it.
        let sure = training.lambda.unwrap_or(0.0);
        resolution.check(plan.matrices.hessian, plan.training.lambda(), sure)?;
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

    /// The two matrices.
    pub fn matrices(&self) -> Matrices {
        self.matrices
    }

    /// What running this plan does to the table, for an account: the training and both matrices.
    pub fn event(&self) -> Event {
        Event::Composition { of: vec![self.training.event(), self.matrices.event()] }
    }

    /// Releases the two matrices at the coefficients that [`Plan::training`] released.
    ///
    /// Postcondition: they and the coefficients together satisfy [`Plan::budget`] for replace-one neighbours, if
    /// all noise came from the operating system.
    pub fn run(
        &self,
        oracle: &dyn Oracle,
        theta: &Released<Vec<f64>>,
        source: &mut impl Source,
    ) -> Result<Released<Evidence>, IntervalError> {
        self.matrices.run(oracle, &self.training, theta, source)
    }

    fn is_within_its_budget(&self) -> bool {
        Spend::of(&self.event()).is_ok_and(|spend| {
            spend.price(self.budget).is_ok_and(|price| price.amount <= amount(self.budget))
        })
    }
}

fn check_width(facts: &Facts) -> Result<(), IntervalError> {
    if !facts.unit.is_row() {
        return Err(IntervalError::Persons);
    }
    if facts.dimension > NEWTON_LIMIT {
        return Err(IntervalError::TooWide { dimension: facts.dimension, most: NEWTON_LIMIT });
    }
    Ok(())
}

/// What decides whether a Hessian can be told from its noise.
struct Resolution<'f> {
    budget: Budget,
    split: Split,
    stretch: f64,
    facts: &'f Facts,
    loss: LossKind,
}

impl Resolution<'_> {
    /// Refuses to release a Hessian that says nothing: its average eigenvalue is at most λ + t/d, since rows are
    /// no longer than 1, and noise longer than that hides it in a typical direction. `sure` is what advice counts on
    /// of λ.
    fn check(&self, hessian: MatrixNoise, lambda: f64, sure: f64) -> Result<(), IntervalError> {
        let Facts { rows, dimension, .. } = *self.facts;
        let t = Weight::Curvature.most(self.loss, 0.0);
        let noise = hessian.hides(t, self.facts);
        let resolvable = lambda + t / dimension as f64;
        if noise <= resolvable {
            return Ok(());
        }
        let goal = sure + t / dimension as f64;
        let is_enough = |times: f64| {
            let hessian = part(self.budget, self.split.hessian(), self.stretch * times);
            MatrixNoise::within(hessian, self.facts).hides(t, self.facts) <= goal
        };
        let times = smallest_enough(2.0, 1e12, 1e-3, is_enough).unwrap_or(f64::INFINITY);
        Err(IntervalError::TooManyCoefficients {
            dimension,
            rows,
            budget: self.budget,
            noise,
            resolvable,
            enough: rounded_up(self.budget, times),
            rows_needed: two_digits_up(rows as f64 * noise / goal) as usize,
            with_delta: DeltaHint(self.with_delta(goal).map(Box::new)),
        })
    }
}

impl Resolution<'_> {
    /// A budget with a δ well below 1/n, and less ε, that would be enough where a pure one is not.
    fn with_delta(&self, goal: f64) -> Option<Budget> {
        let Budget::Pure { epsilon } = self.budget else { return None };
        let t = Weight::Curvature.most(self.loss, 0.0);
        let delta = 10f64.powi(-((self.facts.rows as f64).log10().ceil() as i32) - 1);
        let is_enough = |times: f64| {
            let budget = Budget::Approximate { epsilon: times * epsilon, delta };
            let hessian = part(budget, self.split.hessian(), 1.0);
            hessian
                .checked()
                .is_ok_and(|hessian| MatrixNoise::within(hessian, self.facts).hides(t, self.facts) <= goal)
        };
        let times = smallest_enough(1.0, 1e6, 1e-2, is_enough)?;
        Some(rounded_up(Budget::Approximate { epsilon, delta }, times))
    }
}

/// The plan whose shares of ε or ρ are multiplied by `stretch`.
fn stretched(training: &Training, split: Split, facts: &Facts, stretch: f64) -> Result<Plan, IntervalError> {
    let budget = training.budget;
    let share = part(budget, split.training(), stretch).checked().map_err(TrainError::from)?;
    Ok(Plan {
        budget,
        training: Training { budget: share, ..*training }.plan(facts.clone())?,
        matrices: Matrices::within(budget, split, facts, stretch)?,
    })
}

/// `times` as much ε or ρ, in two digits.
fn rounded_up(budget: Budget, times: f64) -> Budget {
    match budget {
        Budget::Pure { epsilon } => Budget::Pure { epsilon: two_digits_up(times * epsilon) },
        Budget::Zcdp { rho } => Budget::Zcdp { rho: two_digits_up(times * rho) },
        Budget::Approximate { epsilon, delta } => {
            Budget::Approximate { epsilon: two_digits_up(times * epsilon), delta }
        }
    }
}

fn two_digits_up(x: f64) -> f64 {
    let unit = 10f64.powi(x.log10().floor() as i32 - 1);
    let rounded = (x / unit).ceil() * unit;
    // 0.12 and not 0.12000000000000001.
    format!("{rounded:.2e}").parse().unwrap_or(rounded)
}
