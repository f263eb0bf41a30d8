//! What differs from column to column.

use discretion::train::Candidate;
use discretion_report::numbers::plain::{count, short};
use discretion_report::terminal::AlignedColumns;

/// Columns that are shown on a terminal; all are in the JSON.
const MOST_COLUMNS: usize = 20;

/// Columns with the expected deviation of their coefficients, unless all are alike.
pub(super) fn by_column(candidate: &Candidate, names: &[String]) -> Vec<(String, f64)> {
    let deviations = candidate.coefficient_deviations();
    let differ = deviations.iter().any(|deviation| (deviation / deviations[0] - 1.0).abs() > 1e-3);
    match differ && deviations.len() == names.len() {
        true => names.iter().cloned().zip(deviations.iter().copied()).collect(),
        false => Vec::new(),
    }
}

/// The same for people.
pub(super) fn text(by_column: &[(String, f64)]) -> String {
    if by_column.is_empty() {
        return String::new();
    }
    let mut table = AlignedColumns::new(&["column", "expected noise in a coefficient"]);
    for (name, deviation) in by_column.iter().take(MOST_COLUMNS) {
        table.row(vec![name.clone(), short(*deviation)]);
    }
    let more = match by_column.len().checked_sub(MOST_COLUMNS) {
        Some(more) if more > 0 => format!("… and {} more in --json\n", count(more)),
        _ => String::new(),
    };
    format!("\n{}{more}", table.render())
}
