//! The two parts of a table: rows that train, and rows that are held out. Which are is a matter of
//! their position alone, or of whose they are.

use super::held_out::{Evaluable, HeldOut};
use crate::fit::AnyRows;
use discretion::Refusal;
use discretion::choose::split::{is_validation, validation_rows};
use discretion::erm::OracleError;
use discretion::erm::matrix::{Batch, Layout, Matrix, Rows};
use discretion::erm::remote::Cluster;
use discretion_table::{OneEach, PersonKey, Schema};

/// The rows of both.
pub struct HeldOutRows<R> {
    pub(super) training: R,
    /// One row of each unit.
    pub(super) held_out: AnyRows,
}

/// Rows with their outcome, as they were read, and the class of each where there are several.
#[derive(Default)]
pub(super) struct LabelledRows {
    pub batch: Batch,
    pub classes: Vec<u16>,
}

impl LabelledRows {
    fn encoded(self, layout: Layout) -> Matrix {
        Matrix::labelled(layout, self.batch, &self.classes)
    }
}

pub(super) fn unreadable(error: OracleError) -> Refusal {
    Refusal::refused(format!("{error}; nothing was released"))
}

/// A table on its way to a fit that holds rows out, by position.
pub struct HeldOutReader {
    share: f64,
    position: usize,
    layout: Layout,
    /// Those that train, and those that are held out.
    pub(super) parts: [LabelledRows; 2],
}

impl HeldOutReader {
    /// No row yet.
    pub fn new(schema: &Schema, share: f64) -> HeldOutReader {
        let layout = schema.stored_layout();
        HeldOutReader { share, position: 0, layout, parts: Default::default() }
    }

    /// Adds rows, in the order of the table, with the class of each where there are several.
    pub fn push(&mut self, batch: &Batch, classes: &[u16]) {
        let rows = batch.positive.len();
        assert_eq!(rows, self.layout.rows_of(batch), "a label for each row");
        assert!(classes.is_empty() || classes.len() == rows, "a class for each row");
        for row in 0..rows {
            let into = &mut self.parts[usize::from(is_validation(self.position, self.share))];
            into.batch.copy_row(None, batch, row, rows);
            into.classes.extend(classes.get(row));
            self.position += 1;
        }
    }

    /// Returns those that train, and those that are held out.
    pub fn into_parts(self) -> [Matrix; 2] {
        self.parts.map(|rows| rows.encoded(self.layout.clone()))
    }

    /// All of them, as the fit needs them.
    pub fn finish<J: Evaluable>(self, job: &HeldOut<J>) -> Result<HeldOutRows<J::Rows>, Refusal>
    where
        J::Rows: Sized,
    {
        let [training, held_out] = self.into_parts();
        Ok(HeldOutRows { training: job.fit().stored(training.into())?, held_out: held_out.into() })
    }
}

impl<R> HeldOutRows<R> {
    /// Of rows that are encoded already.
    pub fn of<J: Evaluable<Rows = R>>(
        job: &HeldOut<J>,
        matrix: &Matrix,
    ) -> Result<HeldOutRows<R>, Refusal> {
        let (mut reader, (batch, classes)) = (job.reader(), matrix.to_labelled().into_inner());
        reader.push(&batch, &classes);
        reader.finish(job)
    }

    /// The same of rows that belong to the persons at these places.
    pub fn of_persons<J: Evaluable<Rows = R>>(
        job: &HeldOut<J>,
        matrix: &Matrix,
        (key, places): (PersonKey, &[u128]),
    ) -> Result<HeldOutRows<R>, Refusal> {
        let (batch, classes) = matrix.to_labelled().into_inner();
        let mut reader = HeldOutPersonsReader::new(key);
        reader.push(batch, &classes, places);
        reader.finish(job)
    }

    /// Rows that others hold: the tables of [`HeldOut::row_split`].
    pub fn remote<J: Evaluable<Rows = R>>(
        job: &HeldOut<J>,
        mut tables: Vec<Cluster>,
    ) -> HeldOutRows<R> {
        let held_out = tables.pop().expect("the last one is held out").into();
        HeldOutRows { training: job.fit().remote(tables), held_out }
    }
}

/// The same for rows that belong to persons: the last persons, in an order that says nothing about
/// rows, are held out with all of theirs, and of each of them one row is counted.
pub struct HeldOutPersonsReader {
    key: PersonKey,
    rows: LabelledRows,
    places: Vec<u128>,
}

impl HeldOutPersonsReader {
    /// No row yet.
    pub fn new(key: PersonKey) -> HeldOutPersonsReader {
        HeldOutPersonsReader { key, rows: LabelledRows::default(), places: Vec::new() }
    }

    /// Adds rows, in the order of the table, with the class of each where there are several, and
    /// the places of the persons that they belong to.
    pub fn push(&mut self, batch: Batch, classes: &[u16], places: &[u128]) {
        self.rows.batch.numeric.extend(batch.numeric);
        self.rows.batch.codes.extend(batch.codes);
        self.rows.batch.positive.extend(batch.positive);
        self.rows.classes.extend_from_slice(classes);
        self.places.extend_from_slice(places);
    }

    /// All of them, as the fit needs them.
    pub fn finish<J: Evaluable>(self, job: &HeldOut<J>) -> Result<HeldOutRows<J::Rows>, Refusal>
    where
        J::Rows: Sized,
    {
        let [training, held_out] = self.into_parts(job.fit().schema(), job.share());
        Ok(HeldOutRows { training: job.fit().stored(training.into())?, held_out: held_out.into() })
    }

    /// Returns the persons who train, and one row of each who is held out.
    pub fn into_parts(self, schema: &Schema, share: f64) -> [Rows<'static>; 2] {
        let HeldOutPersonsReader { key, rows, places } = self;
        let mut persons = places.clone();
        persons.sort_unstable();
        persons.dedup();
        let training = persons.len() - validation_rows(persons.len(), share);
        // Nobody is beyond the last person.
        let held_out_from = persons.get(training).copied();
        let mut parts =
            [(LabelledRows::default(), Vec::new()), (LabelledRows::default(), Vec::new())];
        for (row, &place) in places.iter().enumerate() {
            let (part, whose) =
                &mut parts[usize::from(held_out_from.is_some_and(|from| place >= from))];
            part.batch.copy_row(None, &rows.batch, row, places.len());
            part.classes.extend(rows.classes.get(row));
            whose.push(place);
        }
        let [(trains, trainers), (held_out, whose)] = parts;
        let encoded = |rows: LabelledRows| rows.encoded(schema.stored_layout());
        [Rows::group(encoded(trains), &trainers), OneEach::of(key, &encoded(held_out), &whose)]
    }
}
