//! What runs on a sensitive table, whoever asks: the command line, Python, a service.
//!
//! A [`Job`] says what is planned, what that does to the table, how it runs and which file is made
//! of it. [`spend`] is the one way to run it: plan, charge, compute, release. A [`Payer`] pays, a
//! [`Watch`] hears of it.
//!
//! - [`fit`], [`density`], [`evaluate`] and [`joint`] are jobs. [`fit::remote`] lays out rows that
//!   others hold.
//! - [`vote`] is a voting session: one charge pays for many answers, and its state is in the ledger
//!   before any of them leaves.
//! - [`plan`] says what a budget buys, [`audit`] what a mechanism costs at least: as data and as
//!   text.
//! - [`identity`] names jobs, sessions and joint studies, so that equal ones are found again.
//! - [`study_run`] runs a job of a study: its account pays. [`fit::StudyFit`] and
//!   [`density::StudyDensity`] go from the table to the files, [`predict`] applies a model,
//!   [`dossier`] writes down what a board asks.
//! - [`support`] says what goes with what. [`request`] checks budgets, [`check`] whether a table
//!   looks like what its study says.
//!
//! A fit that is planned, charged, computed, written and noted:
//!
//! ```
//! use discretion_jobs::fit::{FitJob, FitRows};
//! use discretion_jobs::{Payer, Silence, spend};
//! use discretion_ledger::Ledger;
//! use discretion_table::{Study, read_matrix};
//!
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! let row = |number| format!("{},{}\n", number % 80, if number % 80 > 50 { "yes" } else { "no" });
//! let rows: String = (0..5_000).map(row).collect();
//! std::fs::write(folder.join("patients.csv"), format!("age,readmitted\n{rows}"))?;
//! let study = r#"
//!     [data]
//!     path     = "patients.csv"
//!     account  = "patients"
//!     target   = "readmitted"
//!     positive = "yes"
//!     negative = "no"
//!     [budget]
//!     epsilon = 3.0
//!     [spend]
//!     epsilon = 1.0
//!     [columns]
//!     age = { min = 0, max = 100 }
//! "#;
//! let study = Study::parse(&folder.join("study.toml"), study)?;
//! let job = FitJob::of(&study);
//! let (rows, _) = read_matrix(&study.data.path, &study.schema, &|_| {})?;
//! let rows = FitRows::new(rows, &job.request())?;
//!
//! let ledger = Ledger::open(&folder.join("ledger.sqlite"))?;
//! let account = ledger.account(&study.data.account, study.budget)?;
//! let payer = Payer::Account { account: &account, table: None, what: "fit of readmitted", consent: None };
//! let outcome = spend(&job, &rows, payer, &folder.join("model.json"), &Silence)?;
//! assert!(outcome.artefact.privacy.private && folder.join("model.json").exists());
//! assert_eq!(account.standing()?.charges, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod arguments;
#[cfg(feature = "audit")]
pub mod audit;
pub mod check;
pub mod density;
pub mod dossier;
pub mod evaluate;
mod fingerprint;
pub mod fit;
pub mod identity;
mod job;
pub mod joint;
pub mod number;
mod plain;
pub mod plan;
pub mod predict;
mod promise;
pub mod releases;
pub mod request;
mod reuse;
mod spend;
mod stoppable;
pub mod study_run;
pub mod support;
pub mod vote;
mod watch;

pub use fingerprint::fingerprint;
pub use job::Job;
pub use promise::entry as ledger_entry;
pub use reuse::{EarlierResult, earlier_result};
pub use spend::{Outcome, PaidRun, Payer, buy, dry_run, job_name, note_release, pay, spend};
pub use watch::{NOTHING_RELEASED, News, Silence, Watch, if_stopped, warn_of_delta};
