//! A job of a study, as commands run it: heard of on the terminal.

use crate::args::{AcceptCheck, LedgerFile};
use crate::files::Existing;
use crate::ledger;
use crate::watch::Terminal;
use discretion::{Refusal, Remedy};
use discretion_jobs::study_run::{AccountLine, PlannedRun, StudyRun};
use discretion_jobs::{Job, check};
use discretion_ledger::Consent;
use discretion_table::{Counts, PersonKey, Study, Table};
use std::borrow::Borrow;
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
    /// Whether the file of an earlier run will do; if so, what is said when another file is in its
    /// place.
    pub reuse: Option<(Existing, &'static [Remedy])>,
}

impl Run<'_> {
    /// Reads the rows and runs the job. Returns what was made, and a line about the account if one
    /// paid.
    pub fn spend<J: Job, R>(
        &self,
        job: &J,
        read: impl FnOnce(PersonKey) -> Result<R, Refusal>,
    ) -> Result<(J::Artefact, Option<AccountLine>), Refusal>
    where
        R: Borrow<J::Rows>,
    {
        let &Run { study, ledger, seed, ref what, path, consent, reuse } = self;
        let (ledger, what, watch) = (ledger.named(), what.clone(), &Terminal::new(path));
        StudyRun { study, ledger, seed, what, path, consent, reuse, watch }.spend(job, read)
    }
}

/// Stops at what can only be a mistake. It comes right behind the reading: nothing was charged by
/// then.
pub fn stop_at_mistakes(
    counts: &Counts,
    table: &(impl Table + ?Sized),
    accept: AcceptCheck,
) -> Result<(), Refusal> {
    check::stop_at_mistakes(counts, table, accept.accepted)
}

/// What a job would cost.
pub fn dry_run(
    study: &Study,
    flag: &LedgerFile,
    run: impl FnOnce() -> Result<PlannedRun, Refusal>,
    json: bool,
) -> Result<String, Refusal> {
    let ledger = ledger::look(flag.named())?;
    let account = ledger.account(&study.data.account, study.budget)?;
    ledger::quote(&account, &run()?, json)
}
