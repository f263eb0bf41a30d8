//! What a file promises about what was released.

use discretion::noise::{Payment, Provenance, Receipt};
use discretion::privacy::{Budget, Unit};
use discretion_formats::{AnyModel, LedgerEntry, Neighbours, Privacy};
use discretion_ledger::{Account, Quote};
use discretion_report::words;

/// The promise of something that left through the gate. A guarantee is claimed only if the noise
/// was real.
pub fn promise(provenance: Provenance, budget: Budget, unit: Unit) -> Privacy {
    let private = provenance == Provenance::OperatingSystem;
    Privacy {
        private,
        guarantee: private.then_some(budget),
        neighbours: Neighbours::ReplaceOne,
        unit,
        statement: match private {
            true => words::guarantee_about(unit, budget),
            false => format!("NOT PRIVATE: {}", words::UNDER_A_SEED),
        },
        randomness: Some(provenance),
    }
}

/// The same for a run of one account's own. A file that no ledger knows of says so.
pub fn promise_of_run(
    provenance: Provenance,
    (budget, unit): (Budget, Unit),
    paid: Option<&LedgerEntry>,
) -> Privacy {
    let mut privacy = promise(provenance, budget, unit);
    if privacy.private && paid.is_none() {
        privacy.statement +=
            "; nobody remembers this run: no ledger adds it to others on the same rows";
    }
    privacy
}

/// Returns the promise of figures about a model, with a warning if there is none. Figures depend
/// on the model, and so on the rows that trained it: where the model promises nothing, noise in
/// the figures cannot.
pub fn promise_of_figures(model: &AnyModel, privacy: Privacy) -> (Option<String>, Privacy) {
    match model.warning() {
        Some(_) if privacy.private => {
            let statement = format!(
                "NOT PRIVATE: {}; of the rows that were counted: {}",
                words::OF_NO_PRIVATE_MODEL,
                privacy.statement
            );
            let privacy = Privacy { private: false, guarantee: None, statement, ..privacy };
            (Some(words::OF_NO_PRIVATE_MODEL.to_owned()), privacy)
        }
        _ => (warning(&privacy), privacy),
    }
}

/// The first line of a file that promises nothing.
pub fn warning(privacy: &Privacy) -> Option<String> {
    (!privacy.private).then(|| words::UNDER_A_SEED.to_owned())
}

/// What a file says about the charge that paid for it; nothing if nobody remembers one.
pub fn entry(account: &Account<'_>, receipt: &Receipt, quote: &Quote) -> Option<LedgerEntry> {
    let &Payment::Charge { number: charge, .. } = receipt.payment() else { return None };
    Some(LedgerEntry {
        account: account.name().to_owned(),
        charge,
        cap: Some(quote.cap),
        cost: Some(quote.cost),
        spent: Some(quote.after.amount),
    })
}
