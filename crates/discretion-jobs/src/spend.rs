//! The one way to spend: plan, charge, compute, release, in this order.
//!
//! Everything that can be refused is refused before the charge. The charge is on the disk before
//! anything is computed, and only its receipt yields real noise. The file is written before
//! anything is said about it. A crash can waste budget, never forget it.

use crate::identity;
use crate::job::Job;
use crate::promise;
use crate::watch::{News, Watch, Working, warn_of_delta};
use discretion::Refusal;
use discretion::noise::Receipt;
use discretion::privacy::account::Event;
use discretion_disk::files::{self, Readers};
use discretion_formats::{Artefact, LedgerEntry, content_hash};
use discretion_ledger::{
    Account, Charge, Consent, Fingerprint, Ledger, Purchase, Quote, SettingsName, SmallerRun,
    checkpoint,
};
use std::path::Path;

/// Who pays for a run.
#[derive(Clone, Copy)]
pub enum Payer<'p, 'l> {
    /// An account of a ledger.
    Account {
        /// The account.
        account: &'p Account<'l>,
        /// The table, if it can be recognised.
        table: Option<&'p Fingerprint>,
        /// What the ledger notes at the charge.
        what: &'p str,
        /// What the person who pays allows, if there is one to ask.
        consent: Option<Consent>,
    },
    /// Nobody: the noise comes from a seed, and the file says NOT PRIVATE.
    Seed(u64),
}

/// A run that is planned and paid for. It owns its receipt, so nobody holds the ledger while it
/// computes.
pub struct PaidRun<P> {
    plan: P,
    receipt: Receipt,
    entry: Option<LedgerEntry>,
    /// What it cost; nothing under a seed.
    quote: Option<Quote>,
    /// What is said of a failure from here on.
    stays: Option<String>,
}

/// What came of a run.
#[derive(Debug)]
pub struct Outcome<A> {
    /// The file's content.
    pub artefact: A,
    /// What it cost; nothing under a seed.
    pub quote: Option<Quote>,
}

/// Plans a job on so many rows, and charges for it.
pub fn buy<J: Job>(
    job: &J,
    rows: usize,
    payer: Payer<'_, '_>,
    watch: &dyn Watch,
) -> Result<PaidRun<J::Plan>, Refusal> {
    let plan = plan(job, rows, watch)?;
    let (account, table, what, consent) = match payer {
        Payer::Seed(seed) => {
            let receipt = Receipt::seeded(seed);
            return Ok(PaidRun { plan, receipt, entry: None, quote: None, stays: None });
        }
        Payer::Account { account, table, what, consent } => (account, table, what, consent),
    };
    let (event, name) = (job.event(&plan), job_name(job));
    let mut purchase = Purchase::new(&event, what).about(job.unit());
    purchase = table.map_or(purchase, |table| purchase.on(table));
    purchase = name.as_ref().map_or(purchase, |name| purchase.of_job(name));
    purchase = consent.map_or(purchase, |consent| purchase.only_with(consent));
    let smaller = |size: f64| {
        let job = job.with_budget(job.budget().with_amount(size)?)?;
        Some(job.event(&job.plan(rows).ok()?))
    };
    if job.with_budget(job.budget()).is_some() {
        purchase = purchase.or_smaller(SmallerRun { budget: job.budget(), event: &smaller });
    }
    let charge = pay(account, &purchase, watch)?;
    checkpoint(&format!("{}: charged", J::NAME));
    let Charge { number, quote, receipt, .. } = charge;
    let entry = promise::entry(account, &receipt, &quote);
    let stays = format!("charge {number} of account '{}' stays in the ledger", account.name());
    Ok(PaidRun { plan, receipt, entry, quote: Some(quote), stays: Some(stays) })
}

/// Returns the name that jobs with equal settings share.
pub fn job_name<J: Job>(job: &J) -> Option<SettingsName> {
    Some(identity::job_name(J::NAME, &job.settings()?, job.unit()))
}

impl<P> PaidRun<P> {
    /// Computes and releases. It can be done once: the receipt is for one run.
    pub fn run<J: Job<Plan = P>>(
        mut self,
        job: &J,
        rows: &J::Rows,
        watch: &dyn Watch,
    ) -> Result<Outcome<J::Artefact>, Refusal> {
        let stays = self.stays.take();
        let run = || {
            let working = Working::new(watch, J::DOING);
            let released = job.run(&self.plan, rows, self.receipt.noise())?;
            drop(working);
            checkpoint(&format!("{}: computed", J::NAME));
            job.artefact(&self.plan, released, self.entry)
        };
        let artefact = run().map_err(|refusal| after(refusal, stays.as_deref()))?;
        Ok(Outcome { artefact, quote: self.quote })
    }
}

/// A refusal after the charge, if there was one.
fn after(refusal: Refusal, stays: Option<&str>) -> Refusal {
    match stays {
        Some(stays) => refusal.after_charge(stays),
        None => refusal,
    }
}

