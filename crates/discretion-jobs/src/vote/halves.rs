//! Which rows are learned from, and which are asked about.

use discretion_table::{PlainRows, Protect, UnitRows};

/// The rows that models learn from: all, or where only labels are protected those at even
/// positions. The others may be asked about.
pub fn to_learn_from(rows: UnitRows, protect: Protect) -> UnitRows {
    match protect {
        Protect::Rows => rows,
        Protect::Labels => rows.gather((0..rows.count()).step_by(2)).into(),
    }
}

/// Where only labels are protected: the rows that are asked about, at odd positions, `most` of them
/// at most.
pub fn to_ask_about(rows: &UnitRows, most: usize) -> PlainRows {
    rows.gather((1..rows.count()).step_by(2).take(most)).without_classes()
}
