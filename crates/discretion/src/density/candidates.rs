//! Which numbers of bins to choose from, if nobody says.

use super::{Axis, Bins};

/// Cells past which more columns make a histogram useless rather than fine.
const MOST_DEFAULT_CELLS: usize = 4096;

/// Bins past which one column's histogram is finer than anyone plots.
const MOST_DEFAULT_BINS: usize = 256;

/// The root of the most error that noise may add.
const MOST_NOISE: f64 = 0.25;

/// The same power of two for every numeric column: 4, 8, …, 256 for one, 4, …, 64 for two, 2, …, 16 for three;
/// categories are what they are.
///
/// Noise of deviation σ in each of K counts adds K²σ²/n² to the integrated squared error. The even density is off by
/// ∫f² − 1, which is rarely much above 1, so candidates to which noise adds more than 1/16 are left out; the coarsest
/// stays.
pub fn default_candidates(axes: &[Axis], rows: usize, deviation: f64) -> Vec<Bins> {
    let numeric = axes.iter().filter(|axis| axis.fixed_cells().is_none()).count();
    let with = |bins: usize| Bins(axes.iter().map(|axis| axis.fixed_cells().unwrap_or(bins)).collect());
    let mut bins = if numeric <= 2 { 4 } else { 2 };
    let mut found = vec![with(bins)];
    while numeric > 0 && 2 * bins <= MOST_DEFAULT_BINS {
        bins *= 2;
        let finer = with(bins);
        // As a float: a few columns of many categories overflow nothing here and are refused by name later.
        let cells: f64 = finer.0.iter().map(|&bins| bins as f64).product();
        if cells > MOST_DEFAULT_CELLS as f64 || cells * deviation > MOST_NOISE * rows as f64 {
            break;
        }
        found.push(finer);
    }
    found
}
