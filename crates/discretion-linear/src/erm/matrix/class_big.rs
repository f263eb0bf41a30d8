//! Gradients of several classes in big floats, for the solver's certificate.

use super::class_units::Part;
use super::classed::ClassView;
use crate::erm::OracleError;
use discretion_privacy::noise::{BigFloat, exact};

impl ClassView<'_> {
    /// Σ (p − e_y) ⊗ x over a part in big floats, each times its weight.
    pub(super) fn big_sum(
        &self,
        theta: &[BigFloat],
        precision: usize,
        part: &Part,
    ) -> Result<Vec<BigFloat>, OracleError> {
        let zero = BigFloat::ZERO.with_precision(precision).value();
        let d = theta.len() / self.count;
        let mut gradient = vec![zero.clone(); theta.len()];
        self.units.each_row(part, |matrix, row, weight| {
            let factor = exact(f64::from(matrix.signed[row]));
            let terms = matrix.terms(row);
            let score = |class: &[BigFloat]| {
                terms.iter().fold(zero.clone(), |sum, &(j, x)| sum + &class[j] * exact(x)) * &factor
            };
            let scores: Vec<BigFloat> = theta.chunks_exact(d).map(score).collect();
            let slopes = big_slopes(scores, usize::from(matrix.classes[row]));
            for (class, slope) in gradient.chunks_exact_mut(d).zip(slopes) {
                let slope = slope * &factor * exact(weight);
                for &(j, x) in &terms {
                    class[j] += &slope * exact(x);
                }
            }
        })?;
        Ok(gradient)
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
