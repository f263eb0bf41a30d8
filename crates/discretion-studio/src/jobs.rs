//! Jobs as the page asks for them: a fit, a density, an evaluation, answers. Each is the function
//! that the command calls.

use crate::answers::{AnswerAsked, AnswerFiles, AnswersRequest};
use crate::app::App;
use discretion::Refusal;
use discretion_disk::existing::Existing;
use discretion_disk::folder::OutputFolder;
use discretion_formats::content_hash;
use discretion_jobs::density::StudyDensity;
use discretion_jobs::evaluate::StudyEvaluation;
use discretion_jobs::fit::StudyFit;
use discretion_jobs::request::check_budget;
use discretion_jobs::{Silence, Watch};
use discretion_ledger::Consent;
use discretion_report::terminal;
use discretion_table::{Study, TableSource};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A job of a study, as the page asks for it.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobAsked {
    pub study: String,
    /// The folder for its files, in the folder of the page.
    pub folder: String,
    /// What the study was when its price was asked for.
    #[serde(default)]
    base: Option<String>,
    /// One of these, or a fit.
    #[serde(default)]
    density: Option<Vec<String>>,
    #[serde(default)]
    evaluate: Option<EvaluateAsked>,
    #[serde(default)]
    answer: Option<AnswerAsked>,
    /// A rehearsal: nothing is charged, and the files say NOT PRIVATE.
    #[serde(default)]
    seed: Option<u64>,
    #[serde(default)]
    rows_changed: bool,
    #[serde(default)]
    second_account: bool,
    #[serde(default)]
    again: bool,
    #[serde(default)]
    accept_check: bool,
    /// Another session of answers, at its full price.
    #[serde(default)]
    new: bool,
}

/// A model, and rows that never trained it.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct EvaluateAsked {
    model: String,
    table: String,
    /// The column by whose values rows are counted apart.
    #[serde(default)]
    by: Option<String>,
    /// Who pays, if these rows have an account of their own.
    #[serde(default)]
    account: Option<String>,
}

/// What a job leaves.
pub struct Made {
    pub files: Vec<PathBuf>,
    pub account: Option<String>,
    pub private: bool,
    /// What a command would print, where there is no page to look at.
    pub summary: Option<String>,
}

/// A job whose study was read.
pub struct Checked {
    pub asked: JobAsked,
    study: Study,
    /// The file that it was read from, by its content.
    pub base: String,
    folder: PathBuf,
    ledger: Option<PathBuf>,
    kind: Kind,
}

/// What is to be done, with its files.
enum Kind {
    Fit,
    Density(Vec<String>),
    Evaluation { model: PathBuf, by: Option<String> },
    Answers(AnswerFiles),
}

impl Checked {
    pub fn new(app: &App, asked: JobAsked) -> Result<Checked, Refusal> {
        let path = app.folder.study(&asked.study)?;
        let text = Study::text_of(&path)?;
        let base = content_hash(text.as_bytes());
        if asked.base.as_ref().is_some_and(|known| *known != base) {
            return Err(Refusal::refused(format!(
                "{}: this study was changed since its price was asked for; ask again. Nothing was charged",
                asked.study
            )));
        }
        let mut study = Study::parse(&path, &text)?;
        check_budget(&study)?;
        let folder = app.folder.inside(&asked.folder)?;
        let kind = match (&asked.density, &asked.evaluate, &asked.answer) {
            (Some(columns), None, None) => Kind::Density(columns.clone()),
            (None, Some(other), None) => {
                let account = other.account.as_deref().filter(|account| !account.is_empty());
                let rows = TableSource::from(app.folder.table(&other.table)?);
                StudyEvaluation::on(&mut study, rows, account, &Silence);
                let by = other.by.clone().filter(|by| !by.is_empty());
                Kind::Evaluation { model: app.folder.inside(&other.model)?, by }
            }
            (None, None, Some(answer)) => Kind::Answers(answer.files(&app.folder)?),
            (None, None, None) => Kind::Fit,
            _ => return Err(Refusal::bad_input("one job at a time")),
        };
        Ok(Checked { asked, study, base, folder, ledger: app.ledger.clone(), kind })
    }

