//! The cheapest design for a budget, from public numbers alone.

use super::design::{Design, Gaussian, Sparse};
use super::whole;
use discretion_privacy::account::{Event, Spend};
use discretion_privacy::{
    Approximate, Budget, BudgetError, ROUNDING_SLACK, analytic_gaussian_sigma, smallest_enough,
};

/// Shares of δ that are tried for what composition needs; the rest is for unstable queries that
/// slip through.
const SHARES: [f64; 7] = [0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9];

/// Shares of ε that are tried for the noise on the threshold, in steps of one over this.
const STEPS: u32 = 400;

/// The widest share of votes that a count of chunks is searched for.
const MOST_CHUNKS: u64 = 1 << 40;

/// The share of votes for its winner with which a query counts as stable, where nothing else is
/// said.
pub const AGREEMENT: f64 = 5.0 / 6.0;

/// What a session is to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand {
    /// ε and δ of the whole session.
    pub budget: Approximate,
    /// m, how many queries may be asked.
    pub queries: u64,
    /// T, how many of them may be unstable. For scores one query can count twice.
    pub unstable: u64,
    /// β, the probability with which some stable query may go unanswered.
    pub miss: f64,
    /// Whether the answers are scores, which take up to two tests each.
    pub scores: bool,
}

/// Why nothing can be planned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DemandError {
    /// No ε or no δ.
    #[error(
        "voting needs an epsilon above 0 and a delta above 0 and below 1, because an unstable answer slips through \
         with some small probability; epsilon is {epsilon} and delta {delta}"
    )]
    Budget {
        /// ε.
        epsilon: f64,
        /// δ.
        delta: f64,
    },
    /// Counts that make no sense.
    #[error(
        "there must be at least one query and at least one that may be unstable, and no more unstable ones than tests; \
         queries is {queries}, unstable {unstable}"
    )]
    Counts {
        /// m.
        queries: u64,
        /// T.
        unstable: u64,
    },
    /// β is no probability.
    #[error("miss is a probability above 0 and below 1, not {0}")]
    Miss(f64),
    /// β is too large for one query.
    #[error("where every query is answered, miss is a probability above 0 and below 0.5, not {0}")]
    MissAll(f64),
    /// A share that makes no label sure.
    #[error("confidence is a probability above 0.5 and below 1, not {0}")]
    Confidence(f64),
    /// Nothing to do.
    #[error("there must be at least one query")]
    NoQueries,
    /// No budget.
    #[error(transparent)]
    NoBudget(BudgetError),
}

/// A design that keeps a demand's budget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Planned {
    /// The design.
    pub design: Design,
    /// The distance at which all stable queries are answered with probability 1 − β.
    pub needs: u64,
}

impl Demand {
    /// Checks the numbers.
    pub fn checked(self) -> Result<Demand, DemandError> {
        let Approximate { epsilon, delta } = self.budget;
        if !(epsilon > 0.0 && epsilon.is_finite() && delta > 0.0 && delta < 1.0) {
            return Err(DemandError::Budget { epsilon, delta });
        }
        if self.queries == 0 || self.unstable == 0 || self.unstable > self.tests() {
            return Err(DemandError::Counts { queries: self.queries, unstable: self.unstable });
        }
        if !(self.miss > 0.0 && self.miss < 1.0) {
            return Err(DemandError::Miss(self.miss));
        }
        Ok(self)
    }

    /// The largest number of tests.
    fn tests(&self) -> u64 {
        if self.scores { self.queries.saturating_mul(2) } else { self.queries }
    }

    /// The best of each kind of design, the one that needs the smallest distance first.
    ///
    /// Postcondition: each design's [`Design::event`] costs no more than the budget.
    pub fn designs(&self) -> Vec<Planned> {
        let mut designs = vec![self.one_threshold(), self.gaussian()];
        if self.unstable > 1 {
            designs.push(self.new_thresholds());
        }
        designs.sort_by_key(|planned| planned.needs);
        designs
    }

    /// The cheapest design.
    pub fn plan(&self) -> Planned {
        self.designs()[0]
    }

    /// One threshold for the whole session: all of ε as it stands, all of δ for what slips through.
    fn one_threshold(&self) -> Planned {
        self.sparse(1, self.unstable, self.budget.epsilon, self.budget.delta)
    }

    /// A threshold for each unstable query, composed as tightly as is known.
    fn new_thresholds(&self) -> Planned {
        let planned = SHARES.iter().map(|share| {
            let slips = (1.0 - share) * self.budget.delta;
            let each = self.largest_each(slips);
            self.sparse(self.unstable, 1, each, slips)
        });
        planned.min_by_key(|planned| planned.needs).expect("there are shares")
    }

    /// The largest ε of one run, if there are T of them and unstable queries slip through with
    /// probability `slips`.
    fn largest_each(&self, slips: f64) -> f64 {
        let Approximate { epsilon, delta } = self.budget;
        let enough = |scale: f64| {
            let event = Event::SparseVector {
                runs: self.unstable,
                epsilon_each: 1.0 / scale,
                delta: slips,
            };
            Spend::of(&event).is_ok_and(|spend| {
                spend
                    .price(Budget::Approximate { epsilon, delta })
                    .is_ok_and(|price| price.amount <= epsilon)
            })
        };
        let runs = self.unstable as f64;
        let scale = smallest_enough(1.0 / epsilon, 4.0 * runs / epsilon, 1e-6, enough);
        1.0 / scale.unwrap_or(runs / epsilon)
    }