/// Runs a job, writes its file to `place`, and notes it in the ledger.
pub fn spend<J: Job>(
    job: &J,
    rows: &J::Rows,
    payer: Payer<'_, '_>,
    place: &Path,
    watch: &dyn Watch,
) -> Result<Outcome<J::Artefact>, Refusal> {
    let paid = buy(job, J::count(rows), payer, watch)?;
    let (entry, stays) = (paid.entry.clone(), paid.stays.clone());
    let outcome = paid.run(job, rows, watch)?;
    let written = write(&outcome.artefact, place, watch);
    let json = written.map_err(|refusal| after(refusal, stays.as_deref()))?;
    checkpoint(&format!("{}: written", J::NAME));
    if let (Payer::Account { account, .. }, Some(entry)) = (payer, entry) {
        note_release(account.ledger(), entry.charge, place, &json, watch);
    }
    Ok(outcome)
}

/// What a run on so many rows would do to the table: all that comes before the charge.
pub fn dry_run<J: Job>(job: &J, rows: usize, watch: &dyn Watch) -> Result<Event, Refusal> {
    Ok(job.event(&plan(job, rows, watch)?))
}

fn plan<J: Job>(job: &J, rows: usize, watch: &dyn Watch) -> Result<J::Plan, Refusal> {
    let plan = job.plan(rows)?;
    warn_of_delta(job.budget(), (job.unit(), rows), watch);
    job.notes(&plan).iter().for_each(|note| watch.tell(News::Note(note)));
    Ok(plan)
}

/// Charges an account. Nothing else in this program does: sessions and joint studies, whose runs
/// have many steps, come here too.
pub fn pay<'l>(
    account: &Account<'l>,
    purchase: &Purchase<'_>,
    watch: &dyn Watch,
) -> Result<Charge<'l>, Refusal> {
    watch.before_charge()?;
    let charge = account.charge(purchase)?;
    watch.tell(News::Charged { account: account.name(), number: charge.number });
    if let Some(changed) = &charge.table_changed {
        watch.tell(News::TableChanged { account: account.name(), changed });
    }
    if let Some(other) = &charge.also_under {
        let sentence = format!(
            "account '{}' was charged for these rows too: two budgets for the same people, whose guarantee is that of both together",
            other.account
        );
        watch.tell(News::Warning(&sentence));
    }
    Ok(charge)
}

/// Writes a file, for its owner alone if it is not private. Its text.
fn write(artefact: &impl Artefact, place: &Path, watch: &dyn Watch) -> Result<String, Refusal> {
    let json = artefact.to_json();
    let readers = if artefact.warning().is_none() { Readers::Anyone } else { Readers::Owner };
    files::write(place, readers, &json)?;
    if let Some(reason) = artefact.warning() {
        watch.tell(News::Warning(&format!("{}: NOT PRIVATE: {reason}", place.display())));
    }
    Ok(json)
}

/// Notes the name of a file that left under a charge. The file is out and paid for, so a ledger
/// that cannot is a pity and no failure.
pub fn note_release(ledger: &Ledger, charge: u64, place: &Path, text: &str, watch: &dyn Watch) {
    let hash = content_hash(text.as_bytes());
    if let Err(error) = ledger.release(charge, &place.display().to_string(), Some(&hash)) {
        watch.tell(News::Note(&format!(
            "the ledger has the charge and could not note the name of the file: {error}"
        )));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::Arguments;
    use crate::density::DensityJob;
    use crate::fit::FitJob;
    use crate::watch::Silence;
    use discretion::privacy::{Budget, Unit};
    use discretion_table::{Column, Kind};

    /// Otherwise `--reuse` would hand what was promised to rows to a study of persons.
    #[test]
    fn a_job_about_persons_is_another_job() {
        let column = Column::new("age", Kind::number(0.0, 100.0));
        let budget = Budget::Pure { epsilon: 1.0 };
        let spend = "here".to_owned();
        let mut job = DensityJob::new(vec![column], None, budget, Arguments::Flags, spend).unwrap();
        let of_rows = job_name(&job);
        job.unit = Unit::Person;
        assert_ne!(job_name(&job), of_rows);
        job.unit = Unit::Row;
        assert_eq!(job_name(&job), of_rows);
    }

    /// A refusal names a budget at which this very run would be paid for, and nothing larger.
    #[test]
    fn what_is_said_to_fit_of_a_run_fits() {
        let ledger = Ledger::in_memory().unwrap();
        for (name, spend, cap) in [
            ("a", Budget::Zcdp { rho: 0.07 }, 0.1),
            ("b", Budget::Approximate { epsilon: 0.7, delta: 1e-6 }, 1.0),
        ] {
            let account = ledger.account(name, spend.with_amount(cap).unwrap()).unwrap();
            let buy = |spend: Budget| {
                let job = FitJob { spend, ..crate::fit::tests::job("0.01", "") };
                let payer =
                    Payer::Account { account: &account, table: None, what: "fit", consent: None };
                buy(&job, 6_000, payer, &Silence).map(drop)
            };
            buy(spend).unwrap();
            let said = buy(spend).unwrap_err().to_string();
            let (_, size) = said.split_once("for this run ").expect("it is said of the run");
            let size = size.split([' ', ',']).nth(2).unwrap().parse::<f64>().unwrap();
            assert!(buy(spend.with_amount(1.01 * size).unwrap()).is_err(), "{said}");
            buy(spend.with_amount(size).unwrap()).unwrap();
        }
    }
}
