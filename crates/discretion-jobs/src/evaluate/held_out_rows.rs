//! The two parts of a table: rows that train, and rows that are held out. Which are is a matter of their position alone, or of whose
//! they are.

use super::Groups;
use super::held_out::{Evaluable, HeldOut, HeldOutFit};
use super::scorer::{Scored, ScoredRows, Scorer};
use crate::fit::FitRows;
use discretion::Refusal;
use discretion::choose::split::{is_validation, validation_rows};
use discretion::erm::OracleError;
use discretion::erm::matrix::{Batch, Layout, Matrix, Persons, Store};
use discretion::quality::Tally;
use discretion_table::{Limits, OneEach, PersonKey, PersonsWithin, RowStorage, RowsWithin, Schema};
use std::path::Path;

/// The rows of both.
pub struct HeldOutRows<R> {
    pub(super) training: R,
    pub(super) held_out: Kept,
}

/// Rows with their outcome, as they were read.
#[derive(Default)]
pub struct LabelledRows {
    pub(super) batch: Batch,
    /// The class of each, where there are several.
    pub(super) classes: Vec<u16>,
}

/// Rows that are held out, until there is a model. One value in a run: what is not used of it costs nothing.
#[allow(clippy::large_enum_variant)]
pub(super) enum Kept {
    Here(LabelledRows),
    /// Of two classes, perhaps in a file.
    Stored(RowStorage),
}

/// Rows of a file that are scored at a time.
const PIECE: usize = 1 << 14;

impl Kept {
    pub fn len(&self) -> usize {
        match self {
            Kept::Here(rows) => rows.batch.positive.len(),
            Kept::Stored(RowStorage::Memory(matrix)) => matrix.rows(),
            Kept::Stored(RowStorage::File(file)) => file.rows(),
            Kept::Stored(_) => unreachable!("rows of two classes are in memory or in a file"),
        }
    }

    /// Hands them to `each`, some at a time.
    pub fn each(&self, mut each: impl FnMut(Batch, &[u16])) -> Result<(), Refusal> {
        match self {
            Kept::Here(rows) => each(rows.batch.clone(), &rows.classes),
            Kept::Stored(RowStorage::Memory(matrix)) => each(matrix.to_batch().into_inner(), &[]),
            Kept::Stored(RowStorage::File(file)) => {
                for start in (0..file.rows()).step_by(PIECE) {
                    let mut piece = Matrix::new(file.layout().clone());
                    let read = file.read(start..file.rows().min(start + PIECE), &mut piece);
                    read.map_err(unreadable)?;
                    each(piece.to_batch().into_inner(), &[]);
                }
            }
            Kept::Stored(_) => unreachable!("rows of two classes are in memory or in a file"),
        }
        Ok(())
    }
}

fn unreadable(error: OracleError) -> Refusal {
    Refusal::refused(format!("{error}; nothing was released"))
}

/// A table on its way to a fit that holds rows out, by position.
pub struct HeldOutReader {
    share: f64,
    position: usize,
    layout: Layout,
    /// Those that train, and those that are held out.
    parts: [LabelledRows; 2],
}

impl HeldOutReader {
    /// No row yet.
    pub fn new(schema: &Schema, share: f64) -> HeldOutReader {
        HeldOutReader { share, position: 0, layout: schema.labelled_layout(), parts: Default::default() }
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

    /// Those that train, as a matrix of two classes, and those that are held out.
    pub fn into_parts(self) -> (Matrix, LabelledRows) {
        let [training, held_out] = self.parts;
        (Matrix::of(self.layout, training.batch), held_out)
    }

    /// All of them, as the fit needs them.
    pub fn finish<J: Evaluable>(self, job: &HeldOut<J>) -> Result<HeldOutRows<J::Rows>, Refusal>
    where
        J::Rows: Sized,
    {
        let [training, held_out] = self.parts;
        Ok(HeldOutRows { training: job.fit().trained_on(training)?, held_out: Kept::Here(held_out) })
    }
}

/// The same for rows of two classes that need not fit into memory.
pub struct HeldOutStorage<'a> {
    reader: HeldOutReader,
    parts: [RowsWithin<'a>; 2],
}

impl<'a> HeldOutStorage<'a> {
    /// No row yet. Both parts together keep to the limits.
    pub fn new(job: &HeldOutFit, limits: Limits<'a>) -> HeldOutStorage<'a> {
        let reader = job.reader();
        let of = |share: f64, validation: Option<f64>| {
            let memory = (limits.memory as f64 * share) as u64;
            RowsWithin::new(reader.layout.clone(), Limits { memory, validation, ..limits })
        };
        let parts = [of(1.0 - job.share(), limits.validation), of(job.share(), None)];
        HeldOutStorage { reader, parts }
    }

    /// Adds rows, in the order of the table.
    pub fn push(&mut self, batch: &Batch) -> Result<(), Refusal> {
        self.reader.push(batch, &[]);
        let parts = std::mem::take(&mut self.reader.parts);
        for (rows, into) in parts.into_iter().zip(&mut self.parts) {
            into.append(&Matrix::of(self.reader.layout.clone(), rows.batch))?;
        }
        Ok(())
    }

    /// All of them, as the fit needs them.
    pub fn finish(self, job: &HeldOutFit) -> Result<HeldOutRows<FitRows>, Refusal> {
        let [training, held_out] = self.parts.map(RowsWithin::finish);
        let fit = job.fit();
        let training = FitRows::of(training, &fit.request()).map_err(|error| fit.explain(error))?;
        Ok(HeldOutRows { training, held_out: Kept::Stored(held_out) })
    }
}

impl HeldOutRows<FitRows> {
    /// Of rows that are encoded already, with the class of each where there are several.
    pub fn of(job: &HeldOutFit, matrix: &Matrix, classes: &[u16]) -> Result<HeldOutRows<FitRows>, Refusal> {
        let mut reader = job.reader();
        reader.push(&matrix.to_batch().into_inner(), classes);
        reader.finish(job)
    }

