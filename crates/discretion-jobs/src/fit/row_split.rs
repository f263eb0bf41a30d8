//! Which rows are in which part of a table: a public rule about positions, never about values.

use discretion::choose::split::{is_validation, training_first, validation_rows};
use discretion::fit::Request;
use discretion::interval::parts;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Split of a table. First some units are held out; of the others some only validate, or they are
/// in the parts of intervals without matrices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowSplit {
    /// The share that is held out.
    pub held_out: Option<f64>,
    /// The share of the others that validates, where λ is chosen.
    pub validation: Option<f64>,
    /// Whether the others are in parts.
    pub in_parts: bool,
}

impl RowSplit {
    /// Returns what a request needs of rows of several classes, or of others.
    pub fn of(request: &Request, has_several_classes: bool) -> RowSplit {
        let in_parts = request.needs_parts(has_several_classes);
        let validation = if in_parts { None } else { request.validation() };
        RowSplit { held_out: None, validation, in_parts }
    }

    /// Holds a share of the units out first.
    pub fn holding_out(self, share: f64) -> RowSplit {
        RowSplit { held_out: Some(share), ..self }
    }

    fn training(&self, units: usize) -> usize {
        units - self.held_out.map_or(0, |share| validation_rows(units, share))
    }

    /// Returns which units each table has, of units in the order of [`RowSplit::places`]: first all
    /// that are not held out, then their parts, and last those that are held out.
    pub fn tables(&self, units: usize) -> Vec<Range<usize>> {
        let training = self.training(units);
        let held_out = self.held_out.map(|_| training..units);
        std::iter::once(0..training).chain(self.parts(training)).chain(held_out).collect()
    }

    /// Returns the parts of units that are not held out, in the order of [`RowSplit::order`].
    pub fn parts(&self, training: usize) -> Vec<Range<usize>> {
        match self.validation {
            _ if self.in_parts => parts::ranges(training).collect(),
            None => Vec::new(),
            Some(share) => {
                let first = training - validation_rows(training, share);
                vec![0..first, first..training]
            }
        }
    }

    /// Returns the order of rows that are not held out, if it is not that of the table. Persons
    /// need none: theirs says nothing about their rows.
    pub fn order(&self, training: usize) -> Option<Vec<usize>> {
        match self.validation {
            _ if self.in_parts => Some(parts::shuffled(training)),
            share => Some(training_first(training, share?).0),
        }
    }

    /// Finds where each of so many rows goes.
    pub fn places(&self, rows: usize) -> RowPlaces {
        let training = self.training(rows);
        let shuffled = self.in_parts.then(|| {
            let mut places = vec![0; training];
            let order = parts::shuffled(training);
            order.into_iter().enumerate().for_each(|(place, row)| places[row] = place);
            places
        });
        RowPlaces { split: *self, rows, training, shuffled }
    }
}

/// Where rows go: those that are held out behind the others.
pub struct RowPlaces {
    split: RowSplit,
    rows: usize,
    training: usize,
    /// Of each row that is not held out, where rows are in parts.
    shuffled: Option<Vec<usize>>,
}

impl RowPlaces {
    /// Returns the place of the row at this position of the table.
    pub fn of(&self, row: usize) -> usize {
        assert!(row < self.rows, "there are {} rows", self.rows);
        let (held_out, row) = divided(row, self.split.held_out);
        if let Some(place) = held_out {
            return self.training + place;
        }
        match (&self.shuffled, divided(row, self.split.validation)) {
            (Some(places), _) => places[row],
            (None, (None, place)) => place,
            (None, (Some(place), _)) => self.split.parts(self.training)[1].start + place,
        }
    }
}

/// Returns a row's number among those of the share, if it is one of them, or among the others.
fn divided(row: usize, share: Option<f64>) -> (Option<usize>, usize) {
    let Some(share) = share else { return (None, row) };
    let before = validation_rows(row, share);
    (is_validation(row, share).then_some(before), row - before)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables in memory are brought into the order of `order`, rows on a cluster to `places`.
    #[test]
    fn places_are_those_of_a_table_that_was_put_in_order() {
        let splits = [
            RowSplit::default(),
            RowSplit { validation: Some(0.3), ..RowSplit::default() },
            RowSplit { in_parts: true, ..RowSplit::default() },
        ];
        for (split, share) in splits
            .into_iter()
            .flat_map(|split| [None, Some(0.15), Some(0.5)].map(|share| (split, share)))
        {
            let split = RowSplit { held_out: share, ..split };
            let rows = 1_003;
            let (training, held_out): (Vec<usize>, Vec<usize>) =
                (0..rows).partition(|&row| share.is_none_or(|share| !is_validation(row, share)));
            let order = split.order(training.len());
            let mut expected: Vec<usize> = match order {
                None => training.clone(),
                Some(order) => order.into_iter().map(|at| training[at]).collect(),
            };
            expected.extend(held_out);
            let places = split.places(rows);
            expected.iter().enumerate().for_each(|(place, &row)| assert_eq!(places.of(row), place));
            let tables = split.tables(rows);
            assert_eq!(tables[0], 0..training.len());
            let parts = &tables[1..tables.len() - usize::from(share.is_some())];
            if let (Some(first), Some(last)) = (parts.first(), parts.last()) {
                assert!(first.start == 0 && last.end == training.len());
                assert!(parts.windows(2).all(|pair| pair[0].end == pair[1].start));
            }
        }
    }
}
