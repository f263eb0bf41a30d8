//! Where bins begin and end: about equally many rows in each, as far as noisy counts of fine cells
//! tell. Post-processing.

/// Cuts between fine cells, given as the number of cells below each: at most `bins − 1` of them,
/// and always one at `zero`.
pub(super) fn cuts(noisy: &[i64], rows: usize, bins: usize, zero: Option<usize>) -> Vec<usize> {
    let below = rows_below(noisy, rows);
    let target = |k: usize| rows as f64 * k as f64 / bins as f64;
    let nearest = |k: usize| {
        let off = |cut: &usize| (below[*cut] - target(k)).abs();
        (1..noisy.len()).min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(1)
    };
    let mut cuts: Vec<usize> = (1..bins).map(nearest).collect();
    cuts.sort_unstable();
    cuts.dedup();
    if let Some(zero) = zero
        && !cuts.contains(&zero)
    {
        if cuts.len() + 1 == bins {
            let nearest = (0..cuts.len()).min_by_key(|&i| cuts[i].abs_diff(zero)).unwrap_or(0);
            cuts.remove(nearest);
        }
        cuts.push(zero);
        cuts.sort_unstable();
    }
    cuts
}

/// About how many rows are in the first k cells, for k from 0 to all of them: never falling, and
/// all of them in the end.
pub(super) fn rows_below(noisy: &[i64], rows: usize) -> Vec<f64> {
    let total: f64 = noisy.iter().map(|&count| count as f64).sum();
    // The number of rows is known, so what noise made of it is given back evenly.
    let each = (rows as f64 - total) / noisy.len() as f64;
    let mut below = vec![0.0];
    noisy.iter().for_each(|&count| below.push(below[below.len() - 1] + count as f64 + each));
    // Halfway between the largest before and the smallest after: noise makes sums fall, rows do
    // not.
    let mut before = below.clone();
    (1..before.len()).for_each(|k| before[k] = before[k].max(before[k - 1]));
    let mut after = below;
    (0..after.len() - 1).rev().for_each(|k| after[k] = after[k].min(after[k + 1]));
    before.iter().zip(&after).map(|(a, b)| (0.5 * (a + b)).clamp(0.0, rows as f64)).collect()
}
