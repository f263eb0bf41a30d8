//! An account at one moment: what its filter makes of all that was charged to it.

use crate::answers::answers_of_charges;
use crate::error::Error;
use crate::history::{Quote, RunsLeft, Spending, Standing};
use crate::ledger::Ledger;
use crate::state::State;
use crate::terms::StoredTerms;
use discretion_privacy::Unit;
use discretion_privacy::account::{Cap, Filter, Totals};
use std::collections::HashMap;

/// The smallest share of a run's budget that a refusal offers. Less is rounding, left by spending a
/// cap in decimal parts.
pub(crate) const LEAST_OFFER: f64 = 1e-6;

/// What an account is at one moment, and what it has used.
#[derive(Clone, Copy)]
pub(crate) struct Snapshot {
    pub(crate) cap: Cap,
    pub(crate) filter: Filter,
    pub(crate) unit: Unit,
    pub(crate) used: Totals,
    pub(crate) is_open: bool,
}

impl Snapshot {
    pub(crate) fn written(&self) -> StoredTerms {
        StoredTerms { cap: self.cap, filter: self.filter, unit: self.unit }
    }

    fn spent(&self, used: &Totals) -> Spending {
        // What has no price at all takes everything.
        let amount = Some(self.filter.amount(used)).filter(|amount| amount.is_finite());
        Spending {
            amount: amount.unwrap_or(self.cap.amount()),
            readings: self.filter.readings(used),
        }
    }

    pub(crate) fn quote(&self, cost: &Totals) -> Quote {
        let after = self.used.and(*cost, 1);
        let (before, spent) = (self.spent(&self.used), self.spent(&after));
        Quote {
            cap: self.cap,
            filter: self.filter,
            cost: (spent.amount - before.amount).max(0.0),
            left: (self.cap.amount() - spent.amount).max(0.0),
            within: self.filter.allows(&after),
            runs: self.filter.more(&self.used, cost),
            before,
            after: spent,
        }
    }

    pub(crate) fn standing(&self, name: &str) -> Standing {
        Standing {
            account: name.to_owned(),
            opened_at: None,
            cap_at_opening: self.cap,
            cap: self.cap,
            filter: self.filter,
            unit: self.unit,
            charges: 0,
            unreleased: 0,
            spent: self.spent(&self.used),
            more_like_last: None,
            closed: !self.filter.allows(&self.used),
        }
    }
}

/// Where an account stands that was opened.
pub(crate) fn standing_of(
    name: &str,
    state: &mut State,
    answers: &HashMap<u64, u64>,
    ledger: &Ledger,
) -> Result<Standing, Error> {
    let explain = &ledger.explain;
    let (cap, cap_at_opening) = state.caps(name, explain)?;
    let (filter, used) = state.used(name, explain)?;
    let more = state.last(explain)?.and_then(|(charge, event)| {
        Some(RunsLeft { charge, runs: filter.more(&used, &filter.cost(&event).ok()?) })
    });
    Ok(Standing {
        opened_at: Some(state.opened_at.clone()),
        cap_at_opening,
        charges: state.charges,
        unreleased: state.unreleased(answers),
        more_like_last: more,
        ..Snapshot { cap, filter, unit: state.unit, used, is_open: true }.standing(name)
    })
}

impl Ledger {
    /// Where every account stands, by name.
    pub fn list(&self) -> Result<Vec<Standing>, Error> {
        let answers = answers_of_charges(self.reading()?, &self.explain)?;
        self.with_accounts(|accounts| {
            accounts
                .iter_mut()
                .map(|(name, state)| standing_of(name, state, &answers, self))
                .collect()
        })
    }
}
