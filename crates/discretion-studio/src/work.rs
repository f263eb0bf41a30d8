//! The one run that may be under way. It goes on when its tab is closed, and ends with the program.

use crate::app::App;
use discretion::{Refusal, RefusalKind};
use discretion_disk::existing::Existing;
use discretion_jobs::density::StudyDensity;
use discretion_jobs::fit::StudyFit;
use discretion_jobs::request::check_budget;
use discretion_jobs::{NOTHING_RELEASED, News, Silence, Watch, if_stopped};
use discretion_ledger::{Consent, Quote};
use discretion_table::{Progress, Study};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

/// A job of a study, as the page asks for it.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobAsked {
    study: String,
    /// The folder for its files, in the folder of the page.
    folder: String,
    /// The columns of a density; a fit has none.
    #[serde(default)]
    density: Option<Vec<String>>,
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
}

/// The run that is under way, or the last one.
#[derive(Default)]
pub struct Work(Arc<Mutex<Option<Record>>>);

/// What is known about a run. Nothing in it depends on rows but what the command line would print, too.
#[derive(Clone, Serialize)]
struct Record {
    what: &'static str,
    study: String,
    folder: String,
    stage: &'static str,
    /// Bytes read, and bytes there are.
    read: Option<[u64; 2]>,
    /// Warnings and notes.
    said: Vec<String>,
    charge: Option<u64>,
    /// What was made, or why nothing was.
    files: Vec<String>,
    account: Option<String>,
    refused: Option<String>,
    private: bool,
    #[serde(skip)]
    file: PathBuf,
    #[serde(skip)]
    stop: Arc<AtomicBool>,
}

impl Record {
    fn is_over(&self) -> bool {
        ["done", "refused"].contains(&self.stage)
    }
}

impl Work {
    fn lock(&self) -> MutexGuard<'_, Option<Record>> {
        self.0.lock().expect("nothing panics with it")
    }

    /// For the page.
    pub fn shown(&self) -> Value {
        json!(*self.lock())
    }

    /// What has to be known if the program ends now.
    pub fn lost_if_stopped(&self) -> Option<String> {
        let record = self.lock().clone()?;
        let charge = record.charge.filter(|_| !record.is_over())?;
        Some(if_stopped(charge, &record.file, NOTHING_RELEASED))
    }
}

/// Writes down what a run says.
struct Listener(Arc<Mutex<Option<Record>>>);

impl Listener {
    fn note(&self, change: impl FnOnce(&mut Record)) {
        if let Some(record) = &mut *self.0.lock().expect("nothing panics with it") {
            change(record);
        }
    }
}

impl Watch for Listener {
    fn tell(&self, news: News<'_>) {
        self.note(|record| match news {
            News::Warning(text) | News::Note(text) => record.said.push(text.to_owned()),
            News::TableChanged { account, changed } => record.said.push(format!(
                "the table is not the one that charge {} of account '{account}' was made on ({})",
                changed.first_charge, changed.at
            )),
            News::Charged { number, .. } => {
                record.charge = Some(number);
                record.stage = "charged";
            }
            News::Working(_) => record.stage = "working",
            News::Done => record.stage = "writing",
        });
    }

    fn reading(&self, _table: &str) -> Box<dyn Fn(Progress) + '_> {
        Box::new(|progress| self.note(|record| record.read = Some([progress.bytes, progress.total])))
    }
}

/// What a job would cost, before anything is charged.
pub fn quote(app: &Arc<App>, asked: JobAsked) -> Result<Value, Refusal> {
    let (quote, sentence): (Quote, String) =
        Checked::new(app, asked)?.with(&Silence, None, |job| job.quote())?;
    Ok(json!({ "price": quote, "sentence": sentence }))
}

