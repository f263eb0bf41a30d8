//! What is asked of the rows, and what they answer.

use crate::loss::Loss;
use crate::quality::{AnyTally, Scoring};
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
    /// (1/N) Σ ḡḡᵀ over persons, where ḡ = w Σ f′ yᵢ xᵢ over one person's rows at θ. Only who holds
    /// persons answers it: of rows, [`Order::Hessian`] of a loss whose curvature is f′² gives it.
    Products {
        /// Whose gradients.
        loss: &'q dyn Loss,
        /// θ.
        theta: &'q [f64],
        /// |f′| is cut off here.
        most: f64,
    },
    /// Of several classes: roughly (1/n) Σ xᵢ xᵢᵀ. Half of it bounds the curvature along every
    /// direction in which classes differ (Böhning & Lindsay 1988). It helps to find the way, and
    /// nothing that is promised hangs on it.
    Squares,
    /// Of several classes: roughly each class's own block of the Hessian at θ, (1/n) Σ p(1 − p) xᵢ
    /// xᵢᵀ, one after the other. It helps to find the way as well.
    ClassBlocks {
        /// θ.
        theta: &'q [f64],
    },
    /// Counts of units in the cells between neighbouring knots of a curve. A value on a knot counts
    /// in the cell behind it, one on the last knot in the last cell; a missing one, and a row that
    /// is left out, nowhere. A row counts as 1, a person as
    /// [`PERSON_COUNTS`](super::matrix::PERSON_COUNTS). Another unit in place of one takes at most
    /// what a unit counts from all cells together, and adds at most as much.
    Cells {
        /// The place of the curve among the stored numbers.
        place: usize,
    },
    /// What the rows of the positive class count, one number. Another unit in place of one moves it
    /// by at most what a unit counts.
    Positives,
    /// Counts of what a released model says of rows, of which each unit has one.
    Scores(&'q Scoring),
}

impl Question<'_> {
    /// Returns true if the answer helps to find the way alone: where units are many, it is that of
    /// a sample.
    pub(crate) fn is_guidance(&self) -> bool {
        matches!(self, Question::Squares | Question::ClassBlocks { .. })
    }
}

/// The answer to a [`Question`].
pub enum Answer {
    /// Sums, one for each point, in their order.
    Sums(Vec<Sensitive<Sums>>),
    /// (1/n) Σ f′ yᵢ xᵢ.
    BigGradient(Sensitive<Vec<BigFloat>>),
    /// The matrix, or matrices, that were asked for: row-major, lower triangles.
    Matrix(Sensitive<Vec<f64>>),
    /// The counts that were asked for.
    Counts(Sensitive<Vec<i64>>),
    /// The counts of scores.
    Tally(AnyTally),
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
