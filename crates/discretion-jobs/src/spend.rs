//! The one way to spend: plan, charge, compute, release, in this order.
//!
//! Everything that can be refused is refused before the charge. The charge is on the disk before anything is computed, and only
//! its receipt yields real noise. The file is written before anything is said about it. A crash can waste budget, never forget it.

use crate::job::Job;
use crate::promise;
use crate::watch::{News, Watch, Working, warn_of_delta};
use discretion::Refusal;
use discretion::noise::{Payment, Receipt};
use discretion::privacy::account::Event;
use discretion_disk::files::{self, Readers};
use discretion_formats::{Artefact, content_hash};
use discretion_ledger::{Account, Charge, Fingerprint, Ledger, Purchase, Quote, checkpoint};
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
    },
    /// Nobody: the noise comes from a seed, and the file says NOT PRIVATE.
    Seed(u64),
}

/// What came of a run.
#[derive(Debug)]
pub struct Outcome<A> {
    /// The file's content.
    pub artefact: A,
    /// What it cost; nothing under a seed.
    pub quote: Option<Quote>,
    /// The charge, if a ledger remembers it.
    pub charge: Option<u64>,
}

/// Runs a job. The file is written to `place`, if there is one, and noted in the ledger.
pub fn spend<J: Job>(
    job: &J,
    rows: &J::Rows,
    payer: Payer<'_, '_>,
    place: Option<&Path>,
    watch: &dyn Watch,
) -> Result<Outcome<J::Artefact>, Refusal> {
    let plan = plan(job, J::count(rows), watch)?;
    let run = |receipt: &mut Receipt| {
        let _working = Working::new(watch, J::DOING);
        job.run(&plan, rows, receipt.noise())
    };
    match payer {
        Payer::Seed(seed) => {
            let artefact = job.artefact(&plan, run(&mut Receipt::seeded(seed))?, None)?;
            if let Some(place) = place {
                write(&artefact, place, watch)?;
            }
            Ok(Outcome { artefact, quote: None, charge: None })
        }
        Payer::Account { account, table, what } => {
            let event = job.event(&plan);
            let purchase = Purchase::new(&event, what);
            let mut charge = pay(account, &table.map_or(purchase, |table| purchase.on(table)), watch)?;
            checkpoint(&format!("{}: charged", J::NAME));
            let stays = |refusal: Refusal| refusal.after_charge(stays(account, charge.number));
            let released = run(&mut charge.receipt).map_err(stays)?;
            checkpoint(&format!("{}: computed", J::NAME));
            let entry = promise::entry(account, &charge.receipt, &charge.quote);
            let artefact = job.artefact(&plan, released, entry).map_err(stays)?;
            if let Some(place) = place {
                let json = write(&artefact, place, watch).map_err(stays)?;
                checkpoint(&format!("{}: written", J::NAME));
                note_release(account.ledger(), charge.number, place, &json, watch);
            }
            let number = match charge.receipt.payment() {
                Payment::Charge { number, .. } => Some(*number),
                Payment::NobodyRemembers | Payment::Seed => None,
            };
            Ok(Outcome { artefact, quote: Some(charge.quote), charge: number })
        }
    }
}

/// What a run on so many rows would do to the table: all that comes before the charge.
pub fn dry_run<J: Job>(job: &J, rows: usize, watch: &dyn Watch) -> Result<Event, Refusal> {
    Ok(job.event(&plan(job, rows, watch)?))
}

fn plan<J: Job>(job: &J, rows: usize, watch: &dyn Watch) -> Result<J::Plan, Refusal> {
    let plan = job.plan(rows)?;
    warn_of_delta(job.budget(), rows, watch);
    job.notes(&plan).iter().for_each(|note| watch.tell(News::Note(note)));
    Ok(plan)
}

/// Charges an account. Nothing else in this program does: sessions and joint studies, whose runs have many steps, come here too.
pub fn pay<'l>(
    account: &Account<'l>,
    purchase: &Purchase<'_>,
    watch: &dyn Watch,
) -> Result<Charge<'l>, Refusal> {
    let charge = account.charge(purchase)?;
    watch.tell(News::Charged { account: account.name(), number: charge.number });
    if let Some(changed) = &charge.table_changed {
        watch.tell(News::TableChanged { account: account.name(), changed });
    }
    Ok(charge)
}

/// What a failure after the charge leaves behind.
pub fn stays(account: &Account<'_>, charge: u64) -> String {
    format!("charge {charge} of account '{}' stays in the ledger", account.name())
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

/// Notes the name of a file that left under a charge. The file is out and paid for, so a ledger that cannot is a pity and no
/// failure.
pub fn note_release(ledger: &Ledger, charge: u64, place: &Path, text: &str, watch: &dyn Watch) {
    let hash = content_hash(text.as_bytes());
    if let Err(error) = ledger.release(charge, &place.display().to_string(), Some(&hash)) {
        watch.tell(News::Note(&format!(
            "the ledger has the charge and could not note the name of the file: {error}"
        )));
    }
}
