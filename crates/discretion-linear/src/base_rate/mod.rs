//! How frequent the positive class is: a private share, released before a training whose penalty
//! then pulls the intercept to it and not to even odds. `PROOF.md` beside this file has what it
//! guarantees.

#[cfg(test)]
mod tests;

use crate::erm::{AskOracle, Oracle};
use crate::knots::{SearchError, counts_of, rest_of};
use discretion_privacy::account::Event;
use discretion_privacy::noise::{IntegerNoise, Released, Source};
use discretion_privacy::{Budget, Pure, Unit, Zcdp};

/// The share of the budget that it takes.
pub const SHARE: f64 = 0.05;

/// Every public number of the release.
#[derive(Clone, Debug, PartialEq)]
pub struct BaseRatePlan {
    noise: IntegerNoise,
    share: f64,
    unit: Unit,
    units: usize,
    rest: Budget,
}

impl BaseRatePlan {
    /// Takes [`SHARE`] of a budget for the rate among so many units.
    pub fn new(budget: Budget, unit: Unit, units: usize) -> BaseRatePlan {
        assert!(units > 0, "a rate is one of some units");
        let (share, counts) = (SHARE, counts_of(unit));
        let noise = match budget {
            Budget::Zcdp { rho } => IntegerNoise::Gaussian {
                squared_sensitivity: counts * counts,
                budget: Zcdp { rho: rho * share },
            },
            // Under (ε, δ) too: δ is left to what comes after.
            pure => IntegerNoise::Laplace {
                sensitivity: counts,
                budget: Pure { epsilon: pure.as_pure().epsilon * share },
            },
        };
        BaseRatePlan { noise, share, unit, units, rest: rest_of(budget, share) }
    }

    /// What is left of the budget.
    pub fn rest(&self) -> Budget {
        self.rest
    }

    /// The share of the budget that it takes.
    pub fn share(&self) -> f64 {
        self.share
    }

    /// What it costs.
    pub fn event(&self) -> Event {
        self.noise.event()
    }

    /// The standard deviation of the released rate.
    pub fn deviation(&self) -> f64 {
        self.noise.deviation() / self.whole()
    }

    /// What all units count.
    fn whole(&self) -> f64 {
        f64::from(counts_of(self.unit)) * self.units as f64
    }

    /// Rates nearer to 0 or 1 than the noise can tell are moved to here.
    fn smallest(&self) -> f64 {
        self.deviation().clamp(0.5 / self.whole(), 0.5)
    }

    /// The furthest from 0 that the log-odds of a released rate can be.
    pub fn furthest(&self) -> f64 {
        log_odds(self.smallest()).abs().max(log_odds(1.0 - self.smallest()).abs())
    }

    /// The rate, strictly between 0 and 1.
    pub fn run(
        &self,
        rows: &dyn Oracle,
        source: &mut dyn Source,
    ) -> Result<Released<f64>, SearchError> {
        assert_eq!(rows.facts().unit, self.unit, "the noise is for this unit");
        let count = self.noise.release(rows.positives().map_err(SearchError::Rows)?, source)?;
        Ok(count.map(|count| {
            (count[0] as f64 / self.whole()).clamp(self.smallest(), 1.0 - self.smallest())
        }))
    }
}

/// ln(p/(1 − p)).
pub fn log_odds(rate: f64) -> f64 {
    (rate / (1.0 - rate)).ln()
}
