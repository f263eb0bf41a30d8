//! What still fits into an account.

use super::event::Event;
use super::filter::Filter;
use super::totals::Totals;

impl Filter {
    /// How many more runs fit that cost `each`, one after the other.
    pub fn more(&self, used: &Totals, each: &Totals) -> u64 {
        const MANY: u64 = 1 << 40;
        let fits = |times: u64| self.allows(&used.and(*each, times));
        if !fits(1) {
            return 0;
        }
        let (mut low, mut high) = (1, 2);
        while fits(high) {
            if high >= MANY {
                return high;
            }
            (low, high) = (high, 2 * high);
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if fits(middle) { low = middle } else { high = middle }
        }
        low
    }

    /// The largest size up to `at_most`, as a decimal of about three digits, for which
    /// `event(size)` can still be charged. Nothing if no size can. A larger size must cost more.
    pub fn largest(
        &self,
        used: &Totals,
        at_most: f64,
        event: impl Fn(f64) -> Event,
    ) -> Option<f64> {
        Filter::largest_size(at_most, |size| self.fits(used, &event(size)))
    }

    /// Returns true if an account that has used so much can pay for an event.
    pub fn fits(&self, used: &Totals, event: &Event) -> bool {
        self.cost(event).is_ok_and(|cost| self.allows(&used.and(cost, 1)))
    }

    /// The largest size up to `at_most` that fits, as a decimal of about three digits. Nothing if
    /// none does. What is smaller than a size that fits must fit.
    pub fn largest_size(at_most: f64, fits: impl Fn(f64) -> bool) -> Option<f64> {
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
        let four_digits =
            |x: f64| format!("{x:.3e}").parse::<f64>().expect("a number was just written");
        let nearest = four_digits(low);
        let below = four_digits(nearest * (1.0 - 1e-3));
        [nearest, below].into_iter().find(|&size| low > 0.0 && fits(size))
    }
}
