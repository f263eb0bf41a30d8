//! A price, and which rule it was found by.

use crate::Budget;
use serde::{Deserialize, Serialize};

/// A spend this share above a cap is still within it. A cap is a decimal that a person wrote and is
/// often spent in equal decimal parts: 3 × 0.1 is above 0.3 in binary.
pub const CAP_TOLERANCE: f64 = 1e-9;

/// How a price was found. `PROOF.md` has one section for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Every ε added up, every δ added up.
    PlainSum,
    /// As the plain sum; each Gaussian mechanism is priced alone at an equal share of δ.
    EqualShares,
    /// The Rényi curves added up, then converted at the best order.
    Renyi,
    /// Every ρ added up; for an account with δ, then converted.
    SumOfRho,
    /// The smallest ρ above the summed Rényi curve.
    WholeCurve,
    /// All continuous Gaussian noise as one Gaussian, priced exactly; the rest added to it.
    ExactGaussian,
    /// Pure mechanisms by their exact optimal composition (Kairouz, Oh & Viswanath); the rest added
    /// to it.
    OptimalComposition,
    /// Runs on separate parts of a table: the dearest.
    LargestPart,
    /// Privacy losses compared in convex order and added up; what cannot be compared is added to
    /// it.
    ConvexOrder,
}

impl Rule {
    /// The rule in a few words, for a table of alternatives.
    pub fn describe(self) -> &'static str {
        match self {
            Rule::PlainSum => "plain sum",
            Rule::EqualShares => "plain sum, δ shared equally",
            Rule::Renyi => "Rényi curves",
            Rule::SumOfRho => "sum of ρ",
            Rule::WholeCurve => "ρ of the summed Rényi curve",
            Rule::ExactGaussian => "exact Gaussian composition",
            Rule::OptimalComposition => "optimal composition of pure mechanisms",
            Rule::LargestPart => "the dearest part of the table",
            Rule::ConvexOrder => "sum of losses in convex order",
        }
    }
}

/// One valid price of a spend.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Price {
    /// The rule.
    pub rule: Rule,
    /// ε, or ρ for a budget in ρ.
    pub amount: f64,
    /// The δ that the price holds at; 0 for a pure ε and for ρ.
    pub delta: f64,
}

impl Price {
    /// Whether this price is within `cap`, up to [`CAP_TOLERANCE`].
    pub fn within(&self, cap: Budget) -> bool {
        self.amount <= amount(cap) * (1.0 + CAP_TOLERANCE)
    }
}

/// The ε or the ρ of a cap: what [`Price::amount`] is compared with.
pub fn amount(cap: Budget) -> f64 {
    match cap {
        Budget::Pure { epsilon } | Budget::Approximate { epsilon, .. } => epsilon,
        Budget::Zcdp { rho } => rho,
    }
}

/// Why a spend has no price in the currency of a cap.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NotPriced {
    /// Something is not pure.
    #[error(
        "Gaussian noise and mechanisms with a delta have no pure epsilon; run a pure mechanism, or use an account \
         whose cap has a delta"
    )]
    NotPure,
    /// Something has a δ.
    #[error(
        "a mechanism with a delta has no rho; run a pure or a Gaussian mechanism, or use an account whose cap has \
         a delta (a cap in rho may have one beside it)"
    )]
    NotConcentrated,
    /// An account of plain sums without a δ for what is not pure.
    #[error(
        "this account adds up plain sums and sets no delta aside for Gaussian noise; run a pure mechanism, or use \
         another account"
    )]
    NoDelta,
    /// The δs alone are too much.
    #[error(
        "the deltas of its mechanisms add up to {needed:.2e}, and the account's delta is {delta:e}; run a mechanism \
         with a smaller delta or none"
    )]
    Delta {
        /// Their sum.
        needed: f64,
        /// The account's δ.
        delta: f64,
    },
}
