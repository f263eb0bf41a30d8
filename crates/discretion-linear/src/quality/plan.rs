//! An evaluation, planned from public numbers before a row is looked at.

use super::{Grid, ScoreCounts, Tally, edges, expected};
use discretion_privacy::account::Event;
use discretion_privacy::noise::{IntegerNoise, NoiseError, Released, Sensitive, Source};
use discretion_privacy::{
    Budget, BudgetError, Pure, ROUNDING_SLACK, Zcdp, analytic_gaussian_sigma,
};

/// The share of the budget that finds out where bins should begin and end.
pub const EDGES_SHARE: f64 = 0.15;

/// The most groups whose rows are counted apart.
pub const MOST_GROUPS: usize = 21;

/// Bins are between these numbers.
const BINS: [usize; 2] = [4, 64];

/// Fine cells for each bin, and their limits.
const FINE: usize = 8;
const CELLS: [usize; 2] = [32, 256];

/// What evaluation is wanted, and what it may cost. Everything in it is public.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quality {
    /// What this run may spend.
    pub budget: Budget,
    /// How many groups of rows are counted apart.
    pub groups: usize,
    /// Scores are expected above this.
    pub low: f64,
    /// Scores are expected below this.
    pub high: f64,
}

/// Everything public about a run.
#[derive(Clone, Debug, PartialEq)]
pub struct QualityPlan {
    rows: usize,
    budget: Budget,
    groups: usize,
    bins: usize,
    pub(super) grid: Grid,
    /// For the fine cells, and for the bins.
    pub(super) noise: [IntegerNoise; 2],
}

/// Why an evaluation was refused or failed. `Noise` is the machine's fault, the others the
/// request's; none depends on values of rows.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum QualityError {
    /// Not a budget.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// Too many groups, or none.
    #[error(
        "rows can be counted apart for 1 to {MOST_GROUPS} groups, the one of all other values included, not {0}"
    )]
    Groups(usize),
    /// Fewer classes than two.
    #[error("a model of {0} classes cannot be evaluated")]
    Classes(usize),
    /// Not a deviation.
    #[error("residuals cannot be expected to have a deviation of {0}")]
    Deviation(f64),
    /// No range of scores.
    #[error("scores cannot be expected between {low} and {high}")]
    Range {
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
    },
    /// Noise would outweigh the rows.
    #[error(
        "{rows} rows are too few to evaluate a model with {budget}, because noise would outweigh them; it takes about {needed} rows"
    )]
    TooFewRows {
        /// The rows.
        rows: usize,
        /// The budget.
        budget: Budget,
        /// How many would do.
        needed: usize,
    },
    /// A table of other rows.
    #[error("the evaluation was planned for {planned} rows, and there are {found}")]
    OtherTable {
        /// The plan's.
        planned: usize,
        /// The table's.
        found: usize,
    },
    /// The noise failed.
    #[error(transparent)]
    Noise(#[from] NoiseError),
}

impl Quality {
    /// Checks the request and fixes every public number of a run.
    pub fn plan(&self, rows: usize) -> Result<QualityPlan, QualityError> {
        let plan = |rows: usize| self.plan_whatever_it_says(rows);
        if_it_says_something(plan, QualityPlan::says_something, rows, self.budget)
    }

    fn plan_whatever_it_says(&self, rows: usize) -> Result<QualityPlan, QualityError> {
        let &Quality { budget, groups, low, high } = self;
        checked(budget, groups)?;
        let noise = count_noises(budget, [EDGES_SHARE, 1.0 - EDGES_SHARE]);
        QualityPlan::with_noise((rows, groups), (low, high), budget, noise)
    }
}

/// A plan for so many rows, unless noise would outweigh them; then how many would do.
pub(super) fn if_it_says_something<P>(
    plan: impl Fn(usize) -> Result<P, QualityError>,
    says_something: impl Fn(&P) -> bool,
    rows: usize,
    budget: Budget,
) -> Result<P, QualityError> {
    let planned = plan(rows)?;
    if says_something(&planned) {
        return Ok(planned);
    }
    let enough = |rows: &usize| plan(*rows).is_ok_and(|plan| says_something(&plan));
    let mut more = std::iter::successors(Some(rows.max(10)), |rows| rows.checked_add(rows / 8 + 1));
    let needed = more.find(enough).unwrap_or(usize::MAX);
    Err(QualityError::TooFewRows { rows, budget, needed })
}

/// Refuses what no evaluation can be.
pub(super) fn checked(budget: Budget, groups: usize) -> Result<(), QualityError> {
    budget.checked()?;
    match groups == 0 || groups > MOST_GROUPS {
        true => Err(QualityError::Groups(groups)),
        false => Ok(()),
    }
}

impl QualityPlan {
    /// A plan whose noise, of the edges and of the bins, is fixed already.
    pub(super) fn with_noise(
        (rows, groups): (usize, usize),
        (low, high): (f64, f64),
        budget: Budget,
        noise: [IntegerNoise; 2],
    ) -> Result<QualityPlan, QualityError> {
        if !(low.is_finite() && high.is_finite() && low < high) || (high - low).is_infinite() {
            return Err(QualityError::Range { low, high });
        }
        let bins = number_of_bins(rows as f64 / groups as f64, noise[1].deviation());
        let cells = (FINE * bins).clamp(CELLS[0], CELLS[1]);
        Ok(QualityPlan { rows, budget, groups, bins, grid: Grid::new(low, high, cells), noise })
    }
}

