//! Linear classifiers as a [`Procedure`]: what is tuned is λ.

use super::Candidate;
use crate::erm::solver::Start;
use crate::erm::{Facts, Oracle};
use crate::outcome::{Bounded, Bounds, Score};
use crate::rounding::UNIT;
use crate::train::{Draw, Mechanism, Plan, TrainError, solve_all};
use discretion_choose::{Procedure, Stability, Trainer};
use discretion_privacy::account::Event;
use discretion_privacy::noise::gate::Certified;
use discretion_privacy::noise::{
    BigFloat, NoiseError, NoiseVector, Released, Sensitive, Source, exact, norm,
};
use discretion_privacy::trusted::{Open, uncertified};
use discretion_privacy::{Budget, ROUNDING_SLACK};
use std::marker::PhantomData;

/// Candidates for λ with their plans, for tables that live as long as `'t`.
pub(super) struct Linear<'t> {
    pub(super) candidates: Vec<Candidate>,
    pub(super) scores: Vec<Bounded>,
    pub(super) validation: &'t Facts,
    pub(super) price: Event,
    pub(super) table: PhantomData<&'t ()>,
}

impl Linear<'_> {
    fn score_of(&self, candidate: &Candidate) -> Bounded {
        let position = self.candidates.iter().position(|other| other == candidate);
        self.scores[position.expect("a candidate of this procedure")]
    }
}

impl<'t> Procedure for Linear<'t> {
    type Candidate = Candidate;
    type Table = &'t dyn Oracle;
    type Randomness = NoiseVector;
    /// θ and the score it is measured by.
    type Model = (Vec<f64>, Bounded);
    type Error = TrainError;

    fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    fn rows(&self, table: &&'t dyn Oracle) -> usize {
        table.facts().rows
    }

    fn draw(
        &self,
        candidate: &Candidate,
        source: &mut dyn Source,
    ) -> Result<NoiseVector, NoiseError> {
        candidate.training.draw(source)
    }

    fn train(
        &self,
        training: &&'t dyn Oracle,
        candidate: &Candidate,
        noise: &NoiseVector,
    ) -> Result<Self::Model, TrainError> {
        let draw = Draw { plan: &candidate.training, noise, start: Start::Unknown };
        let certified = solve_all(*training, &[draw])?.remove(0);
        Ok((inside(certified, radius(&candidate.training)), self.score_of(candidate)))
    }

    /// One pass over the rows serves all candidates.
    fn train_all(
        &self,
        training: &&'t dyn Oracle,
        randomness: &[NoiseVector],
    ) -> Result<Vec<Self::Model>, TrainError> {
        let draws: Vec<Draw<'_>> = self
            .candidates
            .iter()
            .zip(randomness)
            .map(|(candidate, noise)| Draw {
                plan: &candidate.training,
                noise,
                start: Start::Unknown,
            })
            .collect();
        let solved = solve_all(*training, &draws)?;
        let each = solved.into_iter().zip(&self.candidates).zip(&self.scores);
        Ok(each
            .map(|((certified, c), &score)| (inside(certified, radius(&c.training)), score))
            .collect())
    }

    fn score(
        &self,
        (theta, score): &Self::Model,
        validation: &&'t dyn Oracle,
    ) -> Result<f64, TrainError> {
        Ok(Bounded::of_all(&[*score], vec![theta.clone()], *validation)?.remove(0).into_inner())
    }

    /// One pass over the rows serves all models.
    fn score_all(
        &self,
        models: &[Self::Model],
        validation: &&'t dyn Oracle,
    ) -> Result<Vec<f64>, TrainError> {
        let (thetas, scores): (Vec<Vec<f64>>, Vec<Bounded>) = models.iter().cloned().unzip();
        let found = Bounded::of_all(&scores, thetas, *validation)?;
        Ok(found.into_iter().map(Sensitive::into_inner).collect())
    }

    fn score_range(&self, candidate: &Candidate) -> (f64, f64) {
        let (low, high) = self.score_of(candidate).range();
        (-high, -low)
    }

    fn stability(&self, candidate: &Candidate, _: usize, validation_rows: usize) -> Stability {
        stability(&candidate.training, self.score_of(candidate), self.validation, validation_rows)
    }
}

