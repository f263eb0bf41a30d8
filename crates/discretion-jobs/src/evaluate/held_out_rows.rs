//! The two parts of a table: rows that train, and rows that are held out. Which are is a matter of
//! their position alone, or of whose they are.

use super::Groups;
use super::held_out::{Evaluable, HeldOut};
use super::scorer::{Scored, ScoredRows, Scorer};
use discretion::Refusal;
use discretion::choose::split::{is_validation, validation_rows};
use discretion::erm::OracleError;
use discretion::erm::matrix::{Batch, Layout, Matrix, Rows};
use discretion::quality::Tally;
use discretion_table::{OneEach, PersonKey, Schema};

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

impl LabelledRows {
    /// Encodes them as rows of this schema.
    pub(crate) fn encoded(self, schema: &Schema) -> Matrix {
        Matrix::labelled(schema.stored_layout(), self.batch, &self.classes)
    }
}

/// Rows that are held out, until there is a model.
pub(super) enum Kept {
    Here(LabelledRows),
    /// Perhaps in a file.
    Stored(Rows<'static>),
}

impl Kept {
    pub fn len(&self) -> usize {
        match self {
            Kept::Here(rows) => rows.batch.positive.len(),
            Kept::Stored(rows) => rows.units(),
        }
    }

    /// Hands them to `each`, some at a time.
    pub fn each(&self, mut each: impl FnMut(Batch, &[u16])) -> Result<(), Refusal> {
        match self {
            Kept::Here(rows) => each(rows.batch.clone(), &rows.classes),
            // Of each person one row is held out, so every row is for itself.
            Kept::Stored(rows) => {
                for some in rows.pieces(0..rows.units()) {
                    let ((batch, classes), _) =
                        rows.labelled(some).map_err(unreadable)?.into_inner();
                    each(batch, &classes);
                }
            }
        }
        Ok(())
    }
}

pub(super) fn unreadable(error: OracleError) -> Refusal {
    Refusal::refused(format!("{error}; nothing was released"))
}

/// A table on its way to a fit that holds rows out, by position.
pub struct HeldOutReader {
    share: f64,
    position: usize,
    pub(super) layout: Layout,
    /// Those that train, and those that are held out.
    pub(super) parts: [LabelledRows; 2],
}

impl HeldOutReader {
    /// No row yet.
    pub fn new(schema: &Schema, share: f64) -> HeldOutReader {
        HeldOutReader {
            share,
            position: 0,
            layout: schema.labelled_layout(),
            parts: Default::default(),
        }
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
        Ok(HeldOutRows {
            training: job.fit().trained_on(training)?,
            held_out: Kept::Here(held_out),
        })
    }
}

impl<R> HeldOutRows<R> {
    /// Of rows that are encoded already, with the class of each where there are several.
    pub fn of<J: Evaluable<Rows = R>>(
        job: &HeldOut<J>,
        matrix: &Matrix,
        classes: &[u16],
    ) -> Result<HeldOutRows<R>, Refusal> {
        let mut reader = job.reader();
        reader.push(&matrix.to_batch().into_inner(), classes);
        reader.finish(job)
    }

    /// The same of rows that belong to the persons at these places.
    pub fn of_persons<J: Evaluable<Rows = R>>(
        job: &HeldOut<J>,
        (matrix, classes): (&Matrix, &[u16]),
        (key, places): (PersonKey, &[u128]),
    ) -> Result<HeldOutRows<R>, Refusal> {
        let mut reader = HeldOutPersonsReader::new(key);
        reader.push(matrix.to_batch().into_inner(), classes, places);
        reader.finish(job)
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
        let ((trains, whose), held_out) = self.divided(job.share());
        let training = Rows::group(trains.encoded(job.fit().schema()), &whose);
        let training = job.fit().stored(training.into())?;
        Ok(HeldOutRows { training, held_out: Kept::Here(held_out) })
    }

    /// The persons who train, of two classes, and one row of each who is held out.
    pub fn into_parts(self, schema: &Schema, share: f64) -> (Rows<'static>, LabelledRows) {
        let ((trains, trainers), held_out) = self.divided(share);
        (Rows::group(Matrix::of(schema.encoder().layout(), trains.batch), &trainers), held_out)
    }

    /// The rows of persons who train and whose they are, and one row of each person who is held
    /// out.
    pub(super) fn divided(self, share: f64) -> ((LabelledRows, Vec<u128>), LabelledRows) {
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
        let [trains, (held_out, whose)] = parts;
        let mut counted = OneEach::new(key);
        counted.push(&held_out.batch, &held_out.classes, &whose);
        let (batch, classes) = counted.into_rows();
        (trains, LabelledRows { batch, classes })
    }
}

/// Rows of two classes, counted by what a model says of them.
pub(crate) fn tally_of(
    scorer: Scorer,
    groups: &Groups,
    rows: &LabelledRows,
    mut tally: Tally,
) -> Tally {
    let mut scored = ScoredRows::new(scorer, groups);
    scored.push(rows.batch.clone(), &rows.classes);
    let Scored::Two(rows) = scored.scored() else { unreachable!("a model of two classes") };
    rows.iter()
        .for_each(|&(score, positive, group)| tally.add(score, positive, usize::from(group)));
    tally
}
