//! What is predicted: outcomes, with the numbers that proofs, plans and the solver use of them, and
//! the functions of a margin that are summed over rows.
//!
//! An [`Outcome`] has a file of its own. Those of one margin are a [`Loss`], a convex function of
//! it. Three more functions of the margin are summed in the same way: [`Score`]s, which only have
//! values, the weights of private matrices, and 1, whose matrix is that of moments. A [`LossSpec`]
//! names each of them, so that others can sum it. Least squares are summed too, and are no outcome:
//! their slopes have no bound.

mod bounds;
mod check;
mod class_score;
mod heads;
mod hinge;
mod huber;
mod kind;
mod lambda_rule;
mod logistic;
mod logistic_weighted;
mod loss;
mod moments;
mod price;
#[cfg(test)]
mod rates;
mod score;
mod softmax;
mod spec;
mod squared;
mod weighted;

pub use bounds::{Bounds, Sign};
pub use check::check;
pub use heads::Heads;
pub use hinge::{HalfWidth, HuberisedHinge};
pub use huber::Huber;
pub use kind::LossKind;
pub use lambda_rule::LambdaRule;
pub use logistic::Logistic;
pub use loss::Loss;
pub(crate) use moments::MomentsLoss;
pub(crate) use price::Size;
#[cfg(test)]
pub(crate) use rates::Rates;
pub(crate) use score::Bounded;
pub use score::Score;
pub use softmax::{Softmax, probabilities};
pub use spec::LossSpec;
pub(crate) use squared::{HalfSquare, SquaredSlope};
pub(crate) use weighted::{Weight, Weighted};

use discretion_privacy::noise::BigFloat;

/// What a model predicts, and by which loss.
///
/// Laws of noise, plans, λ, predictions of errors and the solver read its numbers and nothing else.
/// An outcome is part of the mechanism: it is handed margins of rows and is trusted with them, as
/// the proofs trust its numbers. [`check`] tests an implementation numerically.
pub trait Outcome: Sync {
    /// How the outcome of a row is encoded.
    fn label(&self) -> Label;

    /// Labels that [`check`] tries, encoded: every one, or those with which f is steepest, bends
    /// most and starts highest.
    fn labels(&self) -> Vec<Vec<f32>> {
        match self.label() {
            // Margins are multiplied by the one, and the other is subtracted from them.
            Label::Sign | Label::Column => vec![Vec::new()],
            Label::Class(classes) => (0..classes).map(|class| vec![class as f32]).collect(),
            Label::Beside(_) => panic!("an outcome of numbers beside the row names some"),
        }
    }

    /// The vectors of coefficients.
    fn heads(&self) -> Heads;

    /// What the proofs use.
    fn bounds(&self) -> Bounds;

    /// What λ is fitted by.
    fn lambda(&self) -> LambdaRule {
        LambdaRule::USUAL
    }

    /// What oracles sum for it. The loss of one margin, or what names that of several.
    fn loss(&self) -> &dyn Loss;

    /// Returns 1 over the largest size of a slope at margins of at most this size.
    fn inverse_slope(&self, _length: f64) -> f64 {
        1.0 / self.bounds().slope
    }

    /// Computes f of a row with these margins and this label, its gradient and its Hessian.
    fn row(&self, margins: &[f64], _label: &[f32], out: &mut Slopes) -> f64 {
        let (loss, m) = (self.loss(), margins[0]);
        (out.slopes[0], out.hessian[0]) = (loss.slope(m), loss.curvature(m));
        loss.value(m)
    }

    /// Computes the same gradient to the precision of its margins, for noise far out in its tail.
    fn exact(&self, margins: &[BigFloat], _label: &[f32]) -> Vec<BigFloat> {
        vec![self.loss().big_slope(&margins[0])]
    }
}

/// How the outcome of a row is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// ±1, by which margins are multiplied.
    Sign,
    /// The code of one of so many classes.
    Class(usize),
    /// A number in [−1, 1], which is subtracted from margins.
    Column,
    /// So many numbers beside the row.
    Beside(usize),
}

/// The derivatives of f in the margins of one row.
#[derive(Clone, Debug, PartialEq)]
pub struct Slopes {
    /// The gradient.
    pub slopes: Vec<f64>,
    /// The Hessian, row-major.
    pub hessian: Vec<f64>,
}

impl Slopes {
    /// Room for the derivatives in so many margins.
    pub fn zero(heads: usize) -> Slopes {
        Slopes { slopes: vec![0.0; heads], hessian: vec![0.0; heads * heads] }
    }
}
