//! Whose rows they are: persons that a column names, or that are given beside the rows.

use crate::digest::RowsDigest;
use discretion::Refusal;
use discretion_table::{Schema, person};
use std::collections::HashSet;

/// The persons of rows that are being encoded; nothing where rows are nobody's.
pub struct PersonIds {
    /// Those of the rows so far, or of all rows if they were given beside them.
    persons: Option<Vec<u128>>,
}

impl PersonIds {
    /// Of no row yet.
    pub fn new(schema: &Schema, given: Option<Vec<String>>) -> PersonIds {
        let given = given.map(|names| names.iter().map(|name| person(name.as_bytes())).collect());
        PersonIds { persons: given.or_else(|| schema.person().map(|_| Vec::new())) }
    }

    /// Of the next rows, as they were read.
    pub fn add(&mut self, persons: &[u128]) {
        if let Some(all) = &mut self.persons {
            all.extend_from_slice(persons);
        }
    }

    /// Of so many rows.
    pub fn of_rows(self, rows: usize) -> Result<Option<Vec<u128>>, Refusal> {
        match self.persons.as_ref().is_some_and(|persons| persons.len() != rows) {
            true => {
                let each =
                    "X and person have different numbers of rows; pass one identifier for each row";
                Err(Refusal::bad_input(each.to_owned()))
            }
            false => Ok(self.persons),
        }
    }
}

/// How many units a guarantee is about: persons, or so many rows.
pub fn how_many(persons: Option<&[u128]>, rows: usize) -> usize {
    persons.map_or(rows, |persons| persons.iter().collect::<HashSet<_>>().len())
}

/// The same rows of other persons are another table.
pub fn add_persons(digest: &mut Vec<u8>, persons: Option<&[u128]>) {
    if let Some(persons) = persons {
        digest.extend(RowsDigest::of_marks(persons).to_bytes());
    }
}
