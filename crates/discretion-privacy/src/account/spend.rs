//! What a run is made of, and what its parts cost together: they were all fixed by its plan, so any
//! theorem about fixed lists will do. What several runs cost that were chosen one after the other
//! is for a [`Filter`](super::Filter).

use super::event::{Event, EventError};
use super::part::{Part, each, pure_sum_of};
use super::price::{NotPriced, Price, Rule};
use super::rounding::sum_up;
use super::take_apart::take_apart;
use super::{approximate, concentrated};
use crate::Budget;
use std::collections::{BTreeMap, BTreeSet};

/// A list of events that was fixed before any of them was run. Equal parts are counted, not
/// repeated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spend {
    parts: BTreeMap<Part, u64>,
}

/// With more choices than this, parts of a table are priced by the largest Rényi divergence.
const MOST_CHOICES: usize = 64;

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

    /// The parts of a list.
    pub(super) fn of_list(list: &[(Part, u64)]) -> Spend {
        Spend { parts: list.iter().cloned().collect() }
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

    /// The price of a run that looks at separate parts of a table: that of the part where it is
    /// largest, by any rule (`PROOF.md`, "Parallel").
    fn largest_part(&self, cap: Budget) -> Option<Price> {
        let prices = self.choices()?.into_iter().map(|choice| choice.price(cap).ok());
        prices
            .collect::<Option<Vec<Price>>>()?
            .into_iter()
            .max_by(|a, b| a.amount.total_cmp(&b.amount))
            .map(|dearest| Price { rule: Rule::LargestPart, ..dearest })
    }

    /// Lists every run that this can be for a pair of neighbours, one for each part of the table in
    /// which they may differ. Nothing if it does not look at separate parts, or if there are more
    /// than [`MOST_CHOICES`].
    pub(super) fn choices(&self) -> Option<Vec<Spend>> {
        let is_parallel = |part: &Part| matches!(part, Part::Parallel { .. });
        if !self.parts.keys().any(is_parallel) {
            return None;
        }
        Some(choices(self.parts())?.into_iter().map(|parts| Spend { parts }).collect())
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
        pure_sum_of(self.parts())
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

/// Every list that these parts can be for a pair of neighbours: those of parts of a table are
/// replaced by one of theirs, each time anew, and so on within.
fn choices<'a>(
    parts: impl Iterator<Item = (&'a Part, u64)>,
) -> Option<BTreeSet<BTreeMap<Part, u64>>> {
    let mut found = BTreeSet::from([BTreeMap::new()]);
    for (part, count) in parts {
        let (lists, times) = match part {
            Part::Parallel { of } => {
                let mut lists = BTreeSet::new();
                for list in of {
                    lists.extend(choices(each(list))?);
                }
                (lists, count)
            }
            _ => (BTreeSet::from([BTreeMap::from([(part.clone(), count)])]), 1),
        };
        if times > MOST_CHOICES as u64 {
            return None;
        }
        for _ in 0..times {
            let pairs = found.iter().flat_map(|one| lists.iter().map(move |other| (one, other)));
            found = pairs.map(|(one, other)| together(one, other)).collect::<Option<_>>()?;
            if found.len() > MOST_CHOICES {
                return None;
            }
        }
    }
    Some(found)
}

/// Both lists, if their counts are numbers.
fn together(one: &BTreeMap<Part, u64>, other: &BTreeMap<Part, u64>) -> Option<BTreeMap<Part, u64>> {
    let mut sum = one.clone();
    for (part, &count) in other {
        let all = sum.entry(part.clone()).or_default();
        *all = all.checked_add(count)?;
    }
    Some(sum)
}