/// Bins that weigh what noise adds to the AUC's variance, which grows with their number B, against
/// what B chords cut off its curve, about 1/(4B²): the minimum over B of 2.8σ²B/n² + 1/(16B⁴), for
/// a quarter of positive rows. Both are shown in the tests.
pub(super) fn number_of_bins(rows: f64, deviation: f64) -> usize {
    let best = (0.09 * (rows / deviation).powi(2)).powf(0.2).round();
    (best as usize).clamp(BINS[0], BINS[1])
}

/// How far one replaced row can move a vector of whole numbers: in L₁, and squared in L₂.
#[derive(Clone, Copy)]
pub(super) struct Moves {
    pub l1: u32,
    pub l2_squared: u32,
}

/// One row takes 1 from one count and adds it to another.
pub(super) const OF_COUNTS: Moves = Moves { l1: 2, l2_squared: 2 };

/// The noise on counts that shares of the budget pay for.
fn count_noises<const N: usize>(budget: Budget, shares: [f64; N]) -> [IntegerNoise; N] {
    let noises = noises(budget, &shares.map(|share| (share, OF_COUNTS)));
    noises.try_into().expect("one for each share")
}

/// The noise that shares of the budget pay for, on vectors that one row moves so far. All shares
/// have one law: under (ε, δ) the one with the smaller noise in the last, because two laws in one
/// budget would cost more than it.
pub(super) fn noises(budget: Budget, shares: &[(f64, Moves)]) -> Vec<IntegerNoise> {
    let each = |make: &dyn Fn(f64, Moves) -> IntegerNoise| -> Vec<IntegerNoise> {
        shares.iter().map(|&(share, moves)| make(share * (1.0 - ROUNDING_SLACK), moves)).collect()
    };
    let gaussian = |rho: f64| {
        each(&|share, moves| IntegerNoise::Rounded {
            squared_sensitivity: moves.l2_squared,
            budget: Zcdp { rho: rho * share },
        })
    };
    let laplace = |epsilon: f64| {
        each(&|share, moves| IntegerNoise::Laplace {
            sensitivity: moves.l1,
            budget: Pure { epsilon: epsilon * share },
        })
    };
    match budget {
        Budget::Pure { epsilon } => laplace(epsilon),
        Budget::Zcdp { rho } => gaussian(rho),
        Budget::Approximate { epsilon, delta } => {
            // Several continuous Gaussians are one of the sum of their ρ, which has an exact price.
            let sigma = analytic_gaussian_sigma(1.0, epsilon, delta);
            let [one, other] = [laplace(epsilon), gaussian(0.5 / (sigma * sigma))];
            let last = |noises: &[IntegerNoise]| noises.last().map_or(0.0, IntegerNoise::deviation);
            if last(&other) < last(&one) { other } else { one }
        }
    }
}

impl QualityPlan {
    /// The public number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// What the run may spend.
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// The most bins there will be.
    pub fn bins(&self) -> usize {
        self.bins
    }

    /// How many groups are counted apart.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// What is added to the counts of bins.
    pub fn noise(&self) -> IntegerNoise {
        self.noise[1]
    }

    /// What running this plan does to the table, for an account.
    pub fn event(&self) -> Event {
        Event::Composition { of: self.noise.iter().map(IntegerNoise::event).collect() }
    }

    /// Half the width of a 95 % interval for an AUC of 0.8 where a quarter of the rows is positive,
    /// from sampling alone and with noise: of all rows, whose counts are sums over groups.
    pub fn expected_half_width(&self) -> [Option<f64>; 2] {
        self.expected_at(0.25)
    }

    /// The same where another share of the rows is positive.
    pub(super) fn expected_at(&self, base_rate: f64) -> [Option<f64>; 2] {
        let deviation = self.noise[1].deviation() * (self.groups as f64).sqrt();
        expected::half_width(self.rows as f64, self.bins, deviation, 0.8, base_rate)
    }

    /// The same for a group of average size.
    pub fn expected_in_a_group(&self) -> [Option<f64>; 2] {
        let rows = self.rows as f64 / self.groups as f64;
        expected::half_width(rows, self.bins, self.noise[1].deviation(), 0.8, 0.25)
    }

    fn says_something(&self) -> bool {
        self.expected_half_width()[1].is_some_and(|half| half < 0.25)
    }

    /// Returns the fine cells of scores.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// No row yet.
    pub fn tally(&self) -> Tally {
        Tally::new(self.grid.clone(), self.groups)
    }

    /// Finds bins, and releases the counts in them.
    ///
    /// Postcondition: what is released satisfies [`QualityPlan::budget`] for replace-one
    /// neighbours, if `source` is the operating system.
    pub fn run(
        &self,
        tally: &Tally,
        source: &mut dyn Source,
    ) -> Result<Released<ScoreCounts>, QualityError> {
        if tally.rows() != self.rows || !tally.is_for(&self.grid, self.groups) {
            return Err(QualityError::OtherTable { planned: self.rows, found: tally.rows() });
        }
        let [for_edges, for_bins] = self.noise;
        let pooled = for_edges.release(Sensitive::new(tally.pooled()), source)?;
        let cuts = edges::cuts(&pooled, self.rows, self.bins, self.grid.zero());
        let counts = for_bins.release(Sensitive::new(tally.between(&cuts)), source)?;
        let grid = self.grid.clone();
        Ok(counts.map(|counts| {
            ScoreCounts::new(self.rows, grid, pooled.to_vec(), cuts, &counts, for_bins)
        }))
    }
}
