//! *discretion*: learning from sensitive tables under differential privacy. This crate is the
//! mathematics, and its front door.
//!
//! | module | holds |
//! |---|---|
//! | [`privacy`] | guarantees, how they compose and convert, what a budget buys |
//! | [`noise`] | randomness, exact samplers, [`noise::Sensitive`] values and the one gate they leave through |
//! | [`choose`] | choosing among any procedure's candidates with privacy |
//! | [`loss`], [`erm`] | losses; the oracle that sums over rows, the certified solver |
//! | [`train`], [`tune`], [`fit`] | private linear classifiers; λ chosen privately; the whole job within one budget |
//! | [`interval`] | confidence intervals for their coefficients |
//! | [`quality`] | how good a released model is on rows that did not train it, in numbers that may be published |
//! | [`joint`] | several holders, one model: sums over holders with noise that nobody knows |
//! | [`density`] | private histograms with chosen bins, and synthetic rows |
//! | [`vote`] | private answers from any learner, by a vote of models |
//! | [`audit`] | lower bounds on what a mechanism really costs, from its outputs or its exact law |
//!
//! Nothing here opens a file or a socket. Neighbouring tables have the same public number of rows
//! and differ in the value of one row ("replace one").
//!
//! A classifier with confidence intervals, within one budget:
//!
//! ```
//! use discretion::erm::matrix::{Batch, Layout, Matrix, Norm, Rows};
//! use discretion::fit::{Lambda, Request, Table};
//! use discretion::interval::{Intervals, Split};
//! use discretion::loss::LossKind;
//! use discretion::noise::Receipt;
//! use discretion::privacy::Budget;
//! use discretion::train::Method;
//!
//! // An intercept and one number between -0.7 and 0.7: no row is longer than 1.
//! let layout = Layout::new(Norm::Scale, 0.7, vec![0.7], vec![])?;
//! let numeric: Vec<f32> = (0..20_000).map(|row| 0.7 * ((row % 200) as f32 / 100.0 - 1.0)).collect();
//! let positive = (0..20_000).map(|row| row % 200 + row % 7 > 110).collect();
//! let rows = Rows::from(Matrix::of(layout, Batch { numeric, positive, ..Batch::default() }));
//!
//! let request = Request {
//!     loss: LossKind::Logistic,
//!     lambda: Lambda::Fixed(1e-2),
//!     method: Method::Auto,
//!     budget: Budget::Approximate { epsilon: 2.0, delta: 1e-6 },
//!     intervals: Some(Split::DEFAULT),
//! };
//! let table = Table::Whole(&rows);
//! let plan = request.plan(table.facts())?; // every public number, before a row is looked at
//! let fitted = plan.run(table, Receipt::nobody_remembers().noise())?;
//!
//! let evidence = fitted.evidence.expect("intervals were asked for");
//! let intervals = Intervals::new(&evidence, &fitted.coefficients)?.coefficients(0.95)?;
//! assert_eq!(intervals.len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What only mechanisms may do, such as looking into a sensitive value, is not here:
//!
//! ```compile_fail
//! use discretion::noise::Sensitive;
//! use discretion::privacy::trusted::Open; // there is no such module
//! let inside: f64 = Sensitive::new(31_415.9).into_inner();
//! ```

#[cfg(feature = "audit")]
pub use discretion_audit as audit;
pub use discretion_choose as choose;
pub use discretion_density as density;
pub use discretion_linear::{
    base_rate, erm, fit, interval, joint, knots, loss, outcome, plain, quality, squares, train,
    tune,
};
pub use discretion_privacy::{Excerpt, Refusal, RefusalKind, Remedy, noise, reason};
pub use discretion_vote as vote;

/// Guarantees: what they are, how they convert and compose, and what a run costs an account.
pub mod privacy {
    pub use discretion_privacy::{
        Approximate, Budget, BudgetError, Curve, MASK_SHARE, Pure, ROUNDING_SLACK, Stopped,
        Stopping, Term, Unit, Zcdp, account, analytic_gaussian_delta, analytic_gaussian_sigma,
        ln_normal_cdf, normal_cdf, stopping,
    };
}
