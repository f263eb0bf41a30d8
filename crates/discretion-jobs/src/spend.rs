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
    let event_of = |size: f64| event_with(job, rows, size);
    if let Some(smaller) = smaller_run(job, &event_of) {
        purchase = purchase.or_smaller(smaller);
    }
    let charge = pay(account, &purchase, watch)?;
    checkpoint(&format!("{}: charged", J::NAME));
    let Charge { number, quote, receipt, .. } = charge;
    let entry = promise::entry(account, &receipt, &quote);
    let stays = format!("charge {number} of account '{}' stays in the ledger", account.name());
    Ok(PaidRun { plan, receipt, entry, quote: Some(quote), stays: Some(stays) })
}

/// The event of this job on so many rows with this ε, or ρ, in place of its own; nothing if it cannot
/// be run with so little.
pub(crate) fn event_with<J: Job>(job: &J, rows: usize, size: f64) -> Option<Event> {
    let job = job.with_budget(job.budget().with_amount(size)?)?;
    Some(job.event(&job.plan(rows).ok()?))
}

/// What a refusal is told of smaller runs; nothing of jobs that cannot be planned again.
pub(crate) fn smaller_run<'a, J: Job>(
    job: &J,
    event: &'a dyn Fn(f64) -> Option<Event>,
) -> Option<SmallerRun<'a>> {
    let budget = job.budget();
    job.with_budget(budget).map(|_| SmallerRun { budget, event })
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

pub(crate) fn plan<J: Job>(job: &J, rows: usize, watch: &dyn Watch) -> Result<J::Plan, Refusal> {
    let plan = job.plan(rows)?;
    warn_of_delta(job.budget(), (job.unit(), rows), watch);
    job.notes(&plan).iter().for_each(|note| watch.tell(News::Note(note)));
    job.forecasts(&plan).iter().for_each(|sentence| watch.tell(News::Forecast(sentence)));
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
    use crate::evaluate::HeldOut;
    use crate::fit::FitJob;
    use crate::study_run::PlannedRun;
    use crate::watch::Silence;
    use discretion::privacy::{Budget, Unit};
    use discretion_table::{Column, EvaluateSettings, Kind};
    use std::cell::Cell;

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

    fn charge<J: Job>(job: &J, rows: usize, account: &Account<'_>) -> Result<(), String> {
        let payer = Payer::Account { account, table: None, what: "fit", consent: None };
        buy(job, rows, payer, &Silence).map(drop).map_err(|refusal| refusal.to_string())
    }

    /// A refusal names a budget at which this very run would be paid for, and nothing larger. A dry
    /// run names the same one.
    fn what_is_said_fits<J: Job + Clone + 'static>(job: J, rows: usize, cap: f64) {
        let (ledger, spend) = (Ledger::in_memory().unwrap(), job.budget());
        let account = ledger.account("a", spend.with_amount(cap).unwrap()).unwrap();
        charge(&job, rows, &account).unwrap();
        let with = |size: f64| job.with_budget(spend.with_amount(size).unwrap()).unwrap();
        let said = charge(&job, rows, &account).unwrap_err();
        let dry = PlannedRun::of_job(job.clone(), rows, &Silence).unwrap().affordable(&account);
        assert_eq!(dry.unwrap_err().to_string(), said);
        let (_, size) = said.split_once("for this run ").expect("it is said of the run");
        let size = size.split([' ', ',']).nth(2).unwrap().parse::<f64>().unwrap();
        assert!(charge(&with(1.01 * size), rows, &account).is_err(), "{said}");
        charge(&with(size), rows, &account).unwrap();
    }

    #[test]
    fn what_is_said_to_fit_of_a_run_fits() {
        let fit = |spend: Budget| FitJob { spend, ..crate::fit::tests::job("0.01", "") };
        let (rho, left) = (Budget::Zcdp { rho: 0.07 }, Budget::Zcdp { rho: 0.03 });
        what_is_said_fits(fit(rho), 6_000, 0.1);
        what_is_said_fits(fit(Budget::Approximate { epsilon: 0.7, delta: 1e-6 }), 6_000, 1.0);
        // With less than what is left these rows are too few to evaluate a model.
        let settings = EvaluateSettings { share: 0.25, by: None };
        let evaluated = |spend: Budget| HeldOut::new(fit(spend), &settings).unwrap();
        let is_enough = |rows: &usize| evaluated(left).plan(*rows).is_ok();
        let rows = (100..100_000).step_by(100).find(is_enough).unwrap();
        assert!(evaluated(Budget::Zcdp { rho: 0.0175 }).plan(rows).is_err());
        what_is_said_fits(evaluated(rho), rows, 0.1);
    }

    /// Planning a run may take a while: a refusal plans few, whatever it finds.
    #[test]
    fn a_refusal_plans_few_runs() {
        let ledger = Ledger::in_memory().unwrap();
        let budget = Budget::Pure { epsilon: 1.0 };
        let account = ledger.account("a", budget).unwrap();
        let pure = |epsilon: f64| Event::Pure { epsilon, what: "test".into() };
        account.affordable(&pure(1.0), None).unwrap();
        let whole = pure(2.0);
        for (smallest, price) in [(0.0, 1.0), (0.0, 3.0), (0.9, 1.0), (0.9, 3.0), (9.0, 1.0)] {
            let asked = Cell::new(0);
            let event = |size: f64| {
                asked.set(asked.get() + 1);
                (size >= smallest).then(|| pure(price * size))
            };
            let smaller = SmallerRun { budget: Budget::Pure { epsilon: 2.0 }, event: &event };
            let said = account.affordable(&whole, Some(smaller)).unwrap_err().to_string();
            let fits = match (smallest, price) {
                (0.0, 1.0) | (0.9, 1.0) => "for this run epsilon = 1 would fit",
                (0.0, _) => "for this run epsilon = 0.333 would fit",
                _ => "would not fit with less",
            };
            assert!(said.contains(fits), "{smallest} {price}: {said}");
            assert!(asked.get() <= 14, "{smallest} {price}: {}", asked.get());
        }
    }
}
