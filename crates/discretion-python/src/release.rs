//! Everything that a study file releases, for one charge.

use crate::errors::Raise;
use crate::interrupt::{listening, outcome};
use crate::payer::Notes;
use discretion::Refusal;
use discretion_disk::existing::Existing;
use discretion_jobs::releases::{ReleaseFiles, StudyReleases};
use discretion_jobs::request;
use discretion_ledger::Consent;
use discretion_table::Study;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What the caller allows.
#[derive(FromPyObject)]
pub struct Allowed {
    /// Whether to go on with what an earlier run paid for.
    #[pyo3(item)]
    reuse: bool,
    #[pyo3(item)]
    again: bool,
    #[pyo3(item)]
    overwrite: bool,
    #[pyo3(item)]
    rows_changed: bool,
    #[pyo3(item)]
    second_account: bool,
    #[pyo3(item)]
    accept_check: bool,
}

/// Writes the releases into a folder. The path of the index, and what was noticed.
#[pyfunction]
#[pyo3(signature = (study, folder, ledger, seed, allowed))]
pub fn release(
    py: Python<'_>,
    study: PathBuf,
    folder: PathBuf,
    ledger: Option<PathBuf>,
    seed: Option<u64>,
    allowed: Allowed,
) -> PyResult<(PathBuf, Vec<String>)> {
    let releases =
        Study::read_releases(&study, None, &[]).map_err(|error| Refusal::from(error).raise(py))?;
    let stop = Arc::new(AtomicBool::new(false));
    let run = || {
        let notes = Notes::default();
        for release in &releases {
            request::check_budget(&release.study)?;
        }
        let all = StudyReleases {
            releases: &releases,
            folder: &folder,
            ledger: ledger.as_deref(),
            seed,
            consent: Consent {
                again: allowed.again,
                rows_changed: allowed.rows_changed,
                second_account: allowed.second_account,
            },
            existing: Existing::new(allowed.overwrite),
            reuse: allowed.reuse,
            memory: None,
            accepted: allowed.accept_check,
            stop: Some(Arc::clone(&stop)),
            watch: &notes,
        };
        let ReleaseFiles { index, .. } = all.run()?;
        Ok((index, notes.all()))
    };
    outcome(py, listening(py, &stop, run))
}
