//! One of k candidates by noisy score, decided exactly. `PROOF.md` beside this file proves
//! [`Selector::choose`].

mod lottery;

#[cfg(test)]
mod tests;

use super::Refused;
use dashu_ratio::RBig;
use discretion_privacy::Budget;
use discretion_privacy::noise::{NoiseError, Released, Sensitive, Source};
use discretion_privacy::trusted::{Open, released};
use serde::{Deserialize, Serialize};

/// How a score's sensitivity enters the choice.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Each candidate by its own sensitivity (Raskhodnikova & Smith 2016): one unstable candidate
    /// does not blur the others, and is held back by what it could hide.
    Generalised {
        /// δ₀, the probability with which the bound on the loss may fail. It shapes the choice too.
        doubt: f64,
    },
    /// All by the largest sensitivity (Chaudhuri & Vinterbo 2013).
    Uniform {
        /// δ₀, the probability with which the bound on the loss may fail. It changes nothing else.
        doubt: f64,
    },
}

impl Rule {
    /// δ₀.
    pub fn doubt(self) -> f64 {
        match self {
            Rule::Generalised { doubt } | Rule::Uniform { doubt } => doubt,
        }
    }
}

/// What was chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// The winner's position among the candidates, counted from 0.
    pub index: usize,
    /// With probability at least 1 − `doubt` the winner's score is no lower than the score of
    /// candidate j minus `shortfall[j]`, for every j. Public numbers, known before the choice.
    pub shortfall: Vec<f64>,
    /// δ₀.
    pub doubt: f64,
}

/// A choice planned from public numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Selector {
    rule: Rule,
    epsilon: f64,
    sensitivities: Vec<f64>,
}

impl Selector {
    /// A choice that costs `epsilon`, among candidates whose scores move by at most
    /// `sensitivities[i]` when one row is replaced.
    pub fn new(rule: Rule, epsilon: f64, sensitivities: Vec<f64>) -> Result<Selector, Refused> {
        if sensitivities.is_empty() {
            return Err(Refused::NoCandidates);
        }
        if (Budget::Pure { epsilon }).checked().is_err() {
            return Err(Refused::Epsilon(epsilon));
        }
        let doubt = rule.doubt();
        if !(doubt > 0.0 && doubt < 1.0) {
            return Err(Refused::Doubt(doubt));
        }
        let is_one = |&beta: &f64| beta.is_finite() && beta > 0.0;
        if let Some(candidate) = sensitivities.iter().position(|beta| !is_one(beta)) {
            return Err(Refused::Sensitivity { candidate, sensitivity: sensitivities[candidate] });
        }
        Ok(Selector { rule, epsilon, sensitivities })
    }

    /// ε₂.
    pub fn epsilon(&self) -> f64 {
        self.epsilon
    }

    /// How much score the choice may lose against each candidate; see [`Choice::shortfall`].
    pub fn shortfall(&self) -> Vec<f64> {
        let times = match self.rule {
            Rule::Generalised { .. } => 2.0 * self.caution(),
            Rule::Uniform { .. } => self.caution(),
        };
        let largest = self.largest_sensitivity();
        let counted =
            |&beta: &f64| if matches!(self.rule, Rule::Uniform { .. }) { largest } else { beta };
        self.sensitivities.iter().map(|beta| times * counted(beta)).collect()
    }

    /// Chooses. Scores are taken as the exact numbers that they are.
    ///
    /// Postcondition: if `scores[i]` is finite and moves by at most `sensitivities[i]` when one row
    /// is replaced, the choice is ε₂-differentially private. A score that is not finite breaks this
    /// contract; it counts as the largest number of its sign, or the lowest if it has none, because
    /// a run that stops would tell more.
    pub fn choose(
        &self,
        scores: Sensitive<Vec<f64>>,
        source: &mut dyn Source,
    ) -> Result<Released<Choice>, NoiseError> {
        let scores: Vec<f64> = scores.into_inner().into_iter().map(finite).collect();
        assert_eq!(scores.len(), self.sensitivities.len(), "one score for each candidate");
        let index = lottery::least(&self.penalties(&scores), source)?;
        let choice = Choice { index, shortfall: self.shortfall(), doubt: self.rule.doubt() };
        Ok(released(choice, source.provenance()))
    }

    /// aᵢ, such that the choice is argmin aᵢ − Xᵢ with standard exponential Xᵢ.
    pub fn penalties(&self, scores: &[f64]) -> Vec<RBig> {
        // aᵢ moves by at most ε₂/2.
        let half_epsilon = rational(self.epsilon) / RBig::from(2);
        match self.rule {
            Rule::Generalised { .. } => self
                .distances(scores)
                .into_iter()
                .map(|distance| distance * &half_epsilon)
                .collect(),
            Rule::Uniform { .. } => {
                let per_score = half_epsilon / rational(self.largest_sensitivity());
                scores.iter().map(|&score| -rational(score) * &per_score).collect()
            }
        }
    }

    /// sᵢ = maxⱼ [(qⱼ − cβⱼ) − (qᵢ − cβᵢ)]/(βᵢ + βⱼ).
    fn distances(&self, scores: &[f64]) -> Vec<RBig> {
        let caution = rational(self.caution());
        let betas: Vec<RBig> = self.sensitivities.iter().map(|&beta| rational(beta)).collect();
        let careful: Vec<RBig> = scores
            .iter()
            .zip(&betas)
            .map(|(&score, beta)| rational(score) - &caution * beta)
            .collect();
        let distance = |i: usize, j: usize| (&careful[j] - &careful[i]) / (&betas[i] + &betas[j]);
        let k = scores.len();
        (0..k).map(|i| (0..k).map(|j| distance(i, j)).max().expect("at least itself")).collect()
    }

    /// c = (2/ε₂) ln(k/δ₀), a public number; no guarantee of privacy depends on it.
    fn caution(&self) -> f64 {
        2.0 / self.epsilon * (self.sensitivities.len() as f64 / self.rule.doubt()).ln()
    }

    fn largest_sensitivity(&self) -> f64 {
        self.sensitivities.iter().copied().fold(0.0, f64::max)
    }
}

fn finite(score: f64) -> f64 {
    if score.is_nan() { f64::MIN } else { score.clamp(f64::MIN, f64::MAX) }
}

fn rational(x: f64) -> RBig {
    RBig::try_from(x).expect("only finite numbers are compared")
}
