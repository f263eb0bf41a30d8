//! Guarantees: what they are, how they convert and compose. The proofs are in `PROOF.md` beside this file.

pub mod account;
mod analytic;
mod bisection;
mod budget;
mod curve;
mod guarantee;
mod normal;
pub mod stopping;

pub(crate) use bisection::smallest_enough;
use curve::{best_order, renyi_limit};

pub use analytic::{analytic_gaussian_delta, analytic_gaussian_sigma};
pub use budget::{Budget, BudgetError};
pub use curve::{Curve, Term};
pub use guarantee::{Approximate, Pure, Zcdp};
pub use normal::{ln_normal_cdf, normal_cdf};
pub use stopping::{Stopped, Stopping};

/// Relative slack that every computed noise scale is enlarged by. The formulas behind a scale are a few
/// dozen floating-point operations, each good to a few parts in 10¹⁶; this is a thousand times more.
pub const ROUNDING_SLACK: f64 = 1e-12;