    /// Of rows that are encoded already, and the places of the persons that they belong to.
    pub fn of_persons(
        job: &HeldOutFit,
        matrix: &Matrix,
        (key, places): (PersonKey, &[u128]),
    ) -> Result<HeldOutRows<FitRows>, Refusal> {
        let mut reader = HeldOutPersonsReader::in_memory(&job.fit().schema, key);
        reader.rows.append(matrix, places)?;
        reader.finish(job)
    }
}

/// The same for rows that belong to persons: the last persons, in an order that says nothing about rows, are held out with all of
/// theirs, and of each of them one row is counted.
pub struct HeldOutPersonsReader<'a> {
    key: PersonKey,
    layout: Layout,
    limits: Limits<'a>,
    rows: PersonsWithin<'a>,
}

impl<'a> HeldOutPersonsReader<'a> {
    /// No row yet.
    pub fn new(schema: &Schema, key: PersonKey, limits: Limits<'a>) -> HeldOutPersonsReader<'a> {
        let layout = schema.encoder().layout();
        HeldOutPersonsReader { key, rows: PersonsWithin::new(layout.clone(), limits), layout, limits }
    }

    /// The same, of a table that fits into memory.
    pub fn in_memory(schema: &Schema, key: PersonKey) -> HeldOutPersonsReader<'a> {
        let limits = Limits { memory: u64::MAX, folder: Path::new(""), validation: None };
        HeldOutPersonsReader::new(schema, key, limits)
    }

    /// Adds rows, in the order of the table, and the places of the persons that they belong to.
    pub fn push(&mut self, batch: Batch, places: &[u128]) -> Result<(), Refusal> {
        Ok(self.rows.append(&Matrix::of(self.layout.clone(), batch), places)?)
    }

    /// All of them, as the fit needs them.
    pub fn finish(self, job: &HeldOutFit) -> Result<HeldOutRows<FitRows>, Refusal> {
        let mut held_out = RowsWithin::new(self.layout.clone(), self.limits);
        let layout = self.layout.clone();
        let each = |batch| Ok(held_out.append(&Matrix::of(layout.clone(), batch))?);
        let storage = RowStorage::Persons(self.split(job.share(), each)?);
        let fit = job.fit();
        let training = FitRows::of(storage, &fit.request()).map_err(|error| fit.explain(error))?;
        Ok(HeldOutRows { training, held_out: Kept::Stored(held_out.finish()) })
    }

    /// The persons who train, and one row of each who is held out.
    pub fn into_parts(self, share: f64) -> Result<(Persons, LabelledRows), Refusal> {
        let mut batch = Batch::default();
        let persons = self.split(share, |more| {
            batch.numeric.extend(more.numeric);
            batch.codes.extend(more.codes);
            batch.positive.extend(more.positive);
            Ok(())
        })?;
        Ok((persons, LabelledRows { batch, classes: Vec::new() }))
    }

    /// The persons who train; hands one row of each who is held out to `each`, some at a time, in the order of persons.
    fn split(
        self,
        share: f64,
        mut each: impl FnMut(Batch) -> Result<(), Refusal>,
    ) -> Result<Persons, Refusal> {
        let (persons, places) = self.rows.finish()?;
        let training = persons.count() - validation_rows(persons.count(), share);
        let held_out = persons.some(training..persons.count());
        for some in held_out.pieces(0..held_out.count()) {
            let (batch, starts) = held_out.rows_of(some.clone()).map_err(unreadable)?.into_inner();
            let of_person = |(person, own): (&u128, &[usize])| vec![*person; own[1] - own[0]];
            let places = places[training..][some].iter().zip(starts.windows(2)).flat_map(of_person);
            let mut counted = OneEach::new(self.key);
            counted.push(&batch, &places.collect::<Vec<u128>>());
            each(counted.into_rows())?;
        }
        Ok(persons.some(0..training))
    }
}

/// Rows of two classes, counted by what a model says of them.
pub(crate) fn tally_of(scorer: Scorer, groups: &Groups, rows: &LabelledRows, mut tally: Tally) -> Tally {
    let mut scored = ScoredRows::new(scorer, groups);
    scored.push(rows.batch.clone(), &rows.classes);
    let Scored::Two(rows) = scored.scored() else { unreachable!("a model of two classes") };
    rows.iter().for_each(|&(score, positive, group)| tally.add(score, positive, usize::from(group)));
    tally
}
