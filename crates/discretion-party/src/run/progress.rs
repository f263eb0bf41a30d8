//! The rounds of a study, one after another, as everybody computes them from what was released.

use crate::wire::{Charter, digest};
use crate::{Attempt, RoundError, Scheme};
use discretion::erm::Oracle;
use discretion::joint::{Contribution, CountsPlan, JointError, Plan, Round, StepRounds, Stepped};
use discretion::noise::Released;
use discretion_jobs::identity::canonical;
use discretion_jobs::joint::HeldOutCounts;

/// What a study released.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The average of the holders' models.
    pub average: Released<Vec<f64>>,
    /// The model after a Newton step, if there was one.
    pub stepped: Option<Stepped>,
    /// Counts of its scores on rows that were held out, if some were.
    pub counts: Option<Released<Vec<f64>>>,
}

/// What was released of a study that was given up, in words.
pub(super) fn released_in_words(sums: usize) -> &'static str {
    match sums {
        0 => "no sum was opened here",
        1 => "the average was released, and nothing after it",
        _ => "a part of the sums was released",
    }
}

/// How far a study has come.
pub(super) struct Progress<'p> {
    charter: &'p Charter,
    plan: &'p Plan,
    step: Option<StepRounds<'p>>,
    released: Vec<Released<Vec<f64>>>,
    /// A holder's contributions to the step's rounds, which are computed together.
    contributions: Vec<Option<Contribution>>,
}

impl<'p> Progress<'p> {
    pub(super) fn new(charter: &'p Charter) -> Progress<'p> {
        Progress {
            charter,
            plan: charter.plan(),
            step: None,
            released: Vec::new(),
            contributions: Vec::new(),
        }
    }

    /// How many sums were released.
    pub(super) fn released(&self) -> usize {
        self.released.len()
    }

    /// The round that comes next.
    pub(super) fn round(&self) -> Round {
        match self.released.len() {
            0 => *self.plan.average(),
            r if r == self.plan.training_rounds() => *self.counts().round(),
            r => self.step.as_ref().expect("only a step has more rounds").rounds()[r - 1],
        }
    }

    /// The sharing of the next round. Its proofs hold for this study, this attempt and what was
    /// released so far, and no other.
    pub(super) fn scheme(&self, attempt: &Attempt) -> Result<Scheme, RoundError> {
        Scheme::new(&self.round(), &self.digest(), attempt)
    }

    /// A digest of the study, of what was released so far and of the numbers of the next round.
    /// Members that do not have the same must not add up anything together.
    pub(super) fn digest(&self) -> [u8; 32] {
        let released =
            self.released.iter().flat_map(|sum| sum.iter().flat_map(|x| x.to_bits().to_be_bytes()));
        let released: Vec<u8> = released.collect();
        let round = canonical(&self.round().public_numbers());
        digest("so far", &[&self.charter.fingerprint(), &released, round.as_bytes()])
    }

    fn counts(&self) -> &'p CountsPlan {
        self.plan.counts().expect("only rows that are held out have a round after training")
    }

    /// One holder's contribution to the next round. `held_out` must be there if the plan has a
    /// round for it.
    pub(super) fn contribute(
        &mut self,
        holder: usize,
        oracle: &dyn Oracle,
        held_out: Option<&HeldOutCounts>,
    ) -> Result<Contribution, JointError> {
        if self.released.len() == self.plan.training_rounds() {
            let outcome = self.trained()?;
            let held_out = held_out.expect("a holder that evaluates holds rows out");
            return self
                .counts()
                .contribute(holder, &held_out.tally(self.counts(), outcome.coefficients()));
        }
        let Some(step) = &self.step else { return self.plan.contribute(holder, oracle) };
        if self.contributions.is_empty() {
            self.contributions = step.contribute(holder, oracle)?.into_iter().map(Some).collect();
        }
        let contribution = self.contributions[self.released.len() - 1].take();
        Ok(contribution.expect("a round is contributed to once"))
    }

    /// Takes the next round's sum.
    pub(super) fn release(&mut self, sum: Released<Vec<f64>>) -> Result<(), JointError> {
        if self.released.is_empty() {
            self.step = self.plan.step(&sum)?;
        }
        self.released.push(sum);
        Ok(())
    }

    /// What was released, once all rounds were.
    pub(super) fn outcome(self) -> Result<Outcome, JointError> {
        let counts = self.released.get(self.plan.training_rounds()).cloned();
        Ok(Outcome { counts, ..self.trained()? })
    }

    /// What the rounds that train released.
    fn trained(&self) -> Result<Outcome, JointError> {
        let (average, rest) = self.released.split_first().expect("the average is the first round");
        let rest = rest[..self.plan.training_rounds() - 1].to_vec();
        let stepped = self.step.as_ref().map(|step| step.finish(rest)).transpose()?;
        Ok(Outcome { average: average.clone(), stepped, counts: None })
    }
}

impl Outcome {
    /// The model: after the Newton step if there was one.
    pub fn coefficients(&self) -> &Released<Vec<f64>> {
        self.stepped.as_ref().map_or(&self.average, |stepped| &stepped.coefficients)
    }
}
