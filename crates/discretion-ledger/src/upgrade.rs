//! Accounts of earlier formats get the filter that a newer program adds them up by.

use crate::entry::{self, Kind, Record};
use crate::error::Error;
use crate::explain::Explain;
use crate::log::Log;
use crate::terms::StoredTerms;
use discretion_privacy::account::{Cap, Filter};
use rusqlite::Transaction;

/// The format from which on accounts have a filter.
const FILTERS: usize = 3;

/// Writes a filter for every (ε, δ) account of a ledger of an earlier format. Pure and ρ accounts
/// were filters before.
pub(crate) fn accounts(
    transaction: &Transaction<'_>,
    explain: &Explain,
    secret: &[u8; 32],
    from_format: usize,
) -> Result<(), Error> {
    if !(1..FILTERS).contains(&from_format) {
        return Ok(());
    }
    let mut log = Log::default();
    let mut found = Vec::new();
    for (name, state) in log.catch_up(transaction, explain, secret)? {
        let (cap, _) = state.caps(name, explain)?;
        if let Cap::Approximate { .. } = cap {
            let (filter, used) = state.used(name, explain)?;
            found.push((
                name.clone(),
                StoredTerms { cap, filter, unit: state.unit },
                filter.allows(&used),
            ));
        }
    }
    for (account, written, is_within) in found {
        let upgraded = Record {
            kind: Kind::Upgraded,
            account: &account,
            cap: Some(written.text()),
            event: None,
            charge: None,
            note: &note(&written.filter, is_within),
            digest: None,
            job: None,
        };
        entry::append(transaction, explain, secret, upgraded)?;
    }
    Ok(())
}

/// What changed, for whoever reviews the ledger later.
fn note(filter: &Filter, is_within: bool) -> String {
    let rule = filter.describe();
    let now = if is_within {
        "what was charged so far is within it, and for what was chosen after looking until here nothing more is claimed"
    } else {
        "what was charged so far is past the cap by it: the account is closed"
    };
    format!(
        "until here the smallest of several prices counted, which does not hold if runs are chosen after seeing results; \
         from here on: {rule}; {now}"
    )
}
