//! The mathematics of *discretion*: learning from sensitive tables under differential privacy.
//!
//! | module | holds |
//! |---|---|
//! | [`privacy`] | guarantees, how they compose and convert, what a budget buys |
//! | [`noise`] | randomness, exact samplers, [`noise::Sensitive`] values and the one gate they leave through |
//! | [`erm`] | losses, the oracle that sums over rows, the certified solver |
//! | [`train`] | private linear classifiers: objective and output perturbation |
//! | [`tune`] | choosing among candidates with privacy |
//! | [`density`] | private histograms with chosen bins, and synthetic rows |
//! | [`interval`] | confidence intervals for their coefficients |
//! | [`joint`] | several holders, one model: sums over holders with noise that nobody knows |
//! | [`vote`] | private answers from any learner, by a vote of models |
//! | [`fit`] | the whole job: λ, coefficients and intervals within one budget |
//! | [`audit`] | lower bounds on what a mechanism really costs, from its outputs or its exact law |
//!
//! Nothing here opens a file or a socket. Neighbouring tables have the same public number of rows and
//! differ in the value of one row ("replace one").

pub mod audit;
pub mod density;
pub mod erm;
pub mod fit;
pub mod interval;
pub mod joint;
pub mod noise;
pub mod privacy;
pub mod train;
pub mod tune;
pub mod vote;
