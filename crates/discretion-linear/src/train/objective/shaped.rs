//! Noise with the shape of the rows, for what `left_for_noise` leaves of a budget (`PROOF.md`,
//! Theorems 1′ and 2′).

use discretion_privacy::ROUNDING_SLACK;
use discretion_privacy::account::column_gaussian_sigma;
use discretion_privacy::noise::{Columns, ShapedLaw};

/// Groups of columns, each with its share of ε′. Shares are relative: they need not add up to 1.
pub fn groups(columns: &Columns, group_of: Vec<usize>, shares: &[f64], left: f64) -> ShapedLaw {
    // A price adds the parts up and rounds each sum up.
    let rounding = 4.0 * ROUNDING_SLACK + 4.0 * f64::EPSILON * shares.len() as f64;
    let unit = left * (1.0 - rounding) / shares.iter().sum::<f64>();
    let epsilons = shares.iter().map(|share| share * unit).collect();
    ShapedLaw::Groups { columns: columns.clone(), group_of, epsilons }
}

/// One norm for the whole row.
pub fn row_norm(columns: &Columns, left: f64) -> ShapedLaw {
    ShapedLaw::RowNorm { columns: columns.clone(), epsilon: left * (1.0 - 2.0 * ROUNDING_SLACK) }
}

/// Gaussian noise with these deviations, made as large as a row of length 1 needs noise of
/// deviation `sigma`.
pub fn column_gaussian(columns: &Columns, deviations: &[f64], sigma: f64) -> ShapedLaw {
    let factor = sigma / column_gaussian_sigma(columns, deviations);
    let rounding = 1.0 + 8.0 * ROUNDING_SLACK + 8.0 * f64::EPSILON * deviations.len() as f64;
    let deviations = deviations.iter().map(|deviation| deviation * factor * rounding).collect();
    ShapedLaw::ColumnGaussian { columns: columns.clone(), deviations }
}
