//! A plan: every public number of a joint study, before anyone looks at a row.

use super::lattice::Contribution;
use super::noise::{SharedNoise, UnitNoise};
use super::step::{MatricesNoise, StepNoise};
use super::{CountsPlan, Holders, JointError, Round, Sharing, StepRounds, Weighting};
use super::{average, step};
use crate::erm::Oracle;
use crate::interval::joint::{coordinates, part, suffice};
use crate::loss::LossKind;
use crate::train::TrainError;
use discretion_privacy::account::{Event, Spend, amount};
use discretion_privacy::noise::Released;
use discretion_privacy::{Budget, smallest_enough};

/// What is to be learned together, and what it may cost each holder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// The loss.
    pub loss: LossKind,
    /// λ of what each holder trains alone.
    pub lambda: f64,
    /// How the holders' models are averaged.
    pub weighting: Weighting,
    /// Who adds the noise.
    pub sharing: Sharing,
    /// What the whole study may spend.
    pub budget: Budget,
    /// A Newton step after the average, if one is wanted.
    pub step: Option<Step>,
}

/// A Newton step: what it is for, and its shares of the budget. The average gets what they leave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// λ of the joint model; nothing takes that of the average, which intervals from a Hessian
    /// need. A larger λ for the average makes its noise smaller.
    pub lambda: Option<f64>,
    /// The gradient's share.
    pub gradient: f64,
    /// The Hessian's share.
    pub hessian: f64,
    /// The share of the gradients' covariance, which intervals need; 0 if none are wanted. Where the
    /// rows' second moments stand in for both matrices, they have both shares.
    pub covariance: f64,
    /// Eigenvalues of the Hessian below so many times its noise are raised to that. 0 takes the
    /// step as it is, which intervals need.
    pub damping: f64,
}

impl Step {
    fn check(&self, average_lambda: f64, is_of_rows: bool) -> Result<(), JointError> {
        let Step { lambda, gradient, hessian, covariance, damping } = *self;
        let are_shares = gradient > 0.0 && hessian > 0.0 && covariance >= 0.0;
        if !(are_shares && gradient + hessian + covariance < 1.0) {
            return Err(JointError::Step { gradient, hessian, covariance });
        }
        if !(damping >= 0.0 && damping.is_finite()) {
            return Err(JointError::Damping(damping));
        }
        let is_same = is_of_rows || lambda.is_none_or(|lambda| lambda == average_lambda);
        let is_plain = damping == 0.0 && is_same;
        if covariance > 0.0 && !is_plain {
            return Err(JointError::IntervalsOfAnotherStep);
        }
        Ok(())
    }
}

/// Everything public about a joint study.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    joint: Joint,
    holders: Holders,
    unit: UnitNoise,
    average: Round,
    step: Option<StepNoise>,
    counts: Option<CountsPlan>,
}

/// The most coefficients that a Newton step is available for: a Hessian has d(d + 1)/2 numbers,
/// each of them is shared bit by bit, and a holder sends some 20 MB for this many
/// (docs/parties.md).
pub const MOST_FOR_STEP: usize = 300;

const AVERAGE: &str = "average of models trained by several holders";

/// A stretch is found to within this share, and is no smaller than one over the other.
const STRETCH_PRECISION: f64 = 1e-3;
const MOST_SHRINKING: f64 = 64.0;

