//! Which numbers of bins to choose from, if nobody says.

use super::{Axis, Bins, Scale};

/// Cells past which more columns make a histogram useless rather than fine.
const MOST_DEFAULT_CELLS: usize = 4096;

/// Bins past which one column's histogram is finer than anyone plots.
const MOST_DEFAULT_BINS: usize = 256;

/// The root of the most error that noise may add.
const MOST_NOISE: f64 = 0.25;

/// Bounds that are whole numbers this far apart look like a count, an age or a year.
const LEAST_WHOLE_RANGE: f64 = 16.0;

/// Bins of whole numbers that hold one more or less than others are no worse than noise if they
/// hold this many.
const MANY_PER_BIN: usize = 4;

/// The same power of two for every numeric column: 4, 8, …, 256 for one, 4, …, 64 for two, 2, …, 16
/// for three; categories are what they are.
///
/// Noise of deviation σ in each of K counts adds K²σ²/n² to the integrated squared error. The even
/// density is off by ∫f² − 1, which is rarely much above 1, so candidates to which noise adds more
/// than 1/16 are left out; the coarsest stays.
///
/// Between bounds that are whole numbers, bins narrower than four are given a whole width, or ages
/// in years would show as a comb: 64 bins from 18 to 100 have one age or two by turns. Values that
/// are not whole lose nothing by it. Columns that are declared as whole numbers need none of this:
/// their bins begin and end between two of them, and heights are per number.
pub fn default_candidates(axes: &[Axis], rows: usize, deviation: f64) -> Vec<Bins> {
    let numeric = axes.iter().filter(|axis| axis.fixed_cells().is_none()).count();
    let with = |bins: usize| Bins(axes.iter().map(|axis| suited(axis, bins)).collect());
    let mut bins = if numeric <= 2 { 4 } else { 2 };
    let mut found = vec![with(bins)];
    while numeric > 0 && 2 * bins <= MOST_DEFAULT_BINS {
        bins *= 2;
        let finer = with(bins);
        // As a float: a few columns of many categories overflow nothing here and are refused by
        // name later.
        let cells: f64 = finer.0.iter().map(|&bins| bins as f64).product();
        if cells > MOST_DEFAULT_CELLS as f64 || cells * deviation > MOST_NOISE * rows as f64 {
            break;
        }
        if !found.contains(&finer) {
            found.push(finer);
        }
    }
    found
}

/// About as many bins as asked for.
fn suited(axis: &Axis, bins: usize) -> usize {
    let whole = |x: f64| x.fract() == 0.0;
    match axis.scale {
        Scale::Categories { .. } | Scale::Integers { .. } => axis.cells(bins),
        Scale::Interval { low, high }
            if whole(low) && whole(high) && high - low >= LEAST_WHOLE_RANGE =>
        {
            // A range that does not fit here is wide enough for any number of bins.
            let range = (high - low) as usize;
            if range / bins >= MANY_PER_BIN {
                return bins;
            }
            let coarse = 1 << (range / MANY_PER_BIN).ilog2();
            let whole_widths = (1..MANY_PER_BIN).filter(|width| range.is_multiple_of(*width));
            let choices =
                whole_widths.map(|width| range / width).filter(|&n| n <= MOST_DEFAULT_BINS);
            let distance = |n: usize| (n as f64 / bins as f64).ln().abs();
            let nearer = |a, b| if distance(b) < distance(a) { b } else { a };
            choices.fold(coarse, nearer)
        }
        Scale::Interval { .. } => bins,
    }
}
