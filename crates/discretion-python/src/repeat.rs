//! A job that was paid for on the same rows. What it released is kept beside the ledger, so that it
//! can be had again for nothing.

use crate::errors::Raise;
use crate::ledger::Ledger;
use crate::payer::{Payer, Table};
use discretion::Refusal;
use discretion_disk::files::{self, Readers};
use discretion_formats::{Artefact, content_hash};
use discretion_jobs::{Job, earlier_result, job_name};
use pyo3::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};

/// What the caller wants of a job that was done before, and whom to tell of it before it is charged
/// again.
#[derive(FromPyObject)]
pub struct Repeat(bool, Py<PyAny>);

/// What came of looking.
pub enum EarlierRun<A> {
    /// It was released before, and this is it, with a note about that.
    Released(A, String),
    /// It has to be paid for.
    New,
}

impl Repeat {
    /// Looks whether this job was paid for on these rows: gives what it released if that will do,
    /// or tells that it is charged again.
    pub fn look<J: Job>(
        &self,
        py: Python<'_>,
        payer: &Payer,
        job: &J,
        table: &Table,
    ) -> PyResult<EarlierRun<J::Artefact>> {
        let Payer::Account(ledger, name, _) = payer else { return Ok(EarlierRun::New) };
        let Repeat(reuse, _) = self;
        let found = (|| {
            let Some(job_name) = job_name(job) else { return Ok(None) };
            payer.with_account(|account| {
                let table = table.fingerprint(account);
                let Some(earlier) = account.earlier_run(&table, &job_name, job.unit())? else {
                    return Ok(None);
                };
                let released = match (reuse, ledger.get().kept(earlier.charge)) {
                    (false, _) => None,
                    (true, Some(text)) => {
                        Some(J::Artefact::from_json(&text).map_err(Refusal::refused)?)
                    }
                    (true, None) => {
                        earlier_result(job, account, &table)?.map(|earlier| earlier.artefact)
                    }
                };
                Ok(Some((earlier, released)))
            })
        })();
        let Some((earlier, released)) = found.map_err(|refusal: Refusal| refusal.raise(py))? else {
            return Ok(EarlierRun::New);
        };
        let paid = format!("charge {} of account '{name}' ({})", earlier.charge, earlier.at);
        match released {
            Some(released) => Ok(EarlierRun::Released(
                released,
                format!(
                    "{paid} paid for this result before; it is what that released, and nothing was charged"
                ),
            )),
            None => {
                let note = format!(
                    "{paid} paid for the same on the same rows, and this is charged again; with reuse=True what that released \
                     is returned for nothing"
                );
                self.tell(py, note).map(|()| EarlierRun::New)
            }
        }
    }

    /// Tells something now, before the charge, so that whoever turns warnings into errors is not
    /// charged.
    pub fn tell(&self, py: Python<'_>, note: String) -> PyResult<()> {
        self.1.call1(py, (note,)).map(|_| ())
    }
}

/// Keeps what was released under a charge, and notes in the ledger that it left. It is paid for and
/// on its way to the caller, so what goes wrong here is a note and no failure.
pub fn keep(ledger: &Ledger, charge: u64, text: String) -> Option<String> {
    let hash = content_hash(text.as_bytes());
    let kept = match ledger.path() {
        None => {
            ledger.keep(charge, text);
            Ok("(in memory)".to_owned())
        }
        Some(path) => write(&path, charge, &text).map(|file| file.display().to_string()),
    };
    let noted =
        kept.and_then(|file| ledger.with(|book| Ok(book.release(charge, &file, Some(&hash))?)));
    noted.err().map(|why| {
        format!(
            "what was released could not be kept beside the ledger, so reuse=True will not find it: {why}"
        )
    })
}

fn write(ledger: &Path, charge: u64, text: &str) -> Result<PathBuf, Refusal> {
    let folder = PathBuf::from(format!("{}-released", ledger.display()));
    fs::create_dir_all(&folder).map_err(|error| Refusal::unwritten(&folder, error))?;
    let file = folder.join(format!("charge-{charge}.json"));
    files::write(&file, Readers::Owner, text)?;
    Ok(file)
}
