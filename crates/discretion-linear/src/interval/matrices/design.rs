//! How noise is divided between the numbers of a matrix, from public numbers alone. No guarantee
//! rests on how well.

use super::numbers::{Entry, Number, Numbers, Part, PartKind};
use std::ops::Range;

/// The mean weight of a row as a share of the largest (docs/noise.md).
const TYPICAL_WEIGHT: f64 = 0.6;

/// No part's share is less than this times what it would have if noise could not drown it.
const SMALLEST: f64 = 0.1;

/// Rounds of a search that settles within a few.
const ROUNDS: usize = 60;

/// How much more exact squares of categories, and numbers among themselves, may be than the rest.
const TIMES: [f64; 6] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0];

/// How much larger an outcome may be made than other columns before it is hidden.
const OUTCOME_TIMES: [f64; 6] = [1.0, 1.4, 2.0, 2.8, 4.0, 5.6];

/// What is lost of all numbers by noise of these deviations, over the largest weight of a row, if
/// each is used beside what is expected without it.
pub(super) fn loss(numbers: &Numbers, deviations: impl Iterator<Item = f64>) -> f64 {
    let each = numbers.entries().iter().zip(deviations);
    each.map(|(entry, deviation)| loss_of(numbers.number(entry), deviation)).sum()
}

fn loss_of(number: &Number, deviation: f64) -> f64 {
    let Number { size, fill, spread, weight } = *number;
    let variance = (deviation / (TYPICAL_WEIGHT * size)).powi(2) / fill;
    weight * spread * variance / (spread + variance)
}

/// Shares of ε for the parts; they add up to 1. `unit` is how far a replaced row of size 1 moves a
/// number, over ε and the largest weight of a row.
pub(super) fn shares(numbers: &Numbers, unit: f64) -> Vec<f64> {
    // The harm that a part's noise does is A/share²: least where shares are as the cube roots of A.
    let harm = |part: &Part, kept: &dyn Fn(&Number, f64) -> f64| {
        let moment = radius_moment(part.numbers.len());
        let cell = part.numbers.iter().map(|number| {
            let variance = (unit / TYPICAL_WEIGHT).powi(2) * moment / number.fill;
            number.weight * variance * kept(number, variance)
        });
        (part.cells as f64 * cell.sum::<f64>()).cbrt()
    };
    let normalised = |roots: Vec<f64>| {
        let sum: f64 = roots.iter().sum();
        roots.into_iter().map(|root| root / sum).collect::<Vec<f64>>()
    };
    let mut shares =
        normalised(numbers.parts().iter().map(|part| harm(part, &|_, _| 1.0)).collect());
    for _ in 0..ROUNDS {
        let parts = numbers.parts().iter().zip(&shares);
        let root = |(part, share): (&Part, &f64)| {
            // By how much a little more noise is a loss, where there is so much of it already.
            let kept = |number: &Number, variance: f64| {
                (number.spread / (number.spread + variance / (share * share))).powi(2)
            };
            harm(part, &kept).max(SMALLEST * harm(part, &|_, _| 1.0))
        };
        shares = normalised(parts.map(root).collect());
    }
    shares
}

/// E of a number of a cell squared, over (2·size/ε)²: the cell's radius is Gamma(D + 1), and the
/// number uniform below it.
pub(super) fn radius_moment(dimension: usize) -> f64 {
    let d = dimension as f64;
    (d + 1.0) * (d + 2.0) / 3.0
}

/// What each number is multiplied by, so that the numbers of one row of weight 1 are together no
/// longer than 1. `unit` is the deviation of the noise, over the largest weight of a row. A row
/// whose outcomes are multiplied by something is a row too, so their products may be made as much
/// more exact.
pub(super) fn stretches(
    numbers: &Numbers,
    sizes: &[(f64, bool)],
    unit: f64,
    outcomes: &Range<usize>,
) -> Vec<f64> {
    let factors: &[f64] = if outcomes.is_empty() { &[1.0] } else { &OUTCOME_TIMES };
    let stretch = |(factor, among, square): (f64, f64, f64)| {
        let mut larger = sizes.to_vec();
        larger[outcomes.clone()].iter_mut().for_each(|(size, _)| *size *= factor);
        let plain = stretched(numbers, larger, among, square);
        move |entry: &Entry| {
            let is_outcome = |column: usize| outcomes.contains(&column);
            let power =
                usize::from(is_outcome(entry.blocks.0)) + usize::from(is_outcome(entry.blocks.1));
            factor.powi(power as i32) * plain(entry)
        }
    };
    // The numbers of all cells of a part are alike, and a wide category has a million cells: one
    // cell stands for all.
    let lost = |way: (f64, f64, f64)| {
        let stretch = stretch(way);
        let each = numbers.one_cell_each();
        each.map(|(entry, cells)| {
            cells as f64 * loss_of(numbers.number(entry), unit / stretch(entry))
        })
        .sum()
    };
    let ways = factors.iter().flat_map(|&factor| {
        TIMES.into_iter().flat_map(move |among| TIMES.map(|square| (factor, among, square)))
    });
    let tried = ways.map(|way| (lost(way), way));
    let best = tried.min_by(|a: &(f64, _), b| a.0.total_cmp(&b.0)).expect("some were tried").1;
    numbers.entries().iter().map(stretch(best)).collect()
}

/// Σ over pairs of columns of (a weight)·‖part of xxᵀ‖² is at most `whole` for every row: `among`
/// for numbers with each other, `square` for a category with itself, 1 for all else.
fn stretched(
    numbers: &Numbers,
    sizes: Vec<(f64, bool)>,
    among: f64,
    square: f64,
) -> impl Fn(&Entry) -> f64 + use<'_> {
    let sum = |of: bool, power: i32| {
        sizes
            .iter()
            .filter(|(_, is_single)| *is_single == of)
            .map(|(size, _)| size.powi(power))
            .sum::<f64>()
    };
    let (singles, categories, fourth) = (sum(true, 2), sum(false, 2), sum(false, 4));
    let whole = among * singles * singles
        + 2.0 * singles * categories
        + categories * categories
        + (square - 1.0) * fourth;
    let constant = sizes[0].0;
    move |entry: &Entry| {
        let is_diagonal = entry.row == entry.column;
        let weight = match (numbers.parts()[entry.part].kind, is_diagonal) {
            (PartKind::Numbers, true) => among,
            (PartKind::Numbers, false) => 2.0 * among,
            // Twice the constant with this value is the same number again.
            (PartKind::Category, true) if numbers.has_copies(entry.blocks.0) => {
                square + 2.0 * (constant / sizes[entry.blocks.0].0).powi(2)
            }
            (PartKind::Category, true) => square,
            (PartKind::Within, _) => 2.0 * square,
            _ => 2.0,
        };
        (weight / whole).sqrt() * (1.0 - discretion_privacy::ROUNDING_SLACK)
    }
}
