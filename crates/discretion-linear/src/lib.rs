//! Private linear models: rows in memory or elsewhere, sums over them, the certified solver, and what is built on it.
//!
//! | module | holds |
//! |---|---|
//! | [`loss`] | losses, scores and weights: functions of the margin that are summed over rows |
//! | [`erm`] | the oracle that sums over rows, the certified solver |
//! | [`train`] | linear classifiers: objective and output perturbation |
//! | [`tune`] | λ chosen privately |
//! | [`interval`] | confidence intervals for their coefficients |
//! | [`joint`] | several holders, one model: sums over holders with noise that nobody knows |
//! | [`fit`] | the whole job: λ, coefficients and intervals within one budget |

pub mod erm;
pub mod fit;
pub mod interval;
pub mod joint;
pub mod loss;
mod rounding;
pub mod train;
pub mod tune;
