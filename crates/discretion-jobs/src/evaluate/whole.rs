//! The evaluation of a model on rows that never trained it, from their table to evaluation.json.
//!
//! The order is that of a fit: everything that can be refused is refused before the first row is
//! read, and the charge is durable before anything is computed.

use super::EvaluateJob;
use crate::check::stop_at_mistakes;
use crate::request;
use crate::study_run::{self, AccountLine, PlannedRun, StudyRun};
use crate::support::{self, Feature, features_of};
use crate::watch::{News, Watch};
use discretion::erm::matrix::{Batch, Matrix, Rows};
use discretion::{Refusal, Remedy};
use discretion_disk::existing::{Existing, keep_input};
use discretion_formats::{AnyModel, EvaluationFile};
use discretion_ledger::{Consent, Quote};
use discretion_table::{PersonKey, Study, Table, TableSource, read_labelled_once};
use std::path::Path;

/// An evaluation, with all that whoever runs it says beside the study.
pub struct StudyEvaluation<'r> {
    /// The study, whose rows are those that are asked: see [`StudyEvaluation::on`].
    pub study: &'r Study,
    /// The model's file.
    pub model: &'r Path,
    /// The column by whose values rows are counted apart.
    pub by: Option<&'r str>,
    /// The file that is made.
    pub path: &'r Path,
    /// The ledger's file, if somebody named it.
    pub ledger: Option<&'r Path>,
    /// Instead of an account.
    pub seed: Option<u64>,
    /// What the user allows that looks like a mistake of the account.
    pub consent: Consent,
    /// Whether a file that is there may be replaced.
    pub existing: Existing,
    /// Whether the file of an earlier run will do.
    pub reuse: bool,
    /// Whether the run goes on at what looks like a mistake of the table.
    pub accepted: bool,
    /// Who hears of it.
    pub watch: &'r dyn Watch,
}

impl StudyEvaluation<'_> {
    /// The same study with other rows, and with their account if it is another. The rows that
    /// trained the model deserve a word.
    pub fn on(study: &mut Study, rows: TableSource, account: Option<&str>, watch: &dyn Watch) {
        if rows == study.data.path {
            watch.tell(News::Warning(
                "the study trains on these rows, and a model looks better than it is on rows that trained it; hold some out \
                 with [evaluate] in the study, or name other rows",
            ));
        }
        study.data.path = rows;
        if let Some(account) = account {
            account.clone_into(&mut study.data.account);
        }
    }

    /// Reads and scores the rows, charges, and writes the file. A line about the account, if one
    /// paid.
    pub fn run(&self) -> Result<(EvaluationFile, Option<AccountLine>), Refusal> {
        let job = self.job()?;
        for input in self
            .study
            .data
            .path
            .paths()
            .iter()
            .map(|path| path.as_path())
            .chain([self.model, &self.study.path])
        {
            keep_input(self.path, input)?;
        }
        if !self.reuse {
            self.existing.check(self.path, self.remedies())?;
        }
        if !job.model().is_private() {
            let sentence = format!(
                "{}: this model is NOT PRIVATE to the rows that trained it",
                self.model.display()
            );
            self.watch.tell(News::Warning(&sentence));
        }
        let replaces = self.existing == Existing::Replace;
        let run = StudyRun {
            study: self.study,
            ledger: self.ledger,
            seed: self.seed,
            what: format!("evaluation of {}", self.model.display()),
            path: self.path,
            // Who overwrites an evaluation has said that it costs again.
            consent: Consent { again: self.consent.again || replaces, ..self.consent },
            reuse: self.reuse.then(|| (self.existing, self.remedies())),
            watch: self.watch,
        };
        run.spend(&job, |key| self.rows(key))
    }

    /// What it would cost, and a line about that: all that comes before the charge.
    pub fn quote(&self) -> Result<(Quote, String), Refusal> {
        let job = self.job()?;
        study_run::quote(self.study, self.ledger, || self.planned_job(job))
    }

    /// What the run would do to its account.
    pub fn planned(&self) -> Result<PlannedRun, Refusal> {
        self.planned_job(self.job()?)
    }

    /// The rows are counted, and nothing else is asked of them.
    fn planned_job(&self, job: EvaluateJob) -> Result<PlannedRun, Refusal> {
        let mut rows = 0;
        self.read(PersonKey::of_seed(0), |batch, _| rows += batch.positive.len())?;
        PlannedRun::of_job(job, rows, self.watch)
    }

    /// Checks what is asked for against the model and the study.
    pub fn job(&self) -> Result<EvaluateJob, Refusal> {
        support::check(&features_of(self.study, &[Feature::Evaluation]))?;
        let model = AnyModel::read_with_hash(self.model)?;
        let (schema, spend) = (&self.study.schema, self.study.spend);
        EvaluateJob::new(model, schema, self.by, spend, request::spend_at(self.study))
    }

    /// The rows, or one of each person.
    fn rows(&self, key: PersonKey) -> Result<Rows<'static>, Refusal> {
        let mut rows = Matrix::new(self.study.schema.stored_layout());
        self.read(key, |batch, classes| rows.push_labelled(batch, classes))?;
        Ok(rows.into())
    }

    /// Hands on the rows with their outcome, or one of each person.
    fn read(&self, key: PersonKey, each: impl FnMut(Batch, &[u16])) -> Result<(), Refusal> {
        let (path, schema) = (&self.study.data.path, &self.study.schema);
        let progress = self.watch.reading(&path.name());
        let counts = read_labelled_once(path, schema, key, &progress, each)?;
        drop(progress);
        stop_at_mistakes(&counts, path, self.accepted)
    }

    fn remedies(&self) -> &'static [Remedy] {
        match self.seed {
            // Another one would be charged.
            None => &[Remedy::AnotherFile, Remedy::OverwriteAndPay],
            Some(_) => &[Remedy::AnotherFile, Remedy::Overwrite],
        }
    }
}
