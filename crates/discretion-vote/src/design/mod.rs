//! How one query is answered, and what a whole session costs. `../PROOF.md` proves
//! [`Design::event`].

mod exponential;
mod gaussian;
mod maximum;
mod sparse;
mod sums;

pub use exponential::Exponential;
pub use gaussian::Gaussian;
pub use maximum::Maximum;
pub(crate) use maximum::Noisy;
pub use sparse::Sparse;
pub use sums::Sums;

use discretion_privacy::account::Event;
use serde::{Deserialize, Serialize};

/// A way of telling a query's answer. Every number is public.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "design", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Design {
    /// Noise on the threshold and on every distance; only failed tests cost.
    Sparse(Sparse),
    /// Gaussian noise on every distance; every test costs.
    Gaussian(Gaussian),
    /// Gaussian noise on every count, of which the largest is told; every query costs, and every
    /// one is answered.
    Maximum(Maximum),
    /// A label drawn by its votes; every query costs, and every one is answered.
    Exponential(Exponential),
    /// Gaussian noise on the sum of scores; every query costs, and every one is answered.
    Sums(Sums),
}

impl Design {
    /// What a whole session costs, however it goes.
    pub fn event(&self) -> Event {
        match self {
            Design::Sparse(sparse) => sparse.event(),
            Design::Gaussian(gaussian) => gaussian.event(),
            Design::Maximum(maximum) => maximum.event(),
            Design::Exponential(exponential) => exponential.event(),
            Design::Sums(sums) => sums.event(),
        }
    }

    /// T, the number of failed tests that ends the session; nothing where no test can fail.
    pub fn paid(&self) -> Option<u64> {
        match self {
            Design::Sparse(sparse) => Some(sparse.thresholds * sparse.paid_each),
            Design::Gaussian(gaussian) => Some(gaussian.paid),
            Design::Maximum(_) | Design::Exponential(_) | Design::Sums(_) => None,
        }
    }

    /// The largest number of tests; nothing where those that pass cost nothing.
    pub(crate) fn most_tests(&self) -> Option<u64> {
        match self {
            Design::Sparse(_) => None,
            Design::Gaussian(gaussian) => Some(gaussian.tests),
            Design::Maximum(Maximum { queries, .. })
            | Design::Exponential(Exponential { queries, .. })
            | Design::Sums(Sums { queries, .. }) => Some(*queries),
        }
    }

    /// The design in a few words.
    pub fn describe(&self) -> &'static str {
        match self {
            Design::Sparse(Sparse { thresholds: 1, .. }) => {
                "one noisy threshold for the whole session"
            }
            Design::Sparse(_) => "a new noisy threshold after each unstable query",
            Design::Gaussian(_) => "Gaussian noise on every query",
            Design::Maximum(_) => "the largest of noisy counts",
            Design::Exponential(_) => "a label drawn by its votes",
            Design::Sums(_) => "the mean of scores, with noise",
        }
    }

    /// A distance at which all of `tests` queries are answered with probability at least 1 −
    /// `miss`; 0 where all are.
    pub fn needs(&self, tests: u64, miss: f64) -> u64 {
        match self {
            Design::Sparse(sparse) => sparse.needs(tests, miss),
            Design::Gaussian(gaussian) => gaussian.needs(tests, miss),
            Design::Maximum(_) | Design::Exponential(_) | Design::Sums(_) => 0,
        }
    }

    /// The probability that a query at `distance` is answered, under a threshold drawn anew.
    pub fn chance(&self, distance: u64) -> f64 {
        match self {
            Design::Sparse(sparse) => sparse.chance(distance),
            Design::Gaussian(gaussian) => gaussian.chance(distance),
            Design::Maximum(_) | Design::Exponential(_) | Design::Sums(_) => 1.0,
        }
    }

    /// Where every query is told a label: at least how probably it is the one that is `ahead` votes
    /// ahead of each of `labels` − 1 others. Exactly so for two labels.
    pub fn keeps(&self, ahead: u64, labels: usize) -> Option<f64> {
        match self {
            Design::Maximum(maximum) => Some(maximum.keeps(ahead, labels)),
            Design::Exponential(exponential) => Some(exponential.keeps(ahead, labels)),
            Design::Sparse(_) | Design::Gaussian(_) | Design::Sums(_) => None,
        }
    }
}
