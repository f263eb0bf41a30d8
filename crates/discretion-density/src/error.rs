//! Why a density was refused.

use discretion_choose::Refused;
use discretion_privacy::noise::NoiseError;
use discretion_privacy::{Budget, BudgetError, Excerpt};

/// Why a density was refused or failed. `Noise` is the machine's fault, the others the request's;
/// none depends on the values of rows.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DensityError {
    /// Nothing to describe.
    #[error("a density needs at least one column")]
    NoAxes,
    /// An interval that is none.
    #[error(
        "column {axis}: from {low} to {high} is not an interval; both ends must be finite, the lower one first",
        axis = Excerpt::of(.axis)
    )]
    Interval {
        /// The column.
        axis: String,
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
    },
    /// Whole numbers that are none.
    #[error(
        "column {axis}: from {low} to {high} are no whole numbers; both ends must be whole, the lower one first, and below 2^52",
        axis = Excerpt::of(.axis)
    )]
    Integers {
        /// The column.
        axis: String,
        /// The smallest.
        low: f64,
        /// The largest.
        high: f64,
    },
    /// A list of categories that is none.
    #[error(
        "column {axis}: a list of categories has at least one value, each once, and at most 65535",
        axis = Excerpt::of(.axis)
    )]
    Categories {
        /// The column.
        axis: String,
    },
    /// A candidate that does not fit the columns.
    #[error(
        "{bins} bins do not fit the columns: one number above 0 for each, of whole numbers at most as many as there are, \
         and for categories the number of values plus one",
        bins = first_of(.bins)
    )]
    Bins {
        /// The candidate.
        bins: Vec<usize>,
    },
    /// Too many cells.
    #[error(
        "{bins} bins make more than {most} cells; take fewer bins or fewer columns",
        bins = first_of(.bins)
    )]
    TooManyCells {
        /// The candidate.
        bins: Vec<usize>,
        /// The limit.
        most: usize,
    },
    /// A share that is none.
    #[error("the {what} share must be above 0 and below 1, not {share}")]
    Share {
        /// Which.
        what: &'static str,
        /// What it was.
        share: f64,
    },
    /// Scores that see nothing.
    #[error("the ceiling of a density's scores must be at least 1; 32 is the default")]
    Ceiling,
    /// The noise would outweigh the rows.
    #[error(
        "{rows} rows are too few for {budget} and {cells} cells: at least {needed} rows{enough} would do, or fewer bins",
        enough = smallest.map(|budget| format!(", or {budget},")).unwrap_or_default()
    )]
    TooFewRows {
        /// N.
        rows: usize,
        /// What may be spent.
        budget: Budget,
        /// The cells of the finest candidate.
        cells: usize,
        /// The smallest number of rows that is enough for this budget.
        needed: usize,
        /// The smallest budget that is enough for these rows; nothing if none is.
        smallest: Option<Budget>,
    },
    /// The budget is not one.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// The choice among candidates was refused.
    #[error(transparent)]
    Selection(#[from] Refused),
    /// The table is not the one the plan was made for.
    #[error(
        "the plan was made for {planned} rows of other columns or another number of rows ({found}); plan anew"
    )]
    OtherTable {
        /// N of the plan.
        planned: usize,
        /// N of the table.
        found: usize,
    },
    /// A stored density that is none.
    #[error("this is not a density: {0}")]
    NotADensity(&'static str),
    /// The operating system's generator failed.
    #[error(transparent)]
    Noise(#[from] NoiseError),
}

/// A candidate in a message: the bins of its first columns.
fn first_of(bins: &[usize]) -> String {
    const SHOWN: usize = 8;
    match bins.get(..SHOWN) {
        Some(first) if bins.len() > SHOWN => format!("{first:?} and further"),
        _ => format!("{bins:?}"),
    }
}