impl Joint {
    /// Checks the request and fixes every public number.
    pub fn plan(&self, holders: &Holders) -> Result<Plan, JointError> {
        self.budget.checked().map_err(TrainError::from)?;
        average::check(holders, self.loss, self.lambda)?;
        let Some(step) = self.step else { return self.stretched(holders, 1.0) };
        if holders.heads().count() > 1 {
            return Err(JointError::Classes);
        }
        step.check(self.lambda, self.sums_moments(holders))?;
        average::check(holders, self.loss, step.lambda.unwrap_or(self.lambda))?;
        if holders.dimension() > MOST_FOR_STEP {
            return Err(JointError::TooWide {
                dimension: holders.dimension(),
                most: MOST_FOR_STEP,
            });
        }
        // Several (ε, δ) or ρ guarantees together cost less than their sum: all shares are
        // stretched by one factor, as far as the accountant's price of the whole allows. A pure
        // budget leaves no room for that.
        let enough = |shrinking: f64| match self.stretched(holders, 1.0 / shrinking) {
            Ok(plan) => plan.is_within_its_budget(),
            Err(_) => shrinking >= 1.0,
        };
        let shrinking = smallest_enough(1.0, MOST_SHRINKING, STRETCH_PRECISION, enough);
        let shrinking = shrinking.ok_or(JointError::NotPriced(self.budget))?;
        self.stretched(holders, 1.0 / shrinking)
    }

    /// Whether the step brings intervals.
    pub fn has_intervals(&self) -> bool {
        self.step.is_some_and(|step| step.covariance > 0.0)
    }

    /// Whether intervals are computed from the rows' second moments.
    pub(super) fn sums_moments(&self, holders: &Holders) -> bool {
        let columns_are_known = holders.facts()[0].scaled_columns().is_some();
        self.has_intervals()
            && holders.heads().count() == 1
            && suffice(self.loss, columns_are_known)
    }

    fn stretched(&self, holders: &Holders, stretch: f64) -> Result<Plan, JointError> {
        let d = holders.dimension();
        let buy = |share: f64, dimension: usize| {
            let budget = part(self.budget, share, stretch).checked().map_err(TrainError::from)?;
            Ok::<UnitNoise, JointError>(UnitNoise::within(budget, self.sharing, dimension))
        };
        let step = match self.step {
            None => None,
            Some(step) => {
                let matrices = if self.sums_moments(holders) {
                    let numbers = step::moments(&holders.facts()[0]);
                    MatricesNoise::OfRows(buy(step.hessian + step.covariance, numbers)?)
                } else {
                    let covariance =
                        (step.covariance > 0.0).then(|| buy(step.covariance, coordinates(d)));
                    MatricesNoise::OfGradients {
                        hessian: buy(step.hessian, coordinates(d))?,
                        covariance: covariance.transpose()?,
                    }
                };
                Some(StepNoise { gradient: buy(step.gradient, d)?, matrices })
            }
        };
        let rest =
            self.step.map_or(1.0, |step| 1.0 - (step.gradient + step.hessian + step.covariance));
        let unit = buy(rest, d)?;
        let moved = average::sensitivity(self.weighting, holders, self.loss, self.lambda);
        let bound = average::bound(self.weighting, holders, self.loss, self.lambda);
        let noise = SharedNoise::new(unit, self.sharing, d, moved, bound)?;
        let average = Round::new(AVERAGE, holders.count(), noise);
        Ok(Plan { joint: *self, holders: holders.clone(), unit, average, step, counts: None })
    }
}

impl Plan {
    /// What was asked for.
    pub fn joint(&self) -> &Joint {
        &self.joint
    }

    /// Who takes part.
    pub fn holders(&self) -> &Holders {
        &self.holders
    }

    /// The loss.
    pub fn loss(&self) -> LossKind {
        self.joint.loss
    }

    /// Who adds the noise.
    pub fn sharing(&self) -> Sharing {
        self.joint.sharing
    }

    /// What the whole study costs.
    pub fn budget(&self) -> Budget {
        self.joint.budget
    }

    /// λ of the model that comes out: the step's, if there is one.
    pub fn lambda(&self) -> f64 {
        self.joint.step.and_then(|step| step.lambda).unwrap_or(self.joint.lambda)
    }

    /// The noise of the average and of the step, for sensitivity 1.
    pub(super) fn unit_noise(&self) -> (UnitNoise, Option<StepNoise>) {
        (self.unit, self.step)
    }

    /// The deviation, per coordinate, of the noise of a gradient that moves by 1.
    pub(super) fn gradient_noise(&self) -> Option<f64> {
        let (honest, d) = (self.sharing().honest(), self.holders.dimension());
        let variance = |step: StepNoise| step.gradient.law().part_variance(honest, d);
        self.step.map(|step| (self.sharing().aggregators() as f64 * variance(step)).sqrt())
    }

