//! A job of a study: its account pays, or nobody does under a seed. Every program that runs a
//! study's job does it here.

use crate::fingerprint;
use crate::job::Job;
use crate::reuse::{EarlierResult, earlier_result};
use crate::spend::{Outcome, Payer, dry_run, event_with, spend};
use crate::watch::Watch;
use discretion::privacy::Budget;
use discretion::privacy::account::Event;
use discretion::{Refusal, Remedy};
use discretion_disk::existing::Existing;
use discretion_disk::files::{self, Readers};
use discretion_ledger::{
    Account, Consent, Error, FileError, Fingerprint, Ledger, Quote, SmallerRun, default_path,
};
use discretion_report::numbers::plain::short;
use discretion_report::words;
use discretion_table::{PersonKey, Study, Table};
use std::borrow::Borrow;
use std::fmt::{self, Display, Formatter};
use std::path::Path;
use std::thread;

/// Where a job's file goes, and who pays.
pub struct StudyRun<'r> {
    /// The study.
    pub study: &'r Study,
    /// The ledger's file, if somebody named it.
    pub ledger: Option<&'r Path>,
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
    /// Who hears of it.
    pub watch: &'r dyn Watch,
}

impl StudyRun<'_> {
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
        let StudyRun { study, ledger, seed, what, path, consent, reuse, watch } = self;
        if let &Some(seed) = seed {
            let read = read(PersonKey::of_seed(seed))?;
            return Ok((
                spend(job, read.borrow(), Payer::Seed(seed), path, *watch)?.artefact,
                None,
            ));
        }
        let ledger = Ledger::open_default(*ledger)?;
        let account = ledger.account(&study.data.account, study.budget)?;
        if let &Some((existing, remedies)) = reuse {
            let table = fingerprint(account.fingerprint(), &study.data.path)?;
            if let Some(earlier) = earlier_result(job, &account, &table)? {
                return self.reused(earlier, existing, remedies);
            }
            existing.check(path, remedies)?;
        }
        let (table, read) = {
            let key = PersonKey::new(account.person_key());
            fingerprint_while(&account, &study.data.path, || read(key))?
        };
        let payer = Payer::Account {
            account: &account,
            table: Some(&table),
            what,
            consent: Some(*consent),
        };
        let Outcome { artefact, quote } = spend(job, read.borrow(), payer, path, *watch)?;
        Ok((artefact, quote.map(|quote| about_price(&account, &quote, job.budget()))))
    }

    /// Puts the file of an earlier run into its place.
    fn reused<A>(
        &self,
        earlier: EarlierResult<A>,
        existing: Existing,
        remedies: &[Remedy],
    ) -> Result<(A, Option<AccountLine>), Refusal> {
        if files::read_to_string(self.path).is_ok_and(|there| there == earlier.text) {
            // It is where it should be.
        } else {
            existing.check(self.path, remedies)?;
            files::write(self.path, Readers::Anyone, &earlier.text)?;
        }
        let said =
            format!("charge {} paid for this result before; nothing was charged", earlier.charge);
        Ok((earlier.artefact, Some(AccountLine { said, why: None })))
    }
}

/// What a run would do to its account: a matter of public numbers.
pub struct PlannedRun {
    /// What is charged.
    pub event: Event,
    /// What it may spend.
    pub budget: Budget,
    /// The event with another ε, or ρ, to spend, for jobs that can be planned again.
    smaller: Option<Box<dyn Fn(f64) -> Option<Event>>>,
}

impl PlannedRun {
    /// A run of which nothing is known with less to spend.
    pub fn new(event: Event, budget: Budget) -> PlannedRun {
        PlannedRun { event, budget, smaller: None }
    }

    /// Plans a job on so many rows.
    pub fn of_job<J: Job + 'static>(
        job: J,
        rows: usize,
        watch: &dyn Watch,
    ) -> Result<PlannedRun, Refusal> {
        let (event, budget) = (dry_run(&job, rows, watch)?, job.budget());
        let is_known = job.with_budget(budget).is_some();
        let smaller = move |size: f64| event_with(&job, rows, size);
        Ok(PlannedRun { event, budget, smaller: is_known.then(|| Box::new(smaller) as _) })
    }

    /// What it would cost, or the refusal that charging it would meet.
    pub fn affordable(&self, account: &Account<'_>) -> Result<Quote, Error> {
        let budget = self.budget;
        let smaller = self.smaller.as_deref().map(|event| SmallerRun { budget, event });
        account.affordable(&self.event, smaller)
    }
}

/// What a run would cost a study's account, and a line about it.
pub fn quote(
    study: &Study,
    ledger: Option<&Path>,
    run: impl FnOnce() -> Result<PlannedRun, Refusal>,
) -> Result<(Quote, String), Refusal> {
    let ledger = look(ledger)?;
    let account = ledger.account(&study.data.account, study.budget)?;
    let run = run()?;
    let quote = run.affordable(&account)?;
    let about = about_price(&account, &quote, run.budget);
    Ok((quote, about.to_string()))
}

/// The ledger, to look at: nothing is made or written. Without one, an empty one stands in.
pub fn look(flag: Option<&Path>) -> Result<Ledger, Refusal> {
    match Ledger::peek(&default_path(flag)?) {
        Err(Error::File(FileError::Missing { .. })) => Ok(Ledger::in_memory()?),
        other => Ok(other?),
    }
}

/// Computes a table's keyed fingerprint while `meanwhile` runs.
pub fn fingerprint_while<T>(
    account: &Account<'_>,
    table: &(impl Table + Sync + ?Sized),
    meanwhile: impl FnOnce() -> Result<T, Refusal>,
) -> Result<(Fingerprint, T), Refusal> {
    let keyed = account.fingerprint();
    thread::scope(|scope| {
        let hashing = scope.spawn(move || fingerprint(keyed, table));
        let result = meanwhile()?;
        Ok((hashing.join().expect("hashing does not panic")?, result))
    })
}

/// A line about an account.
#[derive(Clone, Debug)]
pub struct AccountLine {
    /// What a run costs, and what it leaves.
    pub said: String,
    /// Why that is not what the run promises, where it is not.
    pub why: Option<String>,
}

impl Display for AccountLine {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.why {
            None => f.write_str(&self.said),
            Some(why) => write!(f, "{} ({why})", self.said),
        }
    }
}

/// What a run costs its account, and what it leaves.
pub fn about_price(account: &Account<'_>, quote: &Quote, run: Budget) -> AccountLine {
    let symbol = words::symbol(quote.cap);
    AccountLine {
        said: format!(
            "'{}' pays {symbol} = {}; {} of {} is spent, {} is left",
            account.name(),
            short(quote.cost),
            short(quote.after.amount),
            quote.cap,
            short(quote.left)
        ),
        why: words::price(symbol, quote.cost, run, &run.to_string()),
    }
}