    /// The job's name, for texts.
    pub fn what(&self) -> &'static str {
        match self.kind {
            Kind::Fit => "fit",
            Kind::Density(_) => "density",
            Kind::Evaluation { .. } => "evaluation",
            Kind::Answers(_) => "answers",
        }
    }

    /// The file that is its result.
    pub fn file(&self) -> PathBuf {
        let seeded = if self.asked.seed.is_some() { "seeded-" } else { "" };
        let name = match self.kind {
            Kind::Fit => "model.json",
            Kind::Density(_) => "density.json",
            Kind::Evaluation { .. } => "evaluation.json",
            Kind::Answers(_) => "answers.csv",
        };
        self.folder.join(format!("{seeded}{name}"))
    }

    /// What it would cost, in a sentence.
    pub fn price(&self, app: &App) -> Result<String, Refusal> {
        Ok(match &self.kind {
            Kind::Fit => self.fit(&Silence, None).quote()?.1,
            Kind::Density(columns) => self.density(columns, &Silence, None).quote()?.1,
            Kind::Evaluation { model, by } => {
                self.evaluation((model, by.as_deref()), &self.file(), &Silence).quote()?.1
            }
            Kind::Answers(files) => {
                let said = answers(app)?.price(&self.request(files, &self.file()))?;
                said.lines().next().unwrap_or_default().to_owned()
            }
        })
    }

    /// Runs it.
    pub fn run(
        &self,
        app: &App,
        watch: &dyn Watch,
        stop: Arc<AtomicBool>,
    ) -> Result<Made, Refusal> {
        let private = self.asked.seed.is_none();
        match &self.kind {
            Kind::Fit => {
                let made = self.fit(watch, Some(stop)).run()?;
                let private = made.model.warning().is_none();
                Ok(Made {
                    files: vec![made.path, made.page],
                    account: made.account.map(|account| account.to_string()),
                    private,
                    summary: None,
                })
            }
            Kind::Density(columns) => {
                let made = self.density(columns, watch, Some(stop)).run()?;
                let private = made.density.warning.is_none();
                let files = [made.path, made.page].into_iter().chain(made.picture).collect();
                let account = made.account.map(|account| account.to_string());
                Ok(Made { files, account, private, summary: None })
            }
            Kind::Evaluation { model, by } => {
                let folder = OutputFolder::prepare(&self.folder)?;
                let (file, account) =
                    self.evaluation((model, by.as_deref()), &self.file(), watch).run()?;
                drop(folder);
                let summary = Some(terminal::evaluation(&file, &[]));
                Ok(Made {
                    files: vec![self.file()],
                    account: account.map(|account| account.to_string()),
                    private: file.warning.is_none(),
                    summary,
                })
            }
            Kind::Answers(files) => {
                let made = answers(app)?.answer(&self.request(files, &self.file()), watch)?;
                Ok(Made { files: made.files, account: None, private, summary: Some(made.summary) })
            }
        }
    }

    fn consent(&self) -> Consent {
        let JobAsked { rows_changed, second_account, again, .. } = self.asked;
        Consent { rows_changed, second_account, again }
    }

    fn fit<'c>(&'c self, watch: &'c dyn Watch, stop: Option<Arc<AtomicBool>>) -> StudyFit<'c> {
        StudyFit {
            study: &self.study,
            folder: &self.folder,
            ledger: self.ledger.as_deref(),
            seed: self.asked.seed,
            consent: self.consent(),
            existing: Existing::Keep,
            reuse: false,
            memory: None,
            accepted: self.asked.accept_check,
            stop,
            watch,
        }
    }

    fn density<'c>(
        &'c self,
        columns: &'c [String],
        watch: &'c dyn Watch,
        stop: Option<Arc<AtomicBool>>,
    ) -> StudyDensity<'c> {
        StudyDensity {
            study: &self.study,
            columns,
            bins: None,
            folder: &self.folder,
            ledger: self.ledger.as_deref(),
            seed: self.asked.seed,
            consent: self.consent(),
            existing: Existing::Keep,
            reuse: false,
            accepted: self.asked.accept_check,
            stop,
            watch,
        }
    }

    fn evaluation<'c>(
        &'c self,
        (model, by): (&'c Path, Option<&'c str>),
        path: &'c Path,
        watch: &'c dyn Watch,
    ) -> StudyEvaluation<'c> {
        StudyEvaluation {
            study: &self.study,
            model,
            by,
            path,
            ledger: self.ledger.as_deref(),
            seed: self.asked.seed,
            consent: self.consent(),
            existing: Existing::Keep,
            reuse: false,
            accepted: self.asked.accept_check,
            watch,
        }
    }

    fn request<'c>(&'c self, files: &'c AnswerFiles, out: &'c Path) -> AnswersRequest<'c> {
        AnswersRequest {
            study: &self.study.path,
            queries: files.queries.as_deref(),
            gammas: files.gammas.as_deref(),
            out,
            student: files.student.then_some(&*self.folder),
            ledger: self.ledger.as_deref(),
            seed: self.asked.seed,
            rows_changed: self.asked.rows_changed,
            second_account: self.asked.second_account,
            accepted: self.asked.accept_check,
            new: self.asked.new,
        }
    }
}

fn answers(app: &App) -> Result<&dyn crate::answers::AnswerQueries, Refusal> {
    app.answers.as_deref().ok_or_else(|| Refusal::refused("this page was opened without a vote"))
}
