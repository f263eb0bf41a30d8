//! Sessions in which every query is answered: the best design for a budget, from public numbers
//! alone.

use super::design::{Design, Exponential, Maximum, Sums};
use super::plan::DemandError;
use super::whole;
use discretion_privacy::{
    Approximate, Budget, ROUNDING_SLACK, Zcdp, analytic_gaussian_sigma, normal_cdf, smallest_enough,
};

/// The largest number of chunks that is searched.
const MOST_CHUNKS: u64 = 1 << 40;

/// The share of votes for its winner that is planned for where every query is answered and nothing
/// else is said: hard queries are answered too.
pub const AGREEMENT_OF_ALL: f64 = 0.7;

/// What a session that answers every query is to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DemandAll {
    /// (ε, δ) or ρ of the whole session.
    pub budget: Budget,
    /// m, how many queries may be asked.
    pub queries: u64,
    /// What they are told.
    pub told: Told,
    /// How probably one query may be told something else than it should: another label than its
    /// winner, though that has the share of votes that is asked for, or a mean of scores that is
    /// off by more than the width.
    pub miss: f64,
}

/// What a query is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Told {
    /// One of so many labels.
    Labels {
        /// Their number, at least 2.
        count: usize,
        /// Whether clear winners are told apart, and then how probably a label called sure is the
        /// winner, at least.
        confidence: Option<f64>,
    },
    /// The mean of the scores.
    Scores {
        /// How far it may be off.
        width: f64,
    },
}

/// A design that keeps a demand's budget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlannedAll {
    /// The design.
    pub design: Design,
    /// What it was planned for.
    pub demand: DemandAll,
    /// How many votes a winner must be ahead to be told with probability 1 − miss; nothing for
    /// scores.
    pub ahead: Option<u64>,
}

impl DemandAll {
    /// Checks the numbers.
    pub fn checked(self) -> Result<DemandAll, DemandError> {
        if let Budget::Pure { epsilon } = self.budget {
            return Err(DemandError::Budget { epsilon, delta: 0.0 });
        }
        self.budget.checked().map_err(DemandError::NoBudget)?;
        if self.queries == 0 {
            return Err(DemandError::NoQueries);
        }
        if !(self.miss > 0.0 && self.miss < 0.5) {
            return Err(DemandError::MissAll(self.miss));
        }
        match self.told {
            Told::Labels { confidence: Some(share), .. } if !(share > 0.5 && share < 1.0) => {
                Err(DemandError::Confidence(share))
            }
            _ => Ok(self),
        }
    }

    /// All designs that serve it, the one that needs the smallest lead first.
    ///
    /// Postcondition: each design's [`Design::event`] costs no more than the budget.
    pub fn designs(&self) -> Vec<PlannedAll> {
        let designs = match self.told {
            // Of a label that was drawn nobody knows by how much it led.
            Told::Labels { confidence: Some(_), .. } => vec![self.maximum()],
            Told::Labels { confidence: None, .. } => vec![self.maximum(), self.exponential()],
            Told::Scores { .. } => {
                vec![Design::Sums(Sums { queries: self.queries, sigma: self.deviation(1.0) })]
            }
        };
        let mut planned: Vec<PlannedAll> =
            designs.into_iter().map(|design| self.of(design)).collect();
        planned.sort_by_key(|planned| planned.ahead);
        planned
    }

    /// The best design.
    pub fn plan(&self) -> PlannedAll {
        self.designs()[0]
    }

    /// What a design needs to serve the demand, whether or not it keeps the budget.
    pub fn of(&self, design: Design) -> PlannedAll {
        let ahead = match self.told {
            Told::Labels { count, .. } => {
                let keeps = |ahead| {
                    design.keeps(ahead, count).is_some_and(|keeps| keeps >= 1.0 - self.miss)
                };
                Some(whole::smallest(0, MOST_CHUNKS, keeps).unwrap_or(MOST_CHUNKS))
            }
            Told::Scores { .. } => None,
        };
        PlannedAll { design, demand: *self, ahead }
    }

