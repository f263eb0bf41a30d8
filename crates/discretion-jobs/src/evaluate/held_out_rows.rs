//! The two parts of a table: rows that train, and rows that are held out. Which are is a matter of their position alone, or of whose
//! they are.

use super::held_out::{Evaluable, HeldOut, HeldOutFit};
use crate::fit::FitRows;
use discretion::Refusal;
use discretion::choose::split::{is_validation, validation_rows};
use discretion::erm::matrix::{Batch, Layout, Matrix, Persons};
use discretion_table::{OneEach, PersonKey, RowStorage, Schema};

/// The rows of both.
pub struct HeldOutRows<R> {
    pub(super) training: R,
    pub(super) held_out: LabelledRows,
}

/// Rows with their outcome, as they were read.
#[derive(Default)]
pub struct LabelledRows {
    pub(super) batch: Batch,
    /// The class of each, where there are several.
    pub(super) classes: Vec<u16>,
}

impl LabelledRows {
    pub(super) fn len(&self) -> usize {
        self.batch.positive.len()
    }

    /// Hands them to `each`.
    pub(super) fn each(&self, mut each: impl FnMut(Batch, &[u16])) -> Result<(), Refusal> {
        each(self.batch.clone(), &self.classes);
        Ok(())
    }
}

/// A table on its way to a fit that holds rows out, by position.
pub struct HeldOutReader {
    share: f64,
    position: usize,
    layout: Layout,
    training: LabelledRows,
    held_out: LabelledRows,
}

impl HeldOutReader {
    pub(super) fn new(schema: &Schema, share: f64) -> HeldOutReader {
        let (training, held_out) = (LabelledRows::default(), LabelledRows::default());
        HeldOutReader { share, position: 0, layout: schema.labelled_layout(), training, held_out }
    }

    /// Adds rows, in the order of the table, with the class of each where there are several.
    pub fn push(&mut self, batch: &Batch, classes: &[u16]) {
        let rows = batch.positive.len();
        assert_eq!(rows, self.layout.rows_of(batch), "a label for each row");
        assert!(classes.is_empty() || classes.len() == rows, "a class for each row");
        for row in 0..rows {
            let held_out = is_validation(self.position, self.share);
            let into = if held_out { &mut self.held_out } else { &mut self.training };
            into.batch.copy_row(None, batch, row, rows);
            into.classes.extend(classes.get(row));
            self.position += 1;
        }
    }

    /// All of them, as the fit needs them.
    pub fn finish<J: Evaluable>(self, job: &HeldOut<J>) -> Result<HeldOutRows<J::Rows>, Refusal>
    where
        J::Rows: Sized,
    {
        Ok(HeldOutRows { training: job.fit().trained_on(self.training)?, held_out: self.held_out })
    }
}

/// The same for rows that belong to persons: the last persons, in an order that says nothing about rows, are held out with all of
/// theirs, and of each of them one row is counted.
pub struct HeldOutPersonsReader {
    key: PersonKey,
    rows: Batch,
    places: Vec<u128>,
}

impl HeldOutPersonsReader {
    /// No row yet.
    pub fn new(key: PersonKey) -> HeldOutPersonsReader {
        HeldOutPersonsReader { key, rows: Batch::default(), places: Vec::new() }
    }

    /// Adds rows, in the order of the table, and the places of the persons that they belong to.
    pub fn push(&mut self, batch: Batch, places: &[u128]) {
        self.rows.numeric.extend(batch.numeric);
        self.rows.codes.extend(batch.codes);
        self.rows.positive.extend(batch.positive);
        self.places.extend_from_slice(places);
    }

    /// All of them, as the fit needs them.
    pub fn finish(self, job: &HeldOutFit) -> Result<HeldOutRows<FitRows>, Refusal> {
        let HeldOutPersonsReader { key, rows, places } = self;
        let mut persons = places.clone();
        persons.sort_unstable();
        persons.dedup();
        let training = persons.len() - validation_rows(persons.len(), job.share());
        // Nobody is beyond the last person.
        let held_out_from = persons.get(training).copied();
        let mut parts = [(Batch::default(), Vec::new()), (Batch::default(), Vec::new())];
        for (row, &place) in places.iter().enumerate() {
            let (batch, whose) = &mut parts[usize::from(held_out_from.is_some_and(|from| place >= from))];
            batch.copy_row(None, &rows, row, places.len());
            whose.push(place);
        }
        let [(trains, trainers), (held_out, of)] = parts;
        let mut counted = OneEach::new(key);
        counted.push(&held_out, &of);
        let fit = job.fit();
        let matrix = Matrix::of(fit.schema.encoder().layout(), trains);
        let storage = RowStorage::Persons(Persons::group(matrix, &trainers));
        let training = FitRows::of(storage, &fit.request()).map_err(|error| fit.explain(error))?;
        Ok(HeldOutRows {
            training,
            held_out: LabelledRows { batch: counted.into_rows(), classes: Vec::new() },
        })
    }
}
