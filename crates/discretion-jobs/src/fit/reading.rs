//! The rows of a fit, as its job needs them. What looks like a mistake stops it here: nothing was
//! charged by then.

use super::whole::StudyFit;
use super::{AnyRows, FitJob, FitRows};
use crate::check::stop_at_mistakes;
use crate::evaluate::{
    Evaluable, HeldOut, HeldOutPersonsReader, HeldOutPersonsStorage, HeldOutReader, HeldOutRows,
    HeldOutStorage,
};
use discretion::Refusal;
use discretion::erm::matrix::Batch;
use discretion::fit::{FitError, Request};
use discretion::privacy::Unit;
use discretion_table::{
    Limits, PersonKey, RowStorage, Schema, Study, Table, count_persons, read_counts, read_labelled,
    read_labelled_of_persons, read_stored,
};

/// Of the memory that may be used, the share for encoded rows: bringing them into another order
/// takes as much again, and reading and summing need their room.
const SHARE_FOR_ROWS: u64 = 4;

impl StudyFit<'_> {
    /// The study's table, as its request needs it.
    pub fn read_rows(&self, request: &Request, key: PersonKey) -> Result<FitRows, Refusal> {
        let storage = self.read(request.validation(), key)?;
        FitRows::new(storage, request)
            .map_err(|error: FitError| FitJob::of(self.study).explain(error))
    }

    /// How many rows the table has, or how many persons. None is kept.
    pub fn count(&self) -> Result<usize, Refusal> {
        if self.study.schema.unit() == Unit::Person {
            let path = &self.study.data.path;
            let progress = self.watch.reading(&path.name());
            let (persons, counts) = count_persons(path, &self.study.schema, &progress)?;
            drop(progress);
            stop_at_mistakes(&counts, path, self.accepted)?;
            return Ok(persons);
        }
        let (path, schema) = (&self.study.data.path, &self.study.schema);
        let progress = self.watch.reading(&path.name());
        let counts = read_counts(path, schema, &progress)?;
        drop(progress);
        stop_at_mistakes(&counts, path, self.accepted)?;
        Ok(usize::try_from(counts.rows).expect("rows that were read can be counted"))
    }

    /// The study's table, with columns whose knots are still to be found on their grid.
    pub fn read_on_grid(&self, key: PersonKey) -> Result<FitRows, Refusal> {
        let on_grid = Study { schema: self.study.schema.on_grid(), ..self.study.clone() };
        self.of_study(&on_grid).read_rows(&FitJob::of(self.study).request(), key)
    }

    /// The same, with its outcome, which is a number.
    pub fn read_number_on_grid(&self, key: PersonKey) -> Result<AnyRows, Refusal> {
        let on_grid = Study { schema: self.study.schema.on_grid(), ..self.study.clone() };
        self.of_study(&on_grid).read_number(key)
    }

    fn read(&self, validation: Option<f64>, key: PersonKey) -> Result<RowStorage, Refusal> {
        let (path, schema) = (&self.study.data.path, &self.study.schema);
        let progress = self.watch.reading(&path.name());
        let (rows, counts) = read_stored(path, schema, key, self.limits(validation), &progress)?;
        drop(progress);
        stop_at_mistakes(&counts, path, self.accepted)?;
        Ok(rows)
    }

    /// What encoded rows may take.
    fn limits(&self, validation: Option<f64>) -> Limits<'_> {
        match self.memory {
            None => Limits::none(),
            Some(memory) => {
                Limits { memory: memory / SHARE_FOR_ROWS, folder: self.folder, validation }
            }
        }
    }

    /// The study's table, in two parts.
    pub(crate) fn read_held_out<J: Evaluable>(
        &self,
        job: &HeldOut<J>,
        key: PersonKey,
    ) -> Result<HeldOutRows<J::Rows>, Refusal>
    where
        J::Rows: Sized,
    {
        let (path, schema) = (&self.study.data.path, job.fit().schema());
        let progress = self.watch.reading(&path.name());
        if self.memory.is_some() && schema.unit() == Unit::Person {
            let mut rows = HeldOutPersonsStorage::new(schema, key, self.limits(None));
            let each =
                |batch: Batch, classes: &[u16], places: &[u128]| rows.push(batch, classes, places);
            let counts = read_labelled_of_persons(path, schema, key, &progress, each)?;
            drop(progress);
            stop_at_mistakes(&counts, path, self.accepted)?;
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
            stop_at_mistakes(&counts, path, self.accepted)?;
            return rows.finish(job);
        }
        if self.memory.is_some() {
            let mut rows = HeldOutStorage::new(job, self.limits(job.fit().row_split().validation));
            let each = |batch: Batch, classes: &[u16]| rows.push(&batch, classes);
            let counts = read_labelled(path, schema, &progress, each)?;
            drop(progress);
            stop_at_mistakes(&counts, path, self.accepted)?;
            return rows.finish(job);
        }
        drop(progress);
        self.read_in_parts(job.reader(), schema)?.finish(job)
    }

    fn read_in_parts(
        &self,
        mut rows: HeldOutReader,
        schema: &Schema,
    ) -> Result<HeldOutReader, Refusal> {
        let path = &self.study.data.path;
        let progress = self.watch.reading(&path.name());
        let counts = read_labelled(path, schema, &progress, |batch, classes| {
            rows.push(&batch, classes);
            Ok::<(), Refusal>(())
        })?;
        drop(progress);
        stop_at_mistakes(&counts, path, self.accepted)?;
        Ok(rows)
    }

    /// The study's table, with a number as the outcome among its columns.
    pub fn read_number(&self, key: PersonKey) -> Result<AnyRows, Refusal> {
        self.read(None, key).map(|storage| storage.rows.into())
    }
}