    fn maximum(&self) -> Design {
        // Of two counts one vote that moves changes both by 1.
        let sigma = self.deviation(std::f64::consts::SQRT_2.next_up());
        let maximum = Maximum { queries: self.queries, sigma, lead: None };
        let Told::Labels { count, confidence: Some(share) } = self.told else {
            return Design::Maximum(maximum);
        };
        let is_rare = |lead| {
            (count - 1) as f64 * normal_cdf(-(lead as f64) / maximum.spread()) <= 1.0 - share
        };
        Design::Maximum(Maximum { lead: Some(whole::smallest_of_all(is_rare)), ..maximum })
    }

    fn exponential(&self) -> Design {
        let rho = match self.budget {
            Budget::Approximate { epsilon, delta } => {
                Zcdp::within(Approximate { epsilon, delta }).rho
            }
            Budget::Zcdp { rho } => rho,
            Budget::Pure { .. } => unreachable!("the demand was checked"),
        };
        let eta = (2.0 * rho / self.queries as f64).sqrt() * (1.0 - 4.0 * ROUNDING_SLACK);
        Design::Exponential(Exponential { queries: self.queries, eta })
    }

    /// σ for m queries of this sensitivity each: together they are one of √m times it.
    fn deviation(&self, sensitivity: f64) -> f64 {
        let together = (sensitivity * (self.queries as f64).sqrt()).next_up();
        match self.budget {
            Budget::Approximate { epsilon, delta } => {
                analytic_gaussian_sigma(together, epsilon, delta) * (1.0 + 4.0 * ROUNDING_SLACK)
            }
            Budget::Zcdp { rho } => together / (2.0 * rho).sqrt() * (1.0 + 4.0 * ROUNDING_SLACK),
            Budget::Pure { .. } => unreachable!("the demand was checked"),
        }
    }

    /// The smallest ε, or ρ, to three digits, for which `chunks` voters serve the demand; nothing
    /// if none up to 1,000 does.
    pub fn smallest_budget(&self, chunks: u64, agreement: f64) -> Option<Budget> {
        let of = |amount: f64| match self.budget {
            Budget::Approximate { delta, .. } => Budget::Approximate { epsilon: amount, delta },
            Budget::Pure { .. } | Budget::Zcdp { .. } => Budget::Zcdp { rho: amount },
        };
        let serves = |amount: f64| {
            DemandAll { budget: of(amount), ..*self }.plan().serves(chunks, agreement)
        };
        smallest_enough(1.0, 1000.0, 5e-4, serves).map(of)
    }

    /// The most queries that `chunks` voters can serve.
    pub fn most_queries(&self, chunks: u64, agreement: f64) -> Option<u64> {
        whole::largest(1 << 30, |queries| {
            DemandAll { queries, ..*self }.plan().serves(chunks, agreement)
        })
    }
}

impl PlannedAll {
    /// The smallest number of chunks that serves, when a winner has the share `agreement` of the
    /// votes and one rival all the others; nothing if no number does.
    pub fn chunks(&self, agreement: f64) -> Option<u64> {
        whole::smallest(2, MOST_CHUNKS, |chunks| self.serves(chunks, agreement))
    }

    fn serves(&self, chunks: u64, agreement: f64) -> bool {
        self.right(chunks, agreement) >= 1.0 - self.demand.miss
    }

    /// The probability that a query is told what it should be, among so many chunks.
    pub fn right(&self, chunks: u64, agreement: f64) -> f64 {
        match (self.demand.told, self.design) {
            (Told::Labels { count, .. }, design) => {
                // A share written as 0.8333 of six votes is five of them.
                let votes = (agreement * chunks as f64 * (1.0 - 1e-12)).ceil() as u64;
                design.keeps((2 * votes).saturating_sub(chunks), count).unwrap_or(0.0).max(0.0)
            }
            (Told::Scores { width }, Design::Sums(sums)) => sums.within(width, chunks),
            (Told::Scores { .. }, _) => 0.0,
        }
    }
}
