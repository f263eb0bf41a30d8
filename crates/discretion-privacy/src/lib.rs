//! What a guarantee is, what a run costs, and the noise that buys it. Nothing here knows what is
//! learned.
//!
//! Guarantees, how they convert and compose: `PROOF.md` beside this file. [`account`]: what
//! happened, and what it costs. [`noise`]: randomness, exact samplers, [`noise::Sensitive`] values
//! and the one gate they leave through.
//!
//! [`trusted`] is for mechanisms, which have a proof of their own. The crate `discretion` has all
//! the rest of this one, and whoever is no mechanism takes it from there.
//!
//! A count, what it costs, and its one way out:
//!
//! ```
//! use discretion_privacy::account::Spend;
//! use discretion_privacy::noise::{IntegerNoise, Receipt, Sensitive};
//! use discretion_privacy::{Budget, Pure};
//!
//! // Replacing one row moves a count by at most 1.
//! let noise = IntegerNoise::Laplace { sensitivity: 1, budget: Pure { epsilon: 0.5 } };
//! assert!(Spend::of(&noise.event())?.is_within(Budget::Pure { epsilon: 0.5 }));
//!
//! let ill = Sensitive::new(vec![4_200]); // cannot be printed, compared or written to a file
//! let mut receipt = Receipt::nobody_remembers(); // a ledger writes one that is remembered
//! let released = noise.release(ill, receipt.noise())?;
//! assert!(released[0].abs_diff(4_200) < 200);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod account;
mod analytic;
mod bisection;
mod budget;
mod curve;
mod excerpt;
mod guarantee;
mod joint;
mod losses;
pub mod noise;
mod normal;
mod refusal;
pub mod stopping;
pub mod trusted;
mod unit;

use curve::{best_order, renyi_limit};

pub use analytic::{analytic_gaussian_delta, analytic_gaussian_sigma};
pub use bisection::smallest_enough;
pub use budget::{Budget, BudgetError};
pub use curve::{Curve, Term};
pub use excerpt::Excerpt;
pub use guarantee::{Approximate, Pure, Zcdp};
pub use joint::{JointPrice, LogisticRow};
pub use losses::Losses;
pub use normal::{ln_normal_cdf, normal_cdf};
pub use refusal::{Refusal, RefusalKind, reason};
pub use stopping::{Stopped, Stopping};
pub use unit::Unit;

/// Relative slack that every computed noise scale is enlarged by. The formulas behind a scale are a
/// few dozen floating-point operations, each good to a few parts in 10¹⁶; this is a thousand times
/// more.
pub const ROUNDING_SLACK: f64 = 1e-12;

/// The share of a budget that pays for the distance between the ideal output and the computed one.
pub const MASK_SHARE: f64 = 1e-3;
