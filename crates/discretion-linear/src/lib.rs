//! Private linear models: rows in memory or elsewhere, sums over them, the certified solver, and
//! what is built on it.
//!
//! | module | holds |
//! |---|---|
//! | [`outcome`] | what is predicted, in the numbers that proofs use; functions of the margin that are summed |
//! | [`erm`] | the oracle that sums over rows, the certified solver |
//! | [`knots`] | knots of curves at private quantiles |
//! | [`base_rate`] | how frequent the positive class is, for the centre of a penalty |
//! | [`quality`] | how good a released model is, in numbers that may be published |
//! | [`train`] | linear classifiers: objective and output perturbation |
//! | [`tune`] | λ chosen privately |
//! | [`interval`] | confidence intervals for their coefficients |
//! | [`squares`] | least squares from noisy sums, for an outcome that is a number |
//! | [`plain`] | ordinary regression without noise and penalty, for the custodian alone |
//! | [`joint`] | several holders, one model: sums over holders with noise that nobody knows |
//! | [`fit`] | the whole job: λ, coefficients and intervals within one budget |
//!
//! A classifier whose coefficients may be published:
//!
//! ```
//! use discretion_linear::erm::Oracle;
//! use discretion_linear::erm::matrix::{Batch, Layout, Matrix, Norm, Rows};
//! use discretion_linear::loss::LossKind;
//! use discretion_linear::train::{Method, Training};
//! use discretion_privacy::Budget;
//! use discretion_privacy::noise::Receipt;
//!
//! // An intercept and one number between -0.7 and 0.7: no row is longer than 1.
//! let layout = Layout::new(Norm::Scale, 0.7, vec![0.7], vec![])?;
//! let numeric: Vec<f32> = (0..20_000).map(|row| 0.7 * ((row % 200) as f32 / 100.0 - 1.0)).collect();
//! let positive = numeric.iter().map(|&number| number > 0.1).collect();
//! let rows = Rows::from(Matrix::of(layout, Batch { numeric, positive, ..Batch::default() }));
//!
//! let budget = Budget::Pure { epsilon: 1.0 };
//! let training = Training { loss: LossKind::Logistic, lambda: Some(1e-2), method: Method::Auto, budget };
//! let plan = training.plan(rows.facts())?; // every public number, before a row is looked at
//! let coefficients = plan.fit(&rows, Receipt::nobody_remembers().noise())?;
//! assert!(coefficients[1] > 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod base_rate;
pub mod erm;
pub mod fit;
pub mod interval;
pub mod joint;
pub mod knots;
pub mod outcome;
pub mod plain;
pub mod quality;
mod rounding;
pub mod squares;
pub mod train;
pub mod tune;

pub use outcome as loss;
