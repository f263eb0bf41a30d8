//! Checking a privacy claim from outside: run a mechanism on two neighbouring tables, many times
//! each, and bound from below what it really costs.
//!
//! [`Mechanism`] (anything with two sides) and [`Claim`] → [`audit`] → [`Finding`]. On the first
//! half of the runs an event is learned that tells the sides apart; on the second half its two
//! frequencies become a lower bound on ε that is wrong with probability at most 1 − confidence,
//! whatever the mechanism is ([`statistics`]). A bound above the claim refutes the claim; a bound
//! below it proves nothing, but the share of the claim that it reaches says how much was seen.
//!
//! A mechanism that claims less than it costs:
//!
//! ```
//! use discretion_audit::{AuditError, Claim, Mechanism, Settings, Side, Verdict, audit};
//! use discretion_privacy::noise::{Noise, Source};
//!
//! /// The truth, three times out of four: ε is ln 3.
//! struct Response;
//!
//! impl Mechanism for Response {
//!     fn run(&self, side: Side, source: &mut Noise) -> Result<Vec<f64>, AuditError> {
//!         let is_a_lie = source.word()? % 4 == 0;
//!         Ok(vec![if (side == Side::Left) == is_a_lie { 0.0 } else { 1.0 }])
//!     }
//! }
//!
//! let settings = Settings { trials: 10_000, confidence: 0.999, seed: Some(1) };
//! let claim = Claim { epsilon: 0.5, delta: 0.0 };
//! let finding = audit(&Response, claim, settings, &|_done, _of| {}).unwrap();
//! assert_eq!(finding.verdict, Verdict::Violated);
//! assert!(finding.epsilon_at_least > 0.9 && finding.epsilon_at_least < 3f64.ln());
//! ```
//!
//! [`shipped`] has the mechanisms of this crate with neighbours that move them most, [`exact`] the
//! verdict without sampling where probabilities can be written down. Nothing here knows what a
//! mechanism computes.

pub mod exact;
mod learn;
mod outputs;
mod sampling;
mod score;
pub mod shipped;
pub mod statistics;

#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod tests;

pub use outputs::Outputs;
pub use sampling::{Settings, audit};

use discretion_privacy::noise::{Noise, NoiseError};
use discretion_privacy::{Approximate, Budget, Zcdp};
use serde::Serialize;

/// Which of the two neighbouring tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// One of them.
    Left,
    /// The other.
    Right,
}

/// Something random with an input of two sides: a mechanism together with a pair of neighbouring
/// tables.
pub trait Mechanism: Sync {
    /// One run: the output as a vector of finite numbers, always of the same length. A category is
    /// a number too.
    fn run(&self, side: Side, source: &mut Noise) -> Result<Vec<f64>, AuditError>;

    /// Several independent runs. To be overwritten where a start costs more than a run.
    fn runs(&self, side: Side, count: usize, source: &mut Noise) -> Result<Outputs, AuditError> {
        let mut outputs = Outputs::default();
        for _ in 0..count {
            outputs.push(&self.run(side, source)?)?;
        }
        Ok(outputs)
    }

    /// How many runs are asked for at once. It decides which runs share a seed, so it must not
    /// depend on the machine.
    fn batch(&self) -> usize {
        500
    }
}

/// What is claimed: (ε, δ)-differential privacy, δ = 0 if it is pure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Claim {
    /// ε.
    pub epsilon: f64,
    /// δ.
    pub delta: f64,
}

impl Claim {
    /// What a budget promises. ρ promises an ε for every δ; `delta` says which of those promises is
    /// audited.
    pub fn of(budget: Budget, delta: f64) -> Claim {
        match budget {
            Budget::Pure { epsilon } => Claim { epsilon, delta: 0.0 },
            Budget::Approximate { epsilon, delta } => Claim { epsilon, delta },
            Budget::Zcdp { rho } => {
                let Approximate { epsilon, delta } = Zcdp { rho }.at_delta(delta);
                Claim { epsilon, delta }
            }
        }
    }

    fn check(self) -> Result<(), AuditError> {
        let is_one =
            self.epsilon >= 0.0 && self.epsilon.is_finite() && (0.0..1.0).contains(&self.delta);
        if is_one { Ok(()) } else { Err(AuditError::Claim(self.epsilon, self.delta)) }
    }
}

/// Whether the claim survived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Nothing that was seen contradicts the claim.
    Consistent,
    /// The claim is false, with the stated confidence.
    Violated,
}

/// What an audit found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// What was claimed.
    pub claim: Claim,
    /// ε is at least this at the claim's δ, with the stated confidence. Never below 0.
    pub epsilon_at_least: f64,
    /// δ is at least this at the claim's ε (the hockey-stick divergence), with the stated
    /// confidence.
    pub delta_at_least: f64,
    /// Runs of each side, for learning and for measuring together.
    pub trials: usize,
    /// The confidence.
    pub confidence: f64,
    /// The event that tells the sides apart, in words.
    pub event: String,
    /// The side on which it happens more often.
    pub likelier_on: Side,
    /// How often it happened on that side, and on the other, among [`measured`](Finding::measured)
    /// runs of each.
    pub happened: [usize; 2],
    /// Runs of each side that the frequencies come from.
    pub measured: usize,
    /// The verdict.
    pub verdict: Verdict,
}

impl Finding {
    /// The lower bound as a share of the claimed ε.
    pub fn share(&self) -> f64 {
        if self.claim.epsilon > 0.0 { self.epsilon_at_least / self.claim.epsilon } else { 0.0 }
    }
}

/// Why there was no audit.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AuditError {
    /// Too few runs to learn from and to measure with.
    #[error("an audit needs at least {least} trials, not {0}; 100000 is a common choice", least = sampling::LEAST_TRIALS)]
    Trials(usize),
    /// Not a confidence.
    #[error("a confidence lies between 0 and 1, both excluded, not {0}; 0.999 is a common choice")]
    Confidence(f64),
    /// Not a claim.
    #[error(
        "a claim has a finite epsilon of at least 0 and a delta from 0 to below 1, not {0} and {1}"
    )]
    Claim(f64, f64),
    /// Outputs that cannot be compared.
    #[error(
        "an output has {found} numbers where others have {expected}; every run must give as many"
    )]
    Width {
        /// What the first had.
        expected: usize,
        /// What this one has.
        found: usize,
    },
    /// Nothing to compare.
    #[error("an output must have at least one number")]
    Empty,
    /// An output that is none.
    #[error(
        "an output holds {0}, which is not a finite number; write an outcome that is no number as one, such as -1"
    )]
    NotFinite(f64),
    /// A mechanism cannot be run this way.
    #[error("{0}")]
    Run(String),
}

impl From<NoiseError> for AuditError {
    fn from(error: NoiseError) -> AuditError {
        AuditError::Run(error.to_string())
    }
}
