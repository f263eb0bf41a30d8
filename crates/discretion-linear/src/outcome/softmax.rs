//! Several classes, each with coefficients of its own. `train/classes/PROOF.md` proves the bounds.

use super::{Bounds, Heads, Label, LambdaRule, Logistic, Loss, Outcome, Sign, Slopes};
use discretion_privacy::account::{CLASSES_SLOPE, Curvature, classes_trace};
use discretion_privacy::noise::BigFloat;

/// f(s) = ln Σ e^{s_k} − s_y, where y is the row's class: the logistic loss of K classes. With p =
/// softmax(s) its gradient is p − e_y, its Hessian diag(p) − ppᵀ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Softmax {
    /// K.
    classes: usize,
}

impl Softmax {
    /// Softmax of so many classes.
    pub fn new(classes: usize) -> Softmax {
        assert!(classes >= 2, "there are at least two classes");
        Softmax { classes }
    }
}

impl Outcome for Softmax {
    fn label(&self) -> Label {
        Label::Class(self.classes)
    }

    fn heads(&self) -> Heads {
        Heads::Each(self.classes)
    }

    fn bounds(&self) -> Bounds {
        let k = self.classes as f64;
        Bounds {
            slope: CLASSES_SLOPE,
            sign: Sign::Either,
            curvature: 0.5,
            rank: self.classes - 1,
            trace: classes_trace(self.classes),
            mean_curvature: 1.0 / k,
            relation: Curvature::Logistic,
            start: k.ln(),
            offset: 0.0,
            rounding: 16.0 + 2.0 * k,
        }
    }

    /// Two classes with coefficients θ and −θ are one margin with 2θ: λ counts half there, and so
    /// does the noise's variance.
    fn lambda(&self) -> LambdaRule {
        LambdaRule { scale: 2.0, rank_share: 2.0, ..LambdaRule::USUAL }
    }

    /// The name by which oracles know it: they have K from their rows.
    fn loss(&self) -> &dyn Loss {
        &Logistic
    }

    fn row(&self, margins: &[f64], label: &[f32], out: &mut Slopes) -> f64 {
        let label = class(label);
        let most = margins.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let p = probabilities(margins);
        for (k, &own) in p.iter().enumerate() {
            out.slopes[k] = if k == label { own - 1.0 } else { own };
            for (l, &other) in p.iter().enumerate() {
                let one = if k == l { 1.0 } else { 0.0 };
                out.hessian[k * p.len() + l] = own * (one - other);
            }
        }
        let sum: f64 = margins.iter().map(|s| (s - most).exp()).sum();
        (most - margins[label]) + sum.ln()
    }

    fn exact(&self, margins: &[BigFloat], label: &[f32]) -> Vec<BigFloat> {
        let label = class(label);
        let precision = margins[0].precision();
        let most = margins.iter().max().expect("there are classes");
        let powers: Vec<BigFloat> =
            margins.iter().map(|s| (s - most).with_precision(precision).value().exp()).collect();
        let zero = BigFloat::ZERO.with_precision(precision).value();
        let sum = powers.iter().fold(zero, |sum, power| sum + power);
        let one = BigFloat::ONE.with_precision(precision).value();
        let slope = |(k, power): (usize, BigFloat)| {
            let share = power / &sum;
            if k == label { share - &one } else { share }
        };
        powers.into_iter().enumerate().map(slope).collect()
    }
}

/// The class that a label is the code of.
fn class(label: &[f32]) -> usize {
    label[0] as usize
}

/// The probability of each class, from its scores.
pub fn probabilities(scores: &[f64]) -> Vec<f64> {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
    let sum: f64 = powers.iter().sum();
    powers.into_iter().map(|power| power / sum).collect()
}
