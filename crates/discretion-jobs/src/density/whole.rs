//! The density of a study's columns, from its table to density.json, density.html and density.svg.
//!
//! The order is that of a fit: everything that can be refused is refused before the first row is
//! read, the charge is durable before anything is computed, and the file is written before anything
//! is said about it.

use super::{DensityJob, DensityRows};
use crate::arguments::Arguments;
use crate::check::stop_at_mistakes;
use crate::request;
use crate::study_run::{self, AccountLine, PlannedRun, StudyRun};
use crate::support::{self, Feature, features_of};
use crate::watch::Watch;
use discretion::erm::matrix::Batch;
use discretion::{Refusal, Remedy};
use discretion_disk::existing::Existing;
use discretion_disk::files::{self, Readers};
use discretion_disk::folder::OutputFolder;
use discretion_formats::DensityFile;
use discretion_ledger::{Consent, Quote};
use discretion_report::DensityReport;
use discretion_report::report::of_file;
use discretion_table::{PersonKey, Study, Table, read_columns_once};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A density of a study, with all that whoever runs it says beside the study.
pub struct StudyDensity<'r> {
    /// The study.
    pub study: &'r Study,
    /// The columns.
    pub columns: &'r [String],
    /// How many bins each number may have, if somebody says so.
    pub bins: Option<&'r [usize]>,
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
    /// Whether the run goes on at what looks like a mistake of the table.
    pub accepted: bool,
    /// Takes the release away, once it is set.
    pub stop: Option<Arc<AtomicBool>>,
    /// Who hears of it.
    pub watch: &'r dyn Watch,
}

/// What a density leaves.
pub struct DensityFiles {
    /// The density.
    pub density: DensityFile,
    /// Its file.
    pub path: PathBuf,
    /// Its page.
    pub page: PathBuf,
    /// Its picture, if there is one.
    pub picture: Option<PathBuf>,
    /// A line about the account, if one paid.
    pub account: Option<AccountLine>,
}

impl StudyDensity<'_> {
    /// Reads the columns, charges, and writes the density, its page and its picture.
    pub fn run(&self) -> Result<DensityFiles, Refusal> {
        let job = self.job()?;
        let folder = OutputFolder::prepare(self.folder)?.alone()?;
        let path =
            folder.join(if self.seed.is_some() { "seeded-density.json" } else { "density.json" });
        if !self.reuse {
            self.existing.check(&path, self.remedies())?;
        }
        let replaces = self.existing == Existing::Replace;
        let run = StudyRun {
            study: self.study,
            ledger: self.ledger,
            seed: self.seed,
            what: format!(
                "density of {} in {}",
                self.columns.join(", "),
                self.study.path.display()
            ),
            path: &path,
            // Who overwrites a density has said that it costs again.
            consent: Consent { again: self.consent.again || replaces, ..self.consent },
            reuse: self.reuse.then(|| (self.existing, self.remedies())),
            watch: self.watch,
        };
        let (density, account) = run.spend(&job, |key| self.read(&job, key))?;
        let readers = if density.warning.is_none() { Readers::Anyone } else { Readers::Owner };
        let report = of_file::report(&density, &path, self.ledger);
        let page = path.with_extension("html");
        files::write(&page, readers, &report.to_html())?;
        let picture = draw(&report, &path.with_extension("svg"), readers)?;
        Ok(DensityFiles { density, path, page, picture, account })
    }

    /// What it would cost, and a line about that: all that comes before the charge.
    pub fn quote(&self) -> Result<(Quote, String), Refusal> {
        self.job()?;
        study_run::quote(self.study, self.ledger, || self.planned())
    }

    /// What the run would do to its account.
    pub fn planned(&self) -> Result<PlannedRun, Refusal> {
        PlannedRun::of_job(self.job()?, self.count()?, self.watch)
    }

    /// How many rows the table has, or how many persons.
    pub fn count(&self) -> Result<usize, Refusal> {
        Ok(self.read(&self.job()?, PersonKey::of_seed(0))?.points().rows())
    }

    /// The job, checked against the study.
    pub fn job(&self) -> Result<DensityJob, Refusal> {
        let study = self.study;
        support::check(&features_of(study, &[Feature::Density]))?;
        request::check_budget(study)?;
        let columns = study.schema.choose(self.columns).map_err(|problem| {
            Refusal::bad_input(format!("{problem} ({})", study.path.display())).about("column")
        })?;
        let spend_at = request::spend_at(study);
        let mut job = DensityJob::new(columns, self.bins, study.spend, Arguments::Flags, spend_at)?;
        job.unit = study.schema.unit();
        job.stop.clone_from(&self.stop);
        Ok(job)
    }

    pub(crate) fn read(&self, job: &DensityJob, key: PersonKey) -> Result<DensityRows, Refusal> {
        let (path, columns) = (&self.study.data.path, job.columns());
        let mut rows = DensityRows::new(columns)?;
        let progress = self.watch.reading(&path.name());
        let schema = &self.study.schema;
        let counts = read_columns_once(path, schema, columns, key, &progress, |batch: Batch| {
            rows.push(&batch)
        })?;
        drop(progress);
        stop_at_mistakes(&counts, path, self.accepted)?;
        Ok(rows)
    }

    fn remedies(&self) -> &'static [Remedy] {
        match self.seed {
            // Another one would be charged.
            None => &[Remedy::AnotherFolder, Remedy::OverwriteAndPay],
            Some(_) => &[Remedy::AnotherFolder, Remedy::Overwrite],
        }
    }
}

/// The picture as a file of its own, if there is one.
fn draw(report: &DensityReport, path: &Path, readers: Readers) -> Result<Option<PathBuf>, Refusal> {
    match report.picture() {
        Some(picture) => {
            files::write(path, readers, &picture.standalone())?;
            Ok(Some(path.to_owned()))
        }
        None => {
            // One of an earlier density, which --force replaces, would show something else. It may
            // not be there.
            let _ = std::fs::remove_file(path);
            Ok(None)
        }
    }
}