/// Starts a job. There is one at a time: two would share a machine, and often an account.
pub fn start(app: &Arc<App>, asked: JobAsked) -> Result<Value, Refusal> {
    let checked = Checked::new(app, asked)?;
    let stop = Arc::new(AtomicBool::new(false));
    {
        let mut current = app.work.lock();
        if current.as_ref().is_some_and(|record| !record.is_over()) {
            return Err(Refusal::refused("a run is under way; wait for it, or stop it"));
        }
        *current = Some(checked.record(stop.clone()));
    }
    let listener = Listener(app.work.0.clone());
    thread::spawn(move || {
        let finished = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            checked.with(&listener, Some(stop), |job| job.run())
        }));
        let fault = || Refusal::new(RefusalKind::Fault, "a fault of this program; its terminal says more");
        match finished.unwrap_or_else(|_| Err(fault())) {
            Ok(Made { files, account, private }) => listener.note(|record| {
                let folder = record.folder.clone();
                record.files = files
                    .iter()
                    .filter_map(|file| Some(format!("{folder}/{}", file.file_name()?.to_string_lossy())))
                    .collect();
                (record.account, record.private, record.stage) = (account, private, "done");
            }),
            Err(refusal) => listener.note(|record| {
                (record.refused, record.stage) = (Some(refusal.to_string()), "refused");
            }),
        }
    });
    Ok(app.work.shown())
}

/// Stops the run at its next pass over the rows. What was charged stays charged.
pub fn stop(app: &App) -> Value {
    if let Some(record) = &*app.work.lock() {
        record.stop.store(true, Ordering::Relaxed);
    }
    app.work.shown()
}

/// What a job leaves.
struct Made {
    files: Vec<PathBuf>,
    account: Option<String>,
    private: bool,
}

/// Either job, ready to run.
enum AnyJob<'j> {
    Fit(StudyFit<'j>),
    Density(StudyDensity<'j>),
}

impl AnyJob<'_> {
    fn quote(&self) -> Result<(Quote, String), Refusal> {
        match self {
            AnyJob::Fit(fit) => fit.quote(),
            AnyJob::Density(density) => density.quote(),
        }
    }

    fn run(&self) -> Result<Made, Refusal> {
        match self {
            AnyJob::Fit(fit) => {
                let made = fit.run()?;
                let private = made.model.warning().is_none();
                Ok(Made { files: vec![made.path, made.page], account: made.account, private })
            }
            AnyJob::Density(density) => {
                let made = density.run()?;
                let private = made.density.warning.is_none();
                let files = [made.path, made.page].into_iter().chain(made.picture).collect();
                Ok(Made { files, account: made.account, private })
            }
        }
    }
}

/// A job whose study was read.
struct Checked {
    asked: JobAsked,
    study: Study,
    folder: PathBuf,
    ledger: Option<PathBuf>,
}

impl Checked {
    fn new(app: &App, asked: JobAsked) -> Result<Checked, Refusal> {
        let study = Study::read(app.folder.study(&asked.study)?)?;
        check_budget(&study)?;
        let folder = app.folder.inside(&asked.folder)?;
        Ok(Checked { asked, study, folder, ledger: app.ledger.clone() })
    }

    fn record(&self, stop: Arc<AtomicBool>) -> Record {
        let density = self.asked.density.is_some();
        let seeded = if self.asked.seed.is_some() { "seeded-" } else { "" };
        let name = if density { "density" } else { "model" };
        Record {
            what: if density { "density" } else { "fit" },
            study: self.asked.study.clone(),
            folder: self.asked.folder.clone(),
            stage: "reading",
            read: None,
            said: Vec::new(),
            charge: None,
            files: Vec::new(),
            account: None,
            refused: None,
            private: true,
            file: self.folder.join(format!("{seeded}{name}.json")),
            stop,
        }
    }

    /// Calls `work` with the job.
    fn with<T>(
        &self,
        watch: &dyn Watch,
        stop: Option<Arc<AtomicBool>>,
        work: impl FnOnce(&AnyJob<'_>) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let Checked { asked, study, folder, ledger } = self;
        let JobAsked { seed, accept_check: accepted, .. } = *asked;
        let (ledger, existing) = (ledger.as_deref(), Existing::Keep);
        let consent = Consent {
            rows_changed: asked.rows_changed,
            second_account: asked.second_account,
            again: asked.again,
        };
        work(&match &asked.density {
            Some(columns) => AnyJob::Density(StudyDensity {
                study,
                columns,
                bins: None,
                folder,
                ledger,
                seed,
                consent,
                existing,
                reuse: false,
                accepted,
                watch,
            }),
            None => AnyJob::Fit(StudyFit {
                study,
                folder,
                ledger,
                seed,
                consent,
                existing,
                reuse: false,
                memory: None,
                accepted,
                stop,
                watch,
            }),
        })
    }
}
