//! Slopes of rows in big floats, for the solver's certificate.

use super::Matrix;
use crate::loss::Loss;
use discretion_privacy::noise::{BigFloat, exact};

pub(super) fn zeros(numbers: usize, precision: usize) -> Vec<BigFloat> {
    vec![zero(precision); numbers]
}

fn zero(precision: usize) -> BigFloat {
    BigFloat::ZERO.with_precision(precision).value()
}

impl Matrix {
    /// Adds f′ y x of a row, times its weight, to a gradient.
    pub(super) fn add_big_slope(
        &self,
        loss: &dyn Loss,
        (theta, precision): (&[BigFloat], usize),
        (row, weight): (usize, f64),
        gradient: &mut [BigFloat],
    ) {
        let signed = exact(self.signed(row));
        let terms = self.terms(row);
        let zero = zero(precision);
        let dot = terms.iter().fold(zero, |sum, &(j, x)| sum + &theta[j] * exact(x));
        let slope = loss.big_slope(&(dot * &signed)) * signed * exact(weight);
        for (j, x) in terms {
            gradient[j] += &slope * exact(x);
        }
    }

    /// Adds (p − e_y) ⊗ x of a row of several classes, times its weight, to a gradient.
    pub(super) fn add_big_class_slopes(
        &self,
        (theta, precision): (&[BigFloat], usize),
        (row, weight): (usize, f64),
        gradient: &mut [BigFloat],
    ) {
        let d = self.layout.dimension();
        let zero = zero(precision);
        let factor = exact(self.signed(row));
        let terms = self.terms(row);
        let score = |class: &[BigFloat]| {
            terms.iter().fold(zero.clone(), |sum, &(j, x)| sum + &class[j] * exact(x)) * &factor
        };
        let scores: Vec<BigFloat> = theta.chunks_exact(d).map(score).collect();
        let slopes = big_slopes(scores, usize::from(self.classes[row]));
        for (class, slope) in gradient.chunks_exact_mut(d).zip(slopes) {
            let slope = slope * &factor * exact(weight);
            for &(j, x) in &terms {
                class[j] += &slope * exact(x);
            }
        }
    }
}

/// p − e_y to the precision of the scores.
fn big_slopes(scores: Vec<BigFloat>, own: usize) -> Vec<BigFloat> {
    let precision = scores[0].precision();
    let most = scores.iter().max().expect("there are classes").clone();
    // Below −2²⁰ a probability is 0 to a million bits, more than anyone asks for.
    let far = -BigFloat::from(1 << 20);
    let power = |score: &BigFloat| {
        let below = score - &most;
        let near = if below < far { far.clone() } else { below };
        near.with_precision(precision).value().exp()
    };
    let powers: Vec<BigFloat> = scores.iter().map(power).collect();
    let sum =
        powers.iter().fold(BigFloat::ZERO.with_precision(precision).value(), |sum, x| sum + x);
    let one = BigFloat::ONE.with_precision(precision).value();
    let slope = |(class, power): (usize, BigFloat)| {
        let share = power / &sum;
        if class == own { share - &one } else { share }
    };
    powers.into_iter().enumerate().map(slope).collect()
}
