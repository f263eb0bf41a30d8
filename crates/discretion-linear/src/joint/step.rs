//! One private Newton step from the released average: the gradient there, and the rows' second
//! moments or Hessian and covariance, summed over holders.

use super::average::longest_minimiser;
use super::lattice::Contribution;
use super::noise::{SharedNoise, UnitNoise};
use super::{JointError, Plan, Round, Weighting};
use crate::erm::{AskOracle, Facts, Oracle, Order};
use crate::interval::joint::{
    Scheme, Step as NewtonStep, computed, coordinates, eigen, products_of_rows, sensitivity,
    sum_error, svec,
};
use crate::interval::{Evidence, RowMoments, SecondMoments, Symmetric};
use crate::loss::{Loss, LossKind, MomentsLoss, Weight};
use crate::rounding::roundings;
use discretion_privacy::ROUNDING_SLACK;
use discretion_privacy::noise::{BigFloat, Provenance, Released, Sensitive, exact};
use discretion_privacy::trusted::{Open, released};
use faer::Mat;

/// The noise of a step, as far as its price goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct StepNoise {
    pub(super) gradient: UnitNoise,
    pub(super) matrices: MatricesNoise,
}

/// The noise of the matrices of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum MatricesNoise {
    /// The Hessian at the average, and, for intervals, the covariance of gradients.
    OfGradients { hessian: UnitNoise, covariance: Option<UnitNoise> },
    /// The second moments of the rows, from which the Hessian at any coefficients follows.
    OfRows(UnitNoise),
}

impl StepNoise {
    /// The noise of each round, with what is summed.
    pub(super) fn rounds(&self) -> Vec<(&'static str, UnitNoise)> {
        let first = [(GRADIENT, self.gradient)];
        match self.matrices {
            MatricesNoise::OfGradients { hessian, covariance } => {
                let covariance = covariance.map(|unit| (COVARIANCE, unit));
                first.into_iter().chain([(HESSIAN, hessian)]).chain(covariance).collect()
            }
            MatricesNoise::OfRows(unit) => first.into_iter().chain([(MOMENTS, unit)]).collect(),
        }
    }
}

/// The rounds of a Newton step. Their sizes are known once the average is released.
pub struct StepRounds<'p> {
    plan: &'p Plan,
    theta: Released<Vec<f64>>,
    /// The regularisation of the model that the step goes to.
    lambda: f64,
    /// The largest slope of any row at θ̃; steeper ones are cut off.
    steepest: f64,
    gradient: Round,
    matrices: MatrixRounds,
}

enum MatrixRounds {
    OfGradients { hessian: Round, covariance: Option<Round> },
    OfRows(MomentsRound),
}

/// The round of the rows' second moments, in stretched coordinates (interval/PROOF.md).
struct MomentsRound {
    round: Round,
    facts: Facts,
    scheme: Scheme,
}

impl MomentsRound {
    fn new(plan: &Plan, unit: UnitNoise) -> Result<MomentsRound, JointError> {
        let holders = plan.holders();
        let facts = holders.together();
        let moved = sensitivity(MomentsLoss::MOST, facts.rows);
        let size = (moved, MomentsLoss::MOST);
        let round = round(plan, MOMENTS, unit, moments(&facts), size, |facts| {
            sum_error(MomentsLoss::MOST, facts)
        })?;
        let scheme = Scheme::with_deviation(round.noise().deviation(), &facts);
        Ok(MomentsRound { round, facts, scheme })
    }
}

/// How many numbers the second moments of such rows have.
pub(super) fn moments(facts: &Facts) -> usize {
    Scheme::with_deviation(1.0, facts).numbers().count()
}

/// A model after a Newton step.
#[derive(Clone, Debug, PartialEq)]
pub struct Stepped {
    /// θ₁.
    pub coefficients: Released<Vec<f64>>,
    /// What its intervals are computed from, if the covariance was summed.
    pub evidence: Option<Released<Evidence>>,
}

