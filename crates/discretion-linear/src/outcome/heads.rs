//! Heads: the vectors of coefficients of a model, and the noise on all of them.

use discretion_privacy::noise::{
    ClassNoise, Column, NoiseError, NoiseVector, Source, TrainingLaw, unit_variance,
};

/// The vectors of coefficients that a model has, each with a margin for every row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heads {
    /// One.
    One,
    /// One for each of so many classes. f depends on the differences of their margins alone: noise
    /// is on the subspace where heads add up to 0.
    Each(usize),
}

impl Heads {
    /// How many there are.
    pub fn count(self) -> usize {
        match self {
            Heads::One => 1,
            Heads::Each(count) => count,
        }
    }

    /// The dimension of the noise for each coefficient of a row.
    pub(crate) fn free(self) -> usize {
        match self {
            Heads::One => 1,
            Heads::Each(count) => count - 1,
        }
    }

    /// Returns true if noise can have one norm for a whole row.
    pub(crate) fn has_row_norm(self) -> bool {
        self == Heads::One
    }

    /// The dimension of the noise in a column of a group, and `weight` times what one entry varies
    /// by where the group has (D + 1)(D + 2)/ε² = 1.
    pub(crate) fn group_variance(self, column: Column, weight: f64) -> (f64, f64) {
        let k = column.coefficients as f64;
        match self {
            Heads::One => (k, weight * 8.0 * column.size * column.size / ((k + 1.0) * (k + 2.0))),
            Heads::Each(count) => ((count - 1) as f64 * k, weight * unit_variance(count, column)),
        }
    }

    /// The noise of a law on all heads, with so many coefficients each.
    pub(crate) fn noise(self, law: &TrainingLaw, dimension: usize) -> HeadNoise<'_> {
        match self {
            Heads::One => HeadNoise::One { law, dimension },
            Heads::Each(count) => HeadNoise::Each(ClassNoise::new(law, count, dimension)),
        }
    }
}

/// Noise on the coefficients of all heads, one head after the other.
pub(crate) enum HeadNoise<'l> {
    One { law: &'l TrainingLaw, dimension: usize },
    Each(ClassNoise<'l>),
}

impl HeadNoise<'_> {
    /// Draws a vector whose distance to an exact draw is at most `resolution`.
    pub(crate) fn draw(
        &self,
        resolution: f64,
        source: &mut dyn Source,
    ) -> Result<NoiseVector, NoiseError> {
        match self {
            HeadNoise::One { law, dimension } => law.draw(*dimension, resolution, source),
            HeadNoise::Each(noise) => noise.draw(resolution, source),
        }
    }

    /// The variance of a coefficient in each column; of a law in all directions, one number.
    pub(crate) fn variances(&self) -> Vec<f64> {
        match self {
            HeadNoise::One { law: TrainingLaw::Shaped(law), .. } => law.variances(),
            HeadNoise::One { law: TrainingLaw::Round(law), dimension } => {
                vec![law.typical_length(*dimension).powi(2) / *dimension as f64]
            }
            HeadNoise::Each(noise) => noise.variances(),
        }
    }

    /// √E‖b‖².
    pub(crate) fn typical_length(&self) -> f64 {
        match self {
            HeadNoise::One { law, dimension } => law.typical_length(*dimension),
            HeadNoise::Each(noise) => noise.typical_length(),
        }
    }

    /// A length that is exceeded with probability at most 2⁻⁶⁴. No guarantee rests on that
    /// probability.
    pub(crate) fn ordinary_length(&self) -> f64 {
        match self {
            HeadNoise::One { law, dimension } => law.ordinary_length(*dimension),
            HeadNoise::Each(noise) => noise.ordinary_length(),
        }
    }

    /// A length that is exceeded with probability at most e^{−l}.
    pub(crate) fn length_exceeded_by(&self, l: f64) -> f64 {
        match self {
            HeadNoise::One { law, dimension } => law.length_exceeded_by(l, *dimension),
            HeadNoise::Each(noise) => noise.length_exceeded_by(l),
        }
    }
}
