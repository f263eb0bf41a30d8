//! A job of a study: its account pays, or nobody does under a seed.

use crate::args::LedgerFile;
use crate::ledger;
use crate::watch::Terminal;
use discretion::Refusal;
use discretion_jobs::{Job, Outcome, Payer, spend};
use discretion_table::Study;
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
}

impl Run<'_> {
    /// Reads the rows and runs the job. Returns what was made, and a line about the account if one paid.
    pub fn spend<J: Job, R>(
        &self,
        job: &J,
        read: impl FnOnce() -> Result<R, Refusal>,
        rows: impl FnOnce(&R) -> &J::Rows,
    ) -> Result<(J::Artefact, Option<String>), Refusal> {
        let Run { study, ledger, seed, what, path } = self;
        let watch = Terminal::new(path);
        if let &Some(seed) = seed {
            let read = read()?;
            return Ok((spend(job, rows(&read), Payer::Seed(seed), path, &watch)?.artefact, None));
        }
        let ledger = ledger::open(ledger.named())?;
        let account = ledger.account(&study.data.account, study.budget)?;
        let (table, read) = ledger::fingerprint_while(&account, &study.data.path, read)?;
        let payer = Payer::Account { account: &account, table: Some(&table), what };
        let Outcome { artefact, quote } = spend(job, rows(&read), payer, path, &watch)?;
        Ok((artefact, quote.map(|quote| ledger::about(&account, &quote))))
    }
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
    ledger::quote(&account, &event, json)
}