/// The largest |f′| of a row in the unit ball at coefficients of this length, rounded up to a
/// multiple of 2⁻²⁰: machines on which `exp` differs in its last bit still agree on every number of
/// the round.
pub(super) fn steepest(loss: LossKind, length: f64) -> f64 {
    const STEPS: f64 = (1u32 << 20) as f64;
    // No margin is larger than ‖θ‖.
    let slope = 1.0 / loss.of_margin().inverse_slope(length) * (1.0 + ROUNDING_SLACK);
    ((slope * STEPS).ceil() / STEPS).min(1.0)
}

/// The largest weight of a row in a matrix, if its slope is at most `steepest`. The square of a
/// multiple of 2⁻²⁰ is exact.
fn heaviest(weight: Weight, loss: LossKind, steepest: f64) -> f64 {
    match weight {
        Weight::Curvature => loss.of_margin().bounds().curvature,
        Weight::SquaredSlope => steepest * steepest,
    }
}

/// 2·steepest/n, rounded up: how far the exact mean of capped gradients moves when one row is
/// replaced.
pub(super) fn gradient_sensitivity(steepest: f64, rows: usize) -> f64 {
    2.0 * steepest / rows as f64 * (1.0 + ROUNDING_SLACK)
}

/// A bound, for every table, on the distance between a computed and an exact mean gradient with the
/// same slopes.
pub(super) fn gradient_error(steepest: f64, facts: &Facts) -> f64 {
    // Two products and a division beside the additions; a hundredth for underflow and for this
    // formula itself.
    1.01 * roundings(facts.summation_depth + 8) * steepest
}

/// A loss whose slope is in [−most, 0], whatever the loss returns.
struct Capped {
    loss: &'static dyn Loss,
    most: f64,
}

impl Capped {
    fn cap(&self, slope: f64) -> f64 {
        // Not `clamp`, which would let a NaN pass.
        if slope < 0.0 { slope.max(-self.most) } else { 0.0 }
    }
}

impl Loss for Capped {
    fn value(&self, margin: f64) -> f64 {
        self.loss.value(margin)
    }

    fn slope(&self, margin: f64) -> f64 {
        self.cap(self.loss.slope(margin))
    }

    fn curvature(&self, margin: f64) -> f64 {
        self.loss.curvature(margin)
    }

    fn big_slope(&self, margin: &BigFloat) -> BigFloat {
        self.loss.big_slope(margin)
    }

    fn evaluate(&self, margins: &[f64], slopes: &mut [f64], curvatures: &mut [f64]) -> f64 {
        let value = self.loss.evaluate(margins, slopes, curvatures);
        for slope in slopes {
            *slope = self.cap(*slope);
        }
        value
    }
}

/// A round of sums that move by at most `moved` and have no number above `most`, if each holder's
/// were computed exactly.
fn round(
    plan: &Plan,
    what: &'static str,
    unit: UnitNoise,
    dimension: usize,
    (moved, most): (f64, f64),
    error: impl Fn(&Facts) -> f64,
) -> Result<Round, JointError> {
    let holders = plan.holders();
    let share = |facts: &Facts| facts.rows as f64 / holders.rows() as f64;
    // Only one holder's rows differ between neighbours, so only its rounding errors do.
    let error = holders.largest(|_, facts| share(facts) * error(facts));
    let moved = (moved + 2.0 * error) * (1.0 + 4.0 * ROUNDING_SLACK);
    let bound = holders.largest(|_, facts| share(facts)) * most * 1.01;
    let noise = SharedNoise::new(unit, plan.sharing(), dimension, moved, bound)?;
    Ok(Round::new(what, holders.count(), noise))
}

/// A round of matrices with weights up to `most`.
fn matrix_round(
    plan: &Plan,
    what: &'static str,
    unit: UnitNoise,
    most: f64,
) -> Result<Round, JointError> {
    let holders = plan.holders();
    let moved = sensitivity(most, holders.rows());
    round(plan, what, unit, coordinates(holders.dimension()), (moved, most), |facts| {
        sum_error(most, facts)
    })
}

/// The Hessian's round, which is the same wherever the average is.
pub(super) fn hessian_round(plan: &Plan, unit: UnitNoise) -> Result<Round, JointError> {
    matrix_round(plan, HESSIAN, unit, heaviest(Weight::Curvature, plan.loss(), 1.0))
}

