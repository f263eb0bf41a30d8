//! How one query is tested, and what a whole session of tests costs. `../PROOF.md` proves [`Design::event`].

mod gaussian;
mod sparse;

pub use gaussian::Gaussian;
pub use sparse::Sparse;

use discretion_privacy::account::Event;
use serde::{Deserialize, Serialize};

/// A way of testing whether a query's winner may leave. Every number is public.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "design", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Design {
    /// Noise on the threshold and on every distance; only failed tests cost.
    Sparse(Sparse),
    /// Gaussian noise on every distance; every test costs.
    Gaussian(Gaussian),
}

impl Design {
    /// What a whole session costs, however it goes.
    pub fn event(&self) -> Event {
        match self {
            Design::Sparse(sparse) => sparse.event(),
            Design::Gaussian(gaussian) => gaussian.event(),
        }
    }

    /// T, the number of failed tests that ends the session.
    pub fn paid(&self) -> u64 {
        match self {
            Design::Sparse(sparse) => sparse.thresholds * sparse.paid_each,
            Design::Gaussian(gaussian) => gaussian.paid,
        }
    }

    /// The design in a few words.
    pub fn describe(&self) -> &'static str {
        match self {
            Design::Sparse(Sparse { thresholds: 1, .. }) => "one noisy threshold for the whole session",
            Design::Sparse(_) => "a new noisy threshold after each unstable query",
            Design::Gaussian(_) => "Gaussian noise on every query",
        }
    }

    /// A distance at which all of `tests` queries are answered with probability at least 1 − `miss`.
    pub fn needs(&self, tests: u64, miss: f64) -> u64 {
        match self {
            Design::Sparse(sparse) => sparse.needs(tests, miss),
            Design::Gaussian(gaussian) => gaussian.needs(tests, miss),
        }
    }

    /// The probability that a query at `distance` is answered, under a threshold drawn anew.
    pub fn chance(&self, distance: u64) -> f64 {
        match self {
            Design::Sparse(sparse) => sparse.chance(distance),
            Design::Gaussian(gaussian) => gaussian.chance(distance),
        }
    }
}
