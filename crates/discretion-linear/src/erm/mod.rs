//! Empirical risk minimisation: J(θ) = (1/n) Σ f(yᵢ θ·xᵢ) + (λ/2)‖θ‖², with rows ‖xᵢ‖₂ ≤ 1; or the
//! same with the logistic loss of several classes, softmax.

mod heads;
pub mod matrix;
mod oracle;
mod question;
pub mod remote;
mod residuals;
pub mod solver;

pub use oracle::{AskOracle, Entries, Facts, Oracle, OracleError};
pub use question::{Answer, Order, Point, Question, Sums};
pub use residuals::Residuals;
