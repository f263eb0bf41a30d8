//! Where the scores of a model are to be expected: from its released coefficients and its schema.

use discretion_table::{Kind, Schema};

/// How many standard deviations from the middle scores are counted in fine cells. Those beyond are in the outermost ones.
const REACH: f64 = 3.0;

/// The range of scores if numbers filled their ranges evenly and categories were equally frequent, which most rows do not leave: real
/// ones fill less of their bounds.
pub fn score_range(schema: &Schema, theta: &[f64]) -> (f64, f64) {
    let used = schema.columns().iter().filter(|column| !matches!(column.kind, Kind::Dropped));
    let numbers = used.clone().filter(|column| column.kind.is_numeric()).count();
    // As the encoder scales columns, or about as rows are divided by their own length.
    let scale = 1.0 / ((used.clone().count() + 1) as f64).sqrt();
    let mut middle = theta[0];
    let mut variance: f64 = theta[1..=numbers].iter().map(|weight| weight * weight / 3.0).sum();
    let mut first = 1 + numbers;
    for column in used {
        let Kind::Category { values, .. } = &column.kind else { continue };
        let weights = &theta[first..first + values.len()];
        first += values.len();
        let mean = weights.iter().sum::<f64>() / weights.len().max(1) as f64;
        middle += mean;
        variance +=
            weights.iter().map(|weight| (weight - mean).powi(2)).sum::<f64>() / weights.len().max(1) as f64;
    }
    let (middle, reach) = (scale * middle, REACH * scale * variance.sqrt());
    let reach = reach.max(1e-3 * (1.0 + middle.abs()));
    (middle - reach, middle + reach)
}