impl<'p> StepRounds<'p> {
    /// The rounds at a released average.
    pub(super) fn new(
        plan: &'p Plan,
        noise: StepNoise,
        lambda: f64,
        theta: Released<Vec<f64>>,
    ) -> Result<StepRounds<'p>, JointError> {
        let (holders, loss) = (plan.holders(), plan.loss());
        let (n, d) = (holders.rows(), holders.dimension());
        assert_eq!(theta.len(), d, "one coefficient per dimension");
        let length = length(&theta);
        let steepest = steepest(loss, length);
        let moved = gradient_sensitivity(steepest, n);
        let gradient = round(plan, GRADIENT, noise.gradient, d, (moved, steepest), |facts| {
            gradient_error(steepest, facts)
        })?;
        let most = heaviest(Weight::SquaredSlope, loss, steepest);
        let matrices = match noise.matrices {
            MatricesNoise::OfGradients { hessian, covariance } => MatrixRounds::OfGradients {
                hessian: hessian_round(plan, hessian)?,
                covariance: covariance
                    .map(|unit| matrix_round(plan, COVARIANCE, unit, most))
                    .transpose()?,
            },
            MatricesNoise::OfRows(unit) => MatrixRounds::OfRows(MomentsRound::new(plan, unit)?),
        };
        Ok(StepRounds { plan, theta, lambda, steepest, gradient, matrices })
    }

    /// The rounds, in the order of [`contribute`](StepRounds::contribute): gradient, then either
    /// the rows' second moments or the Hessian and, for intervals, the covariance.
    pub fn rounds(&self) -> Vec<Round> {
        let first = [self.gradient].into_iter();
        match &self.matrices {
            MatrixRounds::OfGradients { hessian, covariance } => {
                first.chain([*hessian]).chain(*covariance).collect()
            }
            MatrixRounds::OfRows(moments) => first.chain([moments.round]).collect(),
        }
    }

    /// One holder's contribution to each round.
    pub fn contribute(
        &self,
        holder: usize,
        oracle: &dyn Oracle,
    ) -> Result<Vec<Contribution>, JointError> {
        let (holders, loss) = (self.plan.holders(), self.plan.loss());
        holders.check(holder, oracle)?;
        let weight = Weighting::BySize.weight(holders, holder);
        let capped = Capped { loss: loss.loss(), most: self.steepest };
        let sums = oracle.sums(&capped, &self.theta, Order::Gradient)?.into_inner();
        let encode = |round: &Round, numbers: Vec<f64>| {
            let big = numbers.into_iter().map(exact).collect();
            round.lattice().encode(&weight, Sensitive::new(big))
        };
        let matrix = |round: &Round, weight: Weight| {
            let most = heaviest(weight, loss, self.steepest);
            let square = computed(oracle, loss, weight, &self.theta, most)?.into_inner();
            Ok::<Contribution, JointError>(encode(round, svec(&square, holders.dimension())))
        };
        let mut contributions = vec![encode(&self.gradient, sums.gradient)];
        match &self.matrices {
            MatrixRounds::OfGradients { hessian, covariance } => {
                contributions.push(matrix(hessian, Weight::Curvature)?);
                if let Some(round) = covariance {
                    contributions.push(matrix(round, Weight::SquaredSlope)?);
                }
            }
            MatrixRounds::OfRows(MomentsRound { round, scheme, .. }) => {
                let square = products_of_rows(oracle)?.into_inner();
                contributions.push(encode(round, scheme.coordinates(&square)));
            }
        }
        Ok(contributions)
    }

    /// θ₁ = θ̃ − H̃⁻¹(g̃ + λθ̃), from what the rounds released, in their order. Nothing but
    /// post-processing.
    pub fn finish(&self, mut sums: Vec<Released<Vec<f64>>>) -> Result<Stepped, JointError> {
        assert_eq!(sums.len(), self.rounds().len(), "one released sum per round");
        let sources = sums.iter().map(|sum| sum.provenance()).chain([self.theta.provenance()]);
        let provenance =
            match sources.into_iter().find(|&source| source != Provenance::OperatingSystem) {
                Some(other) => other,
                None => Provenance::OperatingSystem,
            };
        let d = self.theta.len();
        let evidence = |further: f64, moments: SecondMoments, halfway: Option<Vec<f64>>| {
            let noise = self.gradient.noise();
            let further = noise.mask_deviation().hypot(further);
            let law = (noise.whole(), noise.degrees());
            let n = self.plan.holders().rows();
            released(Evidence::of_step(n, self.lambda, law, further, moments, halfway), provenance)
        };
        match &self.matrices {
            MatrixRounds::OfGradients { hessian: round, covariance } => {
                let covariance =
                    covariance.map(|_| sums.pop().expect("one released sum per round"));
                let hessian = Symmetric::from_svec(sums[1].to_vec(), d);
                let coefficients = self.moved(&sums[0], &hessian, round)?;
                let evidence = covariance.map(|covariance| {
                    let covariance = Symmetric::from_svec(covariance.to_vec(), d);
                    let moments = SecondMoments::OfGradients {
                        hessian,
                        covariance,
                        deviations: None,
                        steps: 0,
                    };
                    evidence(self.noise_of_both(round), moments, None)
                });
                Ok(Stepped { coefficients: released(coefficients, provenance), evidence })
            }
            MatrixRounds::OfRows(MomentsRound { facts, scheme, .. }) => {
                let moments = RowMoments::of_coordinates(scheme, facts, &sums[1]);
                let noise = self.plan.average().noise().deviation();
                let newton = NewtonStep::new(
                    (&moments, facts.rows),
                    self.lambda,
                    (&self.theta, noise),
                    &sums[0],
                )?;
                let NewtonStep { coefficients, halfway, deviation } = newton;
                let evidence = evidence(deviation, SecondMoments::OfRows(moments), Some(halfway));
                Ok(Stepped {
                    coefficients: released(coefficients, provenance),
                    evidence: Some(evidence),
                })
            }
        }
    }

    /// The standard deviation, per coordinate, of the Hessian's noise times the average's: what the
    /// step does wrongly because both are noisy (`PROOF.md`, "Intervals").
    fn noise_of_both(&self, hessian: &Round) -> f64 {
        let (average, hessian) =
            (self.plan.average().noise().deviation(), hessian.noise().deviation());
        average * hessian * (0.5 * (self.theta.len() as f64 + 1.0)).sqrt()
    }

    /// The step itself, brought back into the ball that holds every minimiser.
    fn moved(
        &self,
        gradient: &[f64],
        hessian: &Symmetric,
        round: &Round,
    ) -> Result<Vec<f64>, JointError> {
        let d = self.theta.len();
        let (vectors, values) = eigen(&Mat::from_fn(d, d, |i, j| hessian.entry(i, j)))?;
        // √(2d) deviations is the edge of the noise's spectrum (the semicircle law): below it an
        // eigenvalue says little.
        let noise = (2.0 * d as f64).sqrt() * round.noise().deviation();
        let floor = self.plan.damping() * noise;
        let total: Vec<f64> = gradient
            .iter()
            .zip(self.theta.iter())
            .map(|(g, theta)| g + self.lambda * theta)
            .collect();
        let mut theta = self.theta.to_vec();
        for k in 0..d {
            let along: f64 = (0..d).map(|i| vectors[(i, k)] * total[i]).sum();
            let step = along / (self.lambda + values[k].max(floor));
            theta.iter_mut().enumerate().for_each(|(i, x)| *x -= step * vectors[(i, k)]);
        }
        let longest = longest_minimiser(self.plan.holders(), self.plan.loss(), self.lambda);
        let too_long = length(&theta) / longest;
        if too_long > 1.0 {
            theta.iter_mut().for_each(|x| *x /= too_long);
        }
        Ok(theta)
    }
}

pub(super) const GRADIENT: &str = "mean gradient at released coefficients, summed over holders";
pub(super) const HESSIAN: &str = "Hessian at released coefficients, summed over holders";
pub(super) const COVARIANCE: &str =
    "covariance of gradients at released coefficients, summed over holders";
pub(super) const MOMENTS: &str = "second moments of the rows, summed over holders";

fn length(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}
