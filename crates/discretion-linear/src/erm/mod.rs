//! Empirical risk minimisation: J(θ) = (1/n) Σ f(yᵢ θ·xᵢ) + (λ/2)‖θ‖², with rows ‖xᵢ‖₂ ≤ 1.

pub mod matrix;
mod oracle;
pub mod remote;
pub mod solver;

pub use oracle::{Facts, Oracle, OracleError, Order, Point, Sums};
