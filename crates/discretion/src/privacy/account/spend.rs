//! Everything that was run on one table.

use super::event::{Event, EventError};
use super::part::{Part, take_apart};
use super::price::{NotPriced, Price, Rule};
use super::rounding::sum_up;
use super::{approximate, concentrated};
use crate::privacy::Budget;
use std::collections::BTreeMap;

/// Everything that was run on one table, in any order. Equal parts are counted, not repeated.
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
            *count = count.saturating_add(each.saturating_mul(times));
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
        prices.sort_by(|a, b| a.amount.total_cmp(&b.amount));
        Ok(prices)
    }

    /// The lowest of [`Spend::prices`].
    pub fn price(&self, cap: Budget) -> Result<Price, NotPriced> {
        self.prices(cap).map(|prices| prices[0])
    }

    /// Whether this spend has a price within `cap`.
    pub fn is_within(&self, cap: Budget) -> bool {
        self.price(cap).is_ok_and(|price| price.within(cap))
    }

    /// The largest size up to `at_most`, as a decimal of about three digits, for which `event(size)` can still be
    /// added within `cap`. Nothing if no size can. A larger size must cost more.
    pub fn largest(&self, cap: Budget, at_most: f64, event: impl Fn(f64) -> Event) -> Option<f64> {
        let fits = |size: f64| self.clone().and(&event(size)).is_ok_and(|spend| spend.is_within(cap));
        if fits(at_most) {
            return Some(at_most);
        }
        let (mut low, mut high) = (0.0, at_most);
        // Halving sixty times from any sensible start ends far below what anyone would run.
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if fits(middle) {
                low = middle;
            } else {
                high = middle;
            }
            if high - low < 1e-5 * high {
                break;
            }
        }
        // As a decimal of four digits; 0.3 and not 0.2999 where 0.3 is what is left.
        let four_digits = |x: f64| format!("{x:.3e}").parse::<f64>().expect("a number was just written");
        let nearest = four_digits(low);
        let below = four_digits(nearest * (1.0 - 1e-3));
        [nearest, below].into_iter().find(|&size| low > 0.0 && fits(size))
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
        sum_up(self.parts().filter_map(|(part, count)| match part {
            &Part::Failure { delta } => Some((delta, count)),
            _ => None,
        }))
    }

    fn pure(&self) -> Result<Price, NotPriced> {
        let pure = self.pure_parts();
        if pure.len() < self.parts.len() {
            return Err(NotPriced::NotPure);
        }
        Ok(Price { rule: Rule::PlainSum, amount: sum_up(pure), delta: 0.0, adaptive: true })
    }
}
