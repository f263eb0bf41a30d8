//! Random stopping: the best of a random number of runs costs little more than one run.
//!
//! A base run is repeated K times and only the best of its outputs is released, best by a total
//! order of outputs. `PROOF.md` beside this file proves what that costs, for the law of K that
//! `noise/runs.rs` draws.

mod derivative;
mod stopped;

#[cfg(test)]
mod tests;

pub use stopped::Stopped;

use crate::{Pure, ROUNDING_SLACK};

/// The law of K, the number of runs: K ≤ `most`, with (k+1)·P[k+1] ≤ (k+η)·P[k], as nearly equal as
/// whole numbers allow.
///
/// η = 0 is P ∝ 1/k, η = 1 is uniform. It is the negative binomial law that Papernot and Steinke
/// (2022) truncate at 0, cut off at the other end too instead of thinned: every weight is a whole
/// number, so K is drawn exactly, no run is endless, and the price of a pure run is the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stopping {
    /// η in sixteenths, above −16 and at most 16.
    sixteenths: i16,
    most: u32,
}

/// No law with these numbers.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "random stopping takes a shape above -1 and at most 1 in sixteenths, and 1 to 1000000 runs, not {shape} and {most}"
)]
pub struct StoppingError {
    shape: f64,
    most: u32,
}

/// The weight of K = 1. A million of them fit into 63 bits.
const FIRST_WEIGHT: u64 = 1 << 43;
const MOST_RUNS: u32 = 1_000_000;

impl Stopping {
    /// The law of shape η that stops after `most` runs at the latest.
    pub fn new(shape: f64, most: u32) -> Result<Stopping, StoppingError> {
        let sixteenths = 16.0 * shape;
        let is_in_range = sixteenths > -16.0 && sixteenths <= 16.0 && sixteenths.fract() == 0.0;
        if is_in_range && (1..=MOST_RUNS).contains(&most) {
            Ok(Stopping { sixteenths: sixteenths as i16, most })
        } else {
            Err(StoppingError { shape, most })
        }
    }

    /// η.
    pub fn shape(&self) -> f64 {
        f64::from(self.sixteenths) / 16.0
    }

    /// The largest K.
    pub fn most(&self) -> u32 {
        self.most
    }

    /// Whole-number weights of K = 1, 2, …
    pub(crate) fn weights(&self) -> impl Iterator<Item = u64> {
        let mut weight = FIRST_WEIGHT;
        (1..=u64::from(self.most)).map(move |k| {
            let this = weight;
            // Rounded down, so that (k+1)·w[k+1] ≤ (k+η)·w[k] holds exactly.
            let above = 16 * i128::from(k) + i128::from(self.sixteenths);
            weight = (i128::from(weight) * above / (16 * i128::from(k + 1))) as u64;
            this
        })
    }

    /// E[K].
    pub fn mean(&self) -> f64 {
        let (sum, total) =
            (1..).zip(self.weights()).fold((0.0, 0.0), |(sum, total), (k, weight)| {
                (sum + weight as f64 * f64::from(k), total + weight as f64)
            });
        sum / total
    }

    /// The price when a run is pure (`PROOF.md`, Theorem 1).
    pub fn pure(&self, run: Pure) -> Pure {
        Pure { epsilon: (2.0 + self.shape()) * run.epsilon * (1.0 + ROUNDING_SLACK) }
    }

    /// The price of a run that leaves no more than `total` after stopping: the inverse of
    /// [`Stopping::pure`].
    pub fn pure_run(&self, total: Pure) -> Pure {
        Pure { epsilon: total.epsilon / (2.0 + self.shape()) * (1.0 - 4.0 * ROUNDING_SLACK) }
    }
}
