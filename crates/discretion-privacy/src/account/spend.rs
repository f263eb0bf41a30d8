//! What a run is made of, and what its parts cost together: they were all fixed by its plan, so any
//! theorem about fixed lists will do. What several runs cost that were chosen one after the other
//! is for a [`Filter`](super::Filter).

use super::event::{Event, EventError};
use super::part::Part;
use super::price::{NotPriced, Price, Rule};
use super::rounding::sum_up;
use super::take_apart::take_apart;
use super::{approximate, concentrated};
use crate::Budget;
use std::collections::BTreeMap;

/// A list of events that was fixed before any of them was run. Equal parts are counted, not
/// repeated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spend {
    parts: BTreeMap<Part, u64>,
}

impl Spend {
    /// Nothing yet.
    pub fn new() -> Spend {
        Spend::default()
    }

    /// One event alone.
    pub fn of(event: &Event) -> Result<Spend, EventError> {
        Spend::new().and(event)
    }

    /// One part alone.
    pub(super) fn of_part(part: Part) -> Spend {
        Spend { parts: BTreeMap::from([(part, 1)]) }
    }

    /// This and one more event.
    pub fn and(mut self, event: &Event) -> Result<Spend, EventError> {
        self.add(event, 1)?;
        Ok(self)
    }

    /// Records that `event` was run `times` times.
    pub fn add(&mut self, event: &Event, times: u64) -> Result<(), EventError> {
        let mut found = Vec::new();
        take_apart(event, &mut |part, each| found.push((part, each)))?;
        for (part, each) in found {
            let count = self.parts.entry(part).or_default();
            let more = each.checked_mul(times).and_then(|more| count.checked_add(more));
            *count = more.ok_or(EventError::Boundless(event.kind()))?;
        }
        Ok(())
    }

    /// Every valid price in the currency of `cap`, the lowest first; at least one.
    ///
    /// Postcondition: everything run so far, together, satisfies each of them (`PROOF.md`).
    pub fn prices(&self, cap: Budget) -> Result<Vec<Price>, NotPriced> {
        let mut prices = match cap {
            Budget::Pure { .. } => vec![self.pure()?],
            Budget::Approximate { delta, .. } => approximate::prices(self, delta)?,
            Budget::Zcdp { .. } => concentrated::prices(self)?,
        };
        prices.extend(self.largest_part(cap));
        prices.sort_by(|a, b| a.amount.total_cmp(&b.amount));
        Ok(prices)
    }

    /// The price of runs on separate parts of a table, if that is all: the dearest part's, which is
    /// found by any rule.
    fn largest_part(&self, cap: Budget) -> Option<Price> {
        let mut parts = self.parts();
        let (Some((Part::Parallel { of }, 1)), None) = (parts.next(), parts.next()) else {
            return None;
        };
        let alone =
            of.iter().map(|list| Spend { parts: list.iter().cloned().collect() }.price(cap).ok());
        let prices = alone.collect::<Option<Vec<Price>>>()?;
        prices
            .into_iter()
            .max_by(|a, b| a.amount.total_cmp(&b.amount))
            .map(|dearest| Price { rule: Rule::LargestPart, ..dearest })
    }

    /// The lowest of [`Spend::prices`].
    pub fn price(&self, cap: Budget) -> Result<Price, NotPriced> {
        self.prices(cap).map(|prices| prices[0])
    }

    /// Whether this spend has a price within `cap`.
    pub fn is_within(&self, cap: Budget) -> bool {
        self.price(cap).is_ok_and(|price| price.within(cap))
    }

    /// The parts with their counts, in an order that does not depend on the order of events.
    pub(super) fn parts(&self) -> impl Iterator<Item = (&Part, u64)> {
        self.parts.iter().map(|(part, &count)| (part, count))
    }

    /// Each pure ε with its count.
    pub(super) fn pure_parts(&self) -> Vec<(f64, u64)> {
        self.parts()
            .filter_map(|(part, count)| match part {
                &Part::Pure { epsilon } => Some((epsilon, count)),
                _ => None,
            })
            .collect()
    }

    /// Σδ.
    pub(super) fn failure(&self) -> f64 {
        sum_up(self.parts().map(|(part, count)| (part.failure(), count)))
    }

    /// Σε, if everything is pure up to failing.
    pub(super) fn pure_sum(&self) -> Option<f64> {
        let is_pure = |part: &Part| matches!(part, Part::Pure { .. } | Part::Failure { .. });
        self.parts().all(|(part, _)| is_pure(part)).then(|| sum_up(self.pure_parts()))
    }

    /// ρ, up to failing.
    pub(super) fn rho(&self) -> f64 {
        concentrated::rho(self)
    }

    fn pure(&self) -> Result<Price, NotPriced> {
        let amount = self.pure_sum().filter(|_| self.failure() == 0.0).ok_or(NotPriced::NotPure)?;
        Ok(Price { rule: Rule::PlainSum, amount, delta: 0.0 })
    }
}
