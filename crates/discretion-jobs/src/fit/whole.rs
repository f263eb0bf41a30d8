//! The fit of a study, from its table to model.json and report.html.
//!
//! The order matters. Everything that can be refused is refused before the first row is read, the charge is
//! durable before anything is computed, and the file is written before anything is said about it.

use super::{FitJob, FitRows};
use crate::arguments::Arguments;
use crate::check::stop_at_mistakes;
use crate::evaluate::{HeldOutFit, HeldOutPersonsReader, HeldOutRows, HeldOutStorage};
use crate::number::NumberJob;
use crate::study_run::{self, StudyRun};
use crate::watch::{News, Watch};
use discretion::Refusal;
use discretion::erm::matrix::Batch;
use discretion::fit::{FitError, Request};
use discretion::privacy::Unit;
use discretion_disk::existing::Existing;
use discretion_disk::files::{self, Readers};
use discretion_disk::folder::OutputFolder;
use discretion_formats::Model;
use discretion_ledger::{Consent, Quote};
use discretion_report::report;
use discretion_table::{
    Limits, PersonKey, Purpose, RowStorage, Study, Table, read_batches, read_batches_of_persons,
    read_classes, read_labelled, read_matrix, read_persons, read_within,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A fit of a study, with all that whoever runs it says beside the study.
pub struct StudyFit<'r> {
    /// The study.
    pub study: &'r Study,
    /// Where the files go.
    pub folder: &'r Path,
    /// The ledger's file, if somebody named it.
    pub ledger: Option<&'r Path>,
    /// Instead of an account.
    pub seed: Option<u64>,
    /// What the user allows that looks like a mistake of the account.
    pub consent: Consent,
    /// Whether files that are there may be replaced.
    pub existing: Existing,
    /// Whether the file of an earlier run will do.
    pub reuse: bool,
    /// Memory to stay within.
    pub memory: Option<u64>,
    /// Whether the run goes on at what looks like a mistake of the table.
    pub accepted: bool,
    /// Ends the run at its next pass over the rows, once it is set.
    pub stop: Option<Arc<AtomicBool>>,
    /// Who hears of it.
    pub watch: &'r dyn Watch,
}

/// What a fit leaves.
pub struct FitFiles {
    /// The model.
    pub model: Model,
    /// Its file.
    pub path: PathBuf,
    /// Its page.
    pub page: PathBuf,
    /// A line about the account, if one paid.
    pub account: Option<String>,
}

/// Of the memory that may be used, the share for encoded rows: bringing them into another order takes as much again,
/// and reading and summing need their room.
const SHARE_FOR_ROWS: u64 = 4;

/// What is said where a page is in the way.
const PAGE_IN_THE_WAY: &str = "choose another folder with --out, or overwrite it with --force";

