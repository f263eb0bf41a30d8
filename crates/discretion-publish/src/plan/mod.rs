//! What a budget buys, from public numbers alone: [`training`] for a linear model, [`vote`] for answers by a vote.

pub mod training;
pub mod vote;

use crate::error::Error;
use discretion::privacy::Budget;
use discretion::privacy::account::Event;
use discretion_ledger::Account;

/// The most that one more run may take from an account: ρ if it is capped in ρ, else a pure ε.
pub fn left(account: &Account<'_>) -> Result<Budget, Error> {
    let cap = account.standing()?.cap;
    let what = || "plan".to_owned();
    let largest = match cap {
        Budget::Zcdp { rho } => account.largest(rho, |rho| Event::Concentrated { rho, what: what() })?,
        Budget::Pure { epsilon } | Budget::Approximate { epsilon, .. } => {
            account.largest(epsilon, |epsilon| Event::Pure { epsilon, what: what() })?
        }
    };
    let budget = largest.and_then(|size| match cap {
        Budget::Zcdp { .. } => Budget::new(None, None, Some(size)).ok(),
        _ => Budget::new(Some(size), None, None).ok(),
    });
    budget
        .ok_or_else(|| Error::Refused(format!("account '{}' has nothing left of its {cap}", account.name())))
}
