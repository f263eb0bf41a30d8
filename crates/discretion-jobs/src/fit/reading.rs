//! The rows of a fit, as its job needs them. What looks like a mistake stops it here: nothing was charged by then.

use super::whole::StudyFit;
use super::{FitJob, FitRows};
use crate::arguments::Arguments;
use crate::check::stop_at_mistakes;
use crate::evaluate::{
    Evaluable, HeldOut, HeldOutPersonsReader, HeldOutPersonsStorage, HeldOutReader, HeldOutRows,
    HeldOutStorage,
};
use crate::number::NumberRows;
use discretion::Refusal;
use discretion::erm::matrix::{Batch, Matrix, Persons};
use discretion::fit::{FitError, Request};
use discretion::privacy::Unit;
use discretion_table::{
    Limits, PersonKey, Purpose, RowStorage, Schema, Study, Table, count_persons, read_batches,
    read_batches_of_persons, read_classes, read_classes_of_persons, read_counts, read_labelled,
    read_labelled_of_persons, read_matrix, read_outcome, read_persons, read_persons_within, read_within,
};

/// Of the memory that may be used, the share for encoded rows: bringing them into another order takes as much again,
/// and reading and summing need their room.
const SHARE_FOR_ROWS: u64 = 4;

impl StudyFit<'_> {
    /// The study's table, as its request needs it.
    pub fn read_rows(&self, request: &Request, key: PersonKey) -> Result<FitRows, Refusal> {
        let storage = self.read(request.validation(), key)?;
        FitRows::of(storage, request).map_err(|error: FitError| FitJob::of(self.study).explain(error))
    }

    /// How many rows the table has, or how many persons. None is kept.
    pub fn count(&self) -> Result<usize, Refusal> {
        if self.study.schema.unit() == Unit::Person {
            let path = &self.study.data.path;
            let progress = self.watch.reading(&path.name());
            let (persons, counts) = count_persons(path, &self.study.schema, &progress)?;
            drop(progress);
            stop_at_mistakes(&counts, path, self.accepted, Arguments::Flags)?;
            return Ok(persons);
        }
        if self.study.schema.outcome_scale().is_some() {
            return Ok(self.read_number_on_grid(PersonKey::of_seed(0))?.count());
        }
        if self.study.schema.target().labels.several().is_some() {
            return Ok(self.read(None, PersonKey::of_seed(0))?.count());
        }
        let (path, schema) = (&self.study.data.path, &self.study.schema);
        let progress = self.watch.reading(&path.name());
        let counts = read_counts(path, schema, &progress)?;
        drop(progress);
        stop_at_mistakes(&counts, path, self.accepted, Arguments::Flags)?;
        Ok(usize::try_from(counts.rows).expect("rows that were read can be counted"))
    }

    /// The study's table, with columns whose knots are still to be found on their grid.
    pub fn read_on_grid(&self, key: PersonKey) -> Result<RowStorage, Refusal> {
        let on_grid = Study { schema: self.study.schema.on_grid(), ..self.study.clone() };
        self.of_study(&on_grid).read(FitJob::of(self.study).request().validation(), key)
    }

    /// The same, with its outcome, which is a number.
    pub fn read_number_on_grid(&self, key: PersonKey) -> Result<NumberRows, Refusal> {
        let on_grid = Study { schema: self.study.schema.on_grid(), ..self.study.clone() };
        self.of_study(&on_grid).read_number(key)
    }

    fn read(&self, validation: Option<f64>, key: PersonKey) -> Result<RowStorage, Refusal> {
        let (path, schema) = (&self.study.data.path, &self.study.schema);
        let progress = self.watch.reading(&path.name());
        let (rows, counts) = match (self.memory, schema.unit()) {
            (None, Unit::Person) if schema.target().labels.several().is_some() => {
                let (classed, counts) = read_classes_of_persons(path, schema, key, &progress)?;
                (RowStorage::Classes(classed), counts)
            }
            (None, Unit::Person) => {
                let (persons, counts) = read_persons(path, schema, key, &progress)?;
                (RowStorage::Persons(persons), counts)
            }
            (Some(memory), Unit::Person) => {
                let limits = Limits { memory: memory / SHARE_FOR_ROWS, folder: self.folder, validation };
                let (persons, counts) = read_persons_within(path, schema, key, limits, &progress)?;
                (RowStorage::Persons(persons), counts)
            }
            (None, Unit::Row) if schema.target().labels.several().is_some() => {
                let (classed, counts) = read_classes(path, schema, &progress)?;
                (RowStorage::Classes(classed), counts)
            }
            (None, Unit::Row) => {
                let (matrix, counts) = read_matrix(path, schema, &progress)?;
                (RowStorage::Memory(matrix), counts)
            }
            (Some(memory), Unit::Row) => {
                let limits = Limits { memory: memory / SHARE_FOR_ROWS, folder: self.folder, validation };
                read_within(path, schema, limits, &progress)?
            }
        };
        drop(progress);
        stop_at_mistakes(&counts, path, self.accepted, Arguments::Flags)?;
        Ok(rows)
    }

    /// The study's table, in two parts.
    pub(super) fn read_held_out<J: Evaluable>(
        &self,
        job: &HeldOut<J>,
        key: PersonKey,
    ) -> Result<HeldOutRows<J::Rows>, Refusal>
    where
        J::Rows: Sized,
    {
        let (path, schema) = (&self.study.data.path, job.fit().schema());
        let progress = self.watch.reading(&path.name());
        if let (Some(memory), Unit::Person) = (self.memory, schema.unit()) {
            let limits = Limits { memory: memory / SHARE_FOR_ROWS, folder: self.folder, validation: None };
            let mut rows = HeldOutPersonsStorage::new(schema, key, limits);
            let each = |batch: Batch, places: &[u128]| rows.push(batch, places);
            let counts = read_batches_of_persons(path, schema, key, &progress, each)?;
            drop(progress);
            stop_at_mistakes(&counts, path, self.accepted, Arguments::Flags)?;
            return rows.finish(job);
        }
        if schema.unit() == Unit::Person {
            let mut rows = HeldOutPersonsReader::new(key);
            let each = |batch: Batch, classes: &[u16], places: &[u128]| {
                rows.push(batch, classes, places);
                Ok::<(), Refusal>(())
            };
            let counts = read_labelled_of_persons(path, schema, key, &progress, each)?;
            drop(progress);
            stop_at_mistakes(&counts, path, self.accepted, Arguments::Flags)?;
            return rows.finish(job);
        }
        if let Some(memory) = self.memory {
            let memory = memory / SHARE_FOR_ROWS;
            let limits = Limits { memory, folder: self.folder, validation: job.fit().validation() };
            let mut rows = HeldOutStorage::new(job, limits);
            let each = |batch: Batch| rows.push(&batch);
            let counts = read_batches(path, schema, Purpose::Train, &progress, each)?;
            drop(progress);
            stop_at_mistakes(&counts, path, self.accepted, Arguments::Flags)?;
            return rows.finish(job);
        }
        drop(progress);
        self.read_in_parts(job.reader(), schema)?.finish(job)
    }

    fn read_in_parts(&self, mut rows: HeldOutReader, schema: &Schema) -> Result<HeldOutReader, Refusal> {
        let path = &self.study.data.path;
        let progress = self.watch.reading(&path.name());
        let counts = read_labelled(path, schema, &progress, |batch, classes| {
            rows.push(&batch, classes);
            Ok::<(), Refusal>(())
        })?;
        drop(progress);
        stop_at_mistakes(&counts, path, self.accepted, Arguments::Flags)?;
        Ok(rows)
    }

    /// The study's table, with a number as the outcome among its columns.
    pub fn read_number(&self, key: PersonKey) -> Result<NumberRows, Refusal> {
        let (path, schema) = (&self.study.data.path, &self.study.schema);
        let progress = self.watch.reading(&path.name());
        let (rows, counts) = match schema.unit() {
            Unit::Row => {
                let (rows, counts) = read_outcome(path, schema, &progress)?;
                (NumberRows::Rows(rows), counts)
            }
            Unit::Person => {
                let (mut rows, mut whose) = (Matrix::new(schema.labelled_layout()), Vec::new());
                let counts = read_labelled_of_persons(path, schema, key, &progress, |batch, _, places| {
                    rows.push(batch);
                    whose.extend_from_slice(places);
                    Ok::<(), Refusal>(())
                })?;
                (NumberRows::Persons(Persons::group(rows, &whose)), counts)
            }
        };
        drop(progress);
        stop_at_mistakes(&counts, path, self.accepted, Arguments::Flags)?;
        Ok(rows)
    }
}
