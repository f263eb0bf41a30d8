//! The fit of a study, from its table to model.json and report.html.
//!
//! The order matters. Everything that can be refused is refused before the first row is read, the
//! charge is durable before anything is computed, and the file is written before anything is said
//! about it.

use super::files::{FitFiles, page_of};
use super::{FitJob, TwoStepFit};
use crate::evaluate::{HeldOut, HeldOutFit, HeldOutNumber, HeldOutTwoSteps};
use crate::job::Job;
use crate::number::{NumberJob, NumberKnots};
use crate::study_run::{self, AccountLine, PlannedRun, StudyRun};
use crate::support::{self, Feature, features_of};
use crate::watch::{News, Watch};
use discretion::{Refusal, Remedy};
use discretion_disk::existing::Existing;
use discretion_disk::files::{self, Readers};
use discretion_disk::folder::OutputFolder;
use discretion_formats::{AnyModel, Artefact};
use discretion_ledger::{Consent, Quote};
use discretion_report::{report, words};
use discretion_table::{PersonKey, Study};
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

/// The job that a study asks for.
pub enum Chosen {
    /// Moments, for an outcome that is a number.
    Number(NumberJob),
    /// The same with a search for knots.
    NumberKnots(NumberKnots),
    /// The same, and its quality on rows that were held out.
    HeldOutNumber(HeldOutNumber),
    /// The same with a search for knots.
    HeldOutNumberKnots(HeldOut<NumberKnots>),
    /// A training, and its quality on rows that were held out.
    HeldOut(HeldOutFit),
    /// The same with a release before the training.
    HeldOutTwoSteps(HeldOutTwoSteps),
    /// A release of knots or of the base rate, and the training after it.
    TwoSteps(TwoStepFit),
    /// A training.
    Fit(FitJob),
}

/// The files of a run, in a folder that it has for itself.
struct Place {
    path: PathBuf,
    page: PathBuf,
    _folder: OutputFolder,
}

/// What is said where a page is in the way.
const IN_THE_WAY: &[Remedy] = &[Remedy::AnotherFolder, Remedy::Overwrite];

