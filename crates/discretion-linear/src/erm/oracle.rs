//! The only way the learner sees data: value, gradient and Hessian at θ, summed over rows.

use crate::loss::Loss;
use discretion_privacy::noise::{BigFloat, Sensitive};
use serde::{Deserialize, Serialize};

/// How much of the expansion at θ is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// Value and gradient.
    Gradient,
    /// Value, gradient and Hessian.
    Hessian,
    /// Value, gradient and a Hessian that is good enough to find the way by: each entry may be off by
    /// 2⁻¹⁵·(1/n)Σ f″|x||x|. Nothing that is promised may hang on it.
    Curvature,
}

impl Order {
    /// Whether [`Sums::hessian`] is filled.
    pub fn has_hessian(self) -> bool {
        self != Order::Gradient
    }
}

/// Where sums are asked for.
#[derive(Clone, Debug)]
pub struct Point {
    /// θ.
    pub theta: Vec<f64>,
    /// How much of the expansion there.
    pub order: Order,
}

/// Means over rows of f(yᵢ θ·xᵢ) and its derivatives in θ. No regulariser, no noise.
#[derive(Clone, Debug)]
pub struct Sums {
    /// (1/n) Σ f.
    pub value: f64,
    /// (1/n) Σ f′ yᵢ xᵢ.
    pub gradient: Vec<f64>,
    /// (1/n) Σ f″ xᵢ xᵢᵀ, row-major, lower triangle; empty unless asked for.
    pub hessian: Vec<f64>,
}

/// The public facts of a table that rounding bounds and noise depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// n.
    pub rows: usize,
    /// d.
    pub dimension: usize,
    /// The most non-zero entries a row can have.
    pub row_terms: usize,
    /// The most additions any one number takes part in while rows' values and gradients are summed.
    pub summation_depth: usize,
}

/// The rows could not be summed (a file vanished, a worker died). Never a matter of the rows' values.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("the rows could not be read: {0}")]
pub struct OracleError(pub String);

/// Whoever does the summing: this process, a stream, a cluster, several parties.
///
/// Implementations promise: every row has ‖x‖₂ ≤ 1 exactly; margins are plain dot products of at most
/// `row_terms` products in double precision, and what the loss is asked about a row depends on that row and θ
/// alone; values and gradients are plain sums no deeper than `summation_depth`, and Hessians are plain sums of
/// one term per row in any order, then over no more parts than `summation_depth`; and the result does not
/// depend on the number of threads.
pub trait Oracle: Sync {
    /// The public facts.
    fn facts(&self) -> Facts;

    /// Sums at θ in double precision.
    fn sums(&self, loss: &dyn Loss, theta: &[f64], order: Order) -> Result<Sensitive<Sums>, OracleError>;

    /// Sums at several points, in one pass where the oracle can. They are the sums that each point alone would get.
    fn sums_at(&self, loss: &dyn Loss, points: &[Point]) -> Result<Vec<Sensitive<Sums>>, OracleError> {
        points.iter().map(|point| self.sums(loss, &point.theta, point.order)).collect()
    }

    /// A smaller table to find a first guess on, chosen by the rows' positions. It is never certified on.
    fn sample(&self) -> Option<Box<dyn Oracle + '_>> {
        None
    }

    /// The gradient at θ with every operation carried out to `precision` bits: for noise so far out in its
    /// tail that double precision could not meet the public tolerance.
    fn big_gradient(
        &self,
        loss: &dyn Loss,
        theta: &[BigFloat],
        precision: usize,
    ) -> Result<Sensitive<Vec<BigFloat>>, OracleError>;
}
