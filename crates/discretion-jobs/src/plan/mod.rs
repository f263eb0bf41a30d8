//! What a budget buys, from public numbers alone: [`training`] for a linear model, [`vote`] for
//! answers by a vote.

mod columns;
pub mod delta;
mod of_fit;
pub mod training;
pub mod vote;

pub use of_fit::{plan_holding_out, plan_of};

use discretion::Refusal;
use discretion::privacy::Budget;
use discretion::privacy::account::{Cap, Event, Filter, Terms, Totals};
use discretion_ledger::Account;
use serde::Serialize;

/// The most that one more run may take from an account: ρ if it is capped in ρ, else a pure ε.
pub fn left(account: &Account<'_>) -> Result<Budget, Refusal> {
    let cap = account.standing()?.cap;
    let what = || "plan".to_owned();
    let largest = match cap {
        Cap::Zcdp { rho, .. } => {
            account.largest(rho, |rho| Event::Concentrated { rho, what: what() })?
        }
        Cap::Pure { epsilon } | Cap::Approximate { epsilon, .. } => {
            account.largest(epsilon, |epsilon| Event::Pure { epsilon, what: what() })?
        }
    };
    let budget = largest.and_then(|size| match cap {
        Cap::Zcdp { .. } => Budget::new(None, None, Some(size)).ok(),
        _ => Budget::new(Some(size), None, None).ok(),
    });
    budget.ok_or_else(|| {
        Refusal::refused(format!("account '{}' has nothing left of its {cap}", account.name()))
    })
}

/// How many runs fit into an account, one after the other, however each is chosen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fits {
    /// How many.
    pub runs: u64,
    /// Into what.
    pub into: String,
    /// How that adds up.
    pub adds_up: &'static str,
}

impl Fits {
    /// Into an account that this run would open.
    pub fn into_new(terms: Terms, event: &Event) -> Fits {
        let filter = Filter::opened_by(terms.cap, terms.filter, event);
        let runs = filter.cost(event).map_or(0, |cost| filter.more(&Totals::default(), &cost));
        Fits { runs, into: format!("a new account of {terms}"), adds_up: filter.describe() }
    }

    /// Into what is left of an account.
    pub fn into_account(account: &Account<'_>, event: &Event) -> Result<Fits, Refusal> {
        let quote = account.price(event)?;
        let into = format!("what is left of account '{}'", account.name());
        Ok(Fits { runs: quote.runs, into, adds_up: quote.filter.describe() })
    }
}

impl std::fmt::Display for Fits {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Fits { runs, into, adds_up } = self;
        let runs = match runs {
            0 => "no such run fits".to_owned(),
            1 => "one such run fits".to_owned(),
            many => format!(
                "{} such runs fit",
                discretion_report::numbers::plain::count(*many as usize)
            ),
        };
        write!(out, "{runs} into {into} ({adds_up})")
    }
}
