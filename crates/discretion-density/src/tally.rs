//! Rows that others hold, counted where they are: whole numbers, so that it does not matter who
//! counts what.

use super::{Bins, Points};
use serde::{Deserialize, Serialize};

/// What a plan wants to be counted. Public.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wanted {
    candidates: Vec<Bins>,
    /// The share of the rows that validates, by position; none where there is nothing to choose.
    share: Option<f64>,
}

/// How many rows are in each cell of each candidate, those that train apart from those that
/// validate. It depends on rows, and nothing here prints it.
#[derive(Clone)]
pub struct Tally {
    wanted: Wanted,
    /// Training rows and validating rows.
    rows: [usize; 2],
    counts: Vec<[Vec<i64>; 2]>,
}

/// Some of the rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Training,
    Validation,
    All,
}

impl Wanted {
    pub(super) fn new(candidates: &[Bins], share: Option<f64>) -> Wanted {
        Wanted { candidates: candidates.to_vec(), share }
    }

    /// No row yet.
    pub fn nothing(&self) -> Tally {
        let empty = |bins: &Bins| [vec![0; bins.cells()], vec![0; bins.cells()]];
        Tally {
            wanted: self.clone(),
            rows: [0; 2],
            counts: self.candidates.iter().map(empty).collect(),
        }
    }
}

impl Tally {
    /// Counts rows, which are those from position `first` on of the whole table.
    pub fn count(&mut self, points: &Points, first: usize) {
        let parts = match self.wanted.share {
            Some(share) => {
                let (training, validation) = points.split_at(first, share);
                vec![training, validation]
            }
            None => Vec::new(),
        };
        let parts: Vec<&Points> =
            if parts.is_empty() { vec![points] } else { parts.iter().collect() };
        for (place, part) in parts.into_iter().enumerate() {
            self.rows[place] += part.rows();
            for (bins, counts) in self.wanted.candidates.iter().zip(&mut self.counts) {
                add(&mut counts[place], &part.counts(&bins.0));
            }
        }
    }

    /// The counts, for another process.
    pub fn to_bytes(&self) -> Vec<u8> {
        let rows = self.rows.iter().map(|&rows| rows as i64);
        let counts = self.counts.iter().flatten().flatten().copied();
        rows.chain(counts).flat_map(i64::to_le_bytes).collect()
    }

    /// Adds what another process counted; nothing if it counted something else.
    pub fn add_bytes(&mut self, bytes: &[u8]) -> Option<()> {
        let cells: usize = self.counts.iter().flatten().map(Vec::len).sum();
        let (words, rest) = bytes.as_chunks::<8>();
        if !rest.is_empty() || words.len() != cells + self.rows.len() {
            return None;
        }
        let mut words = words.iter().map(|word| i64::from_le_bytes(*word));
        for rows in &mut self.rows {
            *rows += usize::try_from(words.next()?).ok()?;
        }
        for count in self.counts.iter_mut().flatten().flatten() {
            *count += words.next()?;
        }
        Some(())
    }

    pub(super) fn share(&self) -> f64 {
        self.wanted.share.expect("only a plan with a choice splits rows")
    }

    pub(super) fn rows(&self, part: Part) -> usize {
        match part {
            Part::Training => self.rows[0],
            Part::Validation => self.rows[1],
            Part::All => self.rows[0] + self.rows[1],
        }
    }

    pub(super) fn counts(&self, bins: &[usize], part: Part) -> Vec<i64> {
        let candidate = self.wanted.candidates.iter().position(|candidate| candidate.0 == bins);
        let [training, validation] = &self.counts[candidate.expect("a candidate of the plan")];
        match part {
            Part::Training => training.clone(),
            Part::Validation => validation.clone(),
            Part::All => {
                let mut all = training.clone();
                add(&mut all, validation);
                all
            }
        }
    }
}

fn add(into: &mut [i64], from: &[i64]) {
    for (a, b) in into.iter_mut().zip(from) {
        *a += b;
    }
}