    pub(super) fn damping(&self) -> f64 {
        self.joint.step.map_or(0.0, |step| step.damping)
    }

    /// The first round: the average of the holders' models.
    pub fn average(&self) -> &Round {
        &self.average
    }

    /// The same, and each holder holds out so many rows that are not among those of the plan: one
    /// more round counts the model's scores on them, in groups. It spends as much as all rounds before
    /// without making them dearer, as these look at other rows.
    pub fn evaluated_on(self, rows: &[usize], groups: usize) -> Result<Plan, JointError> {
        if self.holders.heads().count() > 1 {
            return Err(JointError::Classes);
        }
        let mut training = vec![self.unit];
        training.extend(self.step_rounds().map(|(_, unit)| unit));
        let counted = (self.budget(), self.sharing());
        let counts = CountsPlan::new(&self.holders, counted, &training, rows, groups)?;
        Ok(Plan { counts: Some(counts), ..self })
    }

    /// The last round, if rows are held out.
    pub fn counts(&self) -> Option<&CountsPlan> {
        self.counts.as_ref()
    }

    /// How many sums are released: the average, those of the step, and counts.
    pub fn rounds(&self) -> usize {
        self.training_rounds() + usize::from(self.counts.is_some())
    }

    /// How many of them train.
    pub fn training_rounds(&self) -> usize {
        1 + self.step_rounds().count()
    }

    /// The noise of each round of the step.
    fn step_rounds(&self) -> impl Iterator<Item = (&'static str, UnitNoise)> {
        self.step.into_iter().flat_map(|step| step.rounds())
    }

    /// Whether intervals are computed from the rows' second moments, not from Hessian and covariance.
    pub fn sums_moments(&self) -> bool {
        self.joint.sums_moments(&self.holders)
    }

    /// Trains on one holder's rows, for the first round.
    pub fn contribute(
        &self,
        holder: usize,
        oracle: &dyn Oracle,
    ) -> Result<Contribution, JointError> {
        let Joint { loss, lambda, weighting, .. } = self.joint;
        average::contribute(&self.average, weighting, &self.holders, holder, (loss, lambda), oracle)
    }

    /// The rounds of the Newton step at the released average, if there is to be one.
    pub fn step(&self, average: &Released<Vec<f64>>) -> Result<Option<StepRounds<'_>>, JointError> {
        let Some(noise) = self.step else { return Ok(None) };
        StepRounds::new(self, noise, self.lambda(), average.clone()).map(Some)
    }

    /// How long the Hessian's noise is as an operator, over the most that the Hessian's average
    /// eigenvalue can be (λ + t/d). Above 1 the step is mostly noise: leave it out, or damp it. A
    /// function of public numbers; nothing without a step, or where it takes no Hessian.
    pub fn hessian_noise(&self) -> Result<Option<f64>, JointError> {
        let Some(MatricesNoise::OfGradients { hessian, .. }) = self.step.map(|step| step.matrices)
        else {
            return Ok(None);
        };
        let round = step::hessian_round(self, hessian)?;
        let d = self.holders.dimension() as f64;
        let most = self.lambda() + self.loss().of_margin().bounds().curvature / d;
        Ok(Some((2.0 * d).sqrt() * round.noise().deviation() / most))
    }

    /// What running this plan does to the rows of every holder, for its account.
    pub fn event(&self) -> Event {
        let mut of = vec![self.unit.event(AVERAGE)];
        of.extend(self.step_rounds().map(|(what, unit)| unit.event(what)));
        let training = Event::Composition { of };
        match &self.counts {
            Some(counts) => Event::Parallel { of: vec![training, counts.event()] },
            None => training,
        }
    }

    fn is_within_its_budget(&self) -> bool {
        Spend::of(&self.event()).is_ok_and(|spend| {
            spend.price(self.budget()).is_ok_and(|price| price.amount <= amount(self.budget()))
        })
    }
}
