//! Sums of prices, rounded up. Every function is non-decreasing in each argument, so a sum of
//! prices never falls when one more is added to it.

use crate::ROUNDING_SLACK;

/// a + b or a little more.
pub(super) fn add_up(a: f64, b: f64) -> f64 {
    // Sums with zero are exact; rounding them up would charge for nothing.
    if a == 0.0 || b == 0.0 { a + b } else { (a + b).next_up() }
}

/// times·x or a little more.
pub(super) fn times_up(times: u64, x: f64) -> f64 {
    if times == 1 || x == 0.0 { x } else { (times as f64 * x).next_up() }
}

/// Σ times·x or a little more.
pub(super) fn sum_up(items: impl IntoIterator<Item = (f64, u64)>) -> f64 {
    items.into_iter().fold(0.0, |sum, (x, times)| add_up(sum, times_up(times, x)))
}

/// What a formula of a few dozen operations gave, enlarged by more than it can have been rounded
/// down.
pub(super) fn formula_up(x: f64) -> f64 {
    x * (1.0 + ROUNDING_SLACK)
}