impl StudyFit<'_> {
    /// Reads the table, charges, computes, and writes the model and its page.
    pub fn run(&self) -> Result<FitFiles, Refusal> {
        self.chosen()?;
        let place = self.place()?;
        match self.settled()? {
            Some(study) => self.of_study(&study).run_in(place),
            None => self.run_in(place),
        }
    }

    /// The same, once it is known where the files go.
    fn run_in(&self, at: Place) -> Result<FitFiles, Refusal> {
        match self.chosen()? {
            Chosen::Number(job) => {
                self.make(at, &job, |key| self.read_number(key), report::number_html)
            }
            Chosen::NumberKnots(job) => {
                self.make(at, &job, |key| self.read_number_on_grid(key), report::number_html)
            }
            Chosen::HeldOutNumber(job) => {
                self.make(at, &job, |key| self.read_held_out(&job, key), report::number_html)
            }
            Chosen::HeldOutNumberKnots(job) => {
                self.make(at, &job, |key| self.read_held_out(&job, key), report::number_html)
            }
            Chosen::HeldOut(job) => {
                self.make(at, &job, |key| self.read_held_out(&job, key), report::html)
            }
            Chosen::HeldOutTwoSteps(job) => {
                self.make(at, &job, |key| self.read_held_out(&job, key), report::html)
            }
            Chosen::TwoSteps(job) => {
                self.make(at, &job, |key| self.read_on_grid(key), report::html)
            }
            Chosen::Fit(job) => {
                self.make(at, &job, |key| self.read_rows(&job.request(), key), report::html)
            }
        }
    }

    /// Where the files go, if they may: found out before anything is read.
    fn place(&self) -> Result<Place, Refusal> {
        let folder = OutputFolder::prepare(self.folder)?.alone()?;
        let path =
            folder.join(if self.seed.is_some() { "seeded-model.json" } else { "model.json" });
        let page = page_of(&path);
        if !self.reuse {
            self.existing.check(&path, self.remedies())?;
            self.existing.check(&page, IN_THE_WAY)?;
        }
        Ok(Place { path, page, _folder: folder })
    }

    /// Runs one job of the study, whatever it makes, and writes that and its page.
    fn make<J: Job>(
        &self,
        Place { path, page, _folder }: Place,
        job: &J,
        read: impl FnOnce(PersonKey) -> Result<J::Rows, Refusal>,
        draw: impl FnOnce(&J::Artefact, &Path, Option<&Path>) -> String,
    ) -> Result<FitFiles, Refusal>
    where
        J::Rows: Sized,
        J::Artefact: Into<AnyModel>,
    {
        let replaces = self.existing == Existing::Replace;
        let run = StudyRun {
            study: self.study,
            ledger: self.ledger,
            seed: self.seed,
            what: format!("fit of {}", self.study.named()),
            path: &path,
            // Who overwrites a model has said that it costs again.
            consent: Consent { again: self.consent.again || replaces, ..self.consent },
            reuse: self.reuse.then(|| (self.existing, self.remedies())),
            watch: self.watch,
        };
        let (model, account) = run.spend(job, read)?;
        let drawn = draw(&model, &path, self.ledger);
        self.finish(model.into(), (path, page), &drawn, account)
    }

    /// Writes a model without noise and its page, for the custodian alone.
    pub fn make_not_private<M: Artefact + Into<AnyModel>>(
        &self,
        compute: impl FnOnce() -> Result<M, Refusal>,
        draw: impl FnOnce(&M, &Path, Option<&Path>) -> String,
    ) -> Result<FitFiles, Refusal> {
        let folder = OutputFolder::prepare(self.folder)?.alone()?;
        // A name of its own, so that no file takes another's place.
        let path = folder.join("not-private-model.json");
        let page = page_of(&path);
        for file in [&path, &page] {
            self.existing.check(file, IN_THE_WAY)?;
        }
        let model = compute()?;
        files::write(&path, Readers::Owner, &model.to_json())?;
        let warning = format!("{}: NOT PRIVATE: {}", path.display(), words::WITHOUT_NOISE);
        self.watch.tell(News::Warning(&warning));
        let drawn = draw(&model, &path, self.ledger);
        self.finish(model.into(), (path, page), &drawn, None)
    }

    /// Writes the page, and says what the model itself warns of.
    fn finish(
        &self,
        model: AnyModel,
        (path, page): (PathBuf, PathBuf),
        drawn: &str,
        account: Option<AccountLine>,
    ) -> Result<FitFiles, Refusal> {
        let readers = if model.warning().is_none() { Readers::Anyone } else { Readers::Owner };
        files::write(&page, readers, drawn).map_err(|failure| {
            let again = format!(
                "the model is in {0}, and `discretion report {0}` makes its page again",
                path.display()
            );
            failure.and(again)
        })?;
        if let Some(warning) = model.about_intervals() {
            self.watch.tell(News::Warning(warning));
        }
        Ok(FitFiles { model, path, page, account })
    }

    /// What the run would do to its account: all that comes before the charge.
    pub fn planned(&self) -> Result<PlannedRun, Refusal> {
        self.chosen()?;
        self.planned_for(self.count()?)
    }

    /// The same on so many rows, or persons.
    pub(crate) fn planned_for(&self, rows: usize) -> Result<PlannedRun, Refusal> {
        let settled = self.settled_for(rows);
        let fit = settled
            .as_ref()
            .map_or_else(|| self.of_study(self.study), |study| self.of_study(study));
        match fit.chosen()? {
            Chosen::Number(job) => PlannedRun::of_job(job, rows, self.watch),
            Chosen::NumberKnots(job) => PlannedRun::of_job(job, rows, self.watch),
            Chosen::HeldOutNumber(job) => PlannedRun::of_job(job, rows, self.watch),
            Chosen::HeldOutNumberKnots(job) => PlannedRun::of_job(job, rows, self.watch),
            Chosen::HeldOut(job) => PlannedRun::of_job(job, rows, self.watch),
            Chosen::HeldOutTwoSteps(job) => PlannedRun::of_job(job, rows, self.watch),
            Chosen::TwoSteps(job) => PlannedRun::of_job(job, rows, self.watch),
            Chosen::Fit(job) => PlannedRun::of_job(job, rows, self.watch),
        }
    }

    /// What it would cost, and a line about that.
    pub fn quote(&self) -> Result<(Quote, String), Refusal> {
        self.chosen()?;
        study_run::quote(self.study, self.ledger, || self.planned())
    }

    /// The job that the study asks for; or why it cannot be had, before anything is read.
    pub fn chosen(&self) -> Result<Chosen, Refusal> {
        if let Some(job) = NumberJob::of(self.study)? {
            let job = NumberJob { stop: self.stop.clone(), ..job };
            return match (&self.study.evaluate, NumberKnots::of(job.clone())) {
                (Some(settings), Some(knots)) => {
                    HeldOut::new(knots, settings).map(Chosen::HeldOutNumberKnots)
                }
                (Some(settings), None) => {
                    HeldOutNumber::new(job, settings).map(Chosen::HeldOutNumber)
                }
                (None, Some(knots)) => Ok(Chosen::NumberKnots(knots)),
                (None, None) => Ok(Chosen::Number(job)),
            };
        }
        let file = self.memory.map(|_| Feature::File);
        support::check(&features_of(self.study, file.as_slice()))?;
        Ok(match (self.held_out()?, TwoStepFit::of(self.job())) {
            (Some(job), Some(knots)) => Chosen::HeldOutTwoSteps(job.with_fit(knots)),
            (Some(job), None) => Chosen::HeldOut(job),
            (None, Some(knots)) => Chosen::TwoSteps(knots),
            (None, None) => Chosen::Fit(self.job()),
        })
    }

    /// The job, without rows held out.
    fn job(&self) -> FitJob {
        FitJob { stop: self.stop.clone(), ..FitJob::of(self.study) }
    }

    /// The same job with rows held out, if the study asks for it.
    fn held_out(&self) -> Result<Option<HeldOutFit>, Refusal> {
        let Some(settings) = &self.study.evaluate else { return Ok(None) };
        HeldOutFit::new(self.job(), settings).map(Some)
    }

    fn remedies(&self) -> &'static [Remedy] {
        match self.seed {
            // Another one would be charged.
            None => &[Remedy::AnotherFolder, Remedy::OverwriteAndPay],
            Some(_) => IN_THE_WAY,
        }
    }
}
