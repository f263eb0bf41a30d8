//! What an earlier run of the same job on the same rows released. It left before, so it may be used
//! again for nothing.

use crate::job::Job;
use crate::spend::job_name;
use discretion::{Refusal, Remedy, reason};
use discretion_disk::files;
use discretion_formats::{Artefact, content_hash};
use discretion_ledger::{Account, EarlierRun, Fingerprint, Happening, ReleasedFile};
use std::path::Path;

/// A file that was released and is still what it was.
pub struct EarlierResult<A> {
    /// The charge that paid for it.
    pub charge: u64,
    /// Its text.
    pub text: String,
    /// Its content.
    pub artefact: A,
}

/// The result of an earlier run, if there was one. Refuses if its file is gone or changed: the
/// ledger knows what it was, and not what it said.
pub fn earlier_result<J: Job>(
    job: &J,
    account: &Account<'_>,
    table: &Fingerprint,
) -> Result<Option<EarlierResult<J::Artefact>>, Refusal> {
    let Some(name) = job_name(job) else { return Ok(None) };
    let Some(EarlierRun { charge, .. }) = account.earlier_run(table, &name, job.unit())? else {
        return Ok(None);
    };
    let releases = account.history()?.into_iter().find(|entry| entry.number == charge);
    let Some(Happening::Charged { releases, .. }) = releases.map(|entry| entry.what) else {
        return Ok(None);
    };
    let mut why = "it released no file".to_owned();
    for ReleasedFile { file, sha256, .. } in releases {
        match files::read_to_string(Path::new(&file)) {
            Ok(text) if sha256.as_deref() == Some(&content_hash(text.as_bytes())) => {
                let artefact = J::Artefact::from_json(&text).map_err(Refusal::refused)?;
                return Ok(Some(EarlierResult { charge, text, artefact }));
            }
            Ok(_) => why = format!("{file} was changed since"),
            Err(error) => why = format!("{file} cannot be read ({})", reason(&error)),
        }
    }
    Err(Refusal::refused(format!(
        "charge {charge} of account '{}' paid for this job on these rows, but {why}; put the file back where it was. \
         Nothing was charged",
        account.name()
    ))
    .or(Remedy::PayAgain))
}