impl StudyFit<'_> {
    /// Reads the table, charges, trains, and writes the model and its page.
    pub fn run(&self) -> Result<FitFiles, Refusal> {
        self.check()?;
        let held_out = self.held_out()?;
        let folder = OutputFolder::prepare(self.folder)?.alone()?;
        let path = folder.join(if self.seed.is_some() { "seeded-model.json" } else { "model.json" });
        let page = page_of(&path);
        if !self.reuse {
            self.existing.check(&path, self.advice())?;
            self.existing.check(&page, PAGE_IN_THE_WAY)?;
        }
        let replaces = self.existing == Existing::Replace;
        let run = StudyRun {
            study: self.study,
            ledger: self.ledger,
            seed: self.seed,
            what: format!("fit of {}", self.study.path.display()),
            path: &path,
            // Who overwrites a model has said that it costs again.
            consent: Consent { again: self.consent.again || replaces, ..self.consent },
            reuse: self.reuse.then(|| (self.existing, self.advice())),
            watch: self.watch,
        };
        let (model, account) = match &held_out {
            Some(job) => run.spend(job, |key| self.read_held_out(job, key), |rows| rows)?,
            None => {
                let job = self.job();
                run.spend(&job, |key| self.read_rows(&job.request(), key), |rows| rows)?
            }
        };
        let readers = if model.warning.is_none() { Readers::Anyone } else { Readers::Owner };
        files::write(&page, readers, &report::html(&model, &path, self.ledger)).map_err(|failure| {
            let again = format!(
                "the model is in {0}, and `discretion report {0}` makes its page again",
                path.display()
            );
            failure.and(again)
        })?;
        if let Some(warning) = model.intervals.as_ref().and_then(|intervals| intervals.warning.as_ref()) {
            self.watch.tell(News::Warning(warning));
        }
        Ok(FitFiles { model, path, page, account })
    }

    /// What it would cost, and a line about that: all that comes before the charge.
    pub fn quote(&self) -> Result<(Quote, String), Refusal> {
        self.check()?;
        let count = || self.count();
        match self.held_out()? {
            Some(job) => study_run::quote(self.study, self.ledger, &job, count, self.watch),
            None => study_run::quote(self.study, self.ledger, &self.job(), count, self.watch),
        }
    }

    /// Refuses what a fit of classes does not know, before anything is read.
    pub fn check(&self) -> Result<(), Refusal> {
        let study = self.study;
        if NumberJob::of(study)?.is_some() {
            return Err(Refusal::bad_input(
                "the outcome is a number, which so far is fitted from a terminal alone: `discretion fit`"
                    .to_owned(),
            ));
        }
        if study.schema.unit() == Unit::Person {
            study.only_two_classes("`person`")?;
        }
        if self.memory.is_some() {
            study.only_two_classes("fit --memory")?;
        }
        if study.intervals.is_some() {
            study.only_two_classes("[intervals]")?;
        }
        Ok(())
    }

    /// The job, without rows held out.
    pub fn job(&self) -> FitJob {
        FitJob { stop: self.stop.clone(), ..FitJob::of(self.study) }
    }

    /// The same job with rows held out, if the study asks for it.
    pub fn held_out(&self) -> Result<Option<HeldOutFit>, Refusal> {
        let Some(settings) = &self.study.evaluate else { return Ok(None) };
        if self.memory.is_some() {
            self.study.only_about_rows("fit --memory with [evaluate]")?;
        }
        HeldOutFit::new(self.job(), settings).map(Some)
    }

    /// The study's table, as its request needs it.
    pub fn read_rows(&self, request: &Request, key: PersonKey) -> Result<FitRows, Refusal> {
        let storage = self.read(request.validation(), key)?;
        FitRows::of(storage, request).map_err(|error: FitError| self.job().explain(error))
    }

    /// How many rows the table has, or how many persons. None is kept.
    pub fn count(&self) -> Result<usize, Refusal> {
        if self.study.schema.unit() == Unit::Person {
            let RowStorage::Persons(persons) = self.read(None, PersonKey::of_seed(0))? else {
                unreachable!("the study is about persons")
            };
            return Ok(persons.count());
        }
        if self.study.schema.target().labels.several().is_some() {
            let RowStorage::Classes(classed) = self.read(None, PersonKey::of_seed(0))? else {
                unreachable!("the study has several classes")
            };
            return Ok(classed.rows());
        }
        let (path, schema) = (&self.study.data.path, &self.study.schema);
        let progress = self.watch.reading(&path.name());
        let counts = read_batches(path, schema, Purpose::Train, &progress, |_| Ok::<(), Refusal>(()))?;
        drop(progress);
        stop_at_mistakes(&counts, path, self.accepted, Arguments::Flags)?;
        Ok(usize::try_from(counts.rows).expect("rows that were read can be counted"))
    }

    fn read(&self, validation: Option<f64>, key: PersonKey) -> Result<RowStorage, Refusal> {
        let (path, schema) = (&self.study.data.path, &self.study.schema);
        let progress = self.watch.reading(&path.name());
        let (rows, counts) = match (self.memory, schema.unit()) {
            (None, Unit::Person) => {
                let (persons, counts) = read_persons(path, schema, key, &progress)?;
                (RowStorage::Persons(persons), counts)
            }
            (Some(_), Unit::Person) => {
                self.study.only_about_rows("fit --memory")?;
                unreachable!("the study is about persons")
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
    fn read_held_out(&self, job: &HeldOutFit, key: PersonKey) -> Result<HeldOutRows<FitRows>, Refusal> {
        let path = &self.study.data.path;
        let progress = self.watch.reading(&path.name());
        if self.study.schema.unit() == Unit::Person {
            let mut rows = HeldOutPersonsReader::new(key);
            let each = |batch: Batch, places: &[u128]| {
                rows.push(batch, places);
                Ok::<(), Refusal>(())
            };
            let counts = read_batches_of_persons(path, &self.study.schema, key, &progress, each)?;
            drop(progress);
            stop_at_mistakes(&counts, path, self.accepted, Arguments::Flags)?;
            return rows.finish(job);
        }
        if let Some(memory) = self.memory {
            let memory = memory / SHARE_FOR_ROWS;
            let limits = Limits { memory, folder: self.folder, validation: job.fit().request().validation() };
            let mut rows = HeldOutStorage::new(job, limits);
            let each = |batch: Batch| rows.push(&batch);
            let counts = read_batches(path, &self.study.schema, Purpose::Train, &progress, each)?;
            drop(progress);
            stop_at_mistakes(&counts, path, self.accepted, Arguments::Flags)?;
            return rows.finish(job);
        }
        let mut rows = job.reader();
        let counts = read_labelled(path, &self.study.schema, &progress, |batch, classes| {
            rows.push(&batch, classes);
            Ok::<(), Refusal>(())
        })?;
        drop(progress);
        stop_at_mistakes(&counts, path, self.accepted, Arguments::Flags)?;
        rows.finish(job)
    }

    fn advice(&self) -> &'static str {
        match self.seed {
            None => {
                "fitting again would spend the budget again; choose another folder with --out, or say --force if \
                 that is what you want"
            }
            Some(_) => PAGE_IN_THE_WAY,
        }
    }
}

/// The page beside a model: report.html for model.json, seeded-report.html for seeded-model.json.
pub fn page_of(model: &Path) -> PathBuf {
    let name = model.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let kind = name.strip_suffix("model.json").unwrap_or_default();
    model.with_file_name(format!("{kind}report.html"))
}
