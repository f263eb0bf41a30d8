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
        Search { at_most, first: at_most, precision: 1e-5, questions: 60 }
            .largest(|size| Some(self.fits(used, &event(size))))
    }

    /// Returns true if an account that has used so much can pay for an event.
    pub fn fits(&self, used: &Totals, event: &Event) -> bool {
        self.cost(event).is_ok_and(|cost| self.allows(&used.and(cost, 1)))
    }
}

/// A search for the largest size of a run that an account can pay for.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// No size is larger.
    pub at_most: f64,
    /// The size to ask about first.
    pub first: f64,
    /// Sizes are told apart if they differ by this share.
    pub precision: f64,
    /// The number of sizes to ask about, besides two decimals near the one that is found.
    pub questions: u32,
}

impl Search {
    /// Returns the largest size found that fits, as a decimal of about three digits; nothing if none
    /// does. `fits` returns nothing about a size that is too small for any run.
    ///
    /// Postcondition: `fits` said true of what is returned.
    pub fn largest(self, fits: impl Fn(f64) -> Option<bool>) -> Option<f64> {
        let (mut low, mut high, mut found) = (0.0, self.at_most, None);
        let mut size = self.first.min(self.at_most);
        for _ in 0..self.questions {
            match fits(size) {
                Some(false) => high = size,
                fits => {
                    found = fits.map(|_| size).or(found);
                    low = size;
                }
            }
            if high - low <= self.precision * high {
                break;
            }
            // Where all of what is left fits, nothing much larger usually does.
            let middle = 0.5 * (low + high);
            size = if found == Some(self.first) && low == self.first {
                middle.min(low * (1.0 + 0.5 * self.precision))
            } else {
                middle
            };
        }
        // As a decimal of four digits; 0.3 and not 0.2999 where 0.3 is what is left.
        let found = found?;
        let nearest = four_digits(found);
        let below = four_digits(nearest * (1.0 - 1e-3));
        let is_found = |&size: &f64| size == found || fits(size) == Some(true);
        [nearest, below].into_iter().find(is_found).or(Some(found))
    }
}

/// Rounds to four significant digits.
fn four_digits(x: f64) -> f64 {
    format!("{x:.3e}").parse().expect("a number was just written")
}
