//! A job of a study: its account pays, or nobody does under a seed.

use crate::args::{AcceptCheck, LedgerFile};
use crate::files::{self, Existing, Readers};
use crate::ledger;
use crate::watch::Terminal;
use discretion::Refusal;
use discretion_jobs::arguments::Arguments;
use discretion_jobs::{EarlierResult, Job, Outcome, Payer, check, earlier_result, fingerprint, spend};
use discretion_ledger::Consent;
use discretion_table::{Counts, PersonKey, Study, Table};
use std::fs;
use std::path::Path;

/// Where a job's file goes, and who pays.
pub struct Run<'r> {
    pub study: &'r Study,
    pub ledger: &'r LedgerFile,
    /// Instead of an account.
    pub seed: Option<u64>,
    /// What the ledger notes at the charge.
    pub what: String,
    /// The file.
    pub path: &'r Path,
    /// What the user allows that looks like a mistake.
    pub consent: Consent,
    /// Whether the file of an earlier run will do; if so, what is said when another file is in its place.
    pub reuse: Option<(Existing, &'static str)>,
}

impl Run<'_> {
    /// Reads the rows and runs the job. Returns what was made, and a line about the account if one paid.
    pub fn spend<J: Job, R>(
        &self,
        job: &J,
        read: impl FnOnce(PersonKey) -> Result<R, Refusal>,
        rows: impl FnOnce(&R) -> &J::Rows,
    ) -> Result<(J::Artefact, Option<String>), Refusal> {
        let Run { study, ledger, seed, what, path, consent, reuse } = self;
        let watch = Terminal::new(path);
        if let &Some(seed) = seed {
            let read = read(PersonKey::of_seed(seed))?;
            return Ok((spend(job, rows(&read), Payer::Seed(seed), path, &watch)?.artefact, None));
        }
        let ledger = ledger::open(ledger.named())?;
        let account = ledger.account(&study.data.account, study.budget)?;
        if let &Some((existing, advice)) = reuse {
            let table = fingerprint(account.fingerprint(), &study.data.path)?;
            if let Some(earlier) = earlier_result(job, &account, &table, "say --again")? {
                return self.reused(earlier, existing, advice);
            }
            existing.check(path, advice)?;
        }
        let (table, read) = {
            let key = PersonKey::new(account.person_key());
            ledger::fingerprint_while(&account, &study.data.path, || read(key))?
        };
        let payer = Payer::Account { account: &account, table: Some(&table), what, consent: Some(*consent) };
        let Outcome { artefact, quote } = spend(job, rows(&read), payer, path, &watch)?;
        Ok((artefact, quote.map(|quote| ledger::about(&account, &quote, job.budget()))))
    }
}

impl Run<'_> {
    /// Puts the file of an earlier run into its place.
    fn reused<A>(
        &self,
        earlier: EarlierResult<A>,
        existing: Existing,
        advice: &str,
    ) -> Result<(A, Option<String>), Refusal> {
        if fs::read_to_string(self.path).is_ok_and(|there| there == earlier.text) {
            // It is where it should be.
        } else {
            existing.check(self.path, advice)?;
            files::write(self.path, Readers::Anyone, &earlier.text)?;
        }
        let about = format!("charge {} paid for this result before; nothing was charged", earlier.charge);
        Ok((earlier.artefact, Some(about)))
    }
}

/// Stops at what can only be a mistake. It comes right behind the reading: nothing was charged by then.
pub fn stop_at_mistakes(
    counts: &Counts,
    table: &(impl Table + ?Sized),
    accept: AcceptCheck,
) -> Result<(), Refusal> {
    check::stop_at_mistakes(counts, table, accept.accepted, Arguments::Flags)
}

/// What a job on so many rows would cost. That is a matter of public numbers: rows are read to be refused or counted.
pub fn dry_run<J: Job>(
    study: &Study,
    flag: &LedgerFile,
    job: &J,
    count: impl FnOnce() -> Result<usize, Refusal>,
    json: bool,
) -> Result<String, Refusal> {
    let ledger = ledger::look(flag.named())?;
    let account = ledger.account(&study.data.account, study.budget)?;
    let event = discretion_jobs::dry_run(job, count()?, &Terminal::new(Path::new("")))?;
    ledger::quote(&account, &event, job.budget(), json)
}
