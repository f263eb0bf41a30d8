//! Public points, each under a name that is the same whenever it is asked.

use discretion::vote::Bins;
use discretion_formats::content_hash;
use discretion_table::PlainRows;
use std::collections::HashSet;

/// Queries in order.
pub struct Queries {
    /// What is asked about.
    pub rows: PlainRows,
    /// For scores: the width of each query's bins.
    pub bins: Vec<Bins>,
    /// A name for each, made of what it holds: two queries of the same name get the same votes.
    pub names: Vec<String>,
}

impl Queries {
    /// Queries for labels.
    pub fn for_labels(rows: PlainRows) -> Queries {
        Queries::named(rows, Vec::new())
    }

    /// Queries for scores, with the bins of each.
    pub fn for_scores(rows: PlainRows, bins: Vec<Bins>) -> Queries {
        assert_eq!(bins.len(), rows.count(), "every query has its bins");
        Queries::named(rows, bins)
    }

    /// As a `[vote]` table says: labels, or scores in the same bins for all.
    pub fn of(rows: PlainRows, bins: Option<Bins>) -> Queries {
        let Some(bins) = bins else { return Queries::for_labels(rows) };
        let bins = vec![bins; rows.count()];
        Queries::for_scores(rows, bins)
    }

    fn named(rows: PlainRows, bins: Vec<Bins>) -> Queries {
        let name = |query| name_of(rows.numbers(query), rows.codes(query), bins.get(query));
        let names = (0..rows.count()).map(name).collect();
        Queries { rows, bins, names }
    }

    /// How many different ones there are.
    pub fn distinct(&self) -> usize {
        self.names.iter().collect::<HashSet<_>>().len()
    }
}

/// A hash of a query's values and of the bins it is asked with. It is what a ledger finds an answer
/// by.
pub fn name_of(numbers: &[f32], codes: &[u16], bins: Option<&Bins>) -> String {
    let mut bytes = Vec::new();
    for &number in numbers {
        // All missing numbers are the same one, and so are both zeros.
        let number = if number.is_nan() { f32::NAN } else { number + 0.0 };
        bytes.extend(number.to_bits().to_le_bytes());
    }
    for code in codes {
        bytes.extend(code.to_le_bytes());
    }
    bytes.extend(bins.map_or(0, |bins| bins.count()).to_le_bytes());
    content_hash(&bytes)
}
