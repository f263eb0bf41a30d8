//! Training every candidate, scoring it, and choosing: Algorithms 1 and 2 of Chaudhuri &
//! Vinterbo 2013.

use super::{Choice, Procedure, Refused, Rule, Selector, Trainer, TuneError};
use discretion_privacy::account::Event;
use discretion_privacy::noise::{Released, Sensitive, Source};

/// How many rows train and how many validate. The two are disjoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// n.
    pub training: usize,
    /// m.
    pub validation: usize,
}

/// A choice, and the chosen candidate trained on all rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuned<O> {
    /// Which one.
    pub choice: Released<Choice>,
    /// What it became.
    pub output: Released<O>,
}

/// A choice among a procedure's candidates, planned from public numbers.
pub struct Validation<'a, P: Procedure> {
    procedure: &'a P,
    rows: Rows,
    selector: Selector,
    ranges: Vec<(f64, f64)>,
    failure: f64,
}

impl<'a, P: Procedure> Validation<'a, P> {
    /// Checks the request and fixes every public number of the run. `epsilon` is ε₂, the price of
    /// the choice.
    pub fn plan(procedure: &'a P, rows: Rows, rule: Rule, epsilon: f64) -> Result<Self, Refused> {
        let candidates = procedure.candidates();
        for (second, candidate) in candidates.iter().enumerate() {
            if let Some(first) =
                candidates[..second].iter().position(|earlier| earlier == candidate)
            {
                return Err(Refused::Repeated { first, second });
            }
        }
        let Rows { training, validation } = rows;
        if training == 0 || validation == 0 {
            return Err(Refused::NoRows { training, validation });
        }
        let mut sensitivities = Vec::with_capacity(candidates.len());
        let mut ranges = Vec::with_capacity(candidates.len());
        let mut failure = 0.0;
        for (position, candidate) in candidates.iter().enumerate() {
            let (low, high) = procedure.score_range(candidate);
            if !(low.is_finite() && high.is_finite() && low <= high) {
                return Err(Refused::Range { candidate: position, low, high });
            }
            let stability = procedure.stability(candidate, training, validation);
            // `f64::max` would drop a NaN.
            if stability.training.is_nan() || stability.validation.is_nan() {
                return Err(Refused::Sensitivity { candidate: position, sensitivity: f64::NAN });
            }
            // A clamped score moves by no more than the width of its range.
            let width = (high - low).next_up();
            sensitivities.push(stability.training.max(stability.validation).min(width));
            ranges.push((low, high));
            failure = sum_up(failure, stability.failure)?;
        }
        let selector = Selector::new(rule, epsilon, sensitivities)?;
        Ok(Validation { procedure, rows, selector, ranges, failure })
    }

    /// The planned choice.
    pub fn selector(&self) -> &Selector {
        &self.selector
    }

    /// What [`validate`](Validation::validate) costs.
    pub fn event(&self) -> Event {
        let (candidates, epsilon) = (self.ranges.len(), self.selector.epsilon());
        if self.failure > 0.0 {
            let what = format!("a selection among {candidates} candidates");
            Event::Approximate { epsilon, delta: self.failure, what }
        } else {
            Event::Selection { candidates, epsilon }
        }
    }

    /// Algorithm 1: trains every candidate on `training`, scores it on `validation`, chooses one.
    ///
    /// Postcondition: the choice satisfies [`event`](Validation::event) for replace-one neighbours,
    /// if no row is in both tables and `source` is the operating system.
    pub fn validate(
        &self,
        training: &P::Table,
        validation: &P::Table,
        source: &mut dyn Source,
    ) -> Result<Released<Choice>, TuneError<P::Error>> {
        let procedure = self.procedure;
        let planned = (self.rows.training, self.rows.validation);
        let found = (procedure.rows(training), procedure.rows(validation));
        if planned != found {
            return Err(TuneError::Rows { planned, found });
        }
        let randomness = procedure
            .candidates()
            .iter()
            .map(|candidate| procedure.draw(candidate, source))
            .collect::<Result<Vec<_>, _>>()?;
        let models = procedure.train_all(training, &randomness).map_err(TuneError::Procedure)?;
        assert_eq!(models.len(), self.ranges.len(), "train_all trains every candidate");
        let scores = procedure.score_all(&models, validation).map_err(TuneError::Procedure)?;
        assert_eq!(scores.len(), self.ranges.len(), "score_all scores every model");
        let scores = scores
            .into_iter()
            .zip(&self.ranges)
            .map(|(score, &range)| clamp(score, range))
            .collect();
        Ok(self.selector.choose(Sensitive::new(scores), source)?)
    }
}

impl<P: Trainer> Validation<'_, P> {
    /// What [`validate_then_train`](Validation::validate_then_train) costs: the choice, and one
    /// training on all rows.
    pub fn event_with_training(&self) -> Event {
        let all = self.rows.training + self.rows.validation;
        Event::Composition { of: vec![self.event(), self.procedure.price(all)] }
    }

    /// Algorithm 2: chooses, then trains the winner with fresh randomness on `all` rows and
    /// releases it.
    ///
    /// Postcondition: both results together satisfy
    /// [`event_with_training`](Validation::event_with_training) if `training` and `validation` are
    /// disjoint and `all` is their union.
    pub fn validate_then_train(
        &self,
        training: &P::Table,
        validation: &P::Table,
        all: &P::Table,
        source: &mut dyn Source,
    ) -> Result<Tuned<P::Output>, TuneError<P::Error>> {
        let union = self.rows.training + self.rows.validation;
        if self.procedure.rows(all) != union {
            return Err(TuneError::Union { planned: union, found: self.procedure.rows(all) });
        }
        let choice = self.validate(training, validation, source)?;
        let winner = &self.procedure.candidates()[choice.index];
        let output = self.procedure.release(all, winner, source).map_err(TuneError::Procedure)?;
        Ok(Tuned { choice, output })
    }
}

/// A score as it enters a choice.
pub(super) fn clamp(score: f64, (low, high): (f64, f64)) -> f64 {
    if score.is_nan() { low } else { score.clamp(low, high) }
}

/// The sum, rounded up, if both are probabilities and it is below 1.
fn sum_up(failure: f64, more: f64) -> Result<f64, Refused> {
    let sum =
        if failure == 0.0 || more == 0.0 { failure + more } else { (failure + more).next_up() };
    if more >= 0.0 && sum < 1.0 { Ok(sum) } else { Err(Refused::Failure(sum)) }
}
