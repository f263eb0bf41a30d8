//! How long vectors of these laws are. No guarantee rests on a probability here.

use crate::account::{Law, ShapedLaw, TrainingLaw};
use crate::noise::vector::LN_CHANCE_OF_A_LONGER_ONE;

impl TrainingLaw {
    /// √E‖b‖².
    pub fn typical_length(&self, dimension: usize) -> f64 {
        match self {
            TrainingLaw::Round(law) => law.typical_length(dimension),
            TrainingLaw::Shaped(law) => {
                let columns = law.columns().iter().zip(law.variances());
                columns
                    .map(|(column, variance)| column.coefficients as f64 * variance)
                    .sum::<f64>()
                    .sqrt()
            }
        }
    }

    /// A length that is exceeded with probability at most 2⁻⁶⁴. No guarantee rests on that
    /// probability: a longer vector is solved for in wider arithmetic.
    pub fn ordinary_length(&self, dimension: usize) -> f64 {
        self.length_exceeded_by(LN_CHANCE_OF_A_LONGER_ONE, dimension)
    }

    /// A length that is exceeded with probability at most e^{−l}.
    pub fn length_exceeded_by(&self, l: f64, dimension: usize) -> f64 {
        match self {
            TrainingLaw::Round(law) => law.length_exceeded_by(l, dimension),
            TrainingLaw::Shaped(law) => law.length_exceeded_by(l),
        }
    }
}

impl ShapedLaw {
    /// A length that is exceeded with probability at most e^{−l} (`PROOF.md`, "Lengths").
    pub fn length_exceeded_by(&self, l: f64) -> f64 {
        let dimension = self.columns().dimension();
        match self {
            ShapedLaw::Groups { columns, group_of, epsilons } => {
                let each = l + (epsilons.len() as f64).ln();
                let dimensions = ShapedLaw::group_dimensions(columns, group_of, epsilons.len());
                let mut squares = vec![0.0; epsilons.len()];
                columns
                    .iter()
                    .zip(group_of)
                    .for_each(|(column, &group)| squares[group] += column.size.powi(2));
                let length = |((d, square), epsilon): ((usize, f64), &f64)| {
                    let scale = 2.0 * f64::sqrt(square) / epsilon;
                    Law::Spherical { scale }.length_exceeded_by(each, d)
                };
                let lengths = dimensions.into_iter().zip(squares).zip(epsilons).map(length);
                lengths.map(|length| length * length).sum::<f64>().sqrt()
            }
            ShapedLaw::RowNorm { epsilon, .. } => {
                Law::Spherical { scale: 2.0 / epsilon }.length_exceeded_by(l, dimension)
            }
            ShapedLaw::ColumnGaussian { deviations, .. } => {
                let sigma = deviations.iter().copied().fold(0.0, f64::max);
                Law::Gaussian { sigma }.length_exceeded_by(l, dimension)
            }
        }
    }
}
