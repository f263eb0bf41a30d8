//! What is asked of the rows, and what they answer.

use crate::loss::Loss;
use discretion_privacy::noise::{BigFloat, Sensitive};
use serde::{Deserialize, Serialize};

/// What is asked of all rows together. It borrows everything; [`Ask`](super::remote::Ask) is its
/// written form.
#[derive(Clone, Copy)]
pub enum Question<'q> {
    /// Sums in double precision at several points. They are the sums that each point alone would
    /// get.
    Sums {
        /// What is summed.
        loss: &'q dyn Loss,
        /// Where.
        points: &'q [Point],
    },
    /// The gradient at θ with every operation carried out to `precision` bits: for noise so far out
    /// in its tail that double precision could not meet the public tolerance.
    BigGradient {
        /// What is summed.
        loss: &'q dyn Loss,
        /// θ.
        theta: &'q [BigFloat],
        /// In bits.
        precision: usize,
    },
    /// Products of persons' mean gradients at θ. Only who holds persons answers it: of rows,
    /// [`Order::Hessian`] of a loss whose curvature is f′² is the same.
    Products {
        /// Whose gradients.
        loss: &'q dyn Loss,
        /// θ.
        theta: &'q [f64],
        /// |f′| is cut off here.
        most: f64,
    },
}

/// The answer to the [`Question`] of the same name.
pub enum Answer {
    /// One for each point, in their order.
    Sums(Vec<Sensitive<Sums>>),
    /// (1/n) Σ f′ yᵢ xᵢ.
    BigGradient(Sensitive<Vec<BigFloat>>),
    /// (1/N) Σ ḡḡᵀ over persons, where ḡ = w Σ f′ yᵢ xᵢ over one person's rows; row-major, lower
    /// triangle.
    Products(Sensitive<Vec<f64>>),
}

/// How much of the expansion at θ is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// Value and gradient.
    Gradient,
    /// Value, gradient and Hessian.
    Hessian,
    /// Value, gradient and a Hessian that is good enough to find the way by: each entry may be off
    /// by 2⁻¹⁵·(1/n)Σ f″|x||x|. Nothing that is promised may hang on it.
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
