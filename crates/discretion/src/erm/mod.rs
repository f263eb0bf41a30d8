//! Empirical risk minimisation: J(θ) = (1/n) Σ f(yᵢ θ·xᵢ) + (λ/2)‖θ‖², with rows ‖xᵢ‖₂ ≤ 1.

mod loss;
pub mod matrix;
mod oracle;
pub mod remote;
pub mod solver;

pub use loss::{HuberisedHinge, Logistic, Loss, LossKind, check};
pub use oracle::{Facts, Oracle, OracleError, Order, Point, Sums};
