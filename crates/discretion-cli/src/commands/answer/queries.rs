//! Public points, each under a name that is the same whenever it is asked.

use crate::exit::{Failure, reason};
use discretion::vote::Bins;
use discretion_ledger::content_hash;
use discretion_table::PlainRows;
use std::collections::HashSet;
use std::path::Path;

/// Queries in order.
pub struct Queries {
    pub rows: PlainRows,
    /// For scores: the width of each query's bins.
    pub bins: Vec<Bins>,
    /// A name for each, made of what it holds: two queries of the same name get the same votes.
    pub names: Vec<String>,
}

impl Queries {
    /// Queries with the same bins for all, if there are any, or with those in a file.
    pub fn new(rows: PlainRows, bins: Option<u32>, gammas: Option<&Path>) -> Result<Queries, Failure> {
        let bins = match (bins, gammas) {
            (None, Some(path)) => {
                return Err(Failure::bad_file(path, "--gammas is for scores: say `scores = true` in [vote]"));
            }
            (None, None) => Vec::new(),
            (Some(bins), None) => {
                let width = 1.0 / f64::from(bins);
                let bins = Bins::of_width(width).expect("the study was checked");
                vec![bins; rows.count()]
            }
            (Some(_), Some(path)) => widths(path, rows.count())?,
        };
        let names = (0..rows.count()).map(|query| name(&rows, query, bins.get(query))).collect();
        Ok(Queries { rows, bins, names })
    }

    /// How many different ones there are.
    pub fn distinct(&self) -> usize {
        self.names.iter().collect::<HashSet<_>>().len()
    }
}

/// A hash of a query's values and of the bins it is asked with.
fn name(rows: &PlainRows, query: usize, bins: Option<&Bins>) -> String {
    let mut bytes = Vec::new();
    for number in rows.numbers(query) {
        // All missing numbers are the same one, and so are both zeros.
        let number = if number.is_nan() { f32::NAN } else { number + 0.0 };
        bytes.extend(number.to_bits().to_le_bytes());
    }
    for code in rows.codes(query) {
        bytes.extend(code.to_le_bytes());
    }
    bytes.extend(bins.map_or(0, |bins| bins.count()).to_le_bytes());
    content_hash(&bytes[..]).expect("reading from memory does not fail")
}

/// One width a line.
fn widths(path: &Path, queries: usize) -> Result<Vec<Bins>, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::bad_file(path, format!("this file cannot be read ({})", reason(&error))))?;
    let mut bins = Vec::new();
    for (line, width) in text.lines().enumerate() {
        let at = |sentence: String| Failure::bad_file(path, format!("line {}: {sentence}", line + 1));
        let width: f64 = width
            .trim()
            .parse()
            .map_err(|_| at(format!("{width:?} is not a number; write one width a line")))?;
        bins.push(Bins::of_width(width).map_err(|error| at(error.to_string()))?);
    }
    if bins.len() != queries {
        let sentence = format!("there are {} widths for {queries} queries; write one for each", bins.len());
        return Err(Failure::bad_file(path, sentence));
    }
    Ok(bins)
}