    /// The best division of `epsilon` between threshold and distances.
    fn sparse(&self, thresholds: u64, paid_each: u64, epsilon: f64, delta: f64) -> Planned {
        let epsilon = epsilon * (1.0 - 4.0 * ROUNDING_SLACK);
        let planned = (1..STEPS).map(|step| {
            let share = f64::from(step) / f64::from(STEPS);
            let sparse = Sparse {
                thresholds,
                paid_each,
                threshold_scale: 1.0 / (share * epsilon),
                query_scale: 2.0 * paid_each as f64 / ((1.0 - share) * epsilon),
                cut: 0,
            };
            self.of(Design::Sparse(sparse.with_delta(delta)))
        });
        planned.min_by_key(|planned| planned.needs).expect("there are steps")
    }

    fn gaussian(&self) -> Planned {
        let Approximate { epsilon, delta } = self.budget;
        let planned = SHARES.iter().map(|share| {
            let tests = self.tests();
            // The adaptive composition of m Gaussian mechanisms is one of √m times the sensitivity.
            let sigma =
                analytic_gaussian_sigma((tests as f64).sqrt().next_up(), epsilon, share * delta);
            let gaussian = Gaussian { tests, paid: self.unstable, sigma, cut: 0 };
            self.of(Design::Gaussian(gaussian.with_delta((1.0 - share) * delta)))
        });
        planned.min_by_key(|planned| planned.needs).expect("there are shares")
    }

    /// What a design needs to serve the demand, whether or not it keeps the budget.
    pub fn of(&self, design: Design) -> Planned {
        Planned { design, needs: design.needs(self.tests(), self.miss) }
    }

    /// The number of chunks that the paper's Algorithm 4 asks for, 136·ln(4mT/min(δ, β/2))·√(T
    /// ln(2/δ))/ε, to compare with.
    pub fn printed_chunks(&self) -> u64 {
        let Approximate { epsilon, delta } = self.budget;
        let (m, t) = (self.queries as f64, self.unstable as f64);
        let log = (4.0 * m * t / delta.min(self.miss / 2.0)).ln();
        (136.0 * log * (t * (2.0 / delta).ln()).sqrt() / epsilon).round() as u64
    }

    /// The most unstable queries that `chunks` voters can serve, if the winner of a stable query
    /// has at least the share `agreement` of the votes; nothing if not even one.
    pub fn most_unstable(&self, chunks: u64, agreement: f64) -> Option<u64> {
        let reached = distance(chunks, agreement);
        let serves = |unstable: u64| Demand { unstable, ..*self }.plan().needs <= reached;
        whole::largest(self.tests(), serves)
    }

    /// The smallest ε, to three digits, for which `chunks` voters serve the demand; nothing if none
    /// up to 1,000 does.
    pub fn smallest_epsilon(&self, chunks: u64, agreement: f64) -> Option<f64> {
        let reached = distance(chunks, agreement);
        let serves = |epsilon: f64| {
            let budget = Approximate { epsilon, ..self.budget };
            Demand { budget, ..*self }.plan().needs <= reached
        };
        smallest_enough(1.0, 1000.0, 5e-4, serves)
    }

    /// The most queries that `chunks` voters can serve, with the demand's T unstable ones among
    /// them.
    pub fn most_queries(&self, chunks: u64, agreement: f64) -> Option<u64> {
        let reached = distance(chunks, agreement);
        let serves = |queries: u64| {
            let demand = Demand { queries, ..*self };
            demand.unstable > demand.tests() || demand.plan().needs <= reached
        };
        let least = if self.scores { self.unstable.div_ceil(2) } else { self.unstable };
        whole::largest(1 << 30, serves).filter(|&queries| queries >= least)
    }
}

impl Planned {
    /// The smallest number of chunks at which a query is stable enough when its winner has the
    /// share `agreement` of the votes and the runner-up all the others; nothing if no number is.
    pub fn chunks(&self, agreement: f64) -> Option<u64> {
        whole::smallest(2, MOST_CHUNKS, |chunks| distance(chunks, agreement) >= self.needs)
    }

    /// The share of votes that the winner needs among `chunks`, if the runner-up has all the
    /// others; nothing if even all votes are too few.
    pub fn agreement(&self, chunks: u64) -> Option<f64> {
        whole::smallest(chunks / 2, chunks, |votes| distance_of_votes(chunks, votes) >= self.needs)
            .map(|votes| votes as f64 / chunks as f64)
    }
}

/// The distance of a query whose winner has at least the share `agreement` of the votes.
pub fn distance(chunks: u64, agreement: f64) -> u64 {
    // A share written as 0.8333 of six votes is five of them.
    distance_of_votes(chunks, (agreement * chunks as f64 * (1.0 - 1e-12)).ceil() as u64)
}

fn distance_of_votes(chunks: u64, votes: u64) -> u64 {
    let gap = (2 * votes).saturating_sub(chunks);
    gap.div_ceil(2).saturating_sub(1)
}