/// How far one row moves a computed score (`PROOF.md`, Lemma 1).
pub(super) fn stability(
    plan: &Plan,
    score: Bounded,
    validation: &Facts,
    validation_rows: usize,
) -> Stability {
    let lipschitz = score.lipschitz().unwrap_or(f64::INFINITY);
    let (rows, radius) = (plan.facts().rows as f64, radius(plan));
    let ideal = plan.outcome().bounds().shift() / (rows * plan.lambda());
    // The solver's tolerance, and the rounding of a vector to doubles inside its ball.
    let computed = plan.chosen().gate().tolerance() + 4.0 * UNIT * radius;
    let rounding = 2.0 * score.rounding(validation, radius);
    let (low, high) = score.range();
    Stability {
        training: (lipschitz * (ideal + 2.0 * computed) + rounding) * (1.0 + ROUNDING_SLACK),
        validation: ((high - low) / validation_rows as f64 + rounding) * (1.0 + ROUNDING_SLACK),
        failure: 0.0,
    }
}

/// A score whose bound on margins, or on differences of two classes' scores, fails with probability
/// e^{−l} over the noise.
pub(super) fn bounded(score: Score, plan: &Plan, l: f64) -> Bounded {
    // (θ_k − θ_l)·x is at most √2‖Θ‖.
    let bound = length_bound(plan, l) * plan.outcome().bounds().slope;
    Bounded { score, bound, classes: plan.facts().classes }
}

/// A bound on ‖θ‖ that fails with probability e^{−l} over the noise.
fn length_bound(plan: &Plan, l: f64) -> f64 {
    let (n, lambda) = (plan.facts().rows as f64, plan.lambda());
    let Bounds { slope, start: at_zero, .. } = plan.outcome().bounds();
    let (law, facts) = (plan.chosen().law(), plan.facts());
    let noise = facts.heads().noise(law, facts.row_dimension()).length_exceeded_by(l);
    match plan.chosen().mechanism() {
        Mechanism::Objective => {
            let u = noise / n;
            ((slope + u) / lambda).min((u + (u * u + 2.0 * lambda * at_zero).sqrt()) / lambda)
        }
        Mechanism::Output => (slope / lambda).min((2.0 * at_zero / lambda).sqrt()) + noise,
    }
}

/// Vectors are brought into a ball of this radius before they are scored, so that the rounding of
/// margins is bounded for every draw. A draw that is longer is as rare as e^{−44}.
pub(super) fn radius(plan: &Plan) -> f64 {
    length_bound(plan, 44.0)
}

/// A vector in doubles, projected onto the ball: the exact projection brings no two vectors further
/// apart.
pub(super) fn inside(certified: Sensitive<Certified>, radius: f64) -> Vec<f64> {
    let vector = uncertified(certified.into_inner());
    let length = norm(&vector, 128);
    if length <= exact(radius) {
        return vector.iter().map(|x| x.to_f64().value()).collect();
    }
    let factor = exact(radius).with_precision(128).value() / length;
    vector.iter().map(|x: &BigFloat| (x * &factor).to_f64().value()).collect()
}

impl Trainer for Linear<'_> {
    type Output = Vec<f64>;

    fn price(&self, _: usize) -> Event {
        self.price.clone()
    }

    fn release(
        &self,
        table: &Self::Table,
        candidate: &Candidate,
        source: &mut dyn Source,
    ) -> Result<Released<Vec<f64>>, TrainError> {
        candidate.all.fit(*table, source)
    }
}

/// The event of training the chosen candidate on all rows within this budget, whichever it is.
pub(super) fn price_of(budget: Budget, candidates: &[Candidate]) -> Event {
    let what = "training with a chosen lambda".to_owned();
    match budget {
        Budget::Pure { epsilon } => Event::Pure { epsilon, what },
        Budget::Zcdp { rho } => Event::Concentrated { rho, what },
        // No candidate has a chance of failing, as (ε, δ) in a ledger would say.
        Budget::Approximate { .. } => {
            Event::OneOf { of: candidates.iter().map(|candidate| candidate.all.event()).collect() }
        }
    }
}
