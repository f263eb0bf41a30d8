//! What noise in an objective costs, whatever is made small: the law of the noise, beside the price
//! of curvature.

use super::check::Check;
use super::event::{EventError, Law};
use super::part::Part;
use super::rounding::{formula_up, sum_up};
use super::shaped::{ShapeError, ShapedLaw, TrainingLaw};
use super::training::column_gaussian_sigma;
use crate::JointPrice;

/// Noise b·θ/n, in numbers that the proofs beside the mechanisms have.
pub(super) struct ObjectiveNoise<'e, G> {
    pub check: &'e Check,
    /// How far b moves at most, by length, when what is replaced is.
    pub sensitivity: f64,
    /// What the change of the Jacobian costs.
    pub curvature: f64,
    /// What slope and Jacobian cost together, of a loss whose curvature follows its slope.
    pub joint: Option<JointPrice>,
    /// What normal noise of a deviation costs, with all that.
    pub gaussian: G,
}

impl<G: Fn(f64) -> Part> ObjectiveNoise<'_, G> {
    /// Of a law that knows lengths.
    pub fn round(&self, law: Law) -> Result<Part, EventError> {
        match law {
            Law::Spherical { scale } => {
                self.check.positive("scale", scale)?;
                self.pure(self.sensitivity / scale)
            }
            Law::Gaussian { sigma } => self.normal("sigma", sigma),
        }
    }

    /// Of a law that knows columns.
    pub fn shaped(&self, law: &ShapedLaw) -> Result<Part, EventError> {
        law.check()?;
        match law {
            ShapedLaw::Groups { epsilons, .. } => {
                self.pure(sum_up(epsilons.iter().map(|&epsilon| (epsilon, 1))))
            }
            ShapedLaw::RowNorm { epsilon, .. } => self.pure(*epsilon),
            ShapedLaw::ColumnGaussian { columns, deviations } => {
                self.normal("deviations", column_gaussian_sigma(columns, deviations))
            }
        }
    }

    /// Of either, if its columns have so many coefficients.
    pub fn of(&self, law: &TrainingLaw, dimension: usize) -> Result<Part, EventError> {
        match law {
            TrainingLaw::Round(law) => self.round(*law),
            TrainingLaw::Shaped(law) if law.columns().dimension() != dimension => {
                Err(ShapeError("the columns have as many coefficients as the model, or as a class")
                    .into())
            }
            TrainingLaw::Shaped(law) => self.shaped(law),
        }
    }

    fn pure(&self, noise: f64) -> Result<Part, EventError> {
        let apart = formula_up(noise + self.curvature);
        let together = self.joint.map_or(f64::INFINITY, |joint| joint.epsilon(noise));
        Ok(Part::Pure { epsilon: self.check.bounded(apart.min(together))? })
    }

    fn normal(&self, field: &'static str, sigma: f64) -> Result<Part, EventError> {
        self.check.positive(field, sigma)?;
        self.check.bounded(0.5 * (self.sensitivity / sigma).powi(2))?;
        Ok((self.gaussian)(sigma))
    }
}
